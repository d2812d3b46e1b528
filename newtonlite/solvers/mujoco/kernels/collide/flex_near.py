"""Near parts of flexes: the vertices or elements of a group whose boxes overlap, in the order of contacts.

They are listed in ``flexnear`` a part of a group at a time, as many as there is room for: the list never overflows.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import SLACK
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import (
    Box,
    are_apart,
    box_at,
    element_box,
    flex_box,
    geom_box,
    number_of_blocks,
    span_of_block,
    touches_body,
    turned_box,
)
from newtonlite.solvers.mujoco.kernels.collide.flex_field import near_of_field
from newtonlite.solvers.mujoco.kernels.collide.flex_list import element_at, list_part
from newtonlite.solvers.mujoco.kernels.collide.flex_pairs import near_of_flex
from newtonlite.solvers.mujoco.kernels.collide.flex_sweep import near_in_sweep
from newtonlite.solvers.mujoco.kernels.primitives.corners import higher, lower
from newtonlite.solvers.mujoco.kernels.primitives.rod_section import flex_reach

VERTICES = wp.constant(0)
FIELD = wp.constant(1)
CLOSED_FORM = wp.constant(2)
CONVEX = wp.constant(3)
OTHER_FLEX = wp.constant(4)
SELF = wp.constant(5)
SWEEP = wp.constant(6)
"""Kinds of groups (``flexgroup_kind``)."""


@wp.func
def near_of_plane(
    m: ModelFields, d: DataFields, world: int, g: int, f: int, cutoff: float, lane: int, nlane: int
) -> int:
    """Vertices within ``cutoff`` and the reach of their flex of a plane."""
    turn = d.geom_xmat[world, g]
    up = wp.vec3(turn[0, 2], turn[1, 2], turn[2, 2])
    origin = d.geom_xpos[world, g]
    reach = cutoff + flex_reach(m, world, f)
    first = m.flex_vertadr[f]
    listed = int(0)
    for start in range(0, m.flex_vertnum[f], nlane):
        v = first + start + lane
        near = bool(False)
        if start + lane < m.flex_vertnum[f]:
            near = wp.dot(d.flexvert_xpos[world, v] - origin, up) <= reach
        listed = list_part(d, world, near, wp.vec2i(-1, v), listed)
    return listed


@wp.struct
class NearSearch:
    """Search for elements of a flex near a geom and the box about it."""

    box: Box
    turned: Box  # the same as seen along the axes of ``turn``
    turn: wp.mat33
    reach: float  # by which the flex is thicker than its vertices, and how near [m]
    flex: int
    cutoff: float  # [m]
    body: int  # of the geom, whose vertices do not touch it


@wp.func
def is_beyond_face(m: ModelFields, d: DataFields, world: int, s: NearSearch, e: int) -> bool:
    """Whether all vertices of an element are beyond one face of the turned box, by more than rounding."""
    v = m.flexelem_vert[e]
    low = wp.transpose(s.turn) * (d.flexvert_xpos[world, v[0]] - s.turned.centre)
    high = low
    for k in range(1, 4):
        corner = wp.transpose(s.turn) * (d.flexvert_xpos[world, v[k]] - s.turned.centre)
        low = lower(low, corner)
        high = higher(high, corner)
    for k in range(3):
        least = s.turned.half[k] + s.reach
        if wp.max(low[k], -high[k]) > least + SLACK * (wp.abs(low[k]) + wp.abs(high[k])):
            return True
    return False


@wp.func
def is_wanted(m: ModelFields, d: DataFields, world: int, s: NearSearch, e: int) -> bool:
    """Whether an element is near, and can touch the geom in the box."""
    if are_apart(s.box, element_box(d, world, e), s.cutoff) or touches_body(m, e, s.body):
        return False
    return not is_beyond_face(m, d, world, s, e)


@wp.func
def near_in_block(
    m: ModelFields, d: DataFields, world: int, s: NearSearch, k: int, listed: int, lane: int, nlane: int
) -> int:
    """List the wanted elements of block ``k`` of a flex; returns how many are listed then."""
    total = int(listed)
    span = span_of_block(m, s.flex, k)
    for start in range(span[0], span[1], nlane):
        e = element_at(m.flexactive_elem, start + lane, span[1])
        near = bool(False)
        if e >= 0:
            near = is_wanted(m, d, world, s, e)
        total = list_part(d, world, near, wp.vec2i(-1, e), total)
    return total


@wp.func
def near_of_geom(m: ModelFields, d: DataFields, world: int, group: int, cutoff: float, lane: int, nlane: int) -> int:
    """Elements of a group's flex that are near its geom; how many."""
    g = m.flexgroup_other[group]
    s = NearSearch()
    s.flex = m.flexgroup_flex[group]
    s.cutoff = cutoff
    s.body = m.flexgroup_body[group]
    s.box = geom_box(m, d, world, g)
    s.turn = d.geom_xmat[world, g]
    s.turned = turned_box(m, d, world, g)
    s.reach = cutoff + flex_reach(m, world, s.flex)
    listed = int(0)
    if not are_apart(s.box, flex_box(d, world, s.flex), cutoff):
        for k in range(number_of_blocks(m, s.flex)):
            if not are_apart(s.box, box_at(d.flexblock_box, world, m.flexblock_adr[s.flex] + k), cutoff):
                listed = near_in_block(m, d, world, s, k, listed, lane, nlane)
    return listed


@wp.func
def list_near(
    m: ModelFields, d: DataFields, world: int, group: int, cutoff: float, begin: int, lane: int, nlane: int
) -> wp.vec2i:
    """Near parts of a group from place ``begin`` on; how many, and where to go on, -1 at the end."""
    kind = m.flexgroup_kind[group]
    f = m.flexgroup_flex[group]
    other = m.flexgroup_other[group]
    if kind == VERTICES:
        return wp.vec2i(near_of_plane(m, d, world, other, f, cutoff, lane, nlane), -1)
    if m.nflexfield > 0 and kind == FIELD:
        return wp.vec2i(near_of_field(m, d, world, group, lane, nlane), -1)
    if kind <= CONVEX:
        return wp.vec2i(near_of_geom(m, d, world, group, cutoff, lane, nlane), -1)
    found = wp.vec2i(0, 0)
    if m.nflexsweep > 0 and kind == SWEEP:
        found = near_in_sweep(m, d, world, f, begin, lane, nlane)
    elif m.nflexpair > 0:
        found = near_of_flex(m, d, world, group, cutoff, begin, lane, nlane)
    if found[1] >= m.flexactive_num[other]:
        found[1] = -1
    return found
