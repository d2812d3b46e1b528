"""Installed package: a wheel or a source distribution in a fresh environment outside the checkout, with empty caches.

    python -m conformance installed [FILE] [--python PYTHON] [--most SECONDS] [--examples] [--processor KIND] [--keep]

FILE: by default the newest wheel in ``dist``. What runs there, each as a program of its own: ``newtonlite doctor``, the
first step of models that were never seen, a robot file of one's own, ``newtonlite demo`` and an example, or all. A wheel for
x86-64 compiles nothing before a first step; one for any processor and a source distribution compile on first use, and say so.
``--processor``: as on a processor that has the features of that kind alone. ``--keep``: the rows go to the others, and
the page is written.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from conformance.collection.places import ROOT
from conformance.pages import table
from conformance.sweep import Sweep
from newtonlite.core.processor_kinds import KINDS

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
BITS = """
import hashlib
from newtonlite import models
from newtonlite.cli.simulation import SolverRun
from newtonlite.core.kernel_folders import packaged_kind
total = hashlib.sha256()
for model in {models}:
    simulation = SolverRun(models.path(model), 4, "random", device="cpu")
    for _ in range(100):
        simulation.step()
    total.update(simulation.state.joint_q.numpy().tobytes() + simulation.state.joint_qd.numpy().tobytes())
print(packaged_kind(), total.hexdigest()[:16])
"""
"""Says which packaged kernels are taken, and a digest of states."""
POSING = "import pathlib, newtonlite.core.processor_kinds as k; k.CPUINFO = pathlib.Path({file!r})"
"""A line that each Python of an environment begins with, which has it see another processor."""
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
        Program("100 steps", ("-c", BITS.format(models=NEVER_SEEN))),
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


def pose(kind: str, place: Path, folder: Path) -> None:
    """Let every program of an environment take the processor for one with the features of a kind alone."""
    posed = folder / "cpuinfo"
    posed.write_text(f"flags\t\t: {' '.join(sorted(KINDS[kind]))}\n")
    asked = [place / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    (Path(packages) / "posing.pth").write_text(POSING.format(file=str(posed)) + "\n")


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
    if BITS[:20] in program.words[-1]:
        row["result"] = done.stdout.strip()
    return row | ({"said": (done.stdout + done.stderr)[-2000:]} if done.returncode else {})


def faults(rows: list[dict], packaged: bool, most: float, kind: str | None = None) -> list[str]:
    """What is wrong with the rows of a wheel with kernels (``packaged``) or of what has none; ``most``: seconds of a first step,
    0 for any; ``kind``: of which the kernels are, where that is asked for.
    """
    found = [f"{row['program']}: exit code {row['code']}: {row['said']}" for row in rows if row["code"]]
    first = [row for row in rows if row["program"].startswith("first step")]
    if packaged:
        found += [f"{row['program']} waited for a compiler" for row in first if row["compiled"]]
        found += [f"{row['program']} took {row['seconds']} s" for row in first if most and row["seconds"] > most]
    elif not first[0]["compiled"]:
        found.append(f"{first[0]['program']} did not say that it compiles")
    results = [row["result"] for row in rows if "result" in row and not row["code"]]
    return found + [f"other kernels were taken: {result}" for result in results if kind and kind not in result]


def label(file: Path, kind: str | None) -> str:
    """What the rows of a distribution begin with."""
    name = "source distribution" if file.suffix == ".gz" else "wheel with kernels" if packaged(file) else "wheel"
    return f"{name}, {kind}" if kind else name


def packaged(file: Path) -> bool:
    """Whether a distribution has compiled kernels."""
    return file.name.endswith("x86_64.whl")


def page(rows: list[dict]) -> str:
    """Seconds of each program from each distribution."""
    cells = {tuple(row["model"].split(": ", 1)): row for row in rows}
    kinds, names = (list(dict.fromkeys(key[part] for key in cells)) for part in (0, 1))
    lines = [
        "# Installed package",
        "",
        "Written by `python -m conformance installed FILE --keep`: distributions in fresh environments outside of the checkout, with",
        "empty caches. Seconds by the clock, and of the processor; *compiles*: it says that it waits for a compiler.",
        "",
        *table("program", *kinds),
    ]
    for name in sorted(names, key=lambda name: name.startswith("example ")):
        lines.append(f"| {name} | {' | '.join(cell(cells.get((kind, name), {})) for kind in kinds)} |")
    return "\n".join(lines) + "\n"


def cell(row: dict) -> str:
    """A row in few words."""
    if not row or row["verdict"] != "ran":
        return row.get("verdict", "")
    words = [f"{row['seconds']:.1f} s, {row['cpu']:.1f} CPU s", *(["compiles"] if row["compiled"] else [])]
    words += [f"`{row['result']}`"] if "result" in row else []
    return "; ".join([*words, *([f"{row['bytes'] / 2**20:.1f} MiB"] if "bytes" in row else [])])


class Installed(Sweep):
    """Programs of a distribution; the rows of other distributions stay as they are."""

    def main(self, arguments: list[str] | None = None) -> int:
        """Install, run everything, and fail where something did not run as it should."""
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("file", nargs="?", type=Path, help="wheel or source distribution")
        parser.add_argument("--python", default=sys.executable, help="Python of the environment (%(default)s)")
        parser.add_argument("--examples", action="store_true", help="run all examples, with the extras that they need")
        parser.add_argument("--most", type=float, default=0.0, help="seconds that a first step may take; 0: any")
        parser.add_argument("--processor", choices=tuple(KINDS), help="kind of processor that programs see")
        parser.add_argument("--keep", action="store_true", help="keep the rows, and write the page")
        args = parser.parse_args(arguments)
        file = (args.file or newest()).resolve()
        if not file.is_file():
            print(f"{file} is not there: make wheel", file=sys.stderr)
            return 2
        rows = []
        for row in tried(file, args.python, args.examples, args.processor):
            rows.append(row)
            print(json.dumps(row), flush=True)
        if args.keep:
            self.take(label(file, args.processor), rows)
        wrong = faults(rows, packaged(file), args.most, args.processor)
        close = f"{len(rows) - 1} programs run from {file.name}, outside of the checkout, with empty caches"
        print("\n".join(wrong) or close)
        return int(bool(wrong))

    def take(self, distribution: str, rows: list[dict]) -> None:
        """Keep rows, and write the page."""
        for row in rows:
            found = {"verdict": "failed" if row["code"] else "ran", **row}
            self.rows.add(self.marked(f"{distribution}: {found.pop('program')}", {}, found))
        self.put(self.rows.all(), set(), {}, self.page_file)


def tried(file: Path, python: str, all_examples: bool, kind: str | None) -> Iterator[dict]:
    """Rows of the installation, and of each program."""
    with tempfile.TemporaryDirectory(prefix="newtonlite-installed-") as name:
        folder, began, before = Path(name), time.perf_counter(), os.times()
        place = install(file, python, folder, EXTRAS if all_examples else "")
        after, seconds = os.times(), time.perf_counter() - began
        used = after.children_user + after.children_system - before.children_user - before.children_system
        first = {"program": "installation", "seconds": round(seconds, 2), "cpu": round(used, 2), "code": 0}
        yield first | {"compiled": False, "bytes": file.stat().st_size}
        if kind:
            pose(kind, place, folder)
        shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
        more = [Program(f"example {name}", (name,)) for name in examples()] if all_examples else []
        for program in [*programs(), *more]:
            yield run(program, place, folder)


SWEEP = Installed(__name__, ROOT / "docs" / "installed.md", lambda: {}, lambda case: {}, page, fails=("failed",))
