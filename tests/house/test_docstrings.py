"""Every public function and class of the package says what it does."""

import ast
import re
from functools import cache

from tests.house.project import name, sources, tree

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
QUESTIONS = {"What", "Who", "Whom", "Whose", "How", "Where", "Which", "Why", "When", "That", "Those"}
"""First words that put a clause in place of the term that one would search for; ``Whether`` begins predicates."""


def public(body, inside=""):
    """(qualified name, node) of the public functions, classes and methods in a body."""
    for node in body:
        if isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
            yield inside + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{inside}{node.name}.")


def overload(node) -> bool:
    """A property's setter or a typing overload: its documentation is elsewhere."""
    marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", [])]
    return any(
        mark.endswith((".setter", ".deleter", "overload", "func_native")) or ".func_native(" in mark for mark in marks
    )


@cache
def classes() -> dict[str, tuple[set, set]]:
    """(bases, methods with a docstring) of every class of the package, by its name; of all classes of that name."""
    found: dict[str, tuple[set, set]] = {}
    for path in sources("newtonlite"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                bases, methods = found.setdefault(node.name, (set(), set()))
                bases |= {ast.unparse(base).split(".")[-1].split("[")[0] for base in node.bases}
                methods |= {m.name for m in node.body if isinstance(m, DEFINITIONS) and ast.get_docstring(m)}
    return found


def inherited(base: str, method: str) -> bool:
    """Whether a class, or one that it is made of, says what a method does."""
    bases, methods = classes().get(base, (set(), set()))
    return method in methods or any(inherited(one, method) for one in bases - {base})


def override(qualified: str) -> bool:
    """A method that does what the docstring of its base's says, or a visitor's, named after what it visits."""
    owner, _, method = qualified.rpartition(".")
    bases = classes().get(owner.split(".")[-1], (set(), set()))[0]
    return bool(owner) and (method.startswith("visit_") or any(inherited(base, method) for base in bases))


def test_every_public_name_has_a_docstring():
    missing = [
        f"{name(path)}:{node.lineno}: {qualified}"
        for path in sources("newtonlite")
        for qualified, node in public(tree(path).body)
        if not ast.get_docstring(node) and not overload(node) and not override(qualified)
    ]
    assert not missing, f"{len(missing)} without:\n" + "\n".join(missing)


def test_overrides_have_no_docstring_that_only_points_to_the_base():
    empty = [
        f"{name(path)}:{node.lineno}: {qualified}"
        for path in sources("newtonlite")
        for qualified, node in public(tree(path).body)
        if re.fullmatch(r"(As in|See|Same as) [\w`.]+", ast.get_docstring(node) or "")
    ]
    assert not empty


def test_every_module_says_what_it_is():
    silent = [name(path) for path in sources("newtonlite") if tree(path).body and not ast.get_docstring(tree(path))]
    assert not silent


def texts(path):
    """(line, text) of the docstrings of a file: its module, functions, kernels and classes; and the strings below
    constants and attributes.
    """
    for node in ast.walk(tree(path)):
        if not isinstance(node, (ast.Module, *DEFINITIONS)):
            continue
        yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""
        for one in node.body[1:]:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                yield one.lineno, one.value.value.strip()


def test_docstrings_begin_with_a_term():
    riddles = [
        f"{name(path)}:{line}: {text.splitlines()[0]}"
        for path in sources("newtonlite")
        for line, text in texts(path)
        if re.match(r"\w*", text).group() in QUESTIONS or text.split("\n\n")[0].endswith("?")
    ]
    assert not riddles, "begin with the term that one would search for:\n" + "\n".join(riddles)
