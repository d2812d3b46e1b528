"""What pyright reports, by file and rule, beside the known reports: one more is an error. `make lint` asks it.

    python -m conformance type_reports            # a new report fails; of those that are gone it says so
    python -m conformance type_reports --shrink   # takes those that are gone out of the list

Run it where all optional packages are: what comes from one that is not there has no type, and nothing is reported of it.

The list (tests/house/type_reports.json) only shrinks: this command never adds to it, and the record of the last release
(`python -m conformance release_record`) bounds how many there are.
"""

import json
import subprocess
import sys
from collections import Counter

from conformance.collection.places import ROOT

KNOWN = ROOT / "tests" / "house" / "type_reports.json"
Counts = dict[str, dict[str, int]]
"""Numbers of reports by file and rule."""


def main() -> int:
    reports, known = measured(), json.loads(KNOWN.read_text())
    found = counts(reports)
    new, gone = beyond(found, known), beyond(known, found)
    for file, rule in new:
        places = [r for r in reports if (r["file"], r["rule"]) == (file, rule)]
        print(f"{file}: {len(places)} of {rule}, known are {known.get(file, {}).get(rule, 0)}")
        print("\n".join(f"    {r['line']}: {r['message']}" for r in places))
    if gone and "--shrink" in sys.argv:
        KNOWN.write_text(text(least(found, known)))
        print(f"{KNOWN.name}: {total(known)} -> {total(least(found, known))} reports")
    elif gone:
        print(f"{len(gone)} reports are gone that {KNOWN.name} lists: python -m conformance type_reports --shrink")
    return int(bool(new))


def measured() -> list[dict]:
    """Pyright's errors: file, line, rule, message."""
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return [
        {
            "file": found["file"].removeprefix(f"{ROOT}/"),
            "line": found["range"]["start"]["line"] + 1,
            "rule": found.get("rule", "syntax"),
            "message": found["message"],
        }
        for found in json.loads(answer.stdout)["generalDiagnostics"]
        if found["severity"] == "error"
    ]


def counts(reports: list[dict]) -> Counts:
    """Numbers of reports."""
    found: Counts = {}
    for (file, rule), number in sorted(Counter((r["file"], r["rule"]) for r in reports).items()):
        found.setdefault(file, {})[rule] = number
    return found


def beyond(more: Counts, fewer: Counts) -> list[tuple[str, str]]:
    """Pairs (file, rule) of which the first has more than the second."""
    return [(f, r) for f, rules in more.items() for r, n in rules.items() if n > fewer.get(f, {}).get(r, 0)]


def least(found: Counts, known: Counts) -> Counts:
    """The known reports that are still there."""
    both = {f: {r: min(n, known.get(f, {}).get(r, 0)) for r, n in rules.items()} for f, rules in found.items()}
    left = {f: {r: n for r, n in rules.items() if n} for f, rules in both.items()}
    return {f: rules for f, rules in left.items() if rules}


def total(known: Counts) -> int:
    """How many reports there are."""
    return sum(n for rules in known.values() for n in rules.values())


def text(known: Counts) -> str:
    """The list as JSON, a file a line."""
    lines = [f"{json.dumps(file)}: {json.dumps(rules)}" for file, rules in sorted(known.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"
