"""Ray surfaces: meshes and height fields as triangles, with a hierarchy of boxes that Warp builds once for each."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.heightmap_mesh import solid


@dataclass
class RaySurfaces:
    """``id`` [n]: hierarchy of each geom, 0 where it is a primitive; ``ball`` [n, 4]: middle and radius [m] of a sphere
    about it in the geom's frame, ``half`` [n, 3]: half-sizes of the box there; zeros where its size tells. ``meshes``
    keeps the hierarchies alive.
    """

    id: np.ndarray
    ball: np.ndarray
    half: np.ndarray
    meshes: list = field(default_factory=list)


def surfaces_of(mj: Any, geoms: np.ndarray, device: Any) -> RaySurfaces:
    """Surfaces of some geoms of a compiled model (or a ``mujoco.MjModel``)."""
    found = RaySurfaces(
        np.zeros(len(geoms), np.uint64), np.zeros((len(geoms), 4), np.float32), np.zeros((len(geoms), 3), np.float32)
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
                )
            )
            known[key] = found.meshes[-1].id, np.append(middle, radius), 0.5 * (high - low)
        found.id[k], found.ball[k], found.half[k] = known[key]
    return found


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
