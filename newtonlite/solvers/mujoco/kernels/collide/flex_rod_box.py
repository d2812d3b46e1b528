"""Rods of box section against planes, spheres, capsules and boxes: an edge is a box along the axes of its material frame, a vertex
the section of an edge there. With other shapes they collide as round rods do, as in MuJoCo.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.box import box_box
from newtonlite.geometry.contact.capsule_box import capsule_box
from newtonlite.geometry.contact.hits import Hits, no_tangent, z_axis
from newtonlite.geometry.contact.plane import plane_point
from newtonlite.geometry.contact.sphere import sphere_box
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.rod_section import section_half
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_chain import chain_frames, side_direction, twist_angle


@wp.func
def find_rod_frames(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Frames of the edges of all rods that have some, as the forces of the step find them once more."""
    for c in range(lane, m.nflexchain, nlane):
        chain_frames(m, d, world, c)
    sync()


@wp.func
def has_frame(m: ModelFields, d: DataFields, world: int, e: int) -> bool:
    """Whether ``e`` is an edge of a rod of box section whose edges all have a frame."""
    if e < 0:
        return False
    return d.flexchain_ok[world, m.flexrodedge_chain[e]] != 0


@wp.func
def material_frame(m: ModelFields, d: DataFields, world: int, e: int) -> wp.mat33:
    """Axes of an edge's section, and its direction, as columns."""
    t = d.flexrodedge_tangent[world, e]
    u = d.flexrodedge_normal[world, e]
    angle = twist_angle(m, d, world, e)
    one = side_direction(wp.vec2(1.0, 0.0), t, u, angle)
    two = side_direction(wp.vec2(0.0, 1.0), t, u, angle)
    return wp.mat33(one[0], two[0], t[0], one[1], two[1], t[1], one[2], two[2], t[2])


@wp.func
def collide_rod_box(
    m: ModelFields, d: DataFields, hits: Hits, world: int, g: int, f: int, e: int, cutoff: float
) -> int:
    """Leave the hits of geom ``g`` and edge ``e`` of a rod; returns how many."""
    # the box between the edge's ends
    a = d.flexvert_xpos[world, m.flexrodedge_vert[e][0]]
    b = d.flexvert_xpos[world, m.flexrodedge_vert[e][1]]
    wide = section_half(m, world, f)
    half = wp.vec3(wide[0], wide[1], 0.5 * wp.length(b - a))
    middle = 0.5 * (a + b)
    frame = material_frame(m, d, world, e)

    # the geom comes first
    kind = m.geom_type[g]
    pos = d.geom_xpos[world, g]
    turn = d.geom_xmat[world, g]
    size = m.geom_size[world, g]
    if kind == MjtGeom.SPHERE:
        return sphere_box(hits, pos, size[0], middle, frame, half, cutoff)
    if kind == MjtGeom.CAPSULE:
        return capsule_box(hits, pos, z_axis(turn), size[0], size[1], middle, frame, half, cutoff)
    return box_box(hits, pos, turn, size, middle, frame, half, cutoff)


@wp.func
def plane_section(m: ModelFields, d: DataFields, hits: Hits, world: int, g: int, f: int, v: int, cutoff: float) -> int:
    """Leave the hits of plane ``g`` and the section of a rod at vertex ``v``, its two lowest corners; returns how many."""
    # how far each axis of the section rises above the plane
    up = z_axis(d.geom_xmat[world, g])
    frame = material_frame(m, d, world, m.flexvert_flatedge[v])
    wide = section_half(m, world, f)
    one = wide[0] * wp.vec3(frame[0, 0], frame[1, 0], frame[2, 0])
    two = wide[1] * wp.vec3(frame[0, 1], frame[1, 1], frame[2, 1])
    if wp.dot(up, one) < 0.0:
        one = -one
    if wp.dot(up, two) < 0.0:
        two = -two

    # the lowest corner, then the other end of the side that rises less
    lowest = d.flexvert_xpos[world, v] - one - two
    side = wp.where(wp.dot(up, one) < wp.dot(up, two), one, two)
    origin = d.geom_xpos[world, g]
    n = plane_point(hits, 0, origin, up, lowest, 0.0, no_tangent(), cutoff)
    return n + plane_point(hits, n, origin, up, lowest + 2.0 * side, 0.0, no_tangent(), cutoff)
