"""Mesh and height-field assets as data, and the mass of mesh geoms."""

import io
import struct
from pathlib import PurePath

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.geometry import inertia
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.hull import convex_hull
from newtonlite.geometry.inertia import MassProperties
from newtonlite.geometry.mesh import Mesh
from newtonlite.importers.png import read_png

from .document import Document
from .frame import conjugate, unit
from .masses import matrix
from .read import Node
from .spec import Item

CONVEX, EXACT, LEGACY, SHELL = range(4)
MODES = ("convex", "exact", "legacy", "shell")
MAX_VERTICES = 5_000_000
LARGEST = 1e15
"""Largest coordinate of a vertex [m]."""


class Meshes:
    """Loads each asset once. Vertices are as MJCF means them: scaled, seen from refpos and refquat."""

    def __init__(self):
        self.surfaces: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.built: dict = {}
        """Meshes by asset and prefix, height fields by asset."""

    def node(self, geom: Item) -> Node:
        """The asset of a geom."""
        kind = "mesh" if "mesh" in geom.values else "hfield"
        return geom.place.document.asset(kind, geom[kind], geom.node, kind)

    def surface(self, geom: Item) -> tuple[np.ndarray, np.ndarray]:
        """Vertices [n, 3] and triangles [m, 3] of a mesh geom, in float64."""
        node = self.node(geom)
        if id(node) not in self.surfaces:
            self.surfaces[id(node)] = load_surface(node, geom.place.document)
        return self.surfaces[id(node)]

    def mesh(self, geom: Item) -> Mesh:
        """The scene's mesh of a geom; geoms of one asset share it."""
        node, prefix = self.node(geom), geom.place.prefix
        key = (id(node), prefix)
        if key not in self.built:
            vertices, triangles = self.surface(geom)
            values = mesh_values(node, geom.place.document)
            mesh = Mesh(vertices, triangles, compute_inertia=False, maxhullvert=values.get("maxhullvert", -1))
            mesh.name, mesh.inertia_mode = prefix + asset_name(node), MODES[self.mode(geom)]
            mesh.file_scale = values.get("scale", (1.0, 1.0, 1.0))
            self.built[key] = mesh
        return self.built[key]

    def hfield(self, geom: Item) -> Heightfield:
        """The scene's height field of a geom."""
        node = self.node(geom)
        if id(node) not in self.built:
            self.built[id(node)] = load_hfield(node, geom.place.document)
        return self.built[id(node)]

    def mass(self, geom: Item) -> MassProperties:
        """Mass properties of a mesh geom at density 1, in its own frame."""
        vertices, triangles = self.surface(geom)
        mode = SHELL if geom["shellinertia"] else self.mode(geom)
        if mode == SHELL:
            return inertia.surface(1.0, vertices, triangles, 1.0)
        if mode == CONVEX:
            return inertia.mesh(1.0, *hull(self.node(geom), vertices))
        return inertia.legacy_mesh(vertices, triangles, signed=mode == EXACT)

    def mode(self, geom: Item) -> int:
        """How the mesh of a geom weighs: CONVEX, EXACT, LEGACY or SHELL."""
        return mesh_values(self.node(geom), geom.place.document).get("inertia", LEGACY)

    def shell(self, geom: Item) -> MassProperties:
        """Mass properties of the surface of a primitive; not done."""
        raise geom.node.error("shells of primitives are not supported; use a mesh, or give an <inertial>", "shellinertia" if "shellinertia" in geom.node.values else None)


def asset_name(node: Node) -> str:
    """Name of an asset: its own, or that of its file without folder and ending."""
    return node.values.get("name") or PurePath(node.values.get("file", "")).stem


def mesh_values(node: Node, document: Document) -> dict:
    """Values of a mesh, with those of its default class."""
    return {**document.classes.of(node, "main"), **node.values}


