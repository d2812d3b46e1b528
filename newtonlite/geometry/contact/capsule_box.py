"""Capsule against box: nearest point of the segment, and a second one where the segment runs along the box.

Everything is in the frame of the box. The segment is ``mid + t axis half`` with t in -1..1. The first hit is at the
nearest t, found among the two ends (over a face, or inside) and the twelve edges of the box. From there the second
follows the segment over the box as far as the segment or the box goes. Both are then balls against the box.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.geometry.contact.hits import PARALLEL, Hits, component, unit_axis
from newtonlite.geometry.contact.sphere import ball_in_box_frame

NO_SECOND = -10.0
"""Step along the segment that stands for: no second hit."""

FAR = 1.0e30
"""Squared distance that stands for: none."""

TIE = 1.0e-6
"""Distances closer than this, relative to the size, are equal, and the candidate tried first stays."""


@wp.struct
class Nearest:
    """Nearest points of a segment and a box."""

    dist2: float  # squared distance, FAR where there is none
    t: float  # point of the segment, -1..1
    face: int  # axis of the face an end lies over, -1 for inside, -2 for: an edge or a corner
    edge: int  # axis of the edge
    corner: int  # bit k set: the corner (or the edge's lower corner) is on the high side of axis k
    held: int  # 1 within the edge, 0 or 2 at its low or high corner
    u: float  # point of the edge, -1..1


@wp.func
def within_edge_of(inner: Nearest, corner: Nearest) -> bool:
    """Whether one is within an edge and the other at an end of that edge, which is then farther away, however little."""
    both = inner.face == -2 and corner.face == -2 and inner.held == 1 and corner.held != 1
    return (
        both and wp.abs(inner.u) < 1.0 - TIE and ((inner.corner ^ corner.corner) | (1 << inner.edge)) == 1 << inner.edge
    )


@wp.func
def nearer(best: Nearest, other: Nearest, slack: float) -> Nearest:
    """The one of smaller distance; the first where they differ by less than ``slack`` and neither is known to be
    nearer.
    """
    if within_edge_of(other, best):
        return other
    if other.dist2 < best.dist2 - slack * wp.sqrt(best.dist2) and not within_edge_of(best, other):
        return other
    return best


@wp.func
def end_over_face(mid: wp.vec3, reach: wp.vec3, half: wp.vec3, t: float) -> Nearest:
    """One end of the segment, if it is inside the box or outside one pair of faces only."""
    end = mid + t * reach
    excess = wp.max(wp.abs(end) - half, wp.vec3(0.0, 0.0, 0.0))
    outside = wp.where(excess[0] > 0.0, 1, 0) + wp.where(excess[1] > 0.0, 1, 0) + wp.where(excess[2] > 0.0, 1, 0)
    end_near = Nearest()
    end_near.dist2 = wp.where(outside < 2, wp.dot(excess, excess), FAR)
    end_near.t = t
    end_near.face = wp.where(excess[0] > 0.0, 0, wp.where(excess[1] > 0.0, 1, wp.where(excess[2] > 0.0, 2, -1)))
    return end_near


@wp.func
def edge_of_box(mid: wp.vec3, axis: wp.vec3, length: float, half: wp.vec3, j: int, corner: int) -> Nearest:
    """The edge along axis ``j`` through ``corner``.

    With y1 along the edge and y2 along the segment, y2 minimises the distance across the edge and y1 follows;
    y1, then y2, are held to their ranges, the other one following.
    """
    along = component(axis, j)
    span = component(half, j)
    lift = component(mid, j)
    to = wp.vec3(
        wp.where((corner & 1) != 0, half[0], -half[0]),
        wp.where((corner & 2) != 0, half[1], -half[1]),
        wp.where((corner & 4) != 0, half[2], -half[2]),
    )
    to = to - mid
    across = to - component(to, j) * unit_axis(j)
    side = axis - along * unit_axis(j)
    sine2 = wp.dot(side, side)
    near = Nearest()
    near.dist2 = FAR
    if sine2 < PARALLEL or span * span * length * length * sine2 < MINVAL:
        return near
    project = wp.dot(across, side)
    y2 = project / sine2
    free = y2 * along + lift
    y1 = wp.clamp(free, -span, span)
    held = wp.where(free > span, 2, wp.where(free < -span, 0, 1))
    y2 = wp.where(held == 1, y2, project + along * (y1 - lift))
    beyond = wp.abs(y2) > length
    y2 = wp.clamp(y2, -length, length)
    free = wp.where(beyond, y2 * along + lift, y1)
    y1 = wp.clamp(free, -span, span)
    held = wp.where(free > span, 2, wp.where(free < -span, 0, held))
    gap = across - y2 * side + (y1 - lift - y2 * along) * unit_axis(j)
    near.dist2 = wp.dot(gap, gap)
    near.t = y2 / length
    near.face = -2
    near.edge = j
    near.corner = wp.where(held == 2, corner | (1 << j), corner)
    near.held = held
    near.u = y1 / span
    return near


@wp.func
def shorter(step: float, candidate: float) -> float:
    """The smaller of two steps, if the candidate goes forward at all."""
    return wp.where(candidate > 0.0 and candidate < step, candidate, step)


@wp.func
def step_over_face(near: Nearest, mid: wp.vec3, reach: wp.vec3, half: wp.vec3) -> float:
    """From an end over a face: along the segment until it leaves the face, or ends."""
    ahead = -near.t
    end = mid + near.t * reach
    step = float(2.0)
    for k in range(3):
        speed = ahead * reach[k]
        limited = shorter(shorter(step, (half[k] - end[k]) / speed), (-half[k] - end[k]) / speed)
        step = wp.where(k == near.face, step, limited)
    return step * ahead


@wp.func
def step_from_corner(near: Nearest, axis: wp.vec3, reach: wp.vec3, half: wp.vec3, heading: int) -> float:
    """From a corner: along the edge nearest the segment's direction, or else over a face."""
    differ = heading ^ near.corner
    if differ == 0 or differ == 7:
        return NO_SECOND
    two_bits = differ == 3 or differ == 5 or differ == 6
    ahead = wp.where(two_bits, -1.0, 1.0)
    k = wp.where(two_bits, 7 - differ, differ) >> 1
    if component(axis, k) * component(axis, k) > 0.5:
        return ahead * wp.min(1.0 - ahead * near.t, 2.0 * component(half, k) / wp.abs(component(reach, k)))
    k1 = (k + 1) % 3
    k2 = (k + 2) % 3
    over1 = 2.0 * component(half, k1) / wp.abs(component(reach, k1))
    over2 = 2.0 * component(half, k2) / wp.abs(component(reach, k2))
    return -ahead * wp.min(1.0 + ahead * near.t, wp.min(over1, over2))


