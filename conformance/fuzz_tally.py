"""Fuzz tally: damaged files of every reader, counted over as many runs as one lets it have. Writes docs/fuzz.md.

    python -m conformance fuzz_tally --again [--seconds 60] [--only KIND]

Case N of a kind of file is made by a generator seeded with that number (``fuzz_import``, ``usd_fuzz``). A run begins
with the cases that broke before, goes on for each kind after the last number of its row, and adds to the row what it
finds in ``--seconds`` of processor time. A row counts its cases by the sources that read them.
"""

import random
import tempfile
import time
from functools import cache
from pathlib import Path

from conformance import fuzz_import, usd_fuzz
from conformance.collection.models import named
from conformance.collection.places import ROOT
from conformance.fuzz_files import KINDS
from conformance.sources import sources
from conformance.sweep import FAULT, Sweep, table

ENDS = ("read", "refused")
USD = "usd"
LOADED = 3
"""Seconds by the clock for each of processor time, at most."""
SHOWN = 10
"""Cases that broke of which a row has the text."""


def kinds(**_) -> dict[str, str]:
    """Kinds of files."""
    return {kind: kind for kind in (*fuzz_import.FORMATS, USD, *KINDS)}


@cache
def corpus(kind: str) -> list:
    """Files of a kind that are damaged, or their texts."""
    if kind == USD:
        return [Path(file).read_text() for file in named(usd_fuzz.FILES, "usd").values()]
    return fuzz_import.corpus(kind) if kind in fuzz_import.FORMATS else KINDS[kind].corpus()


@cache
def place() -> Path:
    """A folder for one process."""
    return Path(tempfile.mkdtemp())


def ended(kind: str, number: int, seed: int) -> str:
    """How a case ended: ``read``, ``refused``, or what is wrong with it."""
    rng = random.Random(f"{kind} {seed} {number}")
    if kind != USD:
        return fuzz_import.one_case(kind, corpus(kind), rng)[1]
    text = usd_fuzz.mutate(rng.choice(corpus(kind)), rng)
    return usd_fuzz.judged(text, place() / "damaged.usda", rng)


def judge(kind: str, seconds: int, seed: int) -> dict:
    """The row of a kind: what it was, and what a run adds."""
    row = {"cases": 0, "read": 0, "refused": 0, "mended": 0, "longest": 0.0, "broken": {}, "by": {}}
    before = SWEEP.rows.all().get(kind, {})
    row |= {key: before[key] for key in row if key in before}

    # what broke before is mended where it ends as it should now
    held = [number for number in row["broken"] if ended(kind, int(number), seed) in ENDS]
    row["mended"] += len(held)
    broken = {number: text for number, text in row["broken"].items() if number not in held}

    # the next numbers, as long as there is time
    began, first, ends = time.process_time(), row["cases"], time.perf_counter() + LOADED * seconds
    while (now := time.process_time()) - began < seconds and time.perf_counter() < ends:
        end = ended(kind, row["cases"], seed)
        row["longest"] = max(row["longest"], time.process_time() - now)
        if end in ENDS:
            row[end] += 1
        elif len(broken) < SHOWN:
            broken[str(row["cases"])] = end[:200]
        else:
            break  # enough to look at
        row["cases"] += 1
    by = {**row["by"], sources(SWEEP.module)[:8]: row["by"].get(sources(SWEEP.module)[:8], 0) + row["cases"] - first}
    return row | {"broken": broken, "by": by, "verdict": "broke" if broken else "held"}


def page(rows: list[dict], seconds: int, seed: int) -> str:
    """The page as Markdown."""
    rows = [row for row in rows if "cases" in row]
    total = {key: sum(row[key] for row in rows) for key in ("cases", "read", "refused", "mended")}
    broken = [f"- {row['model']} {number}: {text}" for row in rows for number, text in row["broken"].items()]
    lines = [
        "# Damaged files",
        "",
        f"Written by `python -m conformance fuzz_tally --seed {seed}`, which goes on where its last run ended: case N of a kind is a small file",
        "of that kind with bytes, words, numbers, attributes or parts changed, by a generator seeded with N. Each must be read, or be refused by",
        f"an error that names the place, within {fuzz_import.SLOW:g} s of processor time ({usd_fuzz.SLOW:g} s for USD) and {fuzz_import.LARGE >> 20} MiB.",
        "",
        f"{total['cases']:,} cases: {total['read']:,} read, {total['refused']:,} refused, {len(broken)} broke"
        f" and {total['mended']} broke first and are mended.",
        "",
        *table("format", "cases", "refused", "read", "broke", "mended", "longest [s of processor time]"),
    ]
    lines += [
        f"| {row['model']} | {row['cases']:,} | {row['refused']:,} | {row['read']:,} | {len(row['broken'])} | {row['mended']} | {row['longest']:.2f} |"
        for row in rows
    ]
    return "\n".join([*lines, "", *broken]).rstrip() + "\n"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "fuzz.md",
    kinds,
    judge,
    page,
    lambda row: str(row.get("broken") or row.get("note") or f"{row['cases']:,} cases"),
    options={"seconds": 60, "seed": 0},
    fails=("broke", FAULT),
)
