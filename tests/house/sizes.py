"""Sizes of files, functions and argument lists, and which are beyond the ceilings."""

import ast

from tests.house.project import name, sources, tree

FILE, FUNCTION, ARGUMENTS = 400, 60, 8


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


def beyond() -> dict[str, int]:
    """What is over a ceiling: how many lines or arguments it has."""
    long = {}
    for path in sources("newtonlite"):
        lines = len(path.read_text().splitlines())
        if lines > FILE:
            long[f"lines {name(path)}"] = lines
    for place, lines, arguments, device in functions():
        if lines > FUNCTION:
            long[f"function {place}"] = lines
        if device and arguments > ARGUMENTS and "/reference/" not in place:
            long[f"arguments {place}"] = arguments
    return long
