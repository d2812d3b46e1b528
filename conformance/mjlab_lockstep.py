"""mjlab's tasks on newtonlite beside the same on MuJoCo Warp, step by step. Writes docs/mjlab_lockstep.md.

    make mjlab
    python -m conformance mjlab_lockstep [--steps 50] [--worlds 4] [--only Cartpole]

Both sides have the same seed and actions. Each environment step begins, on both, in the state that MuJoCo Warp has come
to; observations and rewards after it are compared. Steps that are apart are looked up in replays on MuJoCo Warp itself,
from states that were moved by one rounding.
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.mjlab_race import PYTHON, TASKS, run
from benchmarks.scenes import ROOT
from conformance.parity import ROUNDINGS
from conformance.sweep import Sweep, counts, one_line, sorted_by_verdict, table
from tests.tolerance import relative_error, tolerance

BYTE = 1.001 / 255.0
"""Colours of pixels are bytes, which the last digit of a light rounds up or down."""
TRIALS = 3
"""Replays from states moved by roundings."""


def errors(found, want) -> dict[str, np.ndarray]:
    """Errors of the rewards and of each group of observations ``[steps, worlds]``, relative to a world's vector or to 1,
    whichever is larger; colours count as far as they are more than one byte apart.
    """
    names = [name for name in want if name == "reward" or name.startswith("seen_")]
    shape = want["reward"].shape
    flat = lambda values: np.asarray(values, float).reshape(shape[0] * shape[1], -1)
    near = {name: beside(found[name], want[name]) for name in names}
    return {name: relative_error(flat(near[name]), flat(want[name]), 1.0).reshape(shape) for name in names}


def beside(found, want) -> np.ndarray:
    """What was found, nearer by one byte where it is pictures ``[steps, worlds, 3, height, width]`` from 0 to 1."""
    if want.ndim != 5 or want.shape[2] != 3:
        return found
    apart = np.asarray(found, float) - want
    return want + np.sign(apart) * np.maximum(np.abs(apart) - BYTE, 0.0)


def judge(task: str, steps: int, worlds: int) -> dict:
    """The row of a task."""
    with tempfile.TemporaryDirectory() as folder:
        known, here = Path(folder) / "known.npz", Path(folder) / "here.npz"
        options = {"steps": steps, "worlds": worlds}
        said = run("mujoco_warp", "record", task, out=known, **options)
        run("newtonlite", "record", task, out=here, along=known, **options)
        want, got = dict(np.load(known)), dict(np.load(here))
        found = errors(got, want)
        own = {name: np.zeros_like(error) for name, error in found.items()}
        if max(error.max() for error in found.values()) > tolerance("lockstep"):
            for trial in range(1, TRIALS + 1):
                run("mujoco_warp", "record", task, out=here, along=known, nudge=trial, **options)
                moved = errors(np.load(here), want)
                own = {name: np.maximum(worst, moved[name]) for name, worst in own.items()}
    return {**compared(found, own, got["physics"], want["physics"]), "ends": said["ends"]}


def compared(found: dict, own: dict, ours: np.ndarray, theirs: np.ndarray) -> dict:
    """Verdict over errors, beside what MuJoCo Warp's own are under a rounding; ``ours`` and ``theirs`` [steps, worlds] are
    how far the physics of newtonlite and of MuJoCo Warp ends from MuJoCo's.
    """
    seen = np.max([error for name, error in found.items() if name != "reward"], axis=0)
    moved = np.max([error for name, error in own.items() if name != "reward"], axis=0)
    apart = (seen > tolerance("lockstep")) | (found["reward"] > tolerance("lockstep"))
    as_far = (seen <= np.maximum(tolerance("lockstep"), ROUNDINGS * moved)) & (
        found["reward"] <= np.maximum(tolerance("lockstep"), ROUNDINGS * own["reward"])
    )
    with_mujoco = (ours <= tolerance("lockstep")) & (theirs > tolerance("lockstep"))
    verdict = "equal" if not apart.any() else "as sensitive" if as_far[apart].all() else "different"
    if verdict == "different" and (as_far | with_mujoco)[apart].all():
        verdict = "as MuJoCo"
    return {
        "verdict": verdict,
        "seen": float(seen.max()),
        "median": float(np.median(seen)),
        "reward": float(found["reward"].max()),
        "apart": int(apart.sum()),
        "sensitive": int((apart & as_far).sum()),
        "own": float(moved.max()),
        "as_mujoco": int((apart & with_mujoco).sum()),
        "ours": float(ours.max()),
        "theirs": float(theirs.max()),
    }


def page(rows: list[dict], steps: int, worlds: int) -> str:
    """The table as Markdown."""
    lines = [
        "# mjlab's tasks in lockstep on newtonlite and on MuJoCo Warp",
        "",
        f"Written by `python -m conformance mjlab_lockstep`: the first {steps} steps of each task of mjlab 1.6 in {worlds} worlds, same seed, same random",
        "actions. Every environment step, four steps of physics in most tasks, begins on both sides in the state that MuJoCo Warp 3.11 has come to;",
        "solvers go on to their end (100 iterations and an improvement of 1e-9; mjlab has 10 in some tasks, and MuJoCo Warp stops at 1e-6, up to 7e-5 away",
        "from where its own solver ends), and textures are drawn without mipmaps, as MuJoCo Warp draws them. Errors",
        "are those of all observations, pictures among them (colours beyond one byte), and of the reward after it, relative to a world's vector or 1. Steps beyond",
        f"{tolerance('lockstep'):.0e} are *apart*, and a task without any is *equal*; it is *as sensitive* where MuJoCo Warp itself ends a tenth as far away in each of",
        f"these when the state is moved by one rounding of float32 ({TRIALS} trials). It is *as MuJoCo* where in each of the others newtonlite's velocities are MuJoCo's",
        "(3.11, float64) after every step of physics and MuJoCo Warp's are not: it lacks some contacts of balls with height fields. All else is *different*. The two",
        "columns before the last are the largest errors of velocities beside MuJoCo's, from the same state, of newtonlite and of MuJoCo Warp.",
        "",
        counts(rows),
        "",
        *table(
            "task",
            "verdict",
            "observations",
            "median",
            "rewards",
            f"apart of {steps * worlds}",
            "sensitive",
            "MuJoCo Warp's own",
            "as MuJoCo",
            "newtonlite from MuJoCo",
            "MuJoCo Warp from it",
            "ends",
        ),
    ]
    for row in sorted_by_verdict(rows):
        if "seen" not in row:
            lines.append(
                f"| {row['model']} | {row['verdict']} | {one_line(Exception(row['note']))} | | | | | | | | | |"
            )
            continue
        lines.append(
            f"| {row['model']} | {row['verdict']} | {row['seen']:.0e} | {row['median']:.0e} | {row['reward']:.0e} | {row['apart']} | "
            f"{row['sensitive']} | {row['own']:.0e} | {row.get('as_mujoco', '')} | {physics(row)} | {row['ends']} |"
        )
    return "\n".join([*lines, ""])


def physics(row: dict) -> str:
    """Errors of velocities beside MuJoCo's as two cells; empty in rows of the time before these were measured."""
    return " | ".join(f"{row[key]:.0e}" if key in row else "" for key in ("ours", "theirs"))


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "mjlab_lockstep.md",
    lambda **options: {task: task for task in TASKS},
    judge,
    page,
    options={"steps": 50, "worlds": 4},
    needs=PYTHON,
)
