"""Near parts of flexes: the vertices or elements of a group whose boxes overlap, in the order of contacts.

They are listed in ``flexnear`` a part of a group at a time, as many as there is room for: the list never overflows.
"""

from typing import Any

import warp as wp

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
from newtonlite.solvers.mujoco.kernels.collide.flex_sweep import near_in_sweep
from newtonlite.solvers.mujoco.kernels.primitives.team import team_scan

PLANE = wp.constant(0)
GEOM = wp.constant(1)
CONVEX = wp.constant(2)
FLEX = wp.constant(3)
SELF = wp.constant(4)
SWEEP = wp.constant(5)
"""Kinds of groups (``flexgroup_kind``)."""


@wp.func
def near_of_plane(m: Any, d: Any, world: int, g: int, f: int, cutoff: float, lane: int, nlane: int) -> int:
    """Vertices within ``cutoff`` and their radius of a plane."""
    turn = d.geom_xmat[world, g]
    up = wp.vec3(turn[0, 2], turn[1, 2], turn[2, 2])
    origin = d.geom_xpos[world, g]
    reach = cutoff + m.flex_radius[world, f]
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


@wp.func
def near_in_block(
    m: Any,
    d: Any,
    world: int,
    e1: int,
    own: bool,
    b: int,
    box: Box,
    f: int,
    k: int,
    cutoff: float,
    listed: int,
    lane: int,
    nlane: int,
) -> int:
    """List the elements of block ``k`` of a flex whose boxes are near ``box`` and that can touch what is in it: an element
    ``e1``, in its ``own`` flex those after it, or a geom of body ``b``. Returns how many are listed then.
    """
    first = m.flexactive_adr[f]
    last = first + wp.min(BLOCK * (k + 1), m.flexactive_num[f])
    for start in range(first + BLOCK * k, last, nlane):
        near = int(0)
        e = int(-1)
        if start + lane < last:
            e = m.flexactive_elem[start + lane]
            if not (own and e <= e1) and not are_apart(box, element_box(d, world, e), cutoff):
                near = 1
                if e1 >= 0 and share_body(m, e1, e) or b >= 0 and touches_body(m, e, b):
                    near = 0
        slots = team_scan(d.team_i, world, near)
        if near == 1:
            d.flexnear[world, listed + slots[0]] = wp.vec2i(e1, e)
        listed += slots[1]
    return listed


@wp.func
def near_of_box(
    m: Any,
    d: Any,
    world: int,
    e1: int,
    own: bool,
    b: int,
    box: Box,
    f: int,
    cutoff: float,
    listed: int,
    lane: int,
    nlane: int,
) -> int:
    """``near_in_block`` over the blocks of a flex that are near, from that of ``e1`` on in its own."""
    if are_apart(box, flex_box(d, world, f), cutoff):
        return listed
    for k in range((m.flexactive_num[f] + BLOCK - 1) / BLOCK):
        if not are_apart(box, block_box(d, world, m.flexblock_adr[f] + k), cutoff):
            last = m.flexactive_elem[m.flexactive_adr[f] + wp.min(BLOCK * (k + 1), m.flexactive_num[f]) - 1]
            if not own or last > e1:
                listed = near_in_block(m, d, world, e1, own, b, box, f, k, cutoff, listed, lane, nlane)
    return listed


@wp.func
def near_of_flex(
    m: Any, d: Any, world: int, f1: int, f2: int, cutoff: float, begin: int, lane: int, nlane: int
) -> wp.vec2i:
    """Elements of the second flex, or of the same after it, that each of the first is near, in turn from number
    ``begin`` on while there is room; how many, and with which to go on.
    """
    listed = int(0)
    i = int(begin)
    apart = are_apart(flex_box(d, world, f1), flex_box(d, world, f2), cutoff)
    while i < m.flexactive_num[f1] and listed + m.flexactive_num[f2] <= m.nflexnear:
        if not apart:
            e1 = m.flexactive_elem[m.flexactive_adr[f1] + i]
            box = element_box(d, world, e1)
            listed = near_of_box(m, d, world, e1, f1 == f2, -1, box, f2, cutoff, listed, lane, nlane)
        i += 1
    return wp.vec2i(listed, i)


@wp.func
def list_near(m: Any, d: Any, world: int, group: int, cutoff: float, begin: int, lane: int, nlane: int) -> wp.vec2i:
    """Near parts of a group from place ``begin`` on; how many, and where to go on, -1 at the end."""
    kind = m.flexgroup_kind[group]
    f = m.flexgroup_flex[group]
    other = m.flexgroup_other[group]
    if kind == PLANE:
        return wp.vec2i(near_of_plane(m, d, world, other, f, cutoff, lane, nlane), -1)
    if kind <= CONVEX:
        box = geom_box(m, d, world, other)
        return wp.vec2i(near_of_box(m, d, world, -1, False, m.geom_bodyid[other], box, f, cutoff, 0, lane, nlane), -1)
    found = wp.vec2i(0, 0)
    if m.nflexsweep > 0 and kind == SWEEP:
        found = near_in_sweep(m, d, world, f, begin, lane, nlane)
    elif m.nflexpair > 0:
        found = near_of_flex(m, d, world, other, f, cutoff, begin, lane, nlane)
    if found[1] >= m.flexactive_num[other]:
        found[1] = -1
    return found
