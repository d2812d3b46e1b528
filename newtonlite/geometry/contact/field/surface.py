"""Surface of a plugin's distance field, by marching cubes on the grid that MuJoCo takes."""

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.contact.field.builtin import bounds, builtin_field, vec5d
from newtonlite.geometry.contact.field.marching_cubes import marching_cubes
from newtonlite.geometry.disk_cache import kept

kernel_module(__name__)
POINTS = 300
"""Points of the grid along its three sides together."""


@wp.kernel
def sample_field(slot: int, a: vec5d, points: wp.array[wp.vec3d], values: wp.array[float]):
    """The field at every point."""
    i = wp.tid()
    values[i] = float(builtin_field(slot, points[i], a))


def surface_of_field(slot: int, attributes) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices [n, 3] and triangles [m, 3] of the surface of a plugin's field; None for a field without."""
    given = np.zeros(5)
    given[: len(attributes)] = attributes
    found = kept("field_mesh", (given, slot), lambda: extract(slot, given))
    return (found["vertices"], found["triangles"]) if len(found["triangles"]) else None


def extract(slot: int, attributes: np.ndarray) -> dict[str, np.ndarray]:
    """The surface, from the values of the field at the points of a grid in its bounds."""
    half = np.array(bounds(slot, attributes))
    count = np.floor(POINTS / half.sum() * half).astype(int) + 1
    sides = [-h + 2.0 * h * np.arange(n) / (n - 1) for h, n in zip(half, count, strict=True)]
    points = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3)
    values = wp.empty(len(points), dtype=float, device="cpu")
    inputs = [slot, vec5d(*attributes), wp.array(points, dtype=wp.vec3d, device="cpu"), values]
    wp.launch(sample_field, dim=len(points), inputs=inputs, device="cpu")
    vertices, triangles = marching_cubes(values.numpy().reshape(tuple(count)))
    places = vertices.astype(float) / (count - 1) * 2.0 * half - half
    return {"vertices": places.astype(np.float32).astype(float), "triangles": triangles}
