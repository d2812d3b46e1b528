"""Columns of the ``mujoco`` namespace: those written out in ``namespace.py``, and those that rows of the schema bind."""

from collections.abc import Iterator
from functools import cache

from newtonlite.core.table import Attr, Element
from newtonlite.schema import MUJOCO
from newtonlite.schema.namespace import COLUMNS, PER_WORLD, Column


@cache
def columns() -> dict[str, Column]:
    """All attributes of the namespace by name: those written out, and those of the schema's rows. Not to be changed."""
    found = {c.name: c for c in COLUMNS}
    for _, element in MUJOCO.walk():
        if element.frequency:
            for attr in element.attrs:
                for column in from_row(element, attr):
                    found.setdefault(column.name, column)
    return found


def from_row(element: Element, attr: Attr) -> Iterator[Column]:
    """The attributes that a row of the schema binds."""
    for name in attr.custom():
        frequency = "world" if name in PER_WORLD else element.frequency
        yield Column(name, frequency, dtype_of(attr), attr.default, doc=attr.doc, mjcf=attr.name, usd=attr.usd)


def dtype_of(attr: Attr) -> str:
    """Name of the element type that holds an attribute's value."""
    kind = attr.kind
    if kind.words:
        return "bool" if all(isinstance(v, bool) for v in kind.words.values()) else "int"
    if kind.base in ("name", "reference", "text") or kind.high is None:
        return "str"
    number = "int" if kind.base == "integer" else "float"
    if kind.scalar:
        return number
    return "vec2i" if (number, kind.high) == ("int", 2) else f"vec{kind.high}"


def table() -> str:
    """The namespace as text, one attribute a line."""
    lines = [f"{'name':36} {'frequency':28} {'type':10} meaning"]
    lines += [
        f"{c.name:36} {c.frequency:28} {c.dtype:10} {c.doc}"
        for c in sorted(columns().values(), key=lambda c: (c.frequency, c.name))
    ]
    return "\n".join(lines)
