"""Disk cache of results that follow from their input alone, by the hash of that input.

A file is written under another name and then moved, so that processes that write it at once do not disturb each other;
one that cannot be read, or whose checksum does not fit, is made anew.  The folder is ``NEWTONLITE_CACHE_PATH``, else
``newtonlite`` in the user's folder for caches; an empty ``NEWTONLITE_CACHE_PATH`` keeps nothing.  Where it grows beyond
``MOST_BYTES`` the oldest files go.
"""

import hashlib
import io
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from newtonlite.core.archive import BROKEN
from newtonlite.core.files import read_file
from newtonlite.core.replacing import replace_file
from newtonlite.core.settings import setting

VERSION = "1"
"""Changes with what the results of the same input are."""
MOST_BYTES = 512 << 20
ENDING = ".npz"


def folder() -> Path | None:
    """Folder of cached results; None for no cache."""
    return setting("NEWTONLITE_CACHE_PATH")


def kept(kind: str, inputs: tuple, make: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Cached result of ``make`` for these inputs, arrays and numbers: read from the disk, or made and kept there.
    Errors of ``make`` are not kept."""
    place = folder()
    if place is None:
        return make()
    path = place / (key(kind, inputs) + ENDING)
    found = read(path)
    if found is None:
        found = make()
        keep_arrays(path, found)
    return found


def key(kind: str, inputs: tuple) -> str:
    """A name for inputs of a kind: the same for the same content, under the same version of Qhull."""
    total = hashlib.sha256(f"{VERSION} {kind} {qhull_version()}".encode())
    for value in inputs:
        array = np.ascontiguousarray(value)
        total.update(f"|{array.dtype.str} {array.shape}|".encode() + array.tobytes())
    return f"{kind}-{total.hexdigest()}"


@cache
def qhull_version() -> str:
    """The version of the library that makes hulls."""
    import scipy

    return scipy.__version__


def read(path: Path) -> dict[str, np.ndarray] | None:
    """The arrays of a file; None where there is none, or where it is damaged."""
    try:
        with np.load(io.BytesIO(read_file(path, "asset")), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, *BROKEN):
        return None


def keep_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Keep arrays; a folder that cannot be written to keeps nothing."""
    content = io.BytesIO()
    np.savez(content, **arrays)
    try:
        replace_file(path, content.getvalue())
        tidy(path.parent)
    except OSError:
        pass


@cache
def tidy(place: Path) -> None:
    """Once in the life of a process: remove the oldest results where there are too many."""
    files = sorted(((f.stat().st_mtime, f.stat().st_size, f) for f in place.glob("*" + ENDING)), reverse=True)
    total = 0
    for _, size, file in files:
        total += size
        if total > MOST_BYTES:
            file.unlink(missing_ok=True)
