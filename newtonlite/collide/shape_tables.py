"""Shape tables of a scene, made once from the model."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide import scene
from newtonlite.collide.mesh_surface import MeshSurface, outward_normals, surface_of
from newtonlite.core.enums import GeoType
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.hull import convex_hull
from newtonlite.geometry.kinds import BARREL, KIND_OF, kinds_of
from newtonlite.geometry.sdf import SignedDistanceField
from newtonlite.geometry.signed_distance.grid import DistanceGrid
from newtonlite.sim.shape_bounds import UNBOUNDED, barrels, local_boxes

KIND = KIND_OF | {GeoType.HFIELD: int(MjtGeom.MESH)}
FAR = 100.0
"""Times a mesh's size that its surface is looked for."""


class ShapeTables:
    """``shapes``: the tables on the device; ``surfaces``: the mesh of each shape that has one. Only ``used`` shapes
    have meshes.
    """

    def __init__(self, model, used: np.ndarray):
        self.model, self.device = model, model.device
        self.kind = kinds_of(model.shape_type.numpy(), KIND)
        self.scale = model.shape_scale.numpy().astype(float)
        self.kind[barrels(model.shape_type.numpy(), self.scale)] = BARREL
        self.meshes: list[Any] = []  # kept alive
        self.surfaces: dict[int, MeshSurface] = {}
        self.shapes = scene.SceneShapes()
        self._link()
        self._boxes()
        self._meshes([s for s in used.tolist() if self.kind[s] == MjtGeom.MESH])

    def _array(self, values, dtype) -> wp.array:
        return wp.array(values, dtype=dtype, device=self.device)

    def _link(self) -> None:
        s, m, n = self.shapes, self.model, self.model.shape_count
        s.kind, s.size = self._array(self.kind, int), m.shape_scale
        s.body, s.local, s.margin, s.gap, s.soft = (
            m.shape_body,
            m.shape_transform,
            m.shape_margin,
            m.shape_gap,
            m.shape_material_kh,
        )
        s.damping = m.shape_material_kd
        s.pose = wp.zeros(n, dtype=wp.transformf, device=self.device)
        s.box_low, s.box_high = (wp.zeros(n, dtype=wp.vec3, device=self.device) for _ in range(2))

    def _boxes(self) -> None:
        """Boxes about the shapes; a plane has no end, and is solid below."""
        self.low, self.high = local_boxes(self.model)
        flat = self.kind == MjtGeom.PLANE
        self.low[flat], self.high[flat] = -UNBOUNDED, (UNBOUNDED, UNBOUNDED, 0.0)

    def _meshes(self, used: list[int]) -> None:
        """Surfaces, device meshes and grids, once for each source and scale."""
        n = self.model.shape_count
        # shapes without a mesh have one that is never looked at
        none = wp.Mesh(self._array(np.eye(3, dtype=np.float32), wp.vec3), self._array([0, 1, 2], int))
        self.meshes.append(none)
        ids, reach, closed, first, count = (
            np.full(n, none.id, np.uint64),
            np.zeros(n),
            np.zeros(n, int),
            np.zeros(n, int),
            np.zeros(n, int),
        )
        grid, stretch = np.full(n, -1), np.ones(n)
        found: dict[tuple, tuple] = {}
        grids: list[DistanceGrid] = []
        rows: list[MeshSurface] = []
        for s in used:
            source, scale = self.model.shape_source[s], self.scale[s]
            kind = GeoType(int(self.model.shape_type.numpy()[s]))
            key = (id(source), kind, tuple(scale.tolist()))
            if key not in found:
                surface = surface_of(*triangles_of(source, kind, scale))
                points = self._array(surface.vertices.astype(np.float32), wp.vec3)
                mesh = wp.Mesh(
                    points, self._array(surface.triangles.ravel().astype(np.int32), int), support_winding_number=True
                )
                self.meshes.append(mesh)
                found[key] = (mesh.id, sum(len(r.triangles) for r in rows), len(grids), surface)
                rows.append(surface)
                if kind == GeoType.MESH and source.sdf is not None:
                    grids.append(field_for(source, scale, self.device))
            ids[s], first[s], table, surface = found[key]
            self.surfaces[s] = surface
            self.low[s], self.high[s] = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
            reach[s] = FAR * np.linalg.norm(self.high[s] - self.low[s])
            closed[s], count[s] = surface.closed, len(surface.triangles)
            if kind == GeoType.MESH and source.sdf is not None:
                grid[s], stretch[s] = table, field_stretch(source, scale)
        s = self.shapes
        s.mesh, s.reach, s.closed = self._array(ids, wp.uint64), self._array(reach, float), self._array(closed, int)
        s.first, s.triangles = self._array(first, int), self._array(count, int)
        s.grid, s.stretch = self._array(grid, int), self._array(stretch, float)
        s.grids = wp.array(grids or [DistanceGrid()], dtype=DistanceGrid, device=self.device)
        self.meshes.append(grids)
        s.own = self._array(np.concatenate([[0], *(r.own for r in rows)])[bool(rows) :].astype(np.int32), int)
        for name in ("away", "corner_normal", "edge_normal"):
            joined = np.concatenate([np.zeros((1, 3, 3)), *(getattr(r, name) for r in rows)])[bool(rows) :]
            setattr(s, name, self._array(joined.reshape(-1, 3).astype(np.float32), wp.vec3))
        s.low, s.high = (
            self._array(self.low.astype(np.float32), wp.vec3),
            self._array(self.high.astype(np.float32), wp.vec3),
        )


def triangles_of(source, kind: GeoType, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward triangles of a mesh, of its hull, or of a height field, stretched."""
    if kind == GeoType.HFIELD:
        return outward_normals(source, scale)
    vertices, triangles = source.vertices, source.triangles
    if kind == GeoType.CONVEX_MESH:
        vertices, triangles = convex_hull(source.exact_vertices)
    mirrored = np.prod(scale) < 0.0
    return vertices * scale, triangles[:, ::-1] if mirrored else triangles


def field_stretch(mesh, scale: np.ndarray) -> float:
    """Scale of a mesh relative to its distance field, where that is the same along all axes; else 1, and the field
    is made anew.
    """
    ratio = scale / np.asarray(mesh.sdf.scale)
    return float(ratio[0]) if np.allclose(ratio, ratio[0], rtol=1e-6) and ratio[0] > 0.0 else 1.0


def field_for(mesh, scale: np.ndarray, device) -> DistanceGrid:
    """The table of a mesh's distances on the device; made anew for other proportions, which then are baked in."""
    ratio = scale / np.asarray(mesh.sdf.scale)
    if np.allclose(ratio, ratio[0], rtol=1e-6) and ratio[0] > 0.0:
        return mesh.sdf.to_kernel_data(device)
    return SignedDistanceField.create_with(mesh, mesh.sdf.settings, device, scale).to_kernel_data(device)
