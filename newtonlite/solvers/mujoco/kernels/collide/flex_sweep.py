"""Sweep of a flex over its own elements: pairs whose boxes overlap, in the order in which sweep and prune finds them.

Elements begin one after the other along the longest axis of the flex; each meets those that began before it and have not
ended. (Baraff, Dynamic simulation of non-penetrating rigid bodies, 1992.) Contacts keep this order, as in MuJoCo: the
first element of a contact is that which began first, not the one of the lower number.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import SLACK
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import are_apart, element_box, share_body
from newtonlite.solvers.mujoco.kernels.collide.flex_list import list_part
from newtonlite.solvers.mujoco.kernels.collide.sweep_overlap import next_overlap
from newtonlite.solvers.mujoco.kernels.primitives.sort import sort_keys
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync

WORD = wp.constant(wp.int64(32))
LOW_WORD = wp.constant(wp.int64(0xFFFFFFFF))


@wp.func_native("""
    union { float f; int i; } word;
    word.f = x;
    return word.i ^ ((word.i >> 31) & 0x7FFFFFFF);
""")
def order_of(x: float) -> int:
    """An integer that grows with a number."""
    ...


@wp.func
def longest_axis(half: wp.vec3) -> int:
    """Axis of the longest side, of equal ones the first."""
    k = wp.where(half[1] > half[0], 1, 0)
    return wp.where(half[2] > half[k], 2, k)


@wp.func
def begin_of_element(m: ModelFields, d: DataFields, world: int, e: int, axis: int) -> float:
    """Lowest of the vertices of an element along an axis [m]: the same for those that share it."""
    v = m.flexelem_vert[e]
    low = d.flexvert_xpos[world, v[0]][axis]
    for k in range(1, 4):
        low = wp.min(low, d.flexvert_xpos[world, v[k]][axis])
    return low


@wp.func
def swept_element(d: DataFields, world: int, i: int) -> int:
    """FlexElement in place ``i`` of the sweep."""
    return int(d.flexsweep_key[world, i] & LOW_WORD)


@wp.func
def sort_elements(m: ModelFields, d: DataFields, world: int, f: int, lane: int, nlane: int):
    """``flexsweep_key``: elements by where they begin, those that begin together by number; and their boxes in this order,
    for one lane.
    """
    axis = longest_axis(d.flex_box[world, f, 1])
    for i in range(lane, m.flexactive_num[f], nlane):
        e = m.flexactive_elem[m.flexactive_adr[f] + i]
        begin = order_of(begin_of_element(m, d, world, e, axis))
        d.flexsweep_key[world, i] = (wp.int64(begin) << WORD) | wp.int64(e)
    sync()
    sort_keys(d.flexsweep_key, world, m.flexactive_num[f], lane, nlane)
    if one_lane():
        for i in range(m.flexactive_num[f]):
            b = element_box(d, world, swept_element(d, world, i))
            for k in range(3):
                d.flexsweep_box[world, k, i] = b.centre[k]
                d.flexsweep_box[world, 3 + k, i] = b.half[k]


@wp.func
def end_of_element(d: DataFields, world: int, e: int, axis: int) -> float:
    """End of an element along an axis [m]."""
    b = element_box(d, world, e)
    return b.centre[axis] + b.half[axis]


@wp.func
def list_overlaps(m: ModelFields, d: DataFields, world: int, begin: int, i: int, axis: int, listed: int) -> int:
    """List the pairs of the element in place ``i`` with those from place ``begin`` on; how many are listed then. One lane,
    on vectors.
    """
    total = int(listed)
    new = swept_element(d, world, i)
    k = next_overlap(d.flexsweep_box, world, begin, i, axis, SLACK)
    while k < i:
        old = swept_element(d, world, k)
        if not share_body(m, old, new):
            d.flexnear[world, total] = wp.vec2i(old, new)
            total += 1
        k = next_overlap(d.flexsweep_box, world, k + 1, i, axis, SLACK)
    return total


@wp.func
def near_in_sweep(m: ModelFields, d: DataFields, world: int, f: int, begin: int, lane: int, nlane: int) -> wp.vec2i:
    """Pairs of the elements that begin in places ``begin ..``, while there is room; how many, and where to go on."""
    if begin == 0:
        sort_elements(m, d, world, f, lane, nlane)
    axis = longest_axis(d.flex_box[world, f, 1])
    number = m.flexactive_num[f]
    listed = int(0)
    i = int(begin)
    open_ = int(0)
    while i < number and listed + number <= m.nflexnear:
        # the new element, against all that began before it; the first of them are left out for good when they have ended
        new = swept_element(d, world, i)
        b = element_box(d, world, new)
        start = b.centre[axis] - b.half[axis]
        while open_ < i and end_of_element(d, world, swept_element(d, world, open_), axis) < start:
            open_ += 1
        if one_lane():
            listed = list_overlaps(m, d, world, open_, i, axis, listed)
        else:
            for k in range(open_, i, nlane):
                near = bool(False)
                old = int(0)
                if k + lane < i:
                    old = swept_element(d, world, k + lane)
                    if end_of_element(d, world, old, axis) >= start:
                        near = not are_apart(element_box(d, world, old), b, 0.0) and not share_body(m, old, new)
                listed = list_part(d, world, near, wp.vec2i(old, new), listed)
        i += 1
    return wp.vec2i(listed, i)
