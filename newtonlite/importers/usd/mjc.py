"""MuJoCo's attributes on prims, by the ``usd`` column of MJCF's schema tables."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from newtonlite.core.table import Attr, Element, shorten
from newtonlite.importers.usd.prims import Prim


def values(prim: Prim, element: Element, names: Iterable[str] | None = None, defaults: bool = False) -> dict[str, Any]:
    """Authored values of an element's attributes on a prim, by MJCF name; with ``defaults`` also the schema's values of
    the others."""
    found = {}
    for attr in element.attrs if names is None else [element.attr(name) for name in names]:
        if not attr.usd:
            continue
        value = read(prim, attr)
        if value is not None:
            found[attr.name] = value
        elif defaults:
            found[attr.name] = attr.default
    return found


def names_of(attr: Attr) -> tuple[str, ...]:
    """The USD attributes of a row; a range has two, of which the row names the lower."""
    if attr.usd.endswith(":min"):
        return attr.usd, attr.usd[:-3] + "max"
    return tuple(attr.usd.split())


def read(prim: Prim, attr: Attr) -> Any:
    """The authored value of a row as MJCF's reader would give it; None where nothing is authored."""
    names = names_of(attr)
    if not any(name in prim.authored for name in names):
        return None
    if attr.usd.endswith(":min"):
        return tuple(prim.finite(name, 0.0) for name in names)
    value = single(prim, attr, names[0])
    if len(names) == 1:
        return value
    first, *rest = attr.default if value is None else value
    higher = prim.numbers(names[1], len(rest))
    return (first, *(rest if higher is None else higher.tolist()))


def single(prim: Prim, attr: Attr, name: str) -> Any:
    """The authored value of one attribute as that of a row; None where there is none."""
    raw = prim.get(name)
    if raw is None:
        return None
    if attr.kind.words:
        return word(prim, attr, raw)
    if attr.kind.base in ("text", "name", "reference"):
        return str(raw)
    array = prim.numbers(name)
    if attr.kind.scalar:
        if array.size != 1:
            raise prim.error(f"has {array.size} numbers; one is needed", name)
        return int(array[0]) if attr.kind.base == "integer" else float(array[0])
    if attr.kind.high is not None and array.size > attr.kind.high:
        if np.any(array[attr.kind.high :]):
            raise prim.error(f"has {array.size} numbers; at most {attr.kind.high} are needed", name)
        array = array[: attr.kind.high]
    out = tuple(int(x) for x in array) if attr.kind.base == "integer" else tuple(float(x) for x in array)
    width = len(attr.default) if isinstance(attr.default, tuple) else len(out)
    return out + tuple(attr.default[len(out) :]) if len(out) < width else out


def word(prim: Prim, attr: Attr, raw: Any) -> Any:
    """A keyword's value; MJCF's words, whatever their case, and truth values where the words are two."""
    words = {name.lower(): value for name, value in attr.kind.words.items()}
    if isinstance(raw, bool | np.bool_ | int):
        return bool(raw) if all(isinstance(v, bool) for v in words.values()) else int(raw)
    if str(raw).lower() not in words:
        raise prim.error(f"unknown word '{shorten(str(raw))}'; use one of {', '.join(attr.kind.words)}", attr.usd)
    return words[str(raw).lower()]
