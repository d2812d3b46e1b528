"""Execution of rows: from the values of a file to attributes of the scene, and from a compiled model to values of a file.

Readers of all formats give values by the names of MJCF; what a row says of them is said here once.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from newtonlite.core.table import CUSTOM, Attr, Element
from newtonlite.schema.columns import columns
from newtonlite.schema.convert import PAIRS

NOTHING = object()
ASSETS = ("material", "texture", "mesh", "hfield")
"""Kinds of things whose names a scene keeps."""


class BoundRow(NamedTuple):
    """A row that binds attributes, prepared for values of a file."""

    name: str
    targets: tuple[str, ...]
    split: Callable[[Any], tuple] | None
    silent: Any
    """Value that the scene has anyway where nobody speaks; a sentinel of its own where there is none."""
    own: bool
    """Whether the builder has a default of its own for it."""
    base: str


@cache
def bound(element: Element) -> tuple[BoundRow, ...]:
    """The rows of an element that the columns alone bring into the scene."""
    return tuple(prepared(attr) for attr in element.attrs if attr.binds and not attr.handled)


def prepared(attr: Attr) -> BoundRow:
    """A row for ``scene_values``."""
    targets, pair, base = tuple(attr.binds.split()), PAIRS[attr.convert], attr.kind.base
    split = pair.split if attr.convert and pair.parts == len(targets) else None
    if base == "reference" and attr.kind.of in ASSETS:
        base = "asset"
    own = not targets[0].startswith(CUSTOM)
    silent = attr.default if not own and attr.default is not None and is_silent(attr, targets, split) else NOTHING
    return BoundRow(attr.name, targets, split, silent, own, base)


def is_silent(attr: Attr, targets: tuple[str, ...], split: Callable | None) -> bool:
    """Whether the defaults of custom attributes are what the default of a row amounts to."""
    parts = split(attr.default) if split else (attr.default,) * len(targets)
    return all(
        columns()[target.removeprefix(CUSTOM)].default == part
        for target, part in zip(targets, parts, strict=True)
        if target.startswith(CUSTOM)
    )


def scene_values(
    element: Element,
    values: dict,
    given: Container[str] | None = None,
    name: str = "",
    owner: str = "",
    every: bool = False,
) -> dict[str, Any]:
    """Values of the attributes of the scene (``joint_armature``, ``mujoco:condim``) that rows bind.

    ``values`` are those of a file by the names of MJCF, defaults included. Where a builder has defaults of its own, only
    those of ``given`` count (None: all). ``name`` is the element's in the model, ``owner`` the prefix of names of assets.
    What the scene has anyway where nobody speaks is left out, unless ``every`` value is asked for.
    """
    found: dict[str, Any] = {}
    for row in bound(element):
        if row.base == "name":
            found[row.targets[0]] = name
            continue
        value = values.get(row.name)
        if value is None or (row.own and given is not None and row.name not in given):
            continue
        if value == row.silent and not every:
            continue
        if row.base == "asset" and value:
            value = owner + value
        if row.split is None:
            for target in row.targets:
                found[target] = value
        else:
            found.update(zip(row.targets, row.split(value), strict=True))
    return found


def scene_columns(
    element: Element,
    values: Sequence[dict],
    given: Sequence[Container[str]],
    names: Sequence[str],
    owners: Sequence[str],
) -> dict[str, list]:
    """``scene_values`` of several elements of one kind, attribute by attribute: a value for each element, None where it
    has none to give.
    """
    found: dict[str, list] = {}
    for row in bound(element):
        if row.base == "name":
            found[row.targets[0]] = list(names)
            continue
        column = [each.get(row.name) for each in values]
        if row.own:
            column = [value if row.name in says else None for value, says in zip(column, given)]
        if row.silent in column:
            column = [None if value == row.silent else value for value in column]
        if column.count(None) == len(column):
            continue
        if row.base == "asset":
            column = [owner + value if value else value for owner, value in zip(owners, column)]
        width = len(row.targets)
        parts = [column] * width if row.split is None else split_column(column, row.split, width)
        for target, part in zip(row.targets, parts, strict=True):
            before = found.get(target, part)
            found[target] = [old if value is None else value for old, value in zip(before, part)]
    return found


def split_column(column: list, split: Callable[[Any], tuple], width: int) -> list[tuple]:
    """The parts of a column, as many as ``width``, None where it has no value."""
    nothing = (None,) * width
    return list(zip(*(nothing if value is None else split(value) for value in column), strict=True))


def of_model(element: Element, read: Callable[[str], Any]) -> Iterator[tuple[Attr, Any]]:
    """Rows of an element with the value that a compiled model has of each; ``read`` gives that of one array, None where
    the model lacks it.
    """
    for attr in element.attrs:
        names = attr.field.split()
        parts = [read(name) for name in names]
        if names and parts[0] is not None:
            yield attr, PAIRS[attr.convert].join(*parts) if PAIRS[attr.convert].parts == len(names) else parts[0]
