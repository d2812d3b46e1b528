"""Every real MJCF model, part by part of a step, beside MuJoCo. Writes docs/parity.md.

    python -m conformance parity [--only humanoid] [--workers 2]

Every part of a step starts from MuJoCo's numbers (tests/harness/stagewise.py), and what it finds is held to
tests/tolerance.py. A model is *equal* where every array is within its tolerance in every state; *as sensitive* where,
in the states beyond it, MuJoCo's own numbers move a tenth as far when its inputs are moved by one rounding of float32,
or as far for ten;
*refused* where newtonlite says by name what it does not simulate. With --only, other models keep the rows that the last
sweep found.
"""

import argparse
import json
import multiprocessing
import re
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.scenes import ASSETS, ROOT
from conformance.parity_page import page
from newtonlite.cli.simulation import compiled
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco.executor import specialize
from tests import oracle
from tests.harness.stagewise import Found, Truth, engine_for, moved, part_errors, shaken

PAGE = ROOT / "docs" / "parity.md"
ROWS = ROOT / "out" / "parity.json"
ITERATIONS = {oracle.NEWTON: 100, oracle.CG: 1000, oracle.PGS: 2000}  # solvers stopped early need not agree
CONVERGED = 1e-12
STATES = 20
SHAKES, LONG = 4, 16  # trials of MuJoCo's own moves, and where the first do not explain what is found
ROUNDINGS = 10.0  # the engine rounds every result, not only its inputs
MOST = ROUNDINGS * (1 + 1e-9)
MOST_SECONDS = 600
LARGEST_NV = 800


def models(only: str) -> list[dict]:
    """What the manifest says of every MJCF file that is meant to be loaded by itself."""
    manifest = json.loads((ASSETS / "MANIFEST.json").read_text())
    return sorted(
        (m for m in manifest["models"] if m["format"] == "mjcf" and only in m["path"]), key=lambda m: m["path"]
    )


def judge(path: str) -> dict:
    """One row of the table."""
    row, began = {"model": path.removeprefix("mjcf/")}, time.perf_counter()
    try:
        ours = compiled(ASSETS / path)
    except Error as problem:
        return {**row, "verdict": "refused", "note": reason(problem)}
    except Exception as problem:  # the sweep goes on; the table shows the fault
        return {**row, "verdict": "fault", "note": f"{type(problem).__name__}: {reason(problem)}"}
    theirs = oracle.compile_xml(ASSETS / path)
    if theirs.nv > LARGEST_NV:
        size = 4e-6 * theirs.nv**2
        note = f"{theirs.nv} dofs: a dense matrix of a world takes {size:.0f} MB, and factoring it minutes in the kernels of tests"
        return {**row, "verdict": "too large", "note": note}
    for mj in (ours, theirs):
        mj.opt.iterations, mj.opt.tolerance = ITERATIONS[int(theirs.opt.solver)], CONVERGED
    try:
        states = oracle.gentle_states(theirs, STATES)
    except RuntimeError as problem:
        return {**row, "verdict": "unstable in MuJoCo", "note": reason(problem)}
    truth = Truth(theirs, states)
    try:
        found = part_errors(engine_for(ours, truth), truth)
    except Error as problem:
        return {**row, "verdict": "refused", "note": reason(problem)}
    return {**row, "nv": int(theirs.nv), **verdict(truth, found), "seconds": round(time.perf_counter() - began, 1)}


def verdict(truth: Truth, found: dict[str, list[Found]]) -> dict:
    """The worst of every part, and how far MuJoCo itself moves where a part is beyond its tolerance."""
    parts, judgement = {}, "equal"
    own = own_moves(truth, [name for name in found if name == "step" or any(f.share > 1 for f in found[name])])
    tried_longer(truth, found, own)
    for name, arrays in found.items():
        if not arrays:
            continue
        wrong = [i for i, f in enumerate(arrays) if f.share > 1]
        k = max(range(len(arrays)), key=lambda i: arrays[i].share)
        cell = {"what": arrays[k].what, "error": arrays[k].worst, "limit": arrays[k].limit, "verdict": "equal"}
        if wrong:
            ratios = [beyond(arrays[i], own[name][i]).max() for i in wrong]
            k, ratio = wrong[int(np.argmax(ratios))], float(max(ratios))
            cell = {
                "what": arrays[k].what,
                "error": arrays[k].worst,
                "limit": arrays[k].limit,
                "ratio": ratio,
                "states": int(sum(arrays[k].error > arrays[k].limit)),
                "all": [arrays[i].what for i in wrong],
                "verdict": "as sensitive" if ratio <= MOST else "different",
            }
        parts[name] = cell
        judgement = max(judgement, cell["verdict"], key=("equal", "as sensitive", "different").index)
    names = [f.what for f in found["step"]]
    sensitivity = float(own["step"][names.index("qacc")].max()) if "qacc" in names else 0.0
    return {"verdict": judgement, "parts": parts, "sensitivity": sensitivity}


