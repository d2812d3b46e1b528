"""Claims and the code they are of: which rows are older than what they measure; judges those again, or writes the pages.

    python -m conformance claims [SWEEP ...]      how many rows are of the code as it is now
    python -m conformance claims --rerun [SWEEP ...]    judge the older ones again, and those that are missing
    python -m conformance claims --pages          write all pages from their rows, and the figures of README.md

Rows live below ``conformance/results``, one line for each model, with digest of the code, versions, machine and day.
"""

import argparse
import json
import sys

from conformance import figures
from conformance.rows import read
from conformance.sweep import Sweep
from conformance.verify import sweeps


def known() -> dict[str, Sweep]:
    """Sweeps whose rows are kept, by name."""
    found = sweeps("conformance") | sweeps("benchmarks")
    return {name: sweep for name, sweep in found.items() if sweep.settles}


def page(sweep: Sweep, rows: dict[str, dict]) -> str | None:
    """The page of a sweep's rows, by the options that most of them have."""
    if not rows:
        return None
    texts = [json.dumps(row["options"], sort_keys=True) for row in rows.values()]
    options = json.loads(max(sorted(set(texts)), key=texts.count))
    return sweep.text(rows, dict(sweep.options) | options)


def status(sweep: Sweep) -> str:
    """How old the rows of a sweep are."""
    rows = sweep.rows.all()
    if not rows:
        return "no rows"
    fresh = sweep.fresh(rows, dict(sweep.options))
    days = sorted(row["date"] for row in rows.values())
    return f"{len(rows)} rows, {len(rows) - len(fresh)} older than their code; {days[0]} to {days[-1]}"


def main() -> int:
    """Say how old rows are, judge them again, or write pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SWEEP")
    parser.add_argument("--rerun", action="store_true")
    parser.add_argument("--pages", action="store_true")
    args = parser.parse_args()
    found = known()
    if unknown := set(args.names) - found.keys():
        print(f"no such sweep: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    failed = 0
    for name in args.names or sorted(found):
        sweep = found[name]
        if args.pages:
            text = page(sweep, read(sweep.rows.file))
            if text is not None:
                sweep.page_file.write_text(text)
            continue
        print(f"{name:20} {status(sweep)}", flush=True)
        if args.rerun and not sweep.lacking():
            failed |= sweep.main([])
    if args.pages:
        figures.put()
    return failed
