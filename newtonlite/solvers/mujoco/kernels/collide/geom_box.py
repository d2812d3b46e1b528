"""Bounding boxes of geoms."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.field_types import ModelFields


@wp.func
def half_lengths(m: ModelFields, world: int, g: int) -> wp.vec3:
    """Half-lengths of a geom's bounding box, along its axes."""
    size = m.geom_size[world, g]
    kind = m.geom_type[g]
    if kind >= MjtGeom.MESH:
        return m.hull_box[world, g, 1]
    if kind == MjtGeom.SPHERE or kind == MjtGeom.CAPSULE or kind == MjtGeom.CYLINDER:
        round_ = kind != MjtGeom.CYLINDER
        return wp.vec3(
            size[0], size[0], wp.where(kind == MjtGeom.SPHERE, size[0], size[1] + wp.where(round_, size[0], 0.0))
        )
    return size
