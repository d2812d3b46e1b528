"""Mesh assets as vertices and triangles: from files, from numbers in the model, or by formula."""

import struct
from pathlib import PurePath

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.geometry.hull import Hull, find_hull
from newtonlite.schema.asset import BUILTIN_MESHES

from .builtin import builtin_surface
from .document import Document
from .frame import conjugate, unit
from .masses import matrix
from .read import Node

MAX_VERTICES = 5_000_000
LARGEST = 1e15
"""Largest coordinate of a vertex [m]."""


def asset_name(node: Node) -> str:
    """Name of an asset: its own, or that of its file without folder and ending."""
    return node.values.get("name") or PurePath(node.values.get("file", "")).stem


def mesh_values(node: Node, document: Document) -> dict:
    """Values of a mesh, with those of its default class."""
    return {**document.classes.of(node, "main"), **node.values}


def load_surface(node: Node, document: Document) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a mesh asset. ParseError names the asset, and what is wrong with it."""
    values = mesh_values(node, document)
    kind = BUILTIN_MESHES[values.get("builtin", 0)]
    if kind == "none" and "builtin" in values and ("file" in values or "vertex" in values):
        raise node.error(f"cannot have both 'builtin' and '{'file' if 'file' in values else 'vertex'}'; keep one", "builtin")
    if kind != "none":
        vertices, triangles = builtin_surface(node, kind)
    elif "file" in values:
        if "vertex" in values or "face" in values:
            raise node.error("cannot have both 'file' and 'vertex'; keep one", "vertex" if "vertex" in node.values else "face")
        data, name = document.open(node, "file", "mesh")
        vertices, triangles = read_surface(node, data, name)
    elif "vertex" in values:
        vertices, triangles = inline_surface(node, values)
    else:
        raise node.error("needs 'file', 'vertex' or 'builtin'")
    with np.errstate(over="ignore"):
        vertices = vertices.astype(np.float32).astype(float)  # MuJoCo keeps them so
    if not len(triangles) and len(vertices):
        check_vertices(node, vertices)
        triangles = hull(node, vertices, values).triangles
    check_surface(node, vertices, triangles)
    turn = unit(values.get("refquat", (1.0, 0.0, 0.0, 0.0)))
    if turn is None:
        raise node.error("has length zero; give a unit quaternion (w, x, y, z)", "refquat")
    scale = np.array(values.get("scale", (1.0, 1.0, 1.0)))
    if not scale.all():
        raise node.error("a scale of 0 flattens the mesh; give factors that are not zero", "scale")
    vertices = (vertices - np.array(values.get("refpos", (0.0, 0.0, 0.0)))) @ matrix(conjugate(turn)).T * scale
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > LARGEST:
        raise node.error("the scale moves vertices beyond 1e15 m", "scale" if "scale" in node.values else None)
    return vertices, triangles[:, ::-1].copy() if scale.prod() < 0 else triangles


def inline_surface(node: Node, values: dict) -> tuple[np.ndarray, np.ndarray]:
    """A mesh that is written in the file itself, with or without faces."""
    if len(values["vertex"]) % 3:
        raise node.error(f"has {len(values['vertex'])} numbers; vertices have three each", "vertex")
    vertices = np.array(values["vertex"], float).reshape(-1, 3)
    if len(values.get("face", ())) % 3:
        raise node.error(f"has {len(values['face'])} numbers; faces have three each", "face")
    return vertices, np.array(values.get("face", ()), np.int64).reshape(-1, 3)


def hull(node: Node, vertices: np.ndarray, values: dict) -> Hull:
    """The convex hull of points, with as many vertices as the mesh's values allow; ParseError at the mesh where there is none."""
    most = values.get("maxhullvert", -1)
    if most != -1 and most < 4:
        raise node.error(f"{most} vertices make no hull; give at least 4, or -1 for any number", "maxhullvert" if "maxhullvert" in node.values else None)
    try:
        return find_hull(vertices, most)
    except ModelError as problem:
        raise node.error(str(problem)) from None


