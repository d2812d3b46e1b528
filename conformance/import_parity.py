"""Every real MJCF model: is what newtonlite compiles from it what MuJoCo compiles, field by field? Writes
docs/import_parity.md.

    python -m conformance import_parity [--only humanoid]

The way is that of a user: ``ModelBuilder.add_mjcf``, ``finalize``, ``compile_model``. A model is *equal* where no field
differs by more than 1e-6, relative; *refused* where newtonlite says by name what it does not do. Where a mesh has
(nearly) equal principal moments rounding decides about its axes, and *symmetric* says that only what depends on them
differs, no more than that explains.
"""

import argparse
import json
import math
import sys
import warnings
from collections import Counter
from pathlib import Path

from benchmarks.scenes import ASSETS, ROOT
from conformance.parity import reason
from newtonlite.core.errors import Error
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness import import_fields
from tests.tolerance import tolerance

PAGE = ROOT / "docs" / "import_parity.md"
SLOW = ("100_humanoids", "perf/smooth", "pick_clutter", "scene_clutter")
"""Models of thousands of bodies, which say nothing that smaller ones do not."""


def models(only: str = "") -> list[str]:
    """Paths, relative to the assets, of every MJCF model that is meant to be loaded by itself."""
    manifest = json.loads((ASSETS / "MANIFEST.json").read_text())
    paths = (m["path"] for m in manifest["models"] if m["format"] == "mjcf" and m["kind"] == "model")
    return sorted(p for p in paths if only in p and not any(word in p for word in SLOW))


def judge(path: str) -> dict:
    """One row of the table."""
    row = {"model": path.removeprefix("mjcf/"), "verdict": "equal", "worst": "", "note": ""}
    builder = ModelBuilder()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            builder.add_mjcf(str(ASSETS / path))
            ours = compile_model(builder.finalize(device="cpu", skip_all_validations=True))
    except Error as problem:
        return {**row, "verdict": "refused", "note": reason(problem)}
    reference = oracle.compile_xml(ASSETS / path)
    errors = {name: e for name, e in import_fields.compare(reference, ours).items() if not math.isnan(e)}
    name, worst = max(errors.items(), key=lambda item: item[1])
    different, turned = import_fields.differences(reference, ours, tolerance("compiled"))
    if different:
        row |= {"verdict": "symmetric" if turned else "different", "note": ", ".join(sorted(different)[:6])}
    return {**row, "worst": f"{name} {worst:.0e}" if worst > 0 else "none"}


def page(rows: list[dict]) -> str:
    """The table as Markdown, what is equal first."""
    verdicts = Counter(row["verdict"] for row in rows)
    lines = [
        "# Parity of the importer with MuJoCo over real models",
        "",
        f"Written by `make parity-import`: {len(rows)} MJCF models, read into a builder, finalized, compiled, and compared with MuJoCo 4.0.0's",
        "model in float64, field by field (`tests/harness/import_fields.py` says which and how). Equal means that no field is off by more than",
        "1e-6, relative. Of meshes with nearly equal principal moments rounding chooses the axes; *symmetric* says that only what",
        "depends on that choice differs, by no more than it explains.",
        "",
        ", ".join(f"**{number} {verdict}**" for verdict, number in verdicts.most_common()) + ".",
        "",
        "| model | verdict | worst field | note |",
        "|---|---|---|---|",
    ]
    order = list(verdicts)
    for row in sorted(rows, key=lambda r: (order.index(r["verdict"]), r["model"])):
        lines.append(f"| {row['model']} | {row['verdict']} | {row['worst']} | {row['note']} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Sweep, write, and fail where a model differs."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="models whose path holds this text; the page is then not written")
    arguments.add_argument("--out", type=Path, default=PAGE)
    args = arguments.parse_args()
    if not ASSETS.is_dir():
        print("needs the folder of real robots beside the project", file=sys.stderr)
        return 2
    rows = []
    for path in models(args.only):
        rows.append(judge(path))
        print(f"{rows[-1]['verdict']:<14} {rows[-1]['model']}  {rows[-1]['worst']}  {rows[-1]['note']}", flush=True)
    if not args.only:
        args.out.write_text(page(rows))
    verdicts = Counter(row["verdict"] for row in rows)
    print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()))
    return 1 if verdicts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
