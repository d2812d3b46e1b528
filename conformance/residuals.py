"""What solvers leave of the gradient of the constraint problem, beside MuJoCo, over real and own models. Writes
docs/residuals.md.

    python -m conformance residuals [--only humanoid] [--workers 2] [--again]

Newton, conjugate gradients and Gauss-Seidel, with the tolerance, iterations and cones of each file, without sweeps
against slip, in some states of every model that has constraint rows (tests/harness/optimality.py). What was found is
kept in out/residuals.json: a run that is cut off goes on where it was, and one with --only leaves other models as they
were; --again measures anew.
"""

import argparse
import json
import multiprocessing
import sys
import time
from pathlib import Path

import mujoco
import numpy as np

from benchmarks.scenes import ASSETS, ROOT
from conformance.parity import models, reason
from conformance.residuals_page import page
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco.executor import specialize
from tests import oracle
from tests.harness.optimality import measured, share

SOLVERS = {"Newton": oracle.NEWTON, "CG": oracle.CG, "PGS": oracle.PGS}
STATES = 30
GOOD = 1.0001  # digits to which residuals of sweeps that are stuck at the same point are determined
MOST_DOFS = 60
MOST_SECONDS = 120
PAGE = ROOT / "docs" / "residuals.md"
ROWS = ROOT / "out" / "residuals.json"


def sources(only: str) -> dict:
    """Names and files of own models, and of real ones that are not too large."""
    own = {name: oracle.MODELS / f"{name}.xml" for name in oracle.model_names() if only in name}
    real = [m for m in models(only) if m["kind"] == "model" and 0 < m.get("nv", 0) <= MOST_DOFS]
    return own | {m["path"].removeprefix("mjcf/"): ASSETS / m["path"] for m in real}


def judge(task: tuple[str, Path]) -> dict:
    """What the three solvers leave of one model: a row for each, or the reason why there is none."""
    specialize.disable()  # one set of kernels for all models
    oracle.be_quiet()
    name, file = task
    row, began = {"model": name, "solvers": {}}, time.perf_counter()
    try:
        mj = oracle.compile_xml(file)
        mj.opt.noslip_iterations = 0
        states = oracle.gentle_states(mj, STATES)
        row["elliptic"] = bool(mj.opt.cone == oracle.ELLIPTIC)
        for solver, number in SOLVERS.items():
            mj.opt.solver = number
            found = measured(mj, states)
            if not len(found["ours"]):
                row["reason"] = "other contacts" if "other" in found else "no constraint rows in these states"
                break
            row["solvers"][solver] = summary(found)
    except (Error, RuntimeError, ValueError, mujoco.FatalError) as problem:
        row["reason"] = reason(problem)
    return row | {"seconds": round(time.perf_counter() - began, 1)}


def summary(found: dict) -> dict:
    """Medians and worst of a solver's states, and counts."""
    sizes = {
        who: [float(np.median(found[who])), float(found[who].max())] for who in ("ours", "theirs", "floor", "rounding")
    }
    niter = {who: [float(found[who].mean()), int(found[who].max())] for who in ("niter", "their_niter")}
    ours, theirs = found["stopped"], found["their_stopped"]
    counts = {
        "states": len(ours),
        "stopped": int(ours.sum()),
        "their_stopped": int(theirs.sum()),
        "alone": int((ours & ~theirs).sum()),
    }
    return (
        sizes
        | niter
        | counts
        | {
            "good": int((share(found) <= GOOD).sum()),
            "worst": float(share(found).max()),
            "other": int(found["other"][0]),
        }
    )


def sweep(tasks: list, rows: dict, workers: int) -> dict:
    """Rows of all models; a process that dies or takes too long costs its model, not the sweep."""
    with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=60) as pool:
        for name, job in [(task[0], pool.apply_async(judge, (task,))) for task in tasks]:
            try:
                rows[name] = job.get(MOST_SECONDS)
            except multiprocessing.TimeoutError:
                rows[name] = {"model": name, "solvers": {}, "reason": f"took more than {MOST_SECONDS} s"}
            save(rows)
            worst = {solver: f"{s['worst']:.2g}" for solver, s in rows[name]["solvers"].items()}
            print(f"{rows[name].get('seconds', ''):>6} {name}  {worst or rows[name].get('reason')}", flush=True)
    return rows


def save(rows: dict) -> None:
    """Keep what was found so far."""
    ROWS.parent.mkdir(exist_ok=True)
    ROWS.write_text(json.dumps(list(rows.values()), indent=0))


def main() -> int:
    """Measure, write, and fail where a solver stops at its limit and MuJoCo's does not."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="models whose path holds this text")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--again", action="store_true", help="measure models anew that there are rows of")
    arguments.add_argument("--out", type=Path, default=PAGE)
    args = arguments.parse_args()
    if not ASSETS.is_dir():
        print("needs the folder of real robots beside the project", file=sys.stderr)
        return 2
    rows = {row["model"]: row for row in json.loads(ROWS.read_text())} if ROWS.is_file() else {}
    tasks = [(name, file) for name, file in sources(args.only).items() if args.again or args.only or name not in rows]
    rows = sweep(tasks, rows, args.workers)
    args.out.write_text(page(list(rows.values()), STATES, MOST_DOFS))
    return int(any(s["alone"] for row in rows.values() for s in row["solvers"].values()))


if __name__ == "__main__":
    sys.exit(main())
