"""Heightmap meshes: height maps as closed meshes."""

import warnings

import numpy as np

from newtonlite.core.errors import ModelError, NewtonWarning, external
from newtonlite.geometry import tessellate


def solid(
    heights: np.ndarray, extents: np.ndarray, centre: tuple[float, float], ground_z: float
) -> tessellate.Triangles:
    """Solid between heights [nx, ny] and ``ground_z`` [m], over a rectangle of ``extents`` [2] about ``centre`` [2].

    The ground is no higher than the lowest height. Raises ModelError where heights are no grid or not finite.
    """
    heights, where = np.asarray(heights, float), "Mesh.create_heightfield"
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise ModelError(f"{where}: heights of shape {heights.shape}: it must be 2D array [nx, ny] of at least 2x2")
    if not (np.isfinite(heights).all() and np.isfinite([*centre, ground_z]).all()):
        raise ModelError(f"{where}: a height, the centre or ground_z is not finite; remove NaN and infinity")
    if heights.min() < ground_z:
        warnings.warn(
            f"{where}: height {heights.min():g} is below ground_z {ground_z:g}; the ground is put there",
            NewtonWarning,
            stacklevel=external(),
        )
        ground_z = float(heights.min())
    x, y = (c + np.linspace(-0.5, 0.5, n) * e for c, n, e in zip(centre, heights.shape, extents, strict=True))
    top, up = tessellate.height_grid(x, y, heights)
    below = top * [1.0, 1.0, 0.0] + [0.0, 0.0, ground_z]
    rim = around(heights.shape)
    after, count = np.roll(rim, -1), len(top)
    walls = np.concatenate(
        [np.stack([rim, rim + count, after], axis=1), np.stack([after, rim + count, after + count], axis=1)]
    )
    return np.vstack([top, below]), np.vstack([up, up[:, ::-1] + count, walls])


def around(shape: tuple[int, int]) -> np.ndarray:
    """Numbers of a grid's outer points, counterclockwise seen from above (first index along x), from point 0."""
    number = np.arange(shape[0] * shape[1]).reshape(shape)
    return np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
