"""Bounding boxes as arrays: which of them overlap, standing or on their way, and which pairs of shapes may meet."""

import warp as wp

from newtonlite.core.enums import BodyFlags
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.struct
class Boxes:
    """Bounding boxes and the filters of pairs; arrays of length 0 filter nothing."""

    low: wp.array[wp.vec3]
    high: wp.array[wp.vec3]
    gap: wp.array[float]
    travel: wp.array[wp.vec3]  # displacement until the next call
    group: wp.array[int]
    world: wp.array[int]
    body: wp.array[int]
    flags: wp.array[int]  # of bodies
    apart: wp.array[wp.vec2i]  # sorted pairs that never meet
    excluded: int
    kinematic_pairs: int  # 1: kinematic bodies meet each other and what is static
    travel_limit: float  # along the axis of a sweep, negative for none
    role: wp.array[int]  # of shapes, numbers of rows and columns of ``ways``
    ways: wp.array2d[int]  # bits of the methods by which shapes of two roles are collided
    way: int  # the bit that counts


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
def overlap(s: Boxes, a: int, b: int) -> float:
    """Least overlap of two boxes along an axis [m]; negative where they are apart, or are no numbers."""
    least = float(1.0e30)
    for k in range(3):
        if s.low[a][k] <= s.high[b][k] and s.low[b][k] <= s.high[a][k]:
            least = wp.min(least, wp.min(s.high[b][k] - s.low[a][k], s.high[a][k] - s.low[b][k]))
        else:
            least = -1.0
    return least


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
def groups_match(a: int, b: int) -> bool:
    """Whether collision groups let shapes meet: 0 meets none; positive ones their own; negative ones all but their own."""
    match = a == b
    if a < 0 or b < 0:
        match = a != b
    return match and a != 0 and b != 0


@wp.func
def is_listed(pairs: wp.array[wp.vec2i], count: int, low: int, high: int) -> bool:
    """Whether a pair is among the first ``count``, which are sorted."""
    first = int(0)
    last = int(count)
    while first < last:
        middle = (first + last) >> 1
        pair = pairs[middle]
        if pair[0] < low or (pair[0] == low and pair[1] < high):
            first = middle + 1
        else:
            last = middle
    if first == count:
        return False
    return pairs[first][0] == low and pairs[first][1] == high


@wp.func
def may_meet(s: Boxes, a: int, b: int, shared_segment: bool) -> bool:
    """Whether two shapes of a segment are a pair if they are near; two that are in all worlds are one in the last segment
    alone.
    """
    one = s.world[a]
    other = s.world[b]
    if one >= 0 and other >= 0 and one != other:
        return False
    if (one < 0 and other < 0) != shared_segment:
        return False
    if s.role.shape[0] > 0 and (s.ways[s.role[a], s.role[b]] & s.way) == 0:
        return False
    return groups_match(s.group[a], s.group[b]) and bodies_may_meet(s, a, b)
