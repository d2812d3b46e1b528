"""Rod section: half sizes of the box that a rod of box section is in cross-section."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import ModelFields


@wp.func
def is_box_rod(m: ModelFields, f: int) -> bool:
    """Whether a flex is a rod of box section."""
    if m.nflexflat > 0:
        return m.flex_flatadr[f] >= 0
    return False


@wp.func
def section_half(m: ModelFields, world: int, f: int) -> wp.vec2:
    """Half sizes [m] of a rod of box section along the first and the second axis of an edge's material frame."""
    # the smaller is in the record; stiffnesses are to each other as the squares of the sizes
    at = m.flex_flatadr[f]
    k1 = m.flex_bending[world, at + 4]
    half = wp.abs(m.flex_bending[world, at + 9])
    return wp.vec2(half * wp.sqrt((k1 + m.flex_bending[world, at + 5]) / k1), half)


@wp.func
def flex_reach(m: ModelFields, world: int, f: int) -> float:
    """Farthest [m] that the surface of a flex is from its vertices, edges and faces."""
    if is_box_rod(m, f):
        return wp.length(section_half(m, world, f))
    return m.flex_radius[world, f]
