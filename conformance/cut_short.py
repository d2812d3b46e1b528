"""Solutions of the constraint problem whose iterations are cut short, beside MuJoCo's at the same limits. Writes
docs/cut_short.md.

    python -m conformance cut_short [--only humanoid] [--workers 2] [--again]

Files that were tuned for MJX allow one or three iterations with four or five steps of the line search. Newton's method
with such limits, warm started alike, in some states of every model that has constraint rows: how far are both from the
converged solution?
"""

from pathlib import Path

import mujoco
import numpy as np

from conformance.collection.places import ROOT
from conformance.residuals import MOST_DOFS, files
from conformance.sweep import FAULT, Sweep, counts, exceptions, grouped, one_line, table
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco.executor import specialize
from tests import oracle
from tests.harness.optimality import cost, engine_solution, optimum, problems, residual

LIMITS = ((1, 4), (3, 5))
"""Iterations, and steps of the line search."""
STATES = 20
MOST_SECONDS = 180
ROUNDING = 1e-5
"""Part of a solution that float32 may cost: the sum of forces that stiff rows make of an acceleration's last digit."""
SAME = 1.001
"""Factor within which two distances are one."""


def judge(file: str) -> dict:
    """Distances of one model at all limits, or the reason why there is nothing to compare."""
    specialize.disable()  # one set of kernels for all models
    oracle.be_quiet()
    try:
        mj = oracle.compile_xml(Path(file))
        mj.opt.noslip_iterations, mj.opt.solver = 0, oracle.NEWTON
        states = oracle.gentle_states(mj, STATES)
        best = converged(mj, states)
        row = {
            "at": {
                f"{iterations}/{steps}": distances(mj, states, best, iterations, steps) for iterations, steps in LIMITS
            }
        }
    except (Error, RuntimeError, ValueError, mujoco.FatalError) as problem:
        return {"verdict": "absent", "note": one_line(problem)}
    if not any(found["states"] for found in row["at"].values()):
        return {"verdict": "absent", "note": "no constraint rows in these states, or other contacts"}
    higher = any(found["higher"] for found in row["at"].values())
    farther = any(found["farther"] for found in row["at"].values())
    return row | {"verdict": "higher" if higher else "farther" if farther else "no farther"}


def converged(mj, states) -> list:
    """The solution of every state that has rows."""
    mj.opt.iterations, mj.opt.ls_iterations, mj.opt.tolerance = 1000, 100, 0.0
    truth = problems(mj, states)
    return [optimum(truth, i) if truth.datas[i].nefc else None for i in range(len(states))]


def distances(mj, states, best: list, iterations: int, steps: int) -> dict:
    """How many states both were compared in, in how many the engine's cost is higher, in how many it is nearer and
    farther, and typical distances: in the norm of M, as a part of the solution's own. What is farther but has a gradient
    within the file's tolerance, or within what one rounding of its terms to float32 adds, is ``solved`` and not cut short: a
    solution that is zero but for rounding has no digits.
    """
    mj.opt.iterations, mj.opt.ls_iterations, mj.opt.tolerance = iterations, steps, 1e-8
    truth = problems(mj, states)
    qacc, _, same = engine_solution(mj, truth)
    chosen = [i for i in range(len(states)) if same[i] and best[i] is not None]
    if not chosen:
        return {
            "states": 0,
            "higher": 0,
            "nearer": 0,
            "farther": 0,
            "solved": 0,
            "ours": [0.0, 0.0],
            "theirs": [0.0, 0.0],
            "worst": 0.0,
        }
    ours, theirs = np.array([apart(truth, i, best[i], qacc[i]) for i in chosen]).T
    left, rounding = np.array([residual(truth, i, qacc[i]) for i in chosen]).T
    solved = left <= np.maximum(mj.opt.tolerance, rounding)
    beyond = ours > SAME * theirs + ROUNDING
    return {
        "states": len(chosen),
        "higher": int(sum(costs_more(truth, i, best[i], qacc[i]) for i in chosen)),
        "nearer": int((theirs > SAME * ours + ROUNDING).sum()),
        "farther": int((beyond & ~solved).sum()),
        "solved": int((beyond & solved).sum()),
        "ours": [float(np.median(ours)), float(ours.max())],
        "theirs": [float(np.median(theirs)), float(theirs.max())],
        "worst": float(np.where(solved, 0.0, ours - theirs).max()),
    }