def own_moves(truth: Truth, parts: list[str], seeds=range(SHAKES)) -> dict[str, list[np.ndarray]]:
    """How far MuJoCo's own numbers move for one rounding: of its inputs moved by one, or a tenth of that for ten, which
    tells of steps (a contact more, another face) that lie within ten.
    """
    once, often = ([shaken(truth, seed, size) for seed in seeds] for size in (1.0, ROUNDINGS))
    return {
        name: [
            np.maximum(a, b / ROUNDINGS)
            for a, b in zip(moved(truth, once, name), moved(truth, often, name), strict=True)
        ]
        for name in parts
    }


def tried_longer(truth: Truth, found: dict[str, list[Found]], own: dict[str, list[np.ndarray]]) -> None:
    """More trials in the states where the first do not explain what is found: of many contacts each has its own edge."""
    left = {
        w
        for name in own
        for f, o in zip(found[name], own[name], strict=True)
        for w in np.flatnonzero(beyond(f, o) > MOST)
    }
    if not left:
        return
    some = np.array(sorted(left))
    more = own_moves(Truth(truth.mj, truth.states[some]), list(own), range(SHAKES, LONG))
    for name, arrays in own.items():
        for values, others in zip(arrays, more[name], strict=True):
            values[some] = np.maximum(values[some], others)


def beyond(found: Found, own) -> np.ndarray:
    """Of each state, what is found where it is not allowed, in units of what MuJoCo's own number moves for a rounding,
    [n].
    """
    return np.where(found.error > found.limit, found.error / np.maximum(own, 1e-30), 0.0)


def reason(problem: Exception) -> str:
    """An error in one line, without the path in front of a file's name."""
    text = re.sub(r"\S*/(?=[\w.-]+\.xml)", "", " ".join(str(problem).split()))
    return text.replace("|", "/")[:140]


def work(task: dict) -> dict:
    """A model's row, in a process of its own."""
    specialize.disable()  # one set of kernels, not one for each model's features
    oracle.be_quiet()
    name = task["path"].removeprefix("mjcf/")
    if task["kind"] != "model":
        return {
            "model": name,
            "verdict": "no model",
            "note": task.get("error") or f"{task['kind']}: part of another file",
        }
    try:
        return judge(task["path"])
    except Exception as problem:
        return {"model": name, "verdict": "fault", "note": f"{type(problem).__name__}: {reason(problem)}"}


def sweep(tasks: list[dict], workers: int) -> list[dict]:
    """Rows of all models; a process that dies or takes too long costs its model, not the sweep."""
    rows = []
    with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=40) as pool:
        waiting = [(task, pool.apply_async(work, (task,))) for task in tasks]
        for task, job in waiting:
            try:
                row = job.get(MOST_SECONDS)
            except multiprocessing.TimeoutError:
                row = {
                    "model": task["path"].removeprefix("mjcf/"),
                    "verdict": "fault",
                    "note": f"took more than {MOST_SECONDS} s",
                }
            rows.append(row)
            save(rows)
            print(f"{row['verdict']:<12} {row.get('seconds', ''):>6} {row['model']}  {row.get('note', '')}", flush=True)
    return rows


def save(rows: list[dict]) -> None:
    """Keep what was found so far, so that a sweep that is cut off is not lost."""
    ROWS.parent.mkdir(exist_ok=True)
    ROWS.write_text(json.dumps(merged(rows), indent=0))


def merged(rows: list[dict]) -> list[dict]:
    """These rows and, of other models, those of the last sweep."""
    before = json.loads(ROWS.read_text()) if ROWS.is_file() else []
    new = {row["model"] for row in rows}
    return sorted([*rows, *(row for row in before if row["model"] not in new)], key=lambda row: row["model"])


def main() -> int:
    """Sweep, write, and fail where a model differs or the package breaks down on it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="models whose path holds this text")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--out", type=Path, default=PAGE)
    args = arguments.parse_args()
    if not ASSETS.is_dir():
        print("needs the folder of real robots beside the project", file=sys.stderr)
        return 2
    rows = merged(sweep(models(args.only), args.workers))
    args.out.write_text(page(rows, STATES))
    verdicts = Counter(row["verdict"] for row in rows)
    print(", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common()))
    return 1 if verdicts["different"] or verdicts["fault"] else 0


if __name__ == "__main__":
    sys.exit(main())
