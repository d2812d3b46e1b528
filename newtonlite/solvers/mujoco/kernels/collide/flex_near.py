"""Near parts of flexes: the vertices or elements of a group whose boxes overlap, in the order of contacts.

They are listed in ``flexnear`` a part of a group at a time, as many as there is room for: the list never overflows.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import (
    BLOCK,
    Box,
    are_apart,
    block_box,
    element_box,
    flex_box,
    geom_box,
    share_body,
    touches_body,
)
from newtonlite.solvers.mujoco.kernels.collide.flex_field import near_of_field
from newtonlite.solvers.mujoco.kernels.collide.flex_sweep import near_in_sweep
from newtonlite.solvers.mujoco.kernels.primitives.rod_section import flex_reach
from newtonlite.solvers.mujoco.kernels.primitives.team import team_scan

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
        near = int(0)
        if start + lane < m.flex_vertnum[f]:
            near = wp.where(wp.dot(d.flexvert_xpos[world, first + start + lane] - origin, up) <= reach, 1, 0)
        slots = team_scan(d.team_i, world, near)
        if near == 1:
            d.flexnear[world, listed + slots[0]] = wp.vec2i(-1, first + start + lane)
        listed += slots[1]
    return listed


@wp.struct
class NearSearch:
    """Search for elements of a flex near a box, which can touch what is in it."""

    box: Box
    flex: int
    cutoff: float  # [m]
    body: int  # of the geom in the box, whose vertices do not touch it; -1: none
    element: int  # in the box; -1: none
    own: bool  # whether that is of the same flex: only those after it count


@wp.func
def is_wanted(m: ModelFields, d: DataFields, world: int, s: NearSearch, e: int) -> bool:
    """Whether an element is near, and can touch what is in the box."""
    if (s.own and e <= s.element) or are_apart(s.box, element_box(d, world, e), s.cutoff):
        return False
    if s.element >= 0:
        return not share_body(m, s.element, e)
    return not touches_body(m, e, s.body)


@wp.func
def near_in_block(
    m: ModelFields, d: DataFields, world: int, s: NearSearch, k: int, listed: int, lane: int, nlane: int
) -> int:
    """List the wanted elements of block ``k`` of a flex; returns how many are listed then."""
    total = int(listed)
    first = m.flexactive_adr[s.flex]
    last = first + wp.min(BLOCK * (k + 1), m.flexactive_num[s.flex])
    for start in range(first + BLOCK * k, last, nlane):
        near = int(0)
        e = int(-1)
        if start + lane < last:
            e = m.flexactive_elem[start + lane]
            near = wp.where(is_wanted(m, d, world, s, e), 1, 0)
        slots = team_scan(d.team_i, world, near)
        if near == 1:
            d.flexnear[world, total + slots[0]] = wp.vec2i(s.element, e)
        total += slots[1]
    return total


@wp.func
def near_of_box(m: ModelFields, d: DataFields, world: int, s: NearSearch, listed: int, lane: int, nlane: int) -> int:
    """``near_in_block`` over the blocks of a flex that are near; of its own element's flex from that on."""
    total = int(listed)
    if not are_apart(s.box, flex_box(d, world, s.flex), s.cutoff):
        first = m.flexactive_adr[s.flex]
        number = m.flexactive_num[s.flex]
        for k in range((number + BLOCK - 1) / BLOCK):
            if not are_apart(s.box, block_box(d, world, m.flexblock_adr[s.flex] + k), s.cutoff):
                last = m.flexactive_elem[first + wp.min(BLOCK * (k + 1), number) - 1]
                if not s.own or last > s.element:
                    total = near_in_block(m, d, world, s, k, total, lane, nlane)
    return total


@wp.func
def near_of_flex(
    m: ModelFields, d: DataFields, world: int, group: int, cutoff: float, begin: int, lane: int, nlane: int
) -> wp.vec2i:
    """Elements of the second flex, or of the same after it, that each of the first is near, in turn from number
    ``begin`` on while there is room; how many, and with which to go on.
    """
    f1 = m.flexgroup_other[group]
    s = NearSearch()
    s.flex = m.flexgroup_flex[group]
    s.cutoff = cutoff
    s.body = -1
    s.own = f1 == s.flex
    apart = are_apart(flex_box(d, world, f1), flex_box(d, world, s.flex), cutoff)
    listed = int(0)
    i = int(begin)
    while i < m.flexactive_num[f1] and listed + m.flexactive_num[s.flex] <= m.nflexnear:
        if not apart:
            s.element = m.flexactive_elem[m.flexactive_adr[f1] + i]
            s.box = element_box(d, world, s.element)
            listed = near_of_box(m, d, world, s, listed, lane, nlane)
        i += 1
    return wp.vec2i(listed, i)


@wp.func
def near_of_geom(m: ModelFields, d: DataFields, world: int, group: int, cutoff: float, lane: int, nlane: int) -> int:
    """Elements of a group's flex that are near its geom; how many."""
    s = NearSearch()
    s.flex = m.flexgroup_flex[group]
    s.cutoff = cutoff
    s.body = m.flexgroup_body[group]
    s.element = -1
    s.box = geom_box(m, d, world, m.flexgroup_other[group])
    return near_of_box(m, d, world, s, 0, lane, nlane)


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
