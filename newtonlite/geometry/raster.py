"""Rasterization of a mesh to heights over a grid, by rays from above."""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, enable_backward=True)

INWARD = 1.0e-4
"""Distance [cells] by which a ray that just misses the mesh, along its edge, is moved towards the centre."""


@wp.kernel
def drop_rays(mesh: wp.uint64, low: wp.vec3, high: wp.vec3, cell: wp.vec2, heights: wp.array2d[float]):
    """Heights [row along y, column along x] below rays from above ``high``; ``low[2]`` where there is nothing."""
    row, col = wp.tid()
    x, y = low[0] + float(col) * cell[0], low[1] + float(row) * cell[1]
    top = high[2] + (high[2] - low[2]) + 1.0
    hit = wp.mesh_query_ray(mesh, wp.vec3(x, y, top), wp.vec3(0.0, 0.0, -1.0), 2.0 * (top - low[2]))
    if not hit.result:
        x += INWARD * cell[0] * wp.sign(0.5 * (low[0] + high[0]) - x)
        y += INWARD * cell[1] * wp.sign(0.5 * (low[1] + high[1]) - y)
        hit = wp.mesh_query_ray(mesh, wp.vec3(x, y, top), wp.vec3(0.0, 0.0, -1.0), 2.0 * (top - low[2]))
    heights[row, col] = low[2]
    if hit.result:
        heights[row, col] = top - hit.t


def rasterize(mesh: wp.Mesh, resolution: float, limit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heights [nrow, ncol] [m], and the lower and upper corner [3] of the mesh; at most ``limit`` rows and columns."""
    where = "Heightfield.create_from_mesh"
    if not (0.0 < resolution < np.inf) or limit < 2:
        raise ModelError(
            f"{where}: resolution {resolution:g} and {limit} cells; give a positive length and at least 2 cells"
        )
    points = mesh.points.numpy()
    low, high = points.min(axis=0).astype(float), points.max(axis=0).astype(float)
    extent = (high - low)[:2]
    if not (np.isfinite(points).all() and extent.min() > 0.0):
        raise ModelError(
            f"{where}: the mesh is {extent[0]:g} by {extent[1]:g} m wide; give one that has a width in x and in y"
        )
    ncol, nrow = (int(n) for n in np.clip(np.ceil(extent / resolution - 1.0e-6) + 1, 2, limit))
    cell = extent / [ncol - 1, nrow - 1]
    heights = wp.zeros((nrow, ncol), dtype=float, device=mesh.device)
    wp.launch(
        drop_rays, (nrow, ncol), [mesh.id, wp.vec3(*low), wp.vec3(*high), wp.vec2(*cell)], [heights], device=mesh.device
    )
    return heights.numpy(), low, high
