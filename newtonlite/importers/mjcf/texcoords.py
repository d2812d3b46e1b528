"""Texture coordinates of meshes: numbers in the model, OBJ and MSH files."""

import struct

import numpy as np

from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.mesh_files import divides
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.surfaces import mesh_values
from newtonlite.importers.mjcf.triangulate import cuts


def corner_uvs(node: Node, document: Document, triangles: np.ndarray) -> np.ndarray | None:
    """Texture coordinates [m, 3, 2], v upward, of the corners of a mesh asset's triangles [m, 3]; None where it has
    none.
    """
    values = mesh_values(node, document)
    mirrored = np.prod(values.get("scale", (1.0, 1.0, 1.0))) < 0
    triangles = triangles[:, ::-1] if mirrored else triangles
    if values.get("texcoord"):
        found = of_vertices(np.array(values["texcoord"], float).reshape(-1, 2), triangles)
    elif "file" in values:
        data, name = document.open(node, "file", "mesh")
        kind = name.lower() if name.lower().endswith(("obj", "msh")) else values.get("content_type", "").lower()
        read = of_obj if kind.endswith("obj") else of_msh if kind.endswith("msh") else None
        try:
            found = None if read is None else read(data, triangles)
        except (ValueError, IndexError, KeyError, OverflowError) as problem:
            raise node.error(f"file '{name}' has damaged texture coordinates ({problem})", "file") from None
    else:
        found = None
    return found if found is None or not mirrored else found[:, ::-1]


def of_vertices(uvs: np.ndarray, triangles: np.ndarray) -> np.ndarray | None:
    """Corner coordinates of those [n, 2] of vertices, v downward as MuJoCo has it."""
    if not len(triangles) or triangles.max() >= len(uvs):
        return None
    return (uvs * (1.0, -1.0) + (0.0, 1.0))[triangles]


def of_msh(data: bytes, triangles: np.ndarray) -> np.ndarray | None:
    """Corner coordinates of an MSH file, which has one for each vertex."""
    nvert, nnormal, ntex, _ = struct.unpack_from("<4i", data)
    return of_vertices(np.frombuffer(data, "<f4", 2 * ntex, 16 + 12 * (nvert + nnormal)).reshape(-1, 2), triangles)


def of_obj(data: bytes, triangles: np.ndarray) -> np.ndarray | None:
    """Corner coordinates of the first object of an OBJ file."""
    found = obj_corners(data, triangles)
    return None if found is None else found[0][found[1]]


def obj_corners(data: bytes, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Texture coordinates [n, 2] of an OBJ file, and the number of that of each corner [m, 3] of its first object."""
    uvs, points, polygons = [], [], []
    for line in data.decode("utf-8", "replace").split("\n"):
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            points.append([float(w) for w in words[1:4]])
        elif words[0] == "vt":
            uvs.append([float(w) for w in words[1:3]])
        elif divides(line) and polygons:
            break
        elif words[0] == "f":
            polygons.append([corner(word, len(points), len(uvs)) for word in words[1:]])
    if not uvs or any(uv is None for polygon in polygons for _, uv in polygon):
        return None
    names = [[vertex for vertex, _ in polygon] for polygon in polygons]
    cut = cuts(np.array(points, np.float32).reshape(-1, 3), names)
    if not np.array_equal([face for faces in cut for face in faces], triangles):
        return None
    found = [[dict(polygon)[vertex] for vertex in face] for polygon, faces in zip(polygons, cut) for face in faces]
    return np.array(uvs), np.array(found)


def corner(word: str, points: int, uvs: int) -> tuple[int, int | None]:
    """(vertex, texture coordinate or None), both from 0, of a corner of a face of an OBJ file."""
    parts = word.split("/")
    vertex, uv = int(parts[0]), int(parts[1]) if len(parts) > 1 and parts[1] else 0
    return vertex - 1 if vertex > 0 else points + vertex, None if not uv else uv - 1 if uv > 0 else uvs + uv
