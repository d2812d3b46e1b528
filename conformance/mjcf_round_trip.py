"""What we write, read by MuJoCo, over the real models: every field of its model before and after.

    python -m conformance mjcf_round_trip [--only TEXT]

writes docs/mjcf_round_trip.md.
"""

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from newtonlite.core.errors import Error
from newtonlite.exporters.mjcf import write_mjcf
from tests import oracle
from tests.harness.same_model import field_errors
from tests.tolerance import tolerance

ASSETS = oracle.ROOT.parent / "shared" / "assets"
PAGE = oracle.ROOT / "docs" / "mjcf_round_trip.md"
LARGEST = 60_000
"""Most mesh vertices of a model that is swept."""


def models(only: str) -> list[str]:
    """Paths of the MJCF models, below the folder of assets."""
    manifest = json.loads((ASSETS / "MANIFEST.json").read_text())
    found = [
        m
        for m in manifest["models"]
        if m["format"] == "mjcf" and m["kind"] == "model" and m.get("nmeshvert", 0) <= LARGEST
    ]
    return sorted(m["path"] for m in found if only in m["path"])


def judge(path: str) -> dict:
    """The row of one model: refused by the writer, or the worst field after a round trip."""
    row = {"model": path.removeprefix("mjcf/")}
    try:
        model = oracle.compile_xml(ASSETS / path)
    except ValueError as problem:
        return {**row, "verdict": "not read by MuJoCo", "note": line(problem)}
    try:
        back = oracle.compile_xml(*write_mjcf(model))
    except Error as problem:
        return {**row, "verdict": "refused", "note": line(problem)}
    except ValueError as problem:
        return {**row, "verdict": "not read back", "note": line(problem)}
    errors = field_errors(model, back)
    worst = max(errors, key=lambda name: errors[name])
    equal = errors[worst] <= tolerance("compiled")
    return {**row, "verdict": "equal" if equal else "different", "worst": errors[worst], "field": worst}


def line(problem: Exception) -> str:
    """An error in one line."""
    return " ".join(str(problem).split()).replace("|", "/")[:140]


def page(rows: list[dict]) -> str:
    """The table as Markdown, what agrees first."""
    verdicts = Counter(row["verdict"] for row in rows)
    lines = [
        "# MJCF: what we write, read by MuJoCo",
        "",
        f"Written by `python -m conformance mjcf_round_trip`: {len(rows)} models of up to {LARGEST:,} mesh vertices, compiled by MuJoCo 4.0.0,",
        f"written by `newtonlite.exporters.mjcf`, and compiled again. The worst field; up to {tolerance('compiled'):g} counts as equal. Meshes are",
        "compared by their points in the frames of their bodies: axes of nearly equal moments follow the rounding of vertices. Colour spaces",
        "of textures made by formula are not compared.",
        "",
        ", ".join(f"**{number} {verdict}**" for verdict, number in verdicts.most_common()) + ".",
        "",
        "| model | verdict | worst error | field or reason |",
        "|---|---|---|---|",
    ]
    order = [verdict for verdict, _ in verdicts.most_common()]
    for row in sorted(rows, key=lambda r: (order.index(r["verdict"]), r["model"])):
        worst = f"{row['worst']:.0e}" if "worst" in row else ""
        lines.append(f"| {row['model']} | {row['verdict']} | {worst} | {row.get('field', row.get('note', ''))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Sweep, write, and fail where a model differs."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="models whose path holds this text; the page is then not written")
    arguments.add_argument("--rows", type=Path, help="keep finished rows in this file, and go on from it")
    args = arguments.parse_args()
    if not ASSETS.is_dir():
        print("needs the folder of real robots beside the project", file=sys.stderr)
        return 2
    rows = json.loads(args.rows.read_text()) if args.rows and args.rows.is_file() else []
    done = {row["model"] for row in rows}
    for path in models(args.only):
        if path.removeprefix("mjcf/") in done:
            continue
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append(judge(path))
        last = rows[-1]
        if args.rows:
            args.rows.write_text(json.dumps(rows))
        print(
            f"{last['verdict']:<10} {last['model']} {last.get('worst', '')} {last.get('field', last.get('note', ''))} {time.perf_counter() - began:.1f}s",
            flush=True,
        )
    if not args.only:
        PAGE.write_text(page(rows))
    verdicts = Counter(row["verdict"] for row in rows)
    print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()))
    return 1 if verdicts["different"] or verdicts["not read back"] else 0


if __name__ == "__main__":
    sys.exit(main())
