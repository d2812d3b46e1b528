"""Separating axis test of two boxes over fifteen directions.

Three face normals of each box and the nine cross products of their edges. The axis of greatest separation says how the
boxes touch: a face axis with a patch, an edge axis at the one point between two edges. Faces win near ties, because a
patch holds a resting box and a point does not.
"""

import warp as wp

from newtonlite.geometry.contact.hits import column, unit_axis

SEPARATION = 1.0e-6
"""Rounding of a separation, relative to the sum of the half sizes, where it decides between features."""

TOUCHING = 1.2e-7
"""The same, in which boxes that touch may seem apart: a contact more or less there carries nothing."""

PARALLEL_EDGES = 1.0e-7
"""Squared sine below which the cross product of two edges is noise; the face normals cover that direction."""

EDGE_BIAS = 1.0e-6
"""An edge axis must beat the others by this, relatively."""

NO_AXIS = -1
FIRST_EDGE_AXIS = 6


@wp.struct
class BoxPair:
    """Two boxes; ``turn`` (the axes of box 2 as columns) and ``offset`` are in the frame of box 1."""

    turn: wp.mat33
    offset: wp.vec3  # centre of box 2
    half1: wp.vec3
    half2: wp.vec3


@wp.func
def rounding(pair: BoxPair) -> float:
    """Rounding error of a distance between the boxes."""
    both = pair.half1 + pair.half2
    return SEPARATION * (both[0] + both[1] + both[2])


@wp.func
def touching(pair: BoxPair) -> float:
    """Distance up to which boxes count as touching: their positions differ by rounding."""
    both = pair.half1 + pair.half2
    return TOUCHING * (both[0] + both[1] + both[2])


@wp.func
def edge_axis(pair: BoxPair, i: int, j: int) -> wp.vec3:
    """Unit direction across edge ``i`` of box 1 and edge ``j`` of box 2, from box 1 toward box 2."""
    axis = wp.normalize(wp.cross(unit_axis(i), column(pair.turn, j)))
    if wp.dot(axis, pair.offset) < 0.0:
        axis = -axis
    return axis


@wp.func
def edge_separation(pair: BoxPair, i: int, j: int) -> float:
    """Separation across edge ``i`` of box 1 and edge ``j`` of box 2; very negative where they are parallel."""
    # unit_axis(i) x column(turn, j) has components only along k and l
    k = (i + 1) % 3
    l = (i + 2) % 3  # noqa: E741
    p = (j + 1) % 3
    q = (j + 2) % 3
    sine2 = pair.turn[l, j] * pair.turn[l, j] + pair.turn[k, j] * pair.turn[k, j]
    if sine2 < PARALLEL_EDGES:
        return -1.0e30
    scale = 1.0 / wp.sqrt(sine2)
    ak = -pair.turn[l, j] * scale
    al = pair.turn[k, j] * scale
    ap = wp.abs(ak * pair.turn[k, p] + al * pair.turn[l, p])
    aq = wp.abs(ak * pair.turn[k, q] + al * pair.turn[l, q])
    radius1 = pair.half1[k] * wp.abs(ak) + pair.half1[l] * wp.abs(al)
    radius2 = pair.half2[p] * ap + pair.half2[q] * aq
    return wp.abs(ak * pair.offset[k] + al * pair.offset[l]) - radius1 - radius2


@wp.func
def least_overlap_axis(pair: BoxPair, limit: float) -> int:
    """0..2: a face of box 1; 3..5: of box 2; 6 + 3 i + j: edges i and j; NO_AXIS where separated beyond ``limit``."""
    best = float(-1.0e30)
    code = int(NO_AXIS)
    for i in range(3):
        row = wp.vec3(pair.turn[i, 0], pair.turn[i, 1], pair.turn[i, 2])
        separation = wp.abs(pair.offset[i]) - pair.half1[i] - wp.dot(wp.abs(row), pair.half2)
        if separation > limit:
            return NO_AXIS
        code = wp.where(separation > best, i, code)
        best = wp.max(separation, best)
    for i in range(3):
        axis = wp.vec3(pair.turn[0, i], pair.turn[1, i], pair.turn[2, i])
        separation = wp.abs(wp.dot(axis, pair.offset)) - pair.half2[i] - wp.dot(wp.abs(axis), pair.half1)
        if separation > limit:
            return NO_AXIS
        code = wp.where(separation > best, 3 + i, code)
        best = wp.max(separation, best)
    face = code
    face_best = best
    for i in range(3):
        for j in range(3):
            separation = edge_separation(pair, i, j)
            if separation > limit:
                return NO_AXIS
            wins = separation - EDGE_BIAS * wp.abs(separation) > best and separation > face_best
            code = wp.where(wins, FIRST_EDGE_AXIS + 3 * i + j, code)
            best = wp.where(wins, separation, best)
    if code >= FIRST_EDGE_AXIS and best < face_best + 0.05 * wp.abs(face_best):
        # an edge axis within 8 degrees of the best face and no more than 5 % better is that face
        crossing = edge_axis(pair, (code - FIRST_EDGE_AXIS) // 3, (code - FIRST_EDGE_AXIS) % 3)
        normal = wp.where(face < 3, unit_axis(face), column(pair.turn, face - 3))
        if wp.abs(wp.dot(crossing, normal)) > 0.99:
            return face
    return code
