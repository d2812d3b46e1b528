"""A capsule against a box: the nearest point of its segment, and a second one where the segment runs along the box.

Everything is in the frame of the box. The segment is ``mid + t axis half`` with t in -1..1. The first hit is at the
nearest t, found among the two ends (over a face, or inside) and the twelve edges of the box. From there the second
follows the segment over the box as far as the segment or the box goes. Both are then balls against the box.
"""

import warp as wp

from newtonlite.geometry.contact.hits import PARALLEL, Hits, pick, unit
from newtonlite.geometry.contact.sphere import ball_in_box_frame

NO_SECOND = -10.0
"""Step along the segment that stands for: no second hit."""

TIE = 1.0e-6
"""Distances closer than this, relative to the size, are equal, and the candidate tried first stays."""


@wp.struct
class Nearest:
    """Where segment and box are nearest."""

    dist2: float  # squared distance; negative before anything is found
    t: float  # point of the segment, -1..1
    face: int  # axis of the face an end lies over, -1 for inside, -2 for: an edge or a corner
    edge: int  # axis of the edge
    corner: int  # bit k set: the corner (or the edge's lower corner) is on the high side of axis k
    middle: bool  # within the edge, not at its corner
    u: float  # point of the edge, -1..1


@wp.func
def end_over_face(best: Nearest, mid: wp.vec3, reach: wp.vec3, half: wp.vec3, t: float, slack: float) -> Nearest:
    """Consider one end of the segment, if it is inside the box or outside one pair of faces only."""
    end = mid + t * reach
    outside = int(0)
    face = int(-1)
    dist2 = float(0.0)
    for k in range(3):
        excess = wp.abs(end[k]) - half[k]
        if excess > 0.0:
            outside += 1
            face = k
            dist2 = excess * excess
    if outside < 2 and (best.dist2 < 0.0 or dist2 < best.dist2 - slack * wp.sqrt(best.dist2)):
        best.dist2 = dist2
        best.t = t
        best.face = face
    return best


@wp.func
def edge_of_box(
    best: Nearest, mid: wp.vec3, axis: wp.vec3, length: float, half: wp.vec3, j: int, corner: int, slack: float
) -> Nearest:
    """Consider the edge along axis ``j`` through ``corner``.

    With y1 along the edge and y2 along the segment, y2 minimises the distance across the edge and y1 follows;
    y1, then y2, are held to their ranges, the other one following.
    """
    along = pick(axis, j)
    span = pick(half, j)
    lift = pick(mid, j)
    to = wp.vec3(
        wp.where((corner & 1) != 0, half[0], -half[0]) - mid[0],
        wp.where((corner & 2) != 0, half[1], -half[1]) - mid[1],
        wp.where((corner & 4) != 0, half[2], -half[2]) - mid[2],
    )
    across = to - pick(to, j) * unit(j)
    side = axis - along * unit(j)
    sine2 = wp.dot(side, side)
    if sine2 < PARALLEL or span * span * length * length * sine2 < 1.0e-15:
        return best
    project = wp.dot(across, side)
    y2 = project / sine2
    y1 = y2 * along + lift
    held = int(1)
    if wp.abs(y1) > span:
        held = wp.where(y1 > 0.0, 2, 0)
        y1 = wp.where(y1 > 0.0, span, -span)
        y2 = project + along * (y1 - lift)
    if wp.abs(y2) > length:
        y2 = wp.where(y2 > 0.0, length, -length)
        y1 = y2 * along + lift
        if wp.abs(y1) > span:
            held = wp.where(y1 > 0.0, 2, 0)
            y1 = wp.where(y1 > 0.0, span, -span)
    gap = across - y2 * side + (y1 - lift - y2 * along) * unit(j)
    dist2 = wp.dot(gap, gap)
    if best.dist2 < 0.0 or dist2 < best.dist2 - slack * wp.sqrt(best.dist2):
        best.dist2 = dist2
        best.t = y2 / length
        best.u = y1 / span
        best.face = -2
        best.edge = j
        best.middle = held == 1
        best.corner = wp.where(held == 2, corner | (1 << j), corner)
    return best


