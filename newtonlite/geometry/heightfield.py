"""Height field data that shapes share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError

THIN = 1.0e-4


class Heightfield:
    """Heights over a grid of ``nrow`` by ``ncol`` points that spans ``[-hx, hx]`` by ``[-hy, hy]`` [m].

    ``data`` holds raw heights [m]; they are kept scaled to [0, 1] between ``min_z`` and ``max_z``, by default the
    lowest and the highest of them.  Columns run along x, rows along y.  ``base`` [m] is how far the ground goes on
    below ``min_z``, ``name`` a file's.
    """

    is_solid = True
    has_inertia = False
    mass = 0.0

    def __init__(
        self,
        data: Sequence[Sequence[float]] | np.ndarray,
        nrow: int,
        ncol: int,
        hx: float = 1.0,
        hy: float = 1.0,
        min_z: float | None = None,
        max_z: float | None = None,
    ):
        self.name, self.base = "", THIN
        heights = np.array(data, dtype=np.float32)
        if not all(isinstance(n, int | np.integer) for n in (nrow, ncol)):
            raise ModelError(f"Heightfield: {nrow!r} rows of {ncol!r}; give whole numbers")
        if nrow < 2 or ncol < 2 or heights.size != nrow * ncol:
            raise ModelError(
                f"Heightfield: {heights.size} heights for {nrow} rows of {ncol}; give nrow * ncol heights, at least 2 by 2"
            )
        if not np.isfinite(heights).all():
            raise ModelError("Heightfield: a height is not finite; remove NaN and infinity")
        if (min_z is None) != (max_z is None):
            raise ModelError("Heightfield: min_z and max_z belong together; give both, or neither")
        if not (np.isfinite(hx) and np.isfinite(hy) and hx > 0.0 and hy > 0.0):
            raise ModelError(f"Heightfield: half extents {hx:g}, {hy:g}; they have to be positive")
        self.nrow, self.ncol = int(nrow), int(ncol)
        self.hx, self.hy = float(hx), float(hy)
        self.min_z = float(heights.min() if min_z is None else min_z)
        self.max_z = float(heights.max() if max_z is None else max_z)
        if not (np.isfinite(self.min_z) and np.isfinite(self.max_z)):
            raise ModelError(
                f"Heightfield: heights {self.min_z:g} to {self.max_z:g}; min_z and max_z have to be finite"
            )
        if self.max_z < self.min_z:
            raise ModelError(
                f"Heightfield: heights {self.min_z:g} to {self.max_z:g} are reversed; swap min_z and max_z"
            )
        low, high = heights.min(), heights.max()
        span = high - low
        self._data = ((heights - low) / span if span > 0.0 else np.zeros_like(heights)).reshape(self.nrow, self.ncol)
        self.com, self.inertia = wp.vec3(), wp.mat33()

    @classmethod
    def create_from_mesh(
        cls, mesh: wp.Mesh, resolution: float, *, max_cells_per_axis: int = 4096
    ) -> tuple["Heightfield", wp.transform]:
        """The highest points of a mesh over a grid, as a field centred at the origin and the pose that puts it where
        the mesh is.

        Grid points are at most ``resolution`` [m] apart, or as far as ``max_cells_per_axis`` rows and columns allow.
        Places of the mesh's rectangle that it does not cover are as low as its lowest point; what hangs over is filled.
        ModelError where resolution or limit are not positive or the mesh has no width.
        """
        from newtonlite.geometry.raster import rasterize

        heights, low, high = rasterize(mesh, resolution, max_cells_per_axis)
        half, centre = 0.5 * (high - low), 0.5 * (high + low)
        pose = wp.transform(wp.vec3(float(centre[0]), float(centre[1]), 0.0), wp.quat_identity())
        return cls(heights, *heights.shape, hx=half[0], hy=half[1]), pose

    @property
    def data(self) -> np.ndarray:
        """Heights ``[nrow, ncol]`` between 0 (``min_z``) and 1 (``max_z``)."""
        return self._data

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper corner [m]."""
        return np.array([-self.hx, -self.hy, self.min_z]), np.array([self.hx, self.hy, self.max_z])

    def finalize(self, device: Any = None, **options: Any) -> int:
        """0: a height field has no handle on the device."""
        return 0