def read_surface(node: Node, data: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of an STL, OBJ or MSH file."""
    kind = name.lower() if name.lower().endswith(("stl", "obj", "msh")) else node.values.get("content_type", name).lower()
    try:
        if kind.endswith("stl"):
            return read_stl(data)
        if kind.endswith("obj"):
            return read_obj(data)
        if kind.endswith("msh"):
            return read_msh(data)
    except (ValueError, IndexError, KeyError, struct.error, MemoryError) as problem:
        raise node.error(f"file '{name}' cannot be read as a mesh ({problem})", "file") from None
    raise node.error(f"file '{name}' is of no known kind; use STL, OBJ or MSH", "file")


def read_stl(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """A binary STL file; corners in the same place become one vertex."""
    if len(data) < 84:
        raise ValueError(f"{len(data)} bytes are too few for a binary STL file")
    count = struct.unpack_from("<I", data, 80)[0]
    if len(data) < 84 + 50 * count or count < 1:
        raise ValueError(f"it says {count} faces but has room for {(len(data) - 84) // 50}")
    faces = np.frombuffer(data, np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]), count, 84)
    corners = faces["v"].reshape(-1, 3)
    _, first, index = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # by first use, as MuJoCo numbers them
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return corners[first[order]].astype(float), place[np.asarray(index).reshape(-1)].reshape(-1, 3)


PLAIN = {"v ", "vn", "vt", "vp", "f ", "\r", ""}
"""How the lines of an OBJ file begin that has nothing strange."""


def read_obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and the first object's faces of an OBJ file, as MuJoCo reads it; faces with more corners become fans."""
    lines = data.decode("utf-8", "replace").split("\n")
    found = read_plain(lines)
    if found is not None:
        return found
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    first = True
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append([float(w) for w in words[1:4]])
        elif words[0] in ("o", "g"):
            first = not triangles
        elif words[0] == "f" and first:
            corners = list(map(int, words[1:] if "/" not in line else [w.split("/", 1)[0] for w in words[1:]]))
            if min(corners, default=1) <= 0:
                corners = [c if c > 0 else len(vertices) + c + 1 for c in corners]
            triangles += zip(corners[:1] * (len(corners) - 2), corners[1:], corners[2:])
    return np.array(vertices, np.float32).reshape(-1, 3).astype(float), np.array(triangles, np.int64).reshape(-1, 3) - 1


def read_plain(lines: list[str]) -> tuple[np.ndarray, np.ndarray] | None:
    """``read_obj`` for the common kind of file, in bulk: three numbers a vertex, triangles of vertices from 1, one object."""
    heads = {line[:2] for line in lines}
    if not heads <= PLAIN and any(head[0] in "vf" or head[0].isspace() for head in heads - PLAIN - {""}):
        return None
    corners, points = ([line for line in lines if line[:2] == head] for head in ("f ", "v "))
    last = lines[lines.index(corners[0]) :] if corners else []
    if any(line[0] in "og" for line in last if line):
        return None
    numbers, faces = words_of(points), words_of(corners)
    if numbers is None or faces is None:
        return None
    vertices = np.array(list(map(float, numbers)), np.float32).astype(float)
    triangles = np.array(list(map(int, faces)) if not any("/" in w for w in faces) else [int(w.partition("/")[0]) for w in faces], np.int64)
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
    nvert, nnormal, ntex, nface = struct.unpack_from("<4i", data)
    if min(nvert, nnormal, ntex, nface) < 0 or len(data) != 16 + 12 * (nvert + nnormal + nface) + 8 * ntex:
        raise ValueError("its counts do not agree with its length")
    vertices = np.frombuffer(data, "<f4", 3 * nvert, 16).reshape(-1, 3)
    faces = np.frombuffer(data, "<i4", 3 * nface, 16 + 12 * (nvert + nnormal) + 8 * ntex).reshape(-1, 3)
    return vertices.astype(float), faces.astype(np.int64)


def check_surface(node: Node, vertices: np.ndarray, triangles: np.ndarray) -> None:
    """Vertices that are numbers, faces that exist."""
    check_vertices(node, vertices)
    if not len(triangles):
        raise node.error("the mesh has no faces")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise node.error(f"a face names vertex {int(triangles.max())}; there are {len(vertices)}")


def check_vertices(node: Node, vertices: np.ndarray) -> None:
    """Enough vertices, not too many, all of them numbers of a sensible size."""
    if len(vertices) < 4:
        raise node.error(f"the mesh has {len(vertices)} vertices; at least 4 are needed")
    if len(vertices) > MAX_VERTICES:
        raise node.error(f"the mesh has {len(vertices)} vertices; at most {MAX_VERTICES} are read, decimate it")
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > LARGEST:
        raise node.error("the mesh has a vertex that is not finite, or beyond 1e15 m")
