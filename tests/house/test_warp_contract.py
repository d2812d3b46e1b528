"""The page of what the package knows of Warp beyond its public interface has every such name, and no other."""

import ast
import re
from functools import cache
from pathlib import Path

import warp as wp

from newtonlite.core import warp_internals
from tests.house.project import PACKAGE, ROOT, files, name, sources, tree

PAGE = ROOT / "docs" / "reference" / "warp_contract.md"
INNER = {
    "Adjoint",
    "Function",
    "Kernel",
    "KernelHooks",
    "Launch",
    "LaunchBounds",
    "Module",
    "ModuleExec",
    "ModuleHasher",
}
INNER |= {"Runtime", "Struct", "StructInstance", "Var", "array_t"}
"""Classes of Warp whose attributes are its own, but for those in PUBLIC."""
PUBLIC = {"func", "key", "launch", "load", "module", "name"}
"""Attributes of ``wp.Function``, ``wp.Kernel``, ``wp.Launch`` and ``wp.Module`` that programs are shown to use."""
OTHERS = {"backward": "torch", "dedent": "textwrap", "eval": "torch", "export": "trimesh", "loader": "importlib"}
OTHERS |= {"get_device": "Warp's public function", "strides": "of arrays, which NumPy's interface has"}
"""Attributes that the package takes from something else."""
DOOR = "newtonlite/solvers/mujoco/executor/fence.py"
CPU = "newtonlite.solvers.mujoco.executor.cpu"


def rows() -> dict[str, tuple]:
    """(files, test) of every name in the page's tables."""
    found = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            found |= {
                n: (re.findall(r"`([^`]+)`", cells[1]), cells[3].strip("`")) for n in re.findall(r"`([^`]+)`", cells[0])
            }
    return found


@cache
def attributes_of_warp() -> set[str]:
    """Names of methods and attributes of Warp's inner classes."""
    found = set()
    for file in (Path(wp.__file__).parent / "_src").glob("*.py"):
        for one in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(one, ast.ClassDef) and one.name in INNER:
                for node in ast.walk(one):
                    if isinstance(node, ast.FunctionDef):
                        found.add(node.name)
                    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                        found.add(node.attr)
    return found


@cache
def own_names() -> set[str]:
    """Names of functions, classes, parameters and attributes that the package defines."""
    found = set()
    for path in sources("newtonlite"):
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            if isinstance(node, ast.arg):
                found.add(node.arg)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                    found.add(node.attr)
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return found


def private_names() -> dict[str, set]:
    """Private names of Warp in the package, each with the files that use it."""
    found: dict[str, set] = {}
    inner = attributes_of_warp() - own_names() - PUBLIC - OTHERS.keys()
    for path in sources("newtonlite"):
        for node in ast.walk(tree(path)):
            names = []
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("warp._src"):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names if alias.name.startswith("warp._src")]
            elif isinstance(node, ast.Attribute) and (node.attr in inner and not is_ours(node) or node.attr == "_src"):
                names = [node.attr]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("_wp_"):
                names = [node.value]
            for one in names:
                found.setdefault(one, set()).add(name(path))
    return found


def is_ours(node: ast.Attribute) -> bool:
    """An attribute of ``self``, or one of Python's."""
    dunder = node.attr.startswith("__") and node.attr != "__ctype__"
    return dunder or isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "ast", "np")


def test_every_private_name_of_warp_is_on_the_page():
    known = rows()
    found = private_names()
    assert len(found) > 20
    assert not found.keys() - known.keys(), {n: found[n] for n in found.keys() - known.keys()}
    assert not {n: found[n] for n in found if not found[n] <= {f"newtonlite/{f}" for f in known[n][0]}}


def test_the_page_has_no_name_that_is_gone():
    texts = {name(path): path.read_text() for path in files() if PACKAGE in path.parents}
    stale = [
        (one, file)
        for one, (places, _) in rows().items()
        for file in places
        if not re.search(rf"(?<!\w){re.escape(one)}(?!\w)", texts.get(f"newtonlite/{file}", ""))
    ]
    assert not stale


def test_the_page_names_tests_that_exist():
    for one, (_, test) in rows().items():
        file, _, function = test.partition("::")
        assert function and f"def {function}(" in (ROOT / "tests" / file).read_text(), (one, test)


def test_the_door_is_the_only_way_into_the_fenced_folder():
    """Python imports it from within alone: what stands outside runs where it cannot be imported."""
    for path in sources("newtonlite"):
        if "executor/cpu/" not in name(path):
            assert CPU not in path.read_text(), name(path)
    assert "import_module" in (ROOT / DOOR).read_text()


def test_warp_is_bounded_to_the_tested_versions():
    (bound,) = re.findall(r'"warp-lang([^"]*)"', (ROOT / "pyproject.toml").read_text())
    low, high = (version.split(".") for version in re.findall(r"\d+\.\d+", bound))
    first, last = (version.split(".") for version in (warp_internals.TESTED[0], warp_internals.TESTED[-1]))
    assert bound.startswith(">=") and ",<" in bound
    assert low == first and high == [last[0], str(int(last[1]) + 1)]
