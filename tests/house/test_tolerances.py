"""The table of tolerances: every row has a reason and a user, every user a row."""

import ast

from tests.house.project import name, sources, tree
from tests.tolerance import TABLE

TABLE_FILE = "tests/tolerance.py"


def words(path) -> set[str]:
    """The strings in a file."""
    return {
        node.value for node in ast.walk(tree(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_every_row_says_why():
    assert not [quantity for quantity, row in TABLE.items() if len(row.reason.split()) < 4]


def test_every_row_is_used():
    used = set().union(*(words(path) for path in sources("tests") if name(path) != TABLE_FILE))
    assert not TABLE.keys() - used


def test_every_quantity_asked_for_is_in_the_table():
    asked = {
        (node.args[0 if call == "tolerance" else 2].value, f"{name(path)}:{node.lineno}")
        for path in sources("tests")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and (call := getattr(node.func, "id", None)) in ("tolerance", "assert_close")
        and len(node.args) > (call == "assert_close") * 2
        and isinstance(node.args[0 if call == "tolerance" else 2], ast.Constant)
    }
    assert not {(quantity, place) for quantity, place in asked if quantity not in TABLE}
