"""mjlab's own training of its cart-poles on newtonlite and on MuJoCo Warp: the reward of an episode, by seed. Writes
docs/mjlab_learning.md.

    python -m benchmarks mjlab_learning [--only "Balance 1"] [--seeds 3] [--worlds 256] [--iterations 250]

Which interpreter has mjlab is said as for ``mjlab_race``.
"""

import statistics

from benchmarks.mjlab_race import ENGINES, PYTHON, run
from benchmarks.scenes import ROOT
from conformance.sweep import Sweep, one_line, table

TASKS = ("Cartpole-Balance", "Cartpole-Swingup")
LAST = 5  # iterations at the end whose mean is the result
SHARE = 0.9  # of MuJoCo Warp's result that counts as reached


def cases(seeds: int, worlds: int, iterations: int) -> dict:
    """Tasks with seeds from 1 on."""
    return {f"{task} {seed}": (task, seed) for task in TASKS for seed in range(1, seeds + 1)}


def judge(case: tuple, seeds: int, worlds: int, iterations: int) -> dict:
    """Rewards at the end on both engines, and the first iteration that has reached the bar."""
    task, seed = case
    found = {name: run(name, "train", task, worlds=worlds, seed=seed, iterations=iterations) for name in ENGINES}
    ends = {name: statistics.mean(said["rewards"][-LAST:]) for name, said in found.items()}
    bar = SHARE * ends["mujoco_warp"]
    reached = {name: first_at(said["rewards"], bar) for name, said in found.items()}
    return {
        "verdict": "reached" if reached["newtonlite"] else "not reached",
        "note": f"{ends['newtonlite']:.1f} and {ends['mujoco_warp']:.1f}",
        "ends": ends,
        "reached": reached,
        "cpu_s": {name: said["cpu_s"] for name, said in found.items()},
    }


def first_at(rewards: list, bar: float) -> int | None:
    """Number, from 1, of the first iteration whose reward is the bar's; None where none is."""
    return next((k for k, reward in enumerate(rewards, 1) if reward >= bar), None)


HEAD = """# mjlab's training on newtonlite and on MuJoCo Warp

`python -m benchmarks mjlab_learning` wrote this page: mjlab 1.6 trains its cart-poles with its own settings, {worlds} worlds on a CPU for
{iterations} iterations, on each engine from the same seeds. *reward* is that of an episode, the mean of the last {last} iterations; *reached* is the
first iteration that has {share:.0%} of MuJoCo Warp's; CPU seconds are those of the whole training, torch included.
"""


def page(rows: list[dict], seeds: int, worlds: int, iterations: int) -> str:
    """The table as Markdown."""
    head = HEAD.format(worlds=worlds, iterations=iterations, last=LAST, share=SHARE)
    lines = [head, *summary(rows), "", *table("task", "seed", "engine", "reward", "reached", "CPU s")]
    for row in rows:
        task, seed = row["model"].split()
        if "ends" not in row:
            lines.append(f"| {task} | {seed} | {one_line(Exception(row['note']))} | | | |")
            continue
        lines += [
            f"| {task} | {seed} | {name} | {row['ends'][name]:.1f} | {row['reached'][name] or 'no'} | {row['cpu_s'][name]:.0f} |"
            for name in ENGINES
        ]
    return "\n".join([*lines, ""])


def summary(rows: list[dict]) -> list[str]:
    """Table of each task over all its seeds: one seed says little, as what is learned follows from rounding too."""
    out = table(
        "task",
        "seeds",
        "newtonlite reached it",
        "median reward, newtonlite",
        "MuJoCo Warp",
        "lowest, newtonlite",
        "MuJoCo Warp",
    )
    for task in TASKS:
        found = [row for row in rows if row["model"].split()[0] == task and "ends" in row]
        if found:
            ours, theirs = ([row["ends"][name] for row in found] for name in ("newtonlite", "mujoco_warp"))
            reached = sum(row["reached"]["newtonlite"] is not None for row in found)
            middle = f"{statistics.median(ours):.1f} | {statistics.median(theirs):.1f}"
            out.append(f"| {task} | {len(found)} | {reached} | {middle} | {min(ours):.1f} | {min(theirs):.1f} |")
    return out


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "mjlab_learning.md",
    cases,
    judge,
    page,
    options={"seeds": 3, "worlds": 256, "iterations": 250},
    needs=PYTHON,
)
