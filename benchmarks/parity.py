"""Every real MJCF model: does newtonlite read it, and does one step agree with MuJoCo's? Writes docs/parity.md.

    python -m benchmarks.parity [--states 20] [--only humanoid]

A model is *equal* where the numbers of contacts and rows are MuJoCo's in every state and no acceleration is off by more
than the tests allow; *refused* where newtonlite says by name what it does not simulate.
"""

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.scenes import ASSETS, ROOT
from newtonlite.cli.bench.workload import wide
from newtonlite.cli.simulation import compiled
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco import variants
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.schedule import Schedule
from tests import oracle
from tests.tolerance import relative_error, tolerance

PAGE = ROOT / "docs" / "parity.md"
LARGEST_NV = 200
ITERATIONS = 100  # solvers stopped early need not agree


def models(only: str) -> list[str]:
    """Paths, relative to the assets, of every MJCF model that is meant to be loaded by itself."""
    manifest = json.loads((ASSETS / "MANIFEST.json").read_text())
    rows = [m for m in manifest["models"] if m["format"] == "mjcf" and m["kind"] == "model"]
    return sorted(m["path"] for m in rows if only in m["path"] and m.get("nv", 0) <= LARGEST_NV)


def judge(path: str, count: int) -> dict:
    """One row of the table."""
    row = {"model": path.removeprefix("mjcf/"), "verdict": "equal", "note": ""}
    try:
        mj = compiled(ASSETS / path)
        mj.opt.iterations = ITERATIONS
        m = put_model(mj, count, device="cpu")
    except Error as problem:
        return {**row, "verdict": "refused", "note": reason(problem)}
    except Exception as problem:  # the sweep goes on; the table shows the fault
        return {**row, "verdict": "fault", "note": f"{type(problem).__name__}: {reason(problem)}"}
    reference = oracle.compile_xml(ASSETS / path)
    reference.opt.iterations = ITERATIONS
    try:
        states = oracle.rollout_states(reference, count)
    except RuntimeError as problem:
        return {**row, "verdict": "unstable in MuJoCo", "note": reason(problem)}
    return {**row, **compare(m, oracle.step(reference, states), states)}


def compare(m, want, states) -> dict:
    """One step of all states beside MuJoCo's."""
    n = len(states)
    d = make_data(m, n, int(want.ncon.max()) + 8, int(want.nefc.max()) + 32)
    for name, values in vars(states).items():
        array = getattr(d, name)
        if values.size:
            array.assign(wide(values, array) if array.ndim > 1 else values[:, 0])
    Schedule(m, d, threads=1).step()
    different = int(((d.ncon.numpy() != want.ncon) | (d.nefc.numpy() != want.nefc)).sum())
    error = relative_error(d.qacc.numpy()[:, : m.nv], want.qacc, floor=np.maximum(want.pull, 1.0))
    equal = different == 0 and error.max() <= tolerance("qacc")
    return {
        "verdict": "equal" if equal else "different",
        "note": f"contacts or rows differ in {different} of {n} states" if different else "",
        "median": float(np.median(error)), "worst": float(error.max()),
    }  # fmt: skip


def reason(problem: Exception) -> str:
    """An error in one line, without the path in front of a file's name."""
    text = re.sub(r"\S*/(?=[\w.-]+\.xml)", "", " ".join(str(problem).split()))
    return text.replace("|", "/")[:140]


def page(rows: list[dict], count: int) -> str:
    """The table as Markdown, what agrees first."""
    verdicts = Counter(row["verdict"] for row in rows)
    lines = [
        "# Parity with MuJoCo over real models", "",
        f"Written by `make parity`: {len(rows)} MJCF models of up to {LARGEST_NV} degrees of freedom, one step from each of {count} states",
        "met along random-control rollouts, beside MuJoCo 4.0.0. The error is that of qacc, relative to the largest of qacc, the",
        f"accelerations it is a difference of, and 1 m/s² or rad/s². Solvers have {ITERATIONS} iterations on both sides.", "",
        ", ".join(f"**{number} {verdict}**" for verdict, number in verdicts.most_common()) + ".", "",
        "| model | verdict | median error | worst error | note |", "|---|---|---|---|---|",
    ]  # fmt: skip
    order = list(verdicts)
    for row in sorted(rows, key=lambda r: (order.index(r["verdict"]), r["model"])):
        errors = [f"{row[key]:.0e}" if key in row else "" for key in ("median", "worst")]
        lines.append(f"| {row['model']} | {row['verdict']} | {errors[0]} | {errors[1]} | {row['note']} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Sweep, write, and fail where a model differs or the package breaks down on it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--states", type=int, default=20)
    arguments.add_argument("--only", default="", help="models whose path holds this text; the page is then not written")
    arguments.add_argument("--out", type=Path, default=PAGE)
    args = arguments.parse_args()
    if not ASSETS.is_dir():
        print("needs the folder of real robots beside the project", file=sys.stderr)
        return 2
    variants.specialise = False  # one set of kernels, not one for each model's features
    rows = []
    for path in models(args.only):
        rows.append(judge(path, args.states))
        print(f"{rows[-1]['verdict']:<10} {rows[-1]['model']}  {rows[-1].get('worst', rows[-1]['note'])}", flush=True)
    if not args.only:
        args.out.write_text(page(rows, args.states))
    verdicts = Counter(row["verdict"] for row in rows)
    print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()))
    return 1 if verdicts["different"] or verdicts["fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
