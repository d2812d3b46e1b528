"""mjlab's tasks raced on newtonlite and on MuJoCo Warp: environment steps per CPU second, in turn. Writes
docs/mjlab_speed.md.

    make mjlab                                     an environment with mjlab, .cache/mjlab
    python -m benchmarks mjlab_race [--only Cartpole] [--rounds 3] [--seconds 3] [--most 1024]

NEWTONLITE_MJLAB_PYTHON names another interpreter that has mjlab.
"""

import json
import os
import statistics
import subprocess
from pathlib import Path

from benchmarks import env_speed
from benchmarks.scenes import ROOT
from conformance.sweep import Sweep, one_line, table
from newtonlite.core.errors import Error

PYTHON = Path(os.environ.get("NEWTONLITE_MJLAB_PYTHON", ROOT / ".cache" / "mjlab" / "bin" / "python"))
SCRIPT = ROOT / "benchmarks" / "mjlab_tasks.py"
TASKS = """Cartpole-Balance Cartpole-Swingup Velocity-Flat-Unitree-Go1 Velocity-Flat-Unitree-G1 Velocity-Rough-Unitree-Go1
    Velocity-Rough-Unitree-G1 Tracking-Flat-Unitree-G1 Tracking-Flat-Unitree-G1-No-State-Estimation Lift-Cube-Yam Lift-Cube-Yam-Depth
    Lift-Cube-Yam-Rgb Multi-Cube-Seg-Yam""".split()
OWN = {"Cartpole-Balance": "cartpole", "Velocity-Flat-Unitree-Go1": "quadruped_velocity"}
"""Environments of newtonlite's own for the same task; the quadruped has another robot of twelve joints."""
WORLDS = (64, 1024)
ENGINES = {"newtonlite": ("-m", "newtonlite.mjwarp"), "mujoco_warp": ()}
LONGEST = 3600


class FailedError(Error):
    """A run of mjlab failed: the last line that it printed."""


def run(engine: str, what: str, task: str, **options) -> dict:
    """What ``mjlab_tasks.py`` says of a task on an engine. FailedError where it fails."""
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    command = [str(PYTHON), *ENGINES[engine], str(SCRIPT), what, f"Mjlab-{task}", *words]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST, env={**os.environ, "PYTHONPATH": paths}
    )
    if done.returncode:
        raise FailedError(f"{engine} {what} {task}: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def cases(rounds: int, seconds: int, most: int) -> dict:
    """Tasks with numbers of worlds, ``most`` at most."""
    return {f"{task} {worlds}": (task, worlds) for worlds in WORLDS if worlds <= most for task in TASKS}


def judge(case: tuple, rounds: int, seconds: int, most: int) -> dict:
    """Medians of rounds in turn."""
    task, worlds = case
    found: dict[str, list] = {name: [] for name in ENGINES}
    physics = []
    for _ in range(rounds):
        for name in ENGINES:
            said = run(name, "speed", task, worlds=worlds, seconds=seconds)
            found[name].append(said["steps_per_cpu_s"])
            if name == "newtonlite":
                physics.append(said["physics"])
    medians = {name: statistics.median(values) for name, values in found.items()}
    ratio = medians["newtonlite"] / medians["mujoco_warp"]
    own = {"own": env_speed.ours(OWN[task], worlds)} if task in OWN else {}
    return {"verdict": "measured", "note": f"{ratio:.1f}x", **medians, "physics": statistics.median(physics), **own}


HEAD = """# mjlab on newtonlite and on MuJoCo Warp

`python -m benchmarks mjlab_race` wrote this page: environment steps per CPU second of mjlab 1.6's own tasks on a CPU, random actions, resets included,
medians of {rounds} round(s) in turn on a machine that others used too; everything that mjlab does in torch is counted on both sides. *outside physics*
is the share of newtonlite's time outside of the steps of physics: mjlab's managers, observations and resets, and the rays and pictures of its
sensors, which are newtonlite's again. *own environment* has the steps of newtonlite's own environment of the task, where there is one ({own}):
what is between the two is mjlab's torch layer, and other observations and rewards, one physics step for five of the cart-pole, and another robot for
the quadruped.
"""


def page(rows: list[dict], rounds: int, seconds: int, most: int) -> str:
    """The table as Markdown."""
    lines = [
        HEAD.format(rounds=rounds, own=", ".join(f"`{name}`" for name in OWN.values())),
        *table("task", "worlds", "newtonlite", "MuJoCo Warp", "times", "outside physics", "own environment"),
    ]
    for row in rows:
        task, worlds = row["model"].split()
        if "newtonlite" not in row:
            lines.append(f"| {task} | {worlds} | {one_line(Exception(row['note']))} | | | | |")
            continue
        ours, theirs, own = row["newtonlite"], row["mujoco_warp"], f"{row['own']:,.0f}" if "own" in row else ""
        lines.append(
            f"| {task} | {worlds} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.1f} | {1.0 - row['physics']:.0%} | {own} |"
        )
    return "\n".join([*lines, ""])


SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "mjlab_speed.md",
    cases,
    judge,
    page,
    options={"rounds": 3, "seconds": 3, "most": 1024},
    needs=PYTHON,
)
