"""Triangles of a shape, for drawing: any type of geometry as vertices and faces with creases where it has edges."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from newtonlite.core.enums import GeoType
from newtonlite.geometry import tessellate
from newtonlite.geometry.barrel import is_barrel
from newtonlite.math import transform as tf
from newtonlite.viewer.simplify import simplified

SEGMENTS = 24  # around a round shape drawn in full
FEWEST_SEGMENTS, FEWEST_TRIANGLES = 4, 24  # of the coarsest round shapes and meshes
CREASE = np.cos(np.radians(35.0))
ENDLESS = 50.0  # [m] side of what is drawn of a plane without end


class Surface(NamedTuple):
    """Triangles in the frame of a shape or a body."""

    vertices: np.ndarray  # [n, 3] float32 [m]
    faces: np.ndarray  # [m, 3] int32, counterclockwise seen from outside
    uvs: np.ndarray | None = None  # [n, 2] texture coordinates, v upward
    normals: np.ndarray | None = None  # [n, 3]; those of the triangles around each vertex when None

    def placed(self, pose) -> "Surface":
        """The same surface at a pose [7]: position and quaternion (x, y, z, w)."""
        pose = np.asarray(pose, float)
        normals = None if self.normals is None else tf.quat_rotate(pose[3:], self.normals).astype(np.float32)
        return self._replace(vertices=tf.apply(pose, self.vertices).astype(np.float32), normals=normals)

    @property
    def volume(self) -> float:
        """Volume enclosed by the triangles [m^3]."""
        a, b, c = (self.vertices[self.faces[:, k]].astype(float) for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def shape_surface(kind: int, scale, source=None, share: float = 1.0) -> Surface:
    """The triangles of a shape: its ``GeoType``, its ``shape_scale`` [3] and, of meshes and height fields, its
    ``shape_source``. Below a ``share`` of 1 round shapes and meshes have about that part of their triangles.
    """
    kind, (a, b, c) = GeoType(int(kind)), (float(x) for x in scale)
    if kind in (GeoType.MESH, GeoType.CONVEX_MESH):
        return of_mesh(source, np.array([a, b, c]), share)
    if kind == GeoType.HFIELD:
        return creased(*of_heightfield(source, np.array([a, b, c])))
    n = SEGMENTS if share >= 1.0 else max(round(SEGMENTS * np.sqrt(share)), FEWEST_SEGMENTS)
    rings, side, radius = max(n // 2, 2), a * equal_area(n), a * equal_volume(n)
    makers = {
        GeoType.PLANE: lambda: tessellate.plane(a or ENDLESS, b or ENDLESS),
        GeoType.SPHERE: lambda: scaled(tessellate.ball(rings, n), np.full(3, radius)),
        GeoType.ELLIPSOID: lambda: scaled(tessellate.ball(rings, n), np.array([a, b, c]) * equal_volume(n)),
        GeoType.CAPSULE: lambda: tessellate.capsule(side, b, n),
        GeoType.CYLINDER: lambda: creased(*of_cylinder(side, b, c, n))[:2],
        GeoType.CONE: lambda: creased(*tessellate.cone(side, b, n))[:2],
        GeoType.BOX: lambda: tessellate.box(np.array([a, b, c]), True),
    }
    if kind not in makers:
        raise ValueError(f"a shape of type {kind.name} cannot be drawn: it has no surface")
    vertices, faces = makers[kind]()
    return Surface(np.asarray(vertices, np.float32), np.asarray(faces, np.int32))


def of_cylinder(radius: float, half_height: float, barrel_radius: float, segments: int):
    """The triangles of a cylinder or barrel."""
    if is_barrel(half_height, barrel_radius):
        return tessellate.barrel(radius, half_height, barrel_radius, max(segments // 4, 2), segments)
    return tessellate.cylinder(radius, half_height, radius, segments)


def equal_area(segments: int) -> float:
    """Radius of a regular polygon that has the area of the unit circle."""
    return float(np.sqrt(2.0 * np.pi / (segments * np.sin(2 * np.pi / segments))))


@cache
def equal_volume(segments: int) -> float:
    """Radius of a ball of triangles that has the volume of the unit ball."""
    return float(np.cbrt(4.0 * np.pi / 3.0 / Surface(*tessellate.ball(max(segments // 2, 2), segments)).volume))


def scaled(triangles: tessellate.Triangles, factors: np.ndarray) -> tessellate.Triangles:
    """Triangles with their vertices multiplied by ``factors`` [3]."""
    return triangles[0] * factors, triangles[1]


def of_mesh(mesh, factors: np.ndarray, share: float = 1.0) -> Surface:
    """A mesh in the size of its shape; a mirror image has its triangles turned so that they face outward. Below a
    ``share`` of 1 it is simplified to about that part of its triangles, without texture coordinates.
    """
    vertices, faces = mesh.vertices * factors, mesh.triangles
    if np.prod(factors) < 0:
        faces = faces[:, ::-1]
    if share < 1.0:
        return creased(*simplified(vertices, faces.reshape(-1, 3), max(int(share * len(faces)), FEWEST_TRIANGLES)))
    if mesh.uvs is not None and len(mesh.uvs) == len(vertices):
        return Surface(vertices.astype(np.float32), faces.astype(np.int32), mesh.uvs)
    return creased(vertices, faces)


def of_heightfield(field, factors: np.ndarray) -> tessellate.Triangles:
    """The ground of a height field: its top side."""
    x, y = np.linspace(-field.hx, field.hx, field.ncol), np.linspace(-field.hy, field.hy, field.nrow)
    heights = field.min_z + (field.max_z - field.min_z) * np.asarray(field.data)
    return scaled(tessellate.height_grid(x, y, heights.T), factors)


def creased(vertices, faces) -> Surface:
    """Vertices shared by faces that meet at a sharp edge are split, so that smooth shading stays on its side of the
    edge.
    """
    vertices, faces = np.asarray(vertices, np.float32), np.asarray(faces, np.int64)
    _, same = np.unique(vertices, axis=0, return_inverse=True)
    corners = np.asarray(same).reshape(-1)[faces]
    a, b, c = (vertices[faces[:, k]].astype(float) for k in range(3))
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.maximum(size, 1e-30)
    joined = smooth_edges(corners, normal)
    _, group = connected_components(joined, directed=False)
    # a corner of a new vertex is (its place, the smooth part around that place)
    first, new = np.unique(group, return_index=True, return_inverse=True)[1:]
    return Surface(vertices[faces.reshape(-1)[first]], np.asarray(new).reshape(-1, 3).astype(np.int32))


def smooth_edges(corners: np.ndarray, normal: np.ndarray):
    """Graph over the corners of faces [3 m]: two at the same end of a shared edge are joined where the faces meet
    smoothly.
    """
    count = len(corners)
    ends = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    face = np.tile(np.arange(count), 3)
    here = np.concatenate([3 * np.arange(count) + k for k in (0, 1, 2)])
    there = np.concatenate([3 * np.arange(count) + k for k in (1, 2, 0)])
    turned = ends[:, 0] > ends[:, 1]
    low, high = np.where(turned, there, here), np.where(turned, here, there)
    ends = np.sort(ends, axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, face, low, high = ends[order], face[order], low[order], high[order]
    pair = np.flatnonzero(np.all(ends[1:] == ends[:-1], axis=1))
    smooth = np.einsum("ij,ij->i", normal[face[pair]], normal[face[pair + 1]]) > CREASE
    pair = pair[smooth]
    rows = np.concatenate([low[pair], high[pair]])
    columns = np.concatenate([low[pair + 1], high[pair + 1]])
    return coo_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=(3 * count, 3 * count))


def join_surfaces(parts: list[Surface]) -> Surface:
    """Several surfaces as one."""
    starts = np.cumsum([0] + [len(part.vertices) for part in parts[:-1]])
    uvs, normals = ([getattr(part, name) for part in parts] for name in ("uvs", "normals"))
    return Surface(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
        *(None if any(one is None for one in all_) else np.concatenate(all_) for all_ in (uvs, normals)),
    )


def vertex_normals(surface: Surface) -> np.ndarray:
    """[n, 3] float32 unit normals of vertices: those of the triangles around each, by their area."""
    a, b, c = (surface.vertices[surface.faces[:, k]].astype(float) for k in range(3))
    total, normal = np.zeros((len(surface.vertices), 3)), np.cross(b - a, c - a)
    for k in range(3):
        np.add.at(total, surface.faces[:, k], normal)
    return (total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)).astype(np.float32)
