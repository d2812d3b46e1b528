"""Sizes: files, functions and argument lists have ceilings; the exceptions are listed, and their list may only shrink."""

import ast

from tests.house.project import ROOT, name, sources, tree

FILE, FUNCTION, ARGUMENTS = 400, 60, 8
LISTED = ROOT / "tests" / "house" / "sizes.txt"


def functions():
    """(place, lines of its body, arguments, whether it is a Warp function that is not native) of every function."""
    for path in sources("newtonlite"):
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.FunctionDef):
                continue
            body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            decorators = " ".join(ast.unparse(d) for d in node.decorator_list)
            device = "wp.func" in decorators and "func_native" not in decorators
            yield f"{name(path)}:{node.name}", lines, len(node.args.args) + len(node.args.kwonlyargs), device


def exceptions() -> set[str]:
    """What is over a ceiling."""
    long = {f"lines {name(p)}" for p in sources("newtonlite") if len(p.read_text().splitlines()) > FILE}
    for place, lines, arguments, device in functions():
        if lines > FUNCTION:
            long.add(f"function {place}")
        if device and arguments > ARGUMENTS and "/reference/" not in place:
            long.add(f"arguments {place}")
    return long


def test_nothing_new_is_over_a_ceiling():
    assert not exceptions() - set(LISTED.read_text().splitlines())


def test_the_list_of_exceptions_only_shrinks():
    """What is within the ceilings again leaves the list."""
    assert not set(LISTED.read_text().splitlines()) - exceptions()
