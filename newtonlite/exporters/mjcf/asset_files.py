"""Files beside a written model: its meshes under the names of the files that they came from, its height fields and
pictures.
"""

import re
import struct
from collections.abc import Callable
from pathlib import PurePosixPath

import numpy as np

from newtonlite.exporters.mjcf.text import number_list
from newtonlite.importers.mjcf.mesh_files import read_stl

NEAR = 1e-6
"""Distance, in its size, of the vertices of a mesh that were one file at two scales."""


class AssetFiles:
    """The files that a model names, by their paths beside it; ``inline`` meshes and height fields stand in the text."""

    def __init__(self, textures: str = "textures", meshes: str = "meshes", inline: bool = False):
        self.textures, self.meshes, self.inline = textures, meshes, inline
        self.found: dict[str, bytes] = {}
        self.surfaces: dict[str, list[tuple[str, np.ndarray, np.ndarray]]] = {}

    def mesh(self, name: str, vertices: np.ndarray, faces: np.ndarray) -> str:
        """Path of the file of a mesh, float32 vertices [n, 3] and faces [m, 3]; ``name`` is that of the file that it
        came from, whose kind it keeps where that has the same vertices in the same order.
        """
        kind = PurePosixPath(name).suffix.lower()
        kind = kind if kind in WRITERS else ".obj"
        if kind == ".stl" and not kept_by_stl(vertices, faces):
            kind = ".obj"
        plain = PurePosixPath(name).stem + (PurePosixPath(name).suffix if kind in name.lower() else kind)
        for path, points, triangles in self.surfaces.setdefault(plain, []):
            if np.array_equal(triangles, faces) and np.allclose(points, vertices, 0.0, NEAR * np.ptp(points)):
                return path
        path = self.add(self.meshes, plain, WRITERS[kind](vertices, faces))
        self.surfaces[plain].append((path, vertices, faces))
        return path

    def hfield(self, name: str, heights: np.ndarray) -> str:
        """Path of the file of a height field [nrow, ncol], the near row first, in MuJoCo's binary format."""
        data = struct.pack("<2i", *heights.shape) + np.asarray(heights, "<f4").tobytes()
        return self.add(self.meshes, f"{name}.hf", data)

    def texture(self, name: str, data: bytes) -> str:
        """Path of the file of a picture."""
        return self.add(self.textures, name, data)

    def add(self, folder: str, name: str, data: bytes) -> str:
        """Path of a file in a folder, under that name or, where it is taken, with a number behind it."""
        plain = PurePosixPath(re.sub(r"[^\w.-]", "_", name).lstrip(".") or "file")
        taken = {path.lower() for path in self.found}
        names = (f"{folder}/{plain.stem}{'' if not k else f'_{k}'}{plain.suffix}" for k in range(len(taken) + 1))
        path = next(one for one in names if one.lower() not in taken)
        self.found[path] = data
        return path


def stl(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """A binary STL file."""
    rows = np.zeros(len(faces), np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
    rows["v"] = corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    rows["n"] = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return bytes(80) + struct.pack("<I", len(faces)) + rows.tobytes()


def kept_by_stl(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether a binary STL file, which has corners alone, brings back the same vertices in the same order."""
    if not len(faces):
        return False
    back, again = read_stl(stl(vertices, faces))
    return np.array_equal(back, vertices) and np.array_equal(again, faces)


def obj(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """An OBJ file."""
    words = iter(number_list(np.asarray(vertices, np.float32)).split())
    lines = [f"v {x} {y} {z}" for x, y, z in zip(words, words, words, strict=True)]
    lines += [f"f {a} {b} {c}" for a, b, c in (np.asarray(faces) + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def msh(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """A file of MuJoCo's own format, without normals and texture coordinates."""
    head = struct.pack("<4i", len(vertices), 0, 0, len(faces))
    return head + np.asarray(vertices, "<f4").tobytes() + np.asarray(faces, "<i4").tobytes()


WRITERS: dict[str, Callable[[np.ndarray, np.ndarray], bytes]] = {".stl": stl, ".obj": obj, ".msh": msh}
