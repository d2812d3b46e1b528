"""Tables of distances kept by what they were made from: in memory up to a bound, and in a folder where one is given."""

import hashlib
import os
from collections import OrderedDict
from dataclasses import astuple
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from newtonlite.geometry.field.build import Settings, Table, build

MOST_KEPT = 512 * 2**20
"""Bytes of tables kept in memory; the ones used longest ago go first."""

VERSION = 1
FIELDS = ("low", "cells", "width", "coarse", "block", "fine")
_kept: OrderedDict[str, Table] = OrderedDict()


def key_of(vertices: np.ndarray, indices: np.ndarray, settings: Settings) -> str:
    """A name that says from what a table is made."""
    whole = hashlib.sha256(repr((VERSION, vertices.shape, indices.size, astuple(settings))).encode())
    whole.update(np.ascontiguousarray(vertices, np.float32).tobytes())
    whole.update(np.ascontiguousarray(indices, np.int32).tobytes())
    return whole.hexdigest()


def table_of(
    vertices: np.ndarray, indices: np.ndarray, settings: Settings, device=None, folder: str | os.PathLike | None = None, where: str = "SDF"
) -> Table:
    """The table of a mesh, from memory, from ``folder``, or made anew and kept in both; errors as ``build``."""
    key = key_of(vertices, indices, settings.check(where))
    table = _kept.get(key)
    path = Path(folder) / f"{key}.npz" if folder is not None else None
    if table is None and path is not None:
        table = load(path)
    if table is None:
        table = build(vertices, indices, settings, device, where)
    if path is not None and not path.exists():
        save(path, table)
    _kept[key] = table
    _kept.move_to_end(key)
    while len(_kept) > 1 and sum(t.nbytes for t in _kept.values()) > MOST_KEPT:
        _kept.popitem(last=False)
    return table


def load(path: Path) -> Table | None:
    """The table in a file; None where there is none that can be read."""
    try:
        with open(path, "rb") as whole, np.load(whole) as file:
            values = {name: file[name] for name in FIELDS}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    values["width"] = float(values["width"])
    return Table(**values)


def save(path: Path, table: Table) -> None:
    """Write a table; readers see it whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.stem}.{os.getpid()}.part.npz")
    np.savez(part, **{name: getattr(table, name) for name in FIELDS})
    os.replace(part, path)


def forget() -> None:
    """Drop all tables that are kept in memory."""
    _kept.clear()
