"""Cache of signed distance grids by their content, in memory up to a bound and on disk."""

import os
from collections import OrderedDict
from dataclasses import astuple
from pathlib import Path

import numpy as np

from newtonlite.geometry import disk_cache
from newtonlite.geometry.signed_distance.build import FieldSettings, Table, build

MOST_KEPT = 512 * 2**20
"""Bytes of tables kept in memory; the ones used longest ago go first."""

FIELDS = ("low", "cells", "width", "coarse", "block", "fine")
_kept: OrderedDict[str, Table] = OrderedDict()


def table_of(
    vertices: np.ndarray,
    indices: np.ndarray,
    settings: FieldSettings,
    device=None,
    folder: str | os.PathLike | None = None,
    where: str = "SDF",
) -> Table:
    """The table of a mesh, from memory, from ``folder`` (None: that of ``geometry.disk_cache``), or made anew and kept in
    both; errors as ``build``.
    """
    inputs = (np.asarray(vertices, np.float32), np.asarray(indices, np.int32), repr(astuple(settings.check(where))))
    key = disk_cache.key("distances", inputs)
    place = disk_cache.folder() if folder is None else Path(folder)
    path = place / (key + disk_cache.ENDING) if place is not None else None
    table = _kept.get(key)
    if table is None:
        table = load(path) if path is not None else None
        if table is None:
            table = build(vertices, indices, settings, device, where)
            if path is not None:
                disk_cache.keep_arrays(path, {name: getattr(table, name) for name in FIELDS})
    _kept[key] = table
    _kept.move_to_end(key)
    while len(_kept) > 1 and sum(t.nbytes for t in _kept.values()) > MOST_KEPT:
        _kept.popitem(last=False)
    return table


def load(path: Path) -> Table | None:
    """The table in a file; None where there is none that can be read."""
    found = disk_cache.read(path)
    if found is None or set(found) != set(FIELDS):
        return None
    return Table(**(found | {"width": float(found["width"])}))


def forget() -> None:
    """Drop all tables that are kept in memory."""
    _kept.clear()