@wp.func
def step_across_edge(near: Nearest, axis: wp.vec3, reach: wp.vec3, half: wp.vec3, heading: int) -> float:
    """From within an edge: over the adjoining face the segment is flatter to, unless it passes the edge outside."""
    differ = (heading ^ near.corner) & (7 - (1 << near.edge))
    if differ != 1 and differ != 2 and differ != 4:
        return NO_SECOND
    k1 = (near.edge + 1) % 3
    k2 = (near.edge + 2) % 3
    k = wp.where(wp.abs(component(axis, k1)) > wp.abs(component(axis, k2)), k1, k2)
    ahead = wp.where((differ & (1 << k)) != 0, 1.0, -1.0)
    rising = wp.where((heading & (1 << near.edge)) != 0, ahead, -ahead)
    over = 2.0 * component(half, k) / wp.abs(component(reach, k))
    left = component(half, near.edge) * (1.0 - rising * near.u) / wp.abs(component(reach, near.edge))
    return ahead * wp.min(1.0 - ahead * near.t, wp.min(over, left))


@wp.func
def second_step(near: Nearest, mid: wp.vec3, axis: wp.vec3, reach: wp.vec3, half: wp.vec3) -> float:
    """From the first hit to the second, in units of the half segment, or NO_SECOND."""
    if near.face == -1:
        return NO_SECOND
    if near.face >= 0:
        return step_over_face(near, mid, reach, half)
    heading = wp.where(axis[0] > TIE, 1, 0) + wp.where(axis[1] > TIE, 2, 0) + wp.where(axis[2] > TIE, 4, 0)
    if near.held == 1:
        return step_across_edge(near, axis, reach, half, heading)
    return step_from_corner(near, axis, reach, half, heading)


@wp.func
def nearest_of_box(mid: wp.vec3, axis: wp.vec3, length: float, half: wp.vec3) -> Nearest:
    """Search the two ends and the twelve edges."""
    slack = TIE * (length + half[0] + half[1] + half[2])
    best = nearer(end_over_face(mid, length * axis, half, -1.0), end_over_face(mid, length * axis, half, 1.0), slack)
    edges = int(12)
    for e in range(edges):
        j = e >> 2
        # two corner bits go to the axes other than j, the lower one first
        bits = e & 3
        corner = wp.where(j == 0, bits << 1, wp.where(j == 1, (bits & 1) | ((bits & 2) << 1), bits))
        best = nearer(best, edge_of_box(mid, axis, length, half, j, corner), slack)
    return best


@wp.func
def capsule_box(
    hits: Hits,
    pos: wp.vec3,
    axis_world: wp.vec3,
    radius: float,
    length: float,
    box_pos: wp.vec3,
    box_mat: wp.mat33,
    half: wp.vec3,
    cutoff: float,
) -> int:
    """Up to two hits. ``length`` is the capsule's half length, ``half`` the box's half sizes."""
    mid = wp.transpose(box_mat) * (pos - box_pos)
    axis = wp.transpose(box_mat) * axis_world
    reach = length * axis
    outside = wp.abs(mid) - wp.abs(reach) - half
    if wp.max(outside[0], wp.max(outside[1], outside[2])) > cutoff + radius:
        return 0
    near = nearest_of_box(mid, axis, length, half)
    if near.dist2 >= FAR:
        return ball_in_box_frame(hits, 0, mid, radius, box_pos, box_mat, half, cutoff)
    step = second_step(near, mid, axis, reach, half)
    n = ball_in_box_frame(hits, 0, mid + near.t * reach, radius, box_pos, box_mat, half, cutoff)
    if step == NO_SECOND:
        return n
    second = mid + (near.t + step) * reach
    return n + ball_in_box_frame(hits, n, second, radius, box_pos, box_mat, half, cutoff)
