"""Mesh assets as vertices and triangles: from files, from numbers in the model, or builtin."""

import warnings
from pathlib import PurePath

import numpy as np

from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.geometry.builtin_meshes import tangents
from newtonlite.geometry.hull import MeshHull, find_hull, flat_hull
from newtonlite.importers.mjcf.builtin import builtin_surface
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.field_meshes import field_plugin, field_surface
from newtonlite.importers.mjcf.mesh_files import TooMany, read_msh, read_obj, read_stl, refuse_many
from newtonlite.importers.mjcf.read import Node
from newtonlite.math.quat import conjugate, matrix, unit_tuple
from newtonlite.schema.asset import BUILTIN_MESHES

LARGEST = 1e15
"""Largest coordinate of a vertex [m]."""


def asset_name(node: Node) -> str:
    """Name of an asset: its own, or that of its file without folder and ending."""
    return node.values.get("name") or PurePath(node.values.get("file", "")).stem


def mesh_values(node: Node, document: Document) -> dict:
    """Values of a mesh, with those of its default class."""
    return {**document.classes.of(node, "main"), **node.values}


def file_of(values: dict) -> str:
    """Name of the file of a mesh, without folders; '' for one without."""
    return PurePath(values.get("file", "").replace("\\", "/")).name


def is_spanned(values: dict) -> bool:
    """Whether a mesh is the hull of points that stand in the model, where no other frame has rounded them."""
    return "vertex" in values and not values.get("face") and not {"refpos", "refquat"} & values.keys()


def load_surface(node: Node, document: Document) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a mesh asset. ParseError names the asset, and what is wrong with it."""
    values = mesh_values(node, document)
    kind = BUILTIN_MESHES[values.get("builtin", 0)]
    if (plugin := field_plugin(node, document)) is not None:
        return field_surface(node, values, plugin)
    if kind == "none" and "builtin" in values and ("file" in values or "vertex" in values):
        raise node.error(
            f"cannot have both 'builtin' and '{'file' if 'file' in values else 'vertex'}'; keep one", "builtin"
        )
    if kind != "none":
        vertices, triangles = builtin_surface(node, kind)
    elif "file" in values:
        if "vertex" in values or "face" in values:
            raise node.error(
                "cannot have both 'file' and 'vertex'; keep one", "vertex" if "vertex" in node.values else "face"
            )
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
        triangles = spanned(node, vertices, values)
    check_surface(node, vertices, triangles)
    turn = unit_tuple(values.get("refquat", (1.0, 0.0, 0.0, 0.0)))
    if turn is None:
        raise node.error("has length zero; give a unit quaternion (w, x, y, z)", "refquat")
    scale = np.array(values.get("scale", (1.0, 1.0, 1.0)))
    if not scale.all():
        raise node.error("a scale of 0 flattens the mesh; give factors that are not zero", "scale")
    vertices = (vertices - np.array(values.get("refpos", (0.0, 0.0, 0.0)))) @ matrix(conjugate(turn)).T * scale
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > LARGEST:
        raise node.error("the scale moves vertices beyond 1e15 m", "scale" if "scale" in node.values else None)
    return vertices, triangles[:, ::-1].copy() if scale.prod() < 0 else triangles


def taxel_tangents(node: Node, document: Document) -> np.ndarray:
    """Directions [n, 2, 3] of what tactile sensors feel on a mesh made by formula, in its frame; [0, 2, 3] for meshes
    without.
    """
    values = mesh_values(node, document)
    kind = BUILTIN_MESHES[values.get("builtin", 0)]
    if kind not in ("wedge", "plate"):
        return np.zeros((0, 2, 3))
    found = (
        tangents(kind, builtin_surface(node, kind)[0])
        @ matrix(conjugate(unit_tuple(values.get("refquat", (1.0, 0.0, 0.0, 0.0))))).T
    )
    found = found / np.array(values.get("scale", (1.0, 1.0, 1.0)))
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def inline_surface(node: Node, values: dict) -> tuple[np.ndarray, np.ndarray]:
    """A mesh that is written in the file itself, with or without faces."""
    if len(values["vertex"]) % 3:
        raise node.error(f"has {len(values['vertex'])} numbers; vertices have three each", "vertex")
    vertices = np.array(values["vertex"], float).reshape(-1, 3)
    if len(values.get("face", ())) % 3:
        raise node.error(f"has {len(values['face'])} numbers; faces have three each", "face")
    return vertices, np.array(values.get("face", ()), np.int64).reshape(-1, 3)


def spanned(node: Node, vertices: np.ndarray, values: dict) -> np.ndarray:
    """Faces [m, 3] of the hull of points; both sides of that in a plane, with a warning, where they lie in one."""
    flat = flat_hull(vertices)
    if flat is None:
        return hull(node, vertices, values).triangles
    warnings.warn(
        str(node.error("the points lie in a plane; a zero-volume fallback mesh stands for them, which cannot collide")),
        NewtonWarning,
        stacklevel=2,
    )
    return flat


def hull(node: Node, vertices: np.ndarray, values: dict) -> MeshHull:
    """The convex hull of points, with as many vertices as the mesh's values allow; ParseError at the mesh where there
    is none.
    """
    most = values.get("maxhullvert", -1)
    if most != -1 and most < 4:
        raise node.error(
            f"{most} vertices make no hull; give at least 4, or -1 for any number",
            "maxhullvert" if "maxhullvert" in node.values else None,
        )
    try:
        return find_hull(vertices, most)
    except ModelError as problem:
        raise node.error(str(problem)) from None


def read_surface(node: Node, data: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of an STL, OBJ or MSH file."""
    kind = (
        name.lower() if name.lower().endswith(("stl", "obj", "msh")) else node.values.get("content_type", name).lower()
    )
    try:
        if kind.endswith("stl"):
            return read_stl(data)
        if kind.endswith("obj"):
            return read_obj(data)
        if kind.endswith("msh"):
            return read_msh(data)
    except TooMany as problem:
        raise node.error(str(problem)) from None
    except Exception as problem:  # whatever a damaged file does to its reader, the message has a place
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise node.error(f"file '{name}' cannot be read as a mesh ({reason[:160]})", "file") from None
    raise node.error(f"file '{name}' is of no known kind; use STL, OBJ or MSH", "file")


def check_surface(node: Node, vertices: np.ndarray, triangles: np.ndarray) -> None:
    """Vertices that are numbers, faces that exist."""
    check_vertices(node, vertices)
    if not len(triangles):
        raise node.error("the mesh has no faces")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise node.error(f"a face names vertex {int(triangles.max())}; there are {len(vertices)}")


def check_vertices(node: Node, vertices: np.ndarray) -> None:
    """Enough vertices, not too many, all of them numbers of a sensible size."""
    if len(vertices) < 3:
        raise node.error(f"the mesh has {len(vertices)} vertices; at least 3 are needed, or 4 where it collides")
    try:
        refuse_many(len(vertices))
    except TooMany as problem:
        raise node.error(str(problem)) from None
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > LARGEST:
        raise node.error("the mesh has a vertex that is not finite, or beyond 1e15 m")
