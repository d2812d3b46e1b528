"""Bounding boxes for rays: around each geom and around runs of geoms, along the world's axes.

Geoms keep their order, in which files list what stands together one after the other: a ray that goes by the box of a run
passes its geoms, and meets what it would meet without boxes.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.ray.shapes import MISS
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import Box, box_about
from newtonlite.solvers.mujoco.kernels.collide.geom_box import half_lengths
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

SHORT = 8
"""Geoms of a short run."""
LONG = 64
"""Geoms of a long run."""
SLACK = wp.constant(1.0e-5)
"""Share of its distance from the ray's start, and of its size, by which a box is widened: rounding of what is met in it."""
LEVEL = wp.constant(1.0e-20)
"""Component of a direction below which it counts as this much."""


@wp.func
def own_box(m: ModelFields, world: int, g: int) -> Box:
    """The box of a geom in its frame; of no size where it has no mesh in this world."""
    box = Box()
    kind = m.geom_type[g]
    if kind == MjtGeom.PLANE:
        box.half = wp.vec3(MISS, MISS, MISS)
    elif kind == MjtGeom.MESH:
        if m.nraymesh > 0:
            mesh = m.geom_ray[world, g]
            if mesh >= 0:
                box = box_about(m.bvh_low[m.bvh_adr[mesh]], m.bvh_high[m.bvh_adr[mesh]])
    elif kind == MjtGeom.HFIELD:
        if m.nrayhfield > 0:
            size = m.rayfield_size[m.geom_ray[world, g]]
            box = box_about(wp.vec3(-size[0], -size[1], -size[3]), wp.vec3(size[0], size[1], size[2]))
    else:
        box.half = half_lengths(m, world, g)
        if kind == MjtGeom.SDF:
            box.centre = m.hull_box[world, g, 0]
    return box


@wp.func
def put_box(d: DataFields, world: int, k: int, first: int, last: int):
    """Box ``k`` around boxes ``first`` to ``last - 1``."""
    low = wp.vec3(MISS, MISS, MISS)
    high = -low
    for i in range(first, last):
        low = wp.min(low, d.ray_box[world, i, 0] - d.ray_box[world, i, 1])
        high = wp.max(high, d.ray_box[world, i, 0] + d.ray_box[world, i, 1])
    d.ray_box[world, k, 0] = 0.5 * (low + high)
    d.ray_box[world, k, 1] = 0.5 * (high - low)


@wp.func
def place_boxes(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Boxes around the geoms of a world as they stand, then around runs of them."""
    if m.nraybox > 0:
        for g in range(lane, m.ngeom, nlane):
            box = own_box(m, world, g)
            turn = d.geom_xmat[world, g]
            half = box.half
            reach = wp.vec3(0.0, 0.0, 0.0)
            for i in range(3):
                reach[i] = wp.abs(turn[i, 0]) * half[0] + wp.abs(turn[i, 1]) * half[1] + wp.abs(turn[i, 2]) * half[2]
            d.ray_box[world, g, 0] = d.geom_xpos[world, g] + turn * box.centre
            d.ray_box[world, g, 1] = reach
        sync()
        short = m.nraybox - m.ngeom - m.nraylong
        for k in range(lane, short, nlane):
            put_box(d, world, m.ngeom + k, k * SHORT, wp.min((k + 1) * SHORT, m.ngeom))
        sync()
        for k in range(lane, m.nraylong, nlane):
            first = k * (LONG // SHORT)
            last = wp.min(first + LONG // SHORT, short)
            put_box(d, world, m.ngeom + short + k, m.ngeom + first, m.ngeom + last)
        sync()


@wp.func
def slopes(v: wp.vec3) -> wp.vec3:
    """Inverse components of a direction."""
    inverse = wp.vec3(0.0, 0.0, 0.0)
    for i in range(3):
        if wp.abs(v[i]) > LEVEL:
            inverse[i] = 1.0 / v[i]
        else:
            inverse[i] = 1.0 / LEVEL
    return inverse


@wp.func
def goes_by(d: DataFields, world: int, k: int, o: wp.vec3, inverse: wp.vec3, best: float) -> bool:
    """Whether a ray does not meet box ``k`` before ``best``."""
    apart = o - d.ray_box[world, k, 0]
    half = d.ray_box[world, k, 1]
    enter = float(0.0)
    leave = best
    for i in range(3):
        middle = -apart[i] * inverse[i]
        span = (half[i] + SLACK * (half[i] + wp.abs(apart[i]))) * wp.abs(inverse[i])
        enter = wp.max(enter, middle - span)
        leave = wp.min(leave, middle + span)
    return enter > leave


@wp.func
def passed(m: ModelFields, d: DataFields, world: int, g: int, o: wp.vec3, inverse: wp.vec3, best: float) -> int:
    """Number of geoms, from ``g`` on, that a ray goes by before ``best``, as far as their boxes say."""
    if g % LONG == 0:
        if goes_by(d, world, m.nraybox - m.nraylong + g // LONG, o, inverse, best):
            return LONG
    if g % SHORT == 0:
        if goes_by(d, world, m.ngeom + g // SHORT, o, inverse, best):
            return SHORT
    if goes_by(d, world, g, o, inverse, best):
        return 1
    return 0
