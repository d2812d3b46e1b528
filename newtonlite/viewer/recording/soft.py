"""Soft meshes in files of recordings: their numbers in the header, their arrays, and what must hold of them."""

import numpy as np

from newtonlite.viewer.soft import SoftMesh

NUMBERS = {"name": str, "group": int, "away": float, "even": bool, "sides": int, "radius": float}
"""Numbers of a soft mesh, which the header keeps, with their types."""


def within(values: np.ndarray, low: int, high: int) -> bool:
    """Whether all are at least ``low`` and below ``high``."""
    return not values.size or bool(values.min() >= low and values.max() < high)


def parsed_mesh(arrays: dict[str, np.ndarray], row: dict, body_count: int, world_count: int) -> SoftMesh:
    """A soft mesh of a file; ValueError where its arrays do not fit together."""
    mesh = SoftMesh(**arrays, **{name: kind(row[name]) for name, kind in NUMBERS.items()})
    for name in ("body", "start", "around", "pieces", "flat", "worlds"):
        setattr(mesh, name, getattr(mesh, name).astype(int))
    count, carriers = len(mesh.start) - 1, len(mesh.arm)
    shapes = mesh.arm.shape == (carriers, 4) and mesh.body.shape == (len(mesh.worlds), carriers)
    shapes &= mesh.around.shape[1:] == mesh.pieces.shape[1:] == (3,) and mesh.flat.shape == (len(mesh.pieces),)
    if not shapes or mesh.color.shape != (3,) or mesh.sides not in (1, 2) or count < 1:
        raise ValueError(f"the soft mesh {mesh.name} has arrays of other sizes than each other")
    held = mesh.start[0] == 0 and mesh.start[-1] == carriers and bool((np.diff(mesh.start) > 0).all())
    if not held or not within(mesh.around, 0, count) or not within(mesh.pieces, 0, count * mesh.sides):
        raise ValueError(f"the soft mesh {mesh.name} has triangles without corners")
    if not (within(mesh.body, -1, body_count) and within(mesh.worlds, 0, world_count)):
        raise ValueError(f"the soft mesh {mesh.name} is carried by bodies or worlds that are not there")
    return mesh
