"""Overlap of bounding boxes that are given as arrays, standing or on their way, and which bodies may meet."""

import warp as wp

from newtonlite.core.enums import BodyFlags
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.struct
class Boxes:
    """Bounding boxes and the filters of pairs; arrays of length 0 filter nothing."""

    low: wp.array(dtype=wp.vec3)
    high: wp.array(dtype=wp.vec3)
    gap: wp.array(dtype=float)
    travel: wp.array(dtype=wp.vec3)  # displacement until the next call
    group: wp.array(dtype=int)
    world: wp.array(dtype=int)
    body: wp.array(dtype=int)
    flags: wp.array(dtype=int)  # of bodies
    apart: wp.array(dtype=wp.vec2i)  # sorted pairs that never meet
    excluded: int
    kinematic_pairs: int  # 1: kinematic bodies meet each other and what is static
    travel_limit: float  # along the axis of a sweep, negative for none


@wp.func
def gap_of(s: Boxes, a: int) -> float:
    """Width added to a box on all sides."""
    if s.gap.shape[0] == 0:
        return 0.0
    return s.gap[a]


@wp.func
def boxes_overlap_on_the_way(s: Boxes, a: int, b: int) -> bool:
    """Whether two boxes meet at some time of the interval in which their shapes travel."""
    gap = gap_of(s, a) + gap_of(s, b)
    travel = wp.vec3()
    if s.travel.shape[0] > 0:
        travel = s.travel[b] - s.travel[a]
    first = float(0.0)
    last = float(1.0)
    for k in range(3):
        enter = s.low[a][k] - s.high[b][k] - gap
        leave = s.high[a][k] - s.low[b][k] + gap
        v = travel[k]
        if v == 0.0:
            if not (enter <= 0.0 and leave >= 0.0):
                return False
        else:
            first = wp.max(first, wp.min(enter / v, leave / v))
            last = wp.min(last, wp.max(enter / v, leave / v))
    return first <= last


@wp.func
def mobility(s: Boxes, a: int) -> int:
    """0 for a shape of the world, 1 for one of a kinematic body, 2 for others."""
    body = s.body[a]
    if body < 0:
        return 0
    if s.flags.shape[0] > 0 and (s.flags[body] & BodyFlags.KINEMATIC) != 0:
        return 1
    return 2


@wp.func
def bodies_may_meet(s: Boxes, a: int, b: int) -> bool:
    """False for shapes of one body and for two that no force moves."""
    if s.body.shape[0] == 0:
        return True
    if s.body[a] == s.body[b]:
        return False
    one = mobility(s, a)
    other = mobility(s, b)
    if one == 2 or other == 2:
        return True
    return s.kinematic_pairs == 1 and one + other > 0


@wp.func
def is_apart(s: Boxes, a: int, b: int) -> bool:
    """Whether a pair stands in the sorted list of those that never meet."""
    low = int(0)
    high = s.excluded
    while low < high:
        middle = (low + high) / 2
        pair = s.apart[middle]
        if pair[0] < a or (pair[0] == a and pair[1] < b):
            low = middle + 1
        else:
            high = middle
    return low < s.excluded and s.apart[low] == wp.vec2i(a, b)
