"""Digest of the code that a comparison depends on: what its module imports, directly or not, without comments and
docstrings, and all native headers. Rows keep it, so that ``claims`` can say which are older than their code.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

from conformance.collection.places import ROOT

FOLDERS = ("newtonlite", "conformance", "benchmarks", "tests", "ptxemu")
"""Packages of the project; other imports are versions of a row."""
APART = ("conformance.sweep", "conformance.sources", "conformance.rows", "conformance.pages")
SHOWN = ("page", "line")
"""Modules (those that end with ``_page`` too) and functions that keep rows or show them, which says nothing about them."""


@cache
def sources(module: str) -> str:
    """Digest of a module, of all that it imports, and of the headers of the package."""
    counted = (name for name in sorted(closure(module)) if name not in APART and not name.endswith("_page"))
    parts = [file_digest(place(name)) for name in counted]
    parts += [path.read_bytes() for path in sorted((ROOT / "newtonlite").rglob("*.h"))]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def closure(module: str) -> set[str]:
    """Modules of the project that a module imports, anywhere in it, and those that these import; itself too."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name in found or not place(name):
            continue
        found.add(name)
        waiting += [name.rpartition(".")[0], *imported(name)]
    return found


@cache
def place(module: str) -> Path | None:
    """The file of a module of the project."""
    path = ROOT.joinpath(*module.split("."))
    if module.partition(".")[0] not in FOLDERS:
        return None
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def imported(module: str) -> frozenset[str]:
    """Modules that a file names in its imports; of a package that is used as a whole those its table names too."""
    found = set()
    for node in ast.walk(tree(place(module))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found |= {alias.name, *table(alias.name)}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in inside if place(name)}
            found |= {node.module, *modules, *(table(node.module) if modules != inside else ())}
    return frozenset(found)


def table(package: str) -> set[str]:
    """Modules that a package loads when a name of theirs is first used: those that its ``__init__`` names as text."""
    path = place(package)
    if path is None or path.name != "__init__.py":
        return set()
    texts = (node.value for node in ast.walk(tree(path)) if isinstance(node, ast.Constant))
    return {text for text in texts if isinstance(text, str) and text.isascii() and place(text)}


@cache
def tree(path: Path) -> ast.Module:
    """Syntax of a file."""
    return ast.parse(path.read_bytes())


@cache
def file_digest(path: Path) -> bytes:
    """Digest of a file's code; the same with any Python, with other comments, docstrings and layout."""
    words: list[str] = []
    for node in tree(path).body:
        shown = isinstance(node, ast.FunctionDef) and node.name in SHOWN
        if not shown and not isinstance(node, ast.Import | ast.ImportFrom):  # what they name counts itself
            spell(ast.Module([node], []), words)
    return hashlib.sha256("\0".join(words).encode()).digest()


def spell(node: ast.AST, words: list[str]) -> None:
    """Add the kinds and values of a node and of those below it; what is empty is left out, as Pythons differ in it."""
    words.append(type(node).__name__)
    for name, value in ast.iter_fields(node):
        if value is None or value == [] or name in ("type_ignores", "kind", "type_comment"):
            continue
        words.append(name)
        for item in value if isinstance(value, list) else [value]:
            if is_docstring(item):
                continue
            if isinstance(item, ast.AST):
                spell(item, words)
            else:
                words.append(repr(item))


def is_docstring(item) -> bool:
    """Whether an item is a text that stands alone as a statement."""
    return isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant) and isinstance(item.value.value, str)