def apart(truth, index: int, best, mine) -> tuple[float, float]:
    """Distances of the engine's and of MuJoCo's answer from the solution in state `index`."""
    M = truth.want["M"][index]
    size = max(np.sqrt(best @ M @ best), 1e-12)
    return tuple(float(np.sqrt((x - best) @ M @ (x - best)) / size) for x in (mine, truth.want["qacc"][index]))


def costs_more(truth, index: int, best, mine) -> bool:
    """Whether the engine's answer costs more than MuJoCo's in state `index`, beyond rounding."""
    least = cost(truth, index, best)
    size = abs(least) + 0.5 * best @ truth.want["M"][index] @ best
    ours, theirs = (cost(truth, index, x) - least for x in (mine, truth.want["qacc"][index]))
    return bool(ours > SAME * theirs + ROUNDING * size)


def page(rows: list[dict]) -> str:
    """The table as Markdown, what is farther first."""
    lines = [
        "# Iterations cut short, beside MuJoCo",
        "",
        f"Written by `python -m conformance cut_short`: Newton's method in {STATES} states of each model with constraint rows and up to {MOST_DOFS} dofs,",
        "own and real, with the limits that files tuned for MJX have: iterations / steps of the line search. Both engines solve MuJoCo's problem,",
        "rounded to float32, from the same warm start. A distance is that of accelerations from the converged solution in the norm of M, as a part of the",
        f"solution's; one is farther than another by more than a thousandth and {ROUNDING:g}, which is rounding. *Solved* are those among them whose gradient is",
        "within the file's tolerance or within one rounding of its terms, so that no iteration was cut: solutions that are zero but for rounding.",
        "*Higher* counts states in which the cost that both minimize is higher than MuJoCo's.",
        "",
        counts(rows),
        "",
        *table("iterations / line search", "states", "higher", "nearer", "as far, or solved", "farther"),
    ]
    for iterations, steps in LIMITS:
        found = [row["at"][f"{iterations}/{steps}"] for row in rows if "at" in row]
        states, higher, nearer, farther = (
            sum(f[key] for f in found) for key in ("states", "higher", "nearer", "farther")
        )
        same = states - nearer - farther
        lines.append(f"| {iterations} / {steps} | {states} | {higher} | {nearer} | {same} | {farther} |")
    lines += [
        "",
        "A search whose steps the file cuts short goes through MuJoCo's evaluations one by one (decision 15), in float32: where two points of its bracket",
        "are equally good but for rounding the other one may be taken.",
    ]
    lines += ["", *table("model", "limits", "states", "higher", "nearer", "farther", "ours: median, worst", "MuJoCo")]
    shown = exceptions(rows, ("higher", "farther", FAULT), ("no farther", "absent"), 12)
    for row in shown:
        lines += [line_of(row["model"], limits, found) for limits, found in row.get("at", {}).items()]
    lines += ["", "## Absent, and why", "", *grouped([row for row in rows if "at" not in row])]
    return "\n".join(lines) + "\n"


def line_of(model: str, limits: str, found: dict) -> str:
    """One line of the table."""
    sizes = " | ".join(f"{found[who][0]:.1e}, {found[who][1]:.1e}" for who in ("ours", "theirs"))
    return f"| {model} | {limits} | {found['states']} | {found['higher']} | {found['nearer']} | {found['farther']} | {sizes} |"


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "cut_short.md",
    files,
    judge,
    page,
    lambda row: (
        str(
            {
                limits: (f["states"], f["higher"], f["nearer"], f["farther"], f["worst"])
                for limits, f in row.get("at", {}).items()
            }
        )
        + row.get("note", "")
    ),
    seconds=MOST_SECONDS,
    fails=(FAULT,),
)