def load_surface(node: Node, document: Document) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a mesh asset. ParseError names the asset, and what is wrong with it."""
    values = mesh_values(node, document)
    if "file" in values:
        if "vertex" in values or "face" in values:
            raise node.error("cannot have both 'file' and 'vertex'; keep one", "vertex" if "vertex" in node.values else "face")
        data, name = document.open(node, "file", "mesh")
        vertices, triangles = read_surface(node, data, name)
    elif "vertex" in values:
        vertices, triangles = inline_surface(node, values)
    else:
        raise node.error("needs 'file', or 'vertex'")
    if not len(triangles) and len(vertices):
        check_vertices(node, vertices)
        vertices, triangles = hull(node, vertices)
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
    """A mesh that is written in the file itself; without faces it is the hull of its vertices."""
    if len(values["vertex"]) % 3:
        raise node.error(f"has {len(values['vertex'])} numbers; vertices have three each", "vertex")
    vertices = np.array(values["vertex"], np.float32).astype(float).reshape(-1, 3)  # MuJoCo keeps them so
    if "face" not in values:
        return hull(node, vertices)
    if len(values["face"]) % 3:
        raise node.error(f"has {len(values['face'])} numbers; faces have three each", "face")
    return vertices, np.array(values["face"], np.int64).reshape(-1, 3)


def hull(node: Node, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The convex hull of points; ParseError at the mesh where there is none."""
    try:
        return convex_hull(vertices)
    except ModelError as problem:
        raise node.error(str(problem)) from None


def read_surface(node: Node, data: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of an STL, OBJ or MSH file."""
    kind = (node.values.get("content_type") or name).lower()
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


def read_obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and the first object's faces of an OBJ file, as MuJoCo reads it; faces with more corners become fans."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    first = True
    for line in io.StringIO(data.decode("utf-8", "replace")):
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append([float(w) for w in words[1:4]])
        elif words[0] in ("o", "g"):
            first = not triangles
        elif words[0] == "f" and first:
            corners = [int(w.split("/")[0]) for w in words[1:]]
            corners = [c - 1 if c > 0 else len(vertices) + c for c in corners]
            triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    return np.array(vertices, np.float32).reshape(-1, 3).astype(float), np.array(triangles, np.int64).reshape(-1, 3)


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


def load_hfield(node: Node, document: Document) -> Heightfield:
    """A height field, from its file or from the numbers in the model."""
    rx, ry, high, base = node.values["size"]
    if min(node.values["size"]) <= 0:
        raise node.error("all four sizes have to be positive", "size")
    if "file" in node.values:
        heights = read_heights(node, document)
    else:
        rows, columns = node.values.get("nrow", 0), node.values.get("ncol", 0)
        given = node.values.get("elevation")
        if rows < 2 or columns < 2 or rows * columns > 50_000_000:
            raise node.error(f"{rows} rows of {columns} columns; give between 2 by 2 and 50 million points")
        if given is not None and len(given) != rows * columns:
            raise node.error(f"has {len(given)} numbers; {rows} rows of {columns} columns need {rows * columns}", "elevation")
        heights = np.zeros((rows, columns)) if given is None else np.array(given).reshape(rows, columns)[::-1]
    low, top = float(heights.min()), float(heights.max())
    heights = (heights - low) / (top - low) if top > low else np.zeros_like(heights)
    field = Heightfield(heights, *heights.shape, hx=rx, hy=ry, min_z=0.0, max_z=high)
    field.name, field.base = asset_name(node), base
    return field


def read_heights(node: Node, document: Document) -> np.ndarray:
    """Heights [nrow, ncol] of a PNG file, whose first row is the far side, or of MuJoCo's binary format."""
    data, name = document.open(node, "file", "hfield")
    if node.values.get("content_type", "") == "image/png" or name.lower().endswith(".png"):
        try:
            return read_png(data)[::-1, :, 0] / 255.0
        except ValueError as problem:
            raise node.error(f"file '{name}' cannot be read as a height field ({problem})", "file") from None
    if len(data) < 8:
        raise node.error(f"file '{name}' is too short for a height field", "file")
    rows, columns = struct.unpack_from("<2i", data)
    if rows < 2 or columns < 2 or len(data) != 8 + 4 * rows * columns:
        raise node.error(f"file '{name}' says {rows} rows of {columns}, which does not agree with its length", "file")
    heights = np.frombuffer(data, "<f4", rows * columns, 8).astype(float).reshape(rows, columns)
    if not np.isfinite(heights).all():
        raise node.error(f"file '{name}' has a height that is not finite", "file")
    return heights
