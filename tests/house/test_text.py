"""What no tracked file may hold."""

import ast
import re

import pytest

from tests.house.project import ROOT, files, name, sources, tree

LONGEST = 650
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc"}
FORBIDDEN = {
    "a path of some machine": r"(?<![\w.~/-])/(?:home|work|root|Users|tmp)/\w",
    "a registry address": r"(?:index-url|pypi\.org/simple|pythonhosted|artifactory|devpi)(?!\()",
    "an unfinished mark": r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b",
    "a test expected to fail": r"\bxfa" r"il\b",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what):
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{name(path)}:{number}: {line.strip()[:100]}"
        for path in files()
        if path != ROOT / name_of_this_file()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def name_of_this_file() -> str:
    return "tests/house/test_text.py"


def test_no_source_file_is_longer_than_a_sitting():
    long = {
        name(path): length
        for path in sources("newtonlite", "tests", "benchmarks", "examples")
        if (length := len(path.read_text().splitlines())) > LONGEST
    }
    assert not long


def test_files_have_plain_names():
    assert not [name(path) for path in files() if path.stem in VAGUE]


def test_files_that_define_warp_code_keep_their_annotations():
    """Warp reads annotations as objects; postponed ones are strings to it."""
    for path in sources("newtonlite"):
        text = path.read_text()
        if re.search(r"@wp\.(func|kernel|struct)", text):
            assert "from __future__ import annotations" not in text, name(path)


TOLERANCE_ARGUMENTS = {"rtol", "atol", "rel", "abs", "tol", "tolerance", "decimal"}
SMALL = 1e-3


def literal_tolerances(path) -> list[int]:
    """Lines of a test where a tolerance is written as a number."""
    lines = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.keyword) and node.arg in TOLERANCE_ARGUMENTS and number(node.value):
            lines.append(node.value.lineno)
        if (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], (ast.Lt, ast.LtE))
            and 0 < number(node.comparators[-1]) <= SMALL
        ):
            lines.append(node.lineno)
    return lines


def number(node) -> float:
    """The value of a number, of a sum or product of numbers; 0 for anything else."""
    value = node.value if isinstance(node, ast.Constant) else 0
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def test_tolerances_come_from_the_table():
    found = [f"{name(path)}:{line}" for path in sources("tests") for line in literal_tolerances(path)]
    assert not found, "write them as rows of tests/tolerance.py: " + ", ".join(found)
