"""Newton's own examples of rigid bodies with the import changed and a null viewer: their steps and their final checks.
Writes docs/newton_examples.md.

    python -m conformance newton_examples --newton FOLDER [--frames 100] [--only NAME ...]

FOLDER is an installed Newton's package folder, of which only ``examples`` and what they need of ``tests`` is read: every
other ``import newton`` gets newtonlite. Each example runs in a process of its own, as from the command line.
"""

import argparse
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path

from conformance.collection.places import ROOT

PAGE = ROOT / "docs" / "newton_examples.md"
FOLDERS = ("basic", "robot", "contacts", "selection", "sensors", "ik", "controllers", "mujoco")
OTHER = re.compile(r"Solver(XPBD|VBD|Kamino|Featherstone|SemiImplicit|Style3D|ImplicitMPM|Steel)")
KEPT = ("newton.examples", "newton.tests")
"""Packages that are read from the folder."""
ONES = {
    "example_basic_multi_solver_overlay": "runs three solvers beside each other",
    "example_basic_viewer": "shows deformable bodies",
    "example_sensor_camera": "renders by ray tracing",
}
"""Examples that are not of this solver, and why."""
FRAMES = {
    "example_basic_dzhanibekov": 230,
    "example_mujoco_sleeping": 300,
    "example_robot_omniwheel": 500,
    "example_sensor_imu": 200,
}
"""Frames of those whose final checks need more, as in Newton's own tests."""
TIMEOUT = 600.0
VERDICTS = (
    "passed",
    "failed",
    "needs files from the network",
    "needs other packages",
    "needs a GPU",
    "another solver's",
)


class Finder(importlib.abc.MetaPathFinder):
    """``newton`` and what is below it: newtonlite, but for the packages of ``KEPT``."""

    def __init__(self, folder: Path):
        self.folder = folder

    def find_spec(self, fullname, path=None, target=None):
        """Where a module is, for those of ``newton``."""
        if fullname != "newton" and not fullname.startswith("newton."):
            return None
        if fullname.startswith(KEPT):
            base = self.folder.joinpath(*fullname.split(".")[1:])
            init = base / "__init__.py"
            if init.is_file():
                return importlib.util.spec_from_file_location(fullname, init, submodule_search_locations=[str(base)])
            if base.with_suffix(".py").is_file():
                return importlib.util.spec_from_file_location(fullname, base.with_suffix(".py"))
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(base)]
            return spec
        name = fullname.replace("newton", "newtonlite", 1)
        if importlib.util.find_spec(name) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, Standin(name), is_package=True)


class Standin(importlib.abc.Loader):
    """Puts a module of newtonlite in the place of Newton's."""

    def __init__(self, name: str):
        self.name = name

    def create_module(self, spec):
        """The default module, which ``exec_module`` replaces."""

    def exec_module(self, module):
        """Bind newtonlite's module under the name that was asked for."""
        found = importlib.import_module(self.name)
        if not hasattr(found, "__path__"):
            found.__path__ = []
        sys.modules[module.__name__] = found


def run_one(folder: Path, file: Path, frames: int) -> None:
    """Run an example in this process, as from the command line, with its final checks."""
    sys.meta_path.insert(0, Finder(folder))
    importlib.import_module("newton.examples")
    source = file.read_text()
    solver = ["--solver", "mujoco"] if re.search(r'"--solver"', source) and '"mujoco"' in source else []
    sys.argv = [file.name, "--viewer", "null", "--headless", "--test", "--device", "cpu", *solver]
    sys.argv += ["--num-frames", str(frames)]
    runpy.run_path(str(file), run_name="__main__")


def kind_of(file: Path) -> str:
    """Why an example is not of this solver; '' for those that are."""
    if file.stem in ONES:
        return ONES[file.stem]
    source = file.read_text()
    if OTHER.search(source) and "SolverMuJoCo" not in source:
        return "has no MuJoCo solver to choose"
    return ""


def verdict(file: Path, log: str, code: int | None) -> tuple[str, str]:
    """A verdict and what there is to say about it."""
    if code == 0:
        return "passed", "USD scene" if "add_usd" in file.read_text() else ""
    last = next(
        (line.strip() for line in reversed(log.splitlines()) if re.match(r"\s*[\w.]*(Error|Exception|Exit)", line)), ""
    )
    if code is None:
        return "failed", f"took longer than {TIMEOUT:.0f} s"
    if re.search(r"download_asset|download_git|download_external", log) or "git" in last and "clone" in log:
        return "needs files from the network", ""
    if match := re.search(r"No module named '(?!newton)(\w+)'", last):
        return "needs other packages", match[1]
    if "requires a CUDA device" in last:
        return "needs a GPU", ""
    return "failed", last[:160].replace("|", "/")


def run(folder: Path, file: Path, frames: int) -> tuple[str, str, float]:
    """Verdict, remark and seconds of one example."""
    why, began = kind_of(file), time.perf_counter()
    if why:
        return "another solver's", why, 0.0
    command = [sys.executable, "-m", "conformance", "newton_examples", "--newton", folder, "--one", file]
    try:
        done = subprocess.run(
            [*map(str, command), "--frames", str(frames)], capture_output=True, text=True, timeout=TIMEOUT, cwd=ROOT
        )
        log, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        log, code = "", None
    return *verdict(file, log, code), time.perf_counter() - began


def page(rows: list[tuple], frames: int) -> str:
    """The page of what ran."""
    lines = [
        "# Newton's examples",
        "",
        "Examples of Newton 1.8 about rigid bodies (basic, robot, contacts, selection, sensors, ik, controllers), run with `import newton` standing",
        f"for newtonlite, a null viewer, on a CPU, {frames} frames each (more where their checks need them), with their own `test_final`; `--solver mujoco` where there is a choice.",
        "Made by `python -m conformance newton_examples --newton FOLDER`.",
        "",
        "; ".join(f"{verdict}: {sum(row[2] == verdict for row in rows)}" for verdict in VERDICTS) + ".",
        "",
        "| folder | example | result | remark |",
        "|---|---|---|---|",
    ]
    return (
        "\n".join(lines + [f"| {folder} | {name} | {result} | {text} |" for folder, name, result, text in rows]) + "\n"
    )


def main(argv=None) -> None:
    """Run the examples and write the page; ``--only`` renews the rows of some."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--newton", type=Path, required=True, help="folder of an installed newton package")
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names")
    parser.add_argument("--one", type=Path, help="run this file in this process")
    args = parser.parse_args(argv)
    if args.one:
        return run_one(args.newton, args.one, args.frames)
    known = {row[:2]: row for row in rows_of(PAGE)} if args.only else {}
    found = []
    for folder in FOLDERS:
        for file in sorted((args.newton / "examples" / folder).glob("example_*.py")):
            key = (folder, file.stem.removeprefix("example_"))
            if args.only and not any(part in file.stem for part in args.only):
                found += [known[key]] if key in known else []
                continue
            result, text, seconds = run(args.newton, file, FRAMES.get(file.stem, args.frames))
            found.append((*key, result, text))
            print(f"{file.stem:48} {result:30} {seconds:6.1f} s {text}", flush=True)
            PAGE.write_text(
                page(found + [row for k, row in known.items() if k not in {f[:2] for f in found}], args.frames)
            )
    return None


def rows_of(path: Path) -> list[tuple]:
    """The rows of the page as it is."""
    lines = path.read_text().splitlines() if path.is_file() else []
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [tuple(row) for row in cells if row[0] in FOLDERS]


if __name__ == "__main__":
    main()
