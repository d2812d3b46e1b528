"""Rays cast by the engine's functions, and MuJoCo's answers to the same rays."""

import numpy as np
import warp as wp

from newtonlite.geometry.ray.heightfield import HeightGrid, ray_heightfield
from newtonlite.geometry.ray.primitive import ray_primitive
from newtonlite.geometry.ray.shapes import MISS
from newtonlite.geometry.ray.triangle import ray_triangle

NUMBERS = {"plane": 0, "hfield": 1, "sphere": 2, "capsule": 3, "ellipsoid": 4, "cylinder": 5, "box": 6}
Points = wp.array[wp.vec3]


@wp.kernel(enable_backward=False)
def shapes_kernel(kind: int, size: Points, origin: Points, direction: Points, answer: wp.array[wp.vec4]):
    i = wp.tid()
    answer[i] = ray_primitive(kind, size[i], origin[i], direction[i])


@wp.kernel(enable_backward=False)
def grid_kernel(grid: HeightGrid, origin: Points, direction: Points, answer: wp.array[wp.vec4]):
    i = wp.tid()
    answer[i] = ray_heightfield(grid, origin[i], direction[i])


@wp.kernel(enable_backward=False)
def triangle_kernel(a: Points, b: Points, c: Points, origin: Points, direction: Points, answer: wp.array[wp.vec4]):
    i = wp.tid()
    answer[i] = ray_triangle(origin[i], direction[i], a[i], b[i], c[i])


def launch(kernel, inputs: list, count: int, device) -> tuple[np.ndarray, np.ndarray]:
    """(distances, -1 for a miss; normals, zero for a miss) of ``count`` rays; arrays among the inputs are points."""
    points = [
        wp.array(x.astype(np.float32), dtype=wp.vec3, device=device) if isinstance(x, np.ndarray) else x for x in inputs
    ]
    answer = wp.zeros(count, dtype=wp.vec4, device=device)
    wp.launch(kernel, count, [*points, answer], device=device)
    found = answer.numpy()
    missed = found[:, 0] >= float(MISS)
    return np.where(missed, -1.0, found[:, 0]), np.where(missed[:, None], 0.0, found[:, 1:])


def grid(size, heights: np.ndarray, device) -> HeightGrid:
    """A height field with heights in [0, 1]."""
    g = HeightGrid()
    g.data, g.adr = wp.array(heights.astype(np.float32).ravel(), dtype=float, device=device), 0
    g.nrow, g.ncol = heights.shape
    g.size = wp.vec4(*size)
    return g