@wp.func
def step_over_face(near: Nearest, mid: wp.vec3, reach: wp.vec3, half: wp.vec3) -> float:
    """From an end over a face: along the segment until it leaves the face, or ends."""
    ahead = -near.t
    end = mid + near.t * reach
    step = float(2.0)
    for k in range(3):
        if k != near.face:
            speed = ahead * reach[k]
            to_high = (half[k] - end[k]) / speed
            to_low = (-half[k] - end[k]) / speed
            if to_high > 0.0 and to_high < step:
                step = to_high
            if to_low > 0.0 and to_low < step:
                step = to_low
    return step * ahead


@wp.func
def step_from_corner(near: Nearest, axis: wp.vec3, reach: wp.vec3, half: wp.vec3, heading: int) -> float:
    """From a corner: along the edge nearest the segment's direction, or else over a face."""
    differ = heading ^ near.corner
    if differ == 0 or differ == 7:
        return NO_SECOND
    ahead = float(1.0)
    if differ == 3 or differ == 5 or differ == 6:
        ahead = -1.0
        differ = 7 - differ
    k = differ >> 1
    if pick(axis, k) * pick(axis, k) > 0.5:
        return ahead * wp.min(1.0 - ahead * near.t, 2.0 * pick(half, k) / wp.abs(pick(reach, k)))
    k1 = (k + 1) % 3
    k2 = (k + 2) % 3
    step = 1.0 + ahead * near.t
    step = wp.min(step, 2.0 * pick(half, k1) / wp.abs(pick(reach, k1)))
    step = wp.min(step, 2.0 * pick(half, k2) / wp.abs(pick(reach, k2)))
    return -ahead * step


@wp.func
def step_across_edge(near: Nearest, axis: wp.vec3, reach: wp.vec3, half: wp.vec3, heading: int) -> float:
    """From within an edge: over the adjoining face the segment is flatter to, unless it passes the edge outside."""
    differ = (heading ^ near.corner) & (7 - (1 << near.edge))
    if differ != 1 and differ != 2 and differ != 4:
        return NO_SECOND
    k = (near.edge + 1) % 3
    other = (near.edge + 2) % 3
    if wp.abs(pick(axis, k)) <= wp.abs(pick(axis, other)):
        k = other
    ahead = wp.where((differ & (1 << k)) != 0, 1.0, -1.0)
    step = wp.min(1.0 - ahead * near.t, 2.0 * pick(half, k) / wp.abs(pick(reach, k)))
    rising = wp.where((heading & (1 << near.edge)) != 0, ahead, -ahead)
    left = pick(half, near.edge) * (1.0 - rising * near.u) / wp.abs(pick(reach, near.edge))
    return ahead * wp.min(step, left)


@wp.func
def nearest_of_box(mid: wp.vec3, axis: wp.vec3, length: float, half: wp.vec3) -> Nearest:
    """Search the two ends and the twelve edges."""
    best = Nearest()
    best.dist2 = -1.0
    slack = TIE * (length + half[0] + half[1] + half[2])
    best = end_over_face(best, mid, length * axis, half, -1.0, slack)
    best = end_over_face(best, mid, length * axis, half, 1.0, slack)
    edges = int(12)
    for e in range(edges):
        j = e >> 2
        # two corner bits go to the axes other than j, the lower one first
        bits = e & 3
        corner = wp.where(j == 0, bits << 1, wp.where(j == 1, (bits & 1) | ((bits & 2) << 1), bits))
        best = edge_of_box(best, mid, axis, length, half, j, corner, slack)
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
    far = cutoff + radius
    for k in range(3):
        if wp.abs(mid[k]) - wp.abs(reach[k]) - half[k] > far:
            return 0
    near = nearest_of_box(mid, axis, length, half)
    if near.dist2 < 0.0:
        return ball_in_box_frame(hits, 0, mid, radius, box_pos, box_mat, half, cutoff)
    heading = wp.where(axis[0] > TIE, 1, 0) + wp.where(axis[1] > TIE, 2, 0) + wp.where(axis[2] > TIE, 4, 0)
    step = float(NO_SECOND)
    if near.face >= 0:
        step = step_over_face(near, mid, reach, half)
    elif near.face == -2 and near.middle:
        step = step_across_edge(near, axis, reach, half, heading)
    elif near.face == -2:
        step = step_from_corner(near, axis, reach, half, heading)
    n = ball_in_box_frame(hits, 0, mid + near.t * reach, radius, box_pos, box_mat, half, cutoff)
    if step > NO_SECOND:
        second = mid + (near.t + step) * reach
        n += ball_in_box_frame(hits, n, second, radius, box_pos, box_mat, half, cutoff)
    return n
