"""Every real MJCF model, part by part of a step, beside MuJoCo. Writes docs/parity.md.

    python -m conformance parity [--only humanoid] [--again] [--workers 2]

Every part of a step starts from MuJoCo's numbers (tests/harness/stagewise.py), and what it finds is held to
tests/tolerance.py. A model is *equal* where every array is within its tolerance in every state; *as sensitive* where,
in the states beyond it, MuJoCo's own numbers move a tenth as far when its inputs are moved by one rounding of float32,
or as far for ten;
*refused* where newtonlite says by name what it does not simulate.
"""

from pathlib import Path

import numpy as np

from conformance.collection.models import models
from conformance.collection.places import ROOT
from conformance.parity_page import page
from conformance.sweep import Sweep, one_line
from newtonlite.cli.simulation import compile_file
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco.executor import specialize
from tests import oracle
from tests.harness.stagewise import Found, Truth, engine_for, moved, part_errors, shaken

ITERATIONS = {oracle.NEWTON: 100, oracle.CG: 1000, oracle.PGS: 2000}  # solvers stopped early need not agree
CONVERGED = 1e-12
STATES = 20
SHAKES, LONG = 4, 16  # trials of MuJoCo's own moves, and where the first do not explain what is found
ROUNDINGS = 10.0  # the engine rounds every result, not only its inputs
MOST = ROUNDINGS * (1 + 1e-9)
MOST_SECONDS = 600
LARGEST_NV = 800


def judge(entry: dict) -> dict:
    """The row of one file of the collection."""
    specialize.disable()  # one set of kernels, not one for each model's features
    oracle.be_quiet()
    if entry["kind"] != "model":
        return {"verdict": "no model", "note": entry.get("error") or f"{entry['kind']}: part of another file"}
    path = Path(entry["file"])
    try:
        ours = compile_file(path)
    except Error as problem:
        return {"verdict": "refused", "note": one_line(problem)}
    theirs = oracle.compile_xml(path)
    if theirs.nv > LARGEST_NV:
        size = 4e-6 * theirs.nv**2
        note = f"{theirs.nv} dofs: a dense matrix of a world takes {size:.0f} MB, and factoring it minutes in the kernels of tests"
        return {"verdict": "too large", "note": note}
    for mj in (ours, theirs):
        mj.opt.iterations, mj.opt.tolerance = ITERATIONS[int(theirs.opt.solver)], CONVERGED
    try:
        states = oracle.gentle_states(theirs, STATES)
    except RuntimeError as problem:
        return {"verdict": "unstable in MuJoCo", "note": one_line(problem)}
    truth = Truth(theirs, states)
    try:
        found = part_errors(engine_for(ours, truth), truth)
    except Error as problem:
        return {"verdict": "refused", "note": one_line(problem)}
    return {"nv": int(theirs.nv), **verdict(truth, found)}


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


SWEEP = Sweep(
    __name__, ROOT / "docs" / "parity.md", models, judge, lambda rows: page(rows, STATES), seconds=MOST_SECONDS
)
