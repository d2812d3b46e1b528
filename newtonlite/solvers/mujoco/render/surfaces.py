"""Ray surfaces: meshes and height fields as triangles, with a hierarchy of boxes that Warp builds once for each."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.heightmap_mesh import solid

LEAF = 4
"""Triangles in a leaf of a hierarchy, at most."""
SMOOTH = 0.8
"""Cosine between a vertex's mean normal and a triangle's, below which the triangle is left out of it."""


@dataclass
class RaySurfaces:
    """``id`` [n]: hierarchy of each geom, 0 where it is a primitive; ``ball`` [n, 4]: middle and radius [m] of a sphere
    about it in the geom's frame, ``half`` [n, 3]: half-sizes of the box there; zeros where its size tells. ``meshes``
    keeps the hierarchies alive. ``face`` [n, 2]: first triangle of each geom among the corners with normals [3 m, 3],
    and among those with texture coordinates [3 k, 2], of which ``densities`` has how much there is along a metre; -1: none.
    """

    id: np.ndarray
    ball: np.ndarray
    half: np.ndarray
    face: np.ndarray
    meshes: list = field(default_factory=list)
    normals: list = field(default_factory=lambda: [np.zeros((0, 3), np.float32)])
    uvs: list = field(default_factory=lambda: [np.zeros((0, 2), np.float32)])
    densities: list = field(default_factory=lambda: [np.zeros(0, np.float32)])

    def add_uv(self, uvs: np.ndarray, points: np.ndarray) -> int:
        """Add texture coordinates [m, 3, 2] of triangles with corners [m, 3, 3]; the first of the triangles among such."""
        first = sum(map(len, self.uvs)) // 3
        self.uvs.append(uvs.reshape(-1, 2))
        self.densities.append(np.sqrt(areas(uvs) / np.maximum(areas(points), 1.0e-20)))
        return first


def surfaces_of(mj: Any, geoms: np.ndarray, corners: bool, device: Any) -> RaySurfaces:
    """Surfaces of some geoms of a compiled model (or a ``mujoco.MjModel``); ``corners`` asks for what colours need."""
    found = RaySurfaces(
        np.zeros(len(geoms), np.uint64),
        np.zeros((len(geoms), 4), np.float32),
        np.zeros((len(geoms), 3), np.float32),
        np.full((len(geoms), 2), -1, np.int32),
    )
    known: dict[tuple[int, int], tuple] = {}
    for k, g in enumerate(geoms.tolist()):
        kind = int(mj.geom_type[g])
        if kind not in (MjtGeom.MESH, MjtGeom.SDF, MjtGeom.HFIELD):
            continue
        key = kind, int(mj.geom_dataid[g])
        if key not in known:
            points, triangles = (field_triangles if kind == MjtGeom.HFIELD else mesh_triangles)(mj, key[1])
            low, high = points.min(axis=0), points.max(axis=0)
            middle = 0.5 * (low + high)
            radius = np.linalg.norm(points - middle, axis=1).max()
            found.meshes.append(
                wp.Mesh(
                    wp.array(points.astype(np.float32), dtype=wp.vec3, device=device),
                    wp.array(triangles.astype(np.int32).ravel(), dtype=int, device=device),
                    bvh_constructor="sah",
                    bvh_leaf_size=LEAF,
                )
            )
            face = add_corners(found, mj, key[1]) if corners and kind == MjtGeom.MESH else (-1, -1)
            known[key] = found.meshes[-1].id, np.append(middle, radius), 0.5 * (high - low), face
        found.id[k], found.ball[k], found.half[k], found.face[k] = known[key]
    return found


def add_corners(found: RaySurfaces, mj: Any, mesh: int) -> tuple[int, int]:
    """Add normals and texture coordinates of the corners of a mesh; first triangles among those, -1: none."""
    first, count = int(mj.mesh_faceadr[mesh]), int(mj.mesh_facenum[mesh])
    place = sum(map(len, found.normals)) // 3
    if hasattr(mj, "mesh_facenormal"):
        which = np.asarray(mj.mesh_facenormal).reshape(-1, 3)[first : first + count].ravel()
        normals = np.asarray(mj.mesh_normal).reshape(-1, 3)[int(mj.mesh_normaladr[mesh]) + which]
    else:
        normals = corner_normals(*mesh_triangles(mj, mesh))
    found.normals.append(normals)
    start = int(mj.mesh_texcoordadr[mesh]) if hasattr(mj, "mesh_texcoordadr") else -1
    if start < 0:
        return place, -1
    which = np.asarray(mj.mesh_facetexcoord).reshape(-1, 3)[first : first + count].ravel()
    uvs = np.asarray(mj.mesh_texcoord, float).reshape(-1, 2)[start + which]
    points, triangles = mesh_triangles(mj, mesh)
    return place, found.add_uv(uvs.reshape(-1, 3, 2), points[triangles])


def areas(corners: np.ndarray) -> np.ndarray:
    """Areas [m] of triangles [m, 3, 2 or 3], by their corners."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    square = (a * a).sum(axis=1) * (b * b).sum(axis=1) - (a * b).sum(axis=1) ** 2
    return 0.5 * np.sqrt(np.maximum(square, 0.0))


def corner_normals(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals [3 m, 3] of the corners of triangles, as MuJoCo makes them where a file has none: the mean of the
    triangles about a vertex by their area, of those within 37 degrees of it.
    """
    a, b, c = points[triangles].transpose(1, 0, 2)
    area = np.cross(b - a, c - a)
    owner, area = triangles.ravel(), np.repeat(area, 3, axis=0)
    unit = area / np.maximum(np.linalg.norm(area, axis=1, keepdims=True), 1.0e-30)
    kept = np.ones(len(owner), bool)
    for _ in range(2):
        sums = np.zeros_like(points)
        np.add.at(sums, owner[kept], area[kept])
        mean = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1.0e-30)
        kept = np.einsum("ij,ij->i", unit, mean[owner]) >= SMOOTH
    return mean[owner]


def mesh_triangles(mj: Any, mesh: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and triangles of a mesh."""
    points = np.asarray(mj.mesh_vert).reshape(-1, 3)[int(mj.mesh_vertadr[mesh]) :][: int(mj.mesh_vertnum[mesh])]
    faces = np.asarray(mj.mesh_face).reshape(-1, 3)[int(mj.mesh_faceadr[mesh]) :][: int(mj.mesh_facenum[mesh])]
    return points, faces


def field_triangles(mj: Any, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and triangles of a height field: its surface, walls under the rim and the floor of the box below."""
    rows, columns = int(mj.hfield_nrow[number]), int(mj.hfield_ncol[number])
    size, first = np.asarray(mj.hfield_size)[number], int(mj.hfield_adr[number])
    heights = np.asarray(mj.hfield_data).ravel()[first : first + rows * columns].reshape(rows, columns)
    # mirrored, so that cells are cut along MuJoCo's diagonal
    points, triangles = solid(size[2] * heights.T[::-1], 2.0 * size[:2], (0.0, 0.0), -size[3])
    return points * [-1.0, 1.0, 1.0], triangles[:, ::-1]
