"""Columns of the ``mujoco`` namespace: those of ``COLUMNS``, and those that rows of the schema bind."""

from collections.abc import Iterator
from functools import cache

from newtonlite.core.table import CUSTOM, Attr, Element
from newtonlite.schema import MUJOCO
from newtonlite.schema.convert import PAIRS
from newtonlite.schema.namespace import COLUMNS, PER_WORLD, Custom


@cache
def columns() -> dict[str, Custom]:
    """All attributes of the namespace by name: those written out, and those of the schema's rows. Not to be changed."""
    found = {c.name: c for c in COLUMNS}
    for _, element in MUJOCO.walk():
        if element.frequency:
            for attr in element.attrs:
                for column in from_row(element, attr):
                    found.setdefault(column.name, column)
    return found


def from_row(element: Element, attr: Attr) -> Iterator[Custom]:
    """The attributes that a row of the schema binds, one per part of its value where the row takes it apart."""
    targets, pair, names = attr.binds.split(), PAIRS[attr.convert], attr.usd.split()
    parts: tuple = ((dtype_of(attr), attr.default),) * len(targets)
    if attr.convert and pair.parts == len(targets):
        parts = tuple(
            (DTYPES[type(part)](part), part) for part in pair.split(() if attr.default is None else attr.default)
        )
    for k, (target, (dtype, default)) in enumerate(zip(targets, parts, strict=True)):
        if target.startswith(CUSTOM):
            name = target.removeprefix(CUSTOM)
            usd = names[k] if len(names) == len(targets) else attr.usd
            frequency = "world" if name in PER_WORLD else element.frequency
            yield Custom(name, frequency, dtype, default, doc=attr.doc, mjcf=attr.name, usd=usd)


DTYPES = {
    str: lambda part: "str",
    int: lambda part: "int",
    float: lambda part: "float",
    tuple: lambda part: f"vec{len(part)}",
}
"""Name of the element type that holds a part of a value."""


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
