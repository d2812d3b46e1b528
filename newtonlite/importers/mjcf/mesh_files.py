"""Mesh files as vertices and triangles: STL, OBJ, and MuJoCo's own MSH."""

import struct

import numpy as np

from newtonlite.geometry.mesh_file import check_numerals
from newtonlite.importers.mjcf.triangulate import triangulate
from newtonlite.schema.asset import MAX_FACES, MAX_VERTICES

MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
"""Odd numbers without pattern."""


class TooMany(Exception):
    """A mesh is larger than any that is read; says how large, and what to do."""


def refuse_many(vertices: int, faces: int = 0) -> None:
    """TooMany for a mesh of more than MAX_VERTICES or MAX_FACES."""
    for count, most, what in ((vertices, MAX_VERTICES, "vertices"), (faces, MAX_FACES, "faces")):
        if count > most:
            raise TooMany(f"the mesh has {count} {what}; at most {most} are read, decimate it")


def read_stl(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """A binary STL file; corners in the same place become one vertex."""
    if len(data) < 84:
        raise ValueError(f"{len(data)} bytes are too few for a binary STL file")
    count = struct.unpack_from("<I", data, 80)[0]
    if len(data) < 84 + 50 * count or count < 1:
        raise ValueError(f"it says {count} faces but has room for {(len(data) - 84) // 50}")
    corners = faces_of_stl(data, count)["v"].reshape(-1, 3)
    first, index = same_places(corners)
    order = np.argsort(first)  # by first use, as MuJoCo numbers them
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return corners[first[order]].astype(float), place[index].reshape(-1, 3)


def same_places(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct points of [n, 3]: the index where each is first, and the distinct point that every point is.

    Sorting numbers is far faster than sorting points, so points are distinguished by a number made of their bits, and
    looked at again. TooMany for more than MAX_VERTICES.
    """
    mixed = point_ids(corners)
    _, first, index = np.unique(mixed, return_index=True, return_inverse=True)
    index = np.asarray(index).reshape(-1)
    if (corners[first][index] != corners).any():  # two places with one number, or a NaN
        _, first, index = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    return first, np.asarray(index).reshape(-1)


def point_ids(corners: np.ndarray) -> np.ndarray:
    """A number for every point [n, 3] in float32, the same for the same place; TooMany where they are more than
    MAX_VERTICES.
    """
    bits = np.ascontiguousarray(corners + np.float32(0.0)).view(np.uint32)  # -0 is 0
    mixed = sum(bits[:, k] * MIX[k] for k in range(3))
    mixed ^= mixed >> np.uint64(29)
    if len(mixed) > MAX_VERTICES:
        refuse_many(1 + int(np.count_nonzero(np.diff(np.sort(mixed)))))  # before the rest, which takes longer
    return mixed


def faces_of_stl(data: bytes, count: int) -> np.ndarray:
    """The faces of a binary STL file, with fields ``n``, ``v`` (corners [3, 3]) and ``a``."""
    return np.frombuffer(data, np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]), count, 84)


PLAIN = {"v ", "vn", "vt", "vp", "f ", "\r", ""}
"""Line starts of an OBJ file that has nothing strange."""


def read_obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and the first object's faces of an OBJ file, as MuJoCo reads it: one of points or lines that an ``o`` ends
    counts, and has no faces.
    """
    check_numerals(data, "obj")
    refuse_many(*(data.count(b"\n" + head) + data.startswith(head) for head in (b"v ", b"f ")))
    lines = data.decode("utf-8", "replace").split("\n")
    found = read_plain(lines)
    if found is not None:
        return found
    vertices: list[list[float]] = []
    polygons: list[list[int]] = []
    triangles = np.zeros((0, 3), np.int64)
    begun = ended = False  # whether the object has points or lines, and whether it is over
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append([float(w) for w in words[1:4]])
        elif divides(line) and not ended:
            triangles, polygons = triangulate(np.array(vertices, np.float32).reshape(-1, 3), polygons), []
            ended = len(triangles) > 0 or begun and words[0] == "o"
            begun = False
        elif words[0] in ("p", "l"):
            begun |= len(words) > 1
        elif words[0] == "f" and not ended:
            corners = list(map(int, words[1:] if "/" not in line else [w.split("/", 1)[0] for w in words[1:]]))
            polygons.append([c - 1 if c > 0 else len(vertices) + c for c in corners])
    points = np.array(vertices, np.float32).reshape(-1, 3)
    return points.astype(float), triangles if ended else triangulate(points, polygons)


def divides(line: str) -> bool:
    """Whether a line of an OBJ file begins another object: an ``o`` or ``g`` with a space behind it."""
    return line.lstrip()[:1] in ("o", "g") and line.lstrip()[1:2] in (" ", "\t")


def read_plain(lines: list[str]) -> tuple[np.ndarray, np.ndarray] | None:
    """``read_obj`` for the common kind of file, in bulk: three numbers a vertex, triangles of vertices from 1, one
    object.
    """
    heads = {line[:2] for line in lines}
    if not heads <= PLAIN and any(head[0] in "vflp" or head[0].isspace() for head in heads - PLAIN - {""}):
        return None
    corners, points = ([line for line in lines if line[:2] == head] for head in ("f ", "v "))
    last = lines[lines.index(corners[0]) :] if corners else []
    if any(line[0] in "og" for line in last if line):
        return None
    numbers, faces = words_of(points), words_of(corners)
    if numbers is None or faces is None:
        return None
    vertices = np.array(list(map(float, numbers)), np.float32).astype(float)
    triangles = np.array(
        list(map(int, faces)) if not any("/" in w for w in faces) else [int(w.partition("/")[0]) for w in faces],
        np.int64,
    )
    return (vertices.reshape(-1, 3), triangles.reshape(-1, 3) - 1) if triangles.min() > 0 else None


def words_of(lines: list[str]) -> list[str] | None:
    """The words of lines of four words each but for their first, which is the same in all; None for others."""
    words = " ".join(lines).split()
    if len(words) != 4 * len(lines) or len(set(words[::4])) != 1:
        return None
    del words[::4]
    return words


def read_msh(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """MuJoCo's own binary format: four counts, vertices, normals, texture coordinates, faces."""
    if len(data) < 16:
        raise ValueError(f"{len(data)} bytes are too few for an MSH file")
    nvert, nnormal, ntex, nface = struct.unpack_from("<4i", data)
    if min(nvert, nnormal, ntex, nface) < 0 or len(data) != 16 + 12 * (nvert + nnormal + nface) + 8 * ntex:
        raise ValueError("its counts do not agree with its length")
    refuse_many(nvert, nface)
    vertices = np.frombuffer(data, "<f4", 3 * nvert, 16).reshape(-1, 3)
    faces = np.frombuffer(data, "<i4", 3 * nface, 16 + 12 * (nvert + nnormal) + 8 * ntex).reshape(-1, 3)
    return vertices.astype(float), faces.astype(np.int64)
