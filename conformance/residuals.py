"""What solvers leave of the gradient of the constraint problem, beside MuJoCo, over real and own models. Writes
docs/residuals.md.

    python -m conformance residuals [--only humanoid] [--workers 2] [--again]

Newton, conjugate gradients and Gauss-Seidel, with the tolerance, iterations and cones of each file, without sweeps
against slip, in some states of every model that has constraint rows (tests/harness/optimality.py).
"""

from pathlib import Path

import mujoco
import numpy as np

from conformance.collection.models import complete, models
from conformance.collection.places import ROOT
from conformance.residuals_page import page
from conformance.sweep import FAULT, Sweep, one_line
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco.executor import specialize
from tests import oracle
from tests.harness.optimality import measured, share

SOLVERS = {"Newton": oracle.NEWTON, "CG": oracle.CG, "PGS": oracle.PGS}
STATES = 30
GOOD = 1.0001  # digits to which residuals of sweeps that are stuck at the same point are determined
MOST_DOFS = 60
MOST_SECONDS = 120


def files() -> dict[str, str]:
    """Names and files of the models of the tests, and of real ones that are not too large."""
    ours = {name: str(oracle.MODELS / f"{name}.xml") for name in oracle.model_names()}
    rest = {name: entry for name, entry in models(nv=MOST_DOFS).items() if entry.get("nv", 0) > 0}
    own = {name: entry["file"] for name, entry in models().items() if entry["source"] == "own"}
    return own | {name: file for name, file in ours.items() if file not in own.values()} | complete(rest)


def judge(file: str) -> dict:
    """What the three solvers leave of one model, or the reason why there is nothing to compare."""
    specialize.disable()  # one set of kernels for all models
    oracle.be_quiet()
    row = {"solvers": {}}
    try:
        mj = oracle.compile_xml(Path(file))
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
        row["reason"] = one_line(problem)
    alone = any(s["alone"] for s in row["solvers"].values())
    return row | {"verdict": "stopped alone" if alone else "measured" if row["solvers"] else "absent"}


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


def line(row: dict) -> str:
    """The worst share of each solver, or the reason."""
    worst = {solver: f"{s['worst']:.2g}" for solver, s in row.get("solvers", {}).items()}
    return str(worst or row.get("reason") or row.get("note", ""))


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "residuals.md",
    files,
    judge,
    lambda rows: page(rows, STATES, MOST_DOFS),
    line,
    seconds=MOST_SECONDS,
    fails=("stopped alone", FAULT),
)
