"""Installed package: a wheel or a source distribution in a fresh environment outside the checkout, with empty caches.

    python -m conformance installed [FILE] [--python PYTHON] [--most SECONDS] [--examples]

FILE: by default the newest wheel in ``dist``. What runs there, each as a program of its own: ``newtonlite doctor``, the
first step of models that were never seen, a robot file of one's own, ``newtonlite demo`` and an example, or all. A wheel for
x86-64 compiles nothing before a first step; one for any processor and a source distribution compile on first use, and say so.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from conformance.collection.places import ROOT

NOTICE = "newtonlite: compiling kernels"
"""Beginning of the line that says what a call waits for."""
OURS = ("PYTHON", "NEWTONLITE_", "WARP_", "XDG_")
"""Beginnings of the settings that a fresh environment lacks."""
STEP = """
from newtonlite import models
from newtonlite.cli.simulation import SolverRun
simulation = SolverRun(models.path("{model}"), 1, "zero", device="cpu")
simulation.step()
"""
EXTRAS = "[learn,viewer]"
"""What examples need beside the package."""
NEVER_SEEN = ("humanoid", "quadruped", "box_stack")
ROBOT = """
import sys
from pathlib import Path
import newtonlite as newton
assert Path(newton.__file__).is_relative_to(sys.prefix), newton.__file__
Path("robot.urdf").write_text('''<robot name="pendulum"><link name="base"/>
<link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>''')
robot = newton.ModelBuilder()
robot.add_urdf("robot.urdf")
scene = newton.ModelBuilder()
scene.replicate(robot, 3)
model = scene.finalize(device="cpu")
solver, state, control = newton.solvers.SolverMuJoCo(model), model.state(), model.control()
state.joint_q.fill_(0.1)
newton.eval_fk(model, state.joint_q, state.joint_qd, state)
for _ in range(200):
    solver.step(state, state, control, None, 0.005)
q = state.joint_q.numpy()
assert (abs(q) < 0.101).all() and (q < 0.0).all(), q  # half a period is one second
"""


class Program(NamedTuple):
    """A program that runs in the environment: arguments of its Python, or a command of the environment's own."""

    name: str
    words: tuple[str, ...]


def programs() -> list[Program]:
    """All that runs, in this order: what is never seen comes first."""
    return [
        *(Program(f"first step of {model}", ("-c", STEP.format(model=model))) for model in NEVER_SEEN),
        Program("a robot of one's own", ("-c", ROBOT)),
        Program("doctor", ("newtonlite", "doctor", "--json")),
        Program("demo", ("newtonlite", "demo", "--worlds", "64", "--steps", "100", "--out", "out", "--json")),
        Program("example", ("rollout.py",)),
    ]


def examples() -> list[str]:
    """Files of all examples."""
    return sorted(file.name for file in (ROOT / "examples").glob("*.py") if file.name != "__init__.py")


def surroundings(folder: Path) -> dict[str, str]:
    """Environment variables without settings of this project, and with caches in an empty folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return kept | {"WARP_CACHE_PATH": str(folder / "warp"), "NEWTONLITE_CACHE_PATH": str(folder / "cache")}


def newest() -> Path:
    """The newest wheel in ``dist``."""
    return max((ROOT / "dist").glob("*.whl"), key=lambda file: file.stat().st_mtime, default=ROOT / "dist" / "*.whl")


def install(file: Path, python: str, folder: Path, extras: str = "") -> Path:
    """The folder of programs of a new environment that has a distribution, and what it and its ``extras`` need."""
    subprocess.run([python, "-m", "venv", folder / "env"], check=True)
    place = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = [place / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"{file}{extras}"], check=True, cwd=folder, env=surroundings(folder))
    return place


def run(program: Program, place: Path, folder: Path) -> dict:
    """A row of a program: seconds by the clock and of the processor, its exit code, whether it compiled, and what it said if it failed."""
    first, *rest = program.words
    words = [place / "newtonlite", *rest] if first == "newtonlite" else [place / "python", *program.words]
    began, before = time.perf_counter(), os.times()
    done = subprocess.run(words, cwd=folder, env=surroundings(folder), capture_output=True, text=True)
    seconds, after = time.perf_counter() - began, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    row = {"program": program.name, "seconds": round(seconds, 2), "cpu": round(used, 2), "code": done.returncode}
    row["compiled"] = NOTICE in done.stderr
    return row | ({"said": (done.stdout + done.stderr)[-2000:]} if done.returncode else {})


def faults(rows: list[dict], packaged: bool, most: float) -> list[str]:
    """What is wrong with the rows of a wheel with kernels (``packaged``) or of what has none; ``most``: seconds of a first step,
    0 for any.
    """
    found = [f"{row['program']}: exit code {row['code']}: {row['said']}" for row in rows if row["code"]]
    first = [row for row in rows if row["program"].startswith("first step")]
    if packaged:
        found += [f"{row['program']} waited for a compiler" for row in first if row["compiled"]]
        found += [f"{row['program']} took {row['seconds']} s" for row in first if most and row["seconds"] > most]
    elif not first[0]["compiled"]:
        found.append(f"{first[0]['program']} did not say that it compiles")
    return found


def main() -> int:
    """Install, run everything, and fail where something did not run as it should."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="wheel or source distribution")
    parser.add_argument("--python", default=sys.executable, help="Python of the environment (%(default)s)")
    parser.add_argument("--examples", action="store_true", help="run all examples, with the extras that they need")
    parser.add_argument("--most", type=float, default=0.0, help="seconds that a first step may take; 0: any")
    args = parser.parse_args()
    file = (args.file or newest()).resolve()
    if not file.is_file():
        print(f"{file} is not there: make wheel", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="newtonlite-installed-") as name:
        folder = Path(name)
        began = time.perf_counter()
        place = install(file, args.python, folder, EXTRAS if args.examples else "")
        print(f"{file.name} installed in {time.perf_counter() - began:.0f} s", flush=True)
        shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
        more = [Program(f"example {name}", (name,)) for name in examples()] if args.examples else []
        rows = []
        for program in [*programs(), *more]:
            rows.append(run(program, place, folder))
            print(json.dumps(rows[-1]), flush=True)
    wrong = faults(rows, file.name.endswith("x86_64.whl"), args.most)
    print("\n".join(wrong) or f"{len(rows)} programs run from {file.name}, outside of the checkout, with empty caches")
    return int(bool(wrong))
