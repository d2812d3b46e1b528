"""SDF: signed distance fields of meshes that shapes share."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.signed_distance.build import RESOLUTION, FieldSettings, Table
from newtonlite.geometry.signed_distance.cache import table_of
from newtonlite.geometry.signed_distance.grid import DistanceGrid, grid_field

kernel_module(__name__)

PADDING = 0.1
"""Default padding of a table beyond a mesh, as part of its longest side."""

BAND = (-0.1, 0.1)
TEXTURE_FORMATS = ("float32", "uint16", "uint8")


@wp.kernel(enable_backward=False)
def sample(grid: DistanceGrid, points: wp.array[wp.vec3], values: wp.array[wp.vec4]):
    """The field at each point."""
    i = wp.tid()
    values[i] = grid_field(grid, points[i])


class SignedDistanceField:
    """The signed distance of a mesh [m], negative inside, as a table: fine near the surface, coarse elsewhere.

    Of a mesh it needs vertices and triangles alone; ``newtonlite.SDF`` is this class with what needs meshes besides.
    ``scale`` is baked into the distances, ``shape_margin`` [m] is taken off them.
    """

    def __init__(
        self,
        *,
        table: Table,
        settings: FieldSettings,
        scale: tuple[float, float, float] = (1.0, 1.0, 1.0),
        shape_margin: float = 0.0,
    ):
        self.table, self.settings, self.scale, self.shape_margin = table, settings, scale, float(shape_margin)
        self._grids: dict[str, DistanceGrid] = {}

    @classmethod
    def create_from_mesh(
        cls,
        mesh: Any,
        *,
        device: Any = None,
        narrow_band_range: tuple[float, float] = BAND,
        target_voxel_size: float | None = None,
        max_resolution: int | None = None,
        margin: float | None = 0.05,
        shape_margin: float = 0.0,
        scale: tuple[float, float, float] | None = None,
        texture_format: str = "uint16",
        sign_method: str = "auto",
        cache_dir: Any = None,
        paired_samples: bool = True,
    ) -> "SignedDistanceField":
        """The field of a mesh.

        Fine cells are ``target_voxel_size`` [m] wide, else the longest side over ``max_resolution`` (64 when None; a
        multiple of 8); ``margin`` [m] is how far the table reaches beyond the mesh (None: a tenth of its longest side);
        fine values are kept where the distance is within ``narrow_band_range`` [m]. ``cache_dir`` keeps the table on
        disk by content. ``sign_method`` "auto" is the winding number, which also serves meshes with holes. Distances
        are always float32, whatever the ``texture_format``; ``paired_samples`` changes nothing. Raises ModelError for settings out
        of range, and where the table would be too large.
        """
        where = "SDF.create_from_mesh"
        if texture_format not in TEXTURE_FORMATS:
            raise ModelError(f"{where} texture_format: {texture_format!r}; use one of {', '.join(TEXTURE_FORMATS)}")
        resolution = RESOLUTION if max_resolution is None else max_resolution
        scale = (1.0, 1.0, 1.0) if scale is None else tuple(map(float, scale))
        vertices = mesh.vertices * np.asarray(scale, np.float32)
        margin = (
            PADDING * float(np.ptp(vertices, axis=0).max())
            if margin is None and np.isfinite(vertices).all()
            else margin or 0.0
        )
        settings = FieldSettings.of(where, target_voxel_size, resolution, margin, narrow_band_range, sign_method)
        table = table_of(vertices, mesh.indices, settings, device, cache_dir, where)
        return cls(table=table, settings=settings, scale=scale, shape_margin=shape_margin)

    @classmethod
    def create_with(
        cls, mesh: Any, settings: FieldSettings, device: Any = None, scale: Any = (1.0, 1.0, 1.0)
    ) -> "SignedDistanceField":
        """The field of a mesh, stretched by ``scale``, with settings put together before."""
        table = table_of(mesh.vertices * np.asarray(scale, np.float32), mesh.indices, settings, device)
        return cls(table=table, settings=settings, scale=tuple(map(float, scale)))

    @classmethod
    def create_from_data(cls, **data: Any) -> "SignedDistanceField":
        """Refused: fields come from meshes."""
        raise ModelError("SDF.create_from_data: fields of volumes and textures are not supported; use create_from_mesh")

    def is_empty(self) -> bool:
        """Whether nothing is inside."""
        return not (min(self.table.coarse.min(initial=1.0), self.table.fine.min(initial=1.0)) < self.shape_margin)

    def validate(self) -> None:
        """Raise ModelError where a distance is not finite."""
        if not (np.isfinite(self.table.coarse).all() and np.isfinite(self.table.fine).all()):
            raise ModelError("SDF: a distance is not finite; build it again from its mesh")

    def to_kernel_data(self, device: Any = None) -> DistanceGrid:
        """The struct that ``newtonlite.geometry.signed_distance.grid.grid_field`` reads, made once per device."""
        device = wp.get_device(device)
        if device.alias not in self._grids:
            self._grids[device.alias] = self.table.on(device)
        return self._grids[device.alias]

    def to_texture_kernel_data(self) -> None:
        """None: the table is not a texture."""
        return

    def sample(self, points: Any, device: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances [n] and unit gradients [n, 3] at points [n, 3]."""
        device = wp.get_device(device)
        given = wp.array(np.asarray(points, np.float32).reshape(-1, 3), dtype=wp.vec3, device=device)
        values = wp.zeros(len(given), dtype=wp.vec4, device=device)
        wp.launch(sample, dim=len(given), inputs=[self.to_kernel_data(device), given], outputs=[values], device=device)
        found = values.numpy()
        return found[:, 3] - self.shape_margin, found[:, :3]

    def isosurface(self, isovalue: float = 0.0, device: Any = None) -> tuple[np.ndarray, np.ndarray] | None:
        """Vertices ``[n, 3]`` [m] and triangles, flat, of the surface on which the distance is ``isovalue``; None where
        there is none.
        """
        from warp.geometry import IsoSurfaceMarchingCubes

        from newtonlite.geometry.signed_distance.build import BLOCK, lattice

        counts = self.table.cells * BLOCK + 1
        step = self.table.width / BLOCK
        distance, _ = self.sample(lattice(self.table.low, step, counts), device)
        if not (distance.min() < isovalue < distance.max()):
            return None
        values = np.ascontiguousarray(distance.reshape(counts[::-1]).transpose(2, 1, 0))
        field = wp.array(values, dtype=float, device=wp.get_device(device))
        vertices, indices = IsoSurfaceMarchingCubes.extract(field, isovalue)
        if not len(indices):
            return None
        return vertices.numpy() * step + self.table.low, indices.numpy()
