"""Programs in strings, which benchmarks and sweeps start as processes, import what there is."""

import ast
import importlib
import textwrap

import pytest

from tests.house.project import ROOT

FILES = sorted(path for folder in ("benchmarks", "conformance") for path in (ROOT / folder).rglob("*.py"))


def programs(path):
    """The string constants of a file that are Python and import from the package."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "from newtonlite" in node.value:
            try:
                yield ast.parse(textwrap.dedent(node.value))
            except SyntaxError:
                continue


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_imports_of_programs(path):
    for program in programs(path):
        for node in ast.walk(program):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("newtonlite"):
                module = importlib.import_module(node.module)
                for name in node.names:
                    if not hasattr(module, name.name):
                        importlib.import_module(f"{node.module}.{name.name}")


def test_programs_are_found():
    assert sum(len(list(programs(path))) for path in FILES) > 2
