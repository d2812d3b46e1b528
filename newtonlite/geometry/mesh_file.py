"""Mesh files through trimesh: read once, with the files beside them that they name, damaged ones refused by name."""

import io
import re
from pathlib import Path

import numpy as np

from newtonlite.core.errors import FileError
from newtonlite.core.files import inside, read_file
from newtonlite.core.limits import SINGLE, most

ROWS = {"obj": rb"^[ \t]*(?:v|vt|vn|f)[ \t]", "off": rb"^"}
"""Beginnings of lines of numbers, by kind of text file; trimesh looks at those of others itself."""


def check_numerals(data: bytes, kind: str) -> None:
    """ValueError for numbers with underscores, or with digits of other scripts, which Python would take for some."""
    if kind not in ROWS or (data.isascii() and b"_" not in data):
        return
    found = re.search(ROWS[kind] + rb"[^\n#]*[_\x80-\xff]", data, re.MULTILINE)
    if found:
        line = data.count(b"\n", 0, found.end()) + 1
        raise ValueError(f"line {line} has a number with an underscore, or with digits of another script")


class Beside:
    """Files in a mesh file's folder, as trimesh asks for them."""

    def __init__(self, folder: Path):
        self.folder = folder

    def get(self, name: str) -> bytes:
        """A file; FileError for one that lies elsewhere or cannot be read."""
        path = self.folder / name
        if not inside(path, self.folder):
            raise FileError(path, "lies outside the folder of the mesh")
        return read_file(path, "asset")

    def namespaced(self, namespace: str) -> "Beside":
        """The files of a folder inside."""
        return Beside(self.folder / namespace)


def read_mesh(path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [n, 3] and triangles [m, 3] of a mesh file (OBJ, STL, PLY, glTF, OFF, ...); FileError where there are
    none, or too many, or where they make no sense.
    """
    data, name = read_file(path, "asset"), Path(path)
    try:
        check_numerals(data, name.suffix.lower().lstrip("."))
        return file_surface(data, name.suffix.lower().lstrip("."), Beside(name.absolute().parent))
    except FileError:
        raise
    except Exception as problem:  # whatever a damaged file does to its reader
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise FileError(path, f"cannot be read as a mesh ({reason[:160]})") from None


def file_surface(data: bytes, kind: str, beside: Beside | None = None) -> tuple[np.ndarray, np.ndarray]:
    """All triangles of a file's contents in one frame. Raises what trimesh does for damaged ones, else ValueError."""
    import trimesh

    found = trimesh.load(
        io.BytesIO(data), file_type=kind, resolver=beside, process=False, force="mesh", skip_materials=True
    )
    vertices = np.asarray(getattr(found, "vertices", ()), float).reshape(-1, 3)
    triangles = np.asarray(getattr(found, "faces", ()), np.int64).reshape(-1, 3)
    if not len(triangles):
        raise ValueError("it has no faces")
    for count, limit in ((len(vertices), "vertices"), (len(triangles), "faces")):
        if count > most(limit):
            raise ValueError(f"it has {count} {limit}; at most {most(limit)} are read")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise ValueError(f"a face names vertex {int(triangles.max())}; there are {len(vertices)}")
    if not (np.abs(vertices) <= SINGLE).all():
        raise ValueError("it has a vertex that is not finite, or beyond single precision")
    return vertices, triangles
