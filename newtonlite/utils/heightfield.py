"""Height fields of meshes."""

import numpy as np
import warp as wp

from newtonlite.geometry.raster import rasterize


def rasterize_mesh_to_heightfield(
    mesh: wp.Mesh, resolution: float, *, max_cells_per_axis: int = 4096
) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Heights [nrow, ncol], in m, of the highest points of a mesh over a grid, rows along y, and the rectangle (x_min,
    y_min, x_max, y_max) that the grid spans.

    Points are at most ``resolution`` [m] apart, or as far as ``max_cells_per_axis`` rows and columns allow; where there
    is nothing, the height is that of the lowest point. ModelError as for ``Heightfield.create_from_mesh``.
    """
    heights, low, high = rasterize(mesh, resolution, max_cells_per_axis)
    return heights, (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
