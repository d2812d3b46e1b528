"""Box against box: face clipping or edge contact along the axis of least overlap.

A face axis gives a patch: the opposing face of the other box, clipped by the four sides of the reference face, up to
eight points. The polygon is clipped back and forth between the staging rows of positions and normals, so that it takes
no registers.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.geometry.contact.box_axis import (
    FIRST_EDGE_AXIS,
    NO_AXIS,
    BoxPair,
    edge_axis,
    least_overlap_axis,
    rounding,
    touching,
)
from newtonlite.geometry.contact.hits import (
    MAX_HITS,
    Hits,
    column,
    component,
    load_point,
    no_tangent,
    put_hit,
    store,
    unit_axis,
)

UNDECIDED = 1.0e-5
"""Component of the axis below which both corners of a box are equally near."""

SAME_VERTEX = 1.0e-10
"""Squared distance of two vertices of a patch that are one, relative to the squared size of the face."""


@wp.func
def support(direction: wp.vec3, half: wp.vec3, without: int) -> wp.vec3:
    """Corner of a box farthest along ``direction``; its coordinate ``without`` is left at zero."""
    corner = wp.vec3(
        wp.where(direction[0] >= 0.0, half[0], -half[0]),
        wp.where(direction[1] >= 0.0, half[1], -half[1]),
        wp.where(direction[2] >= 0.0, half[2], -half[2]),
    )
    return corner - component(corner, without) * unit_axis(without)


@wp.func
def undecided(direction: wp.vec3, without: int) -> int:
    """Coordinate along which the support is undecided, or -1."""
    k = (without + 1) % 3
    l = (without + 2) % 3  # noqa: E741
    return wp.where(
        wp.abs(component(direction, k)) < UNDECIDED, k, wp.where(wp.abs(component(direction, l)) < UNDECIDED, l, -1)
    )


@wp.func
def edge_hit(hits: Hits, pair: BoxPair, i: int, j: int, pos1: wp.vec3, mat1: wp.mat33, limit: float) -> int:
    """The point between edge ``i`` of box 1 and edge ``j`` of box 2."""
    axis = edge_axis(pair, i, j)
    axis2 = wp.transpose(pair.turn) * axis
    along = column(pair.turn, j)
    dot = component(along, i)
    sine2 = wp.max(1.0 - dot * dot, MINVAL)
    span1 = component(pair.half1, i)
    span2 = component(pair.half2, j)
    flip1 = undecided(axis, i)
    flip2 = undecided(axis2, j)
    best = float(1.0e30)
    middle = wp.vec3(0.0, 0.0, 0.0)
    dist = float(0.0)
    choices = int(4)
    for c in range(choices):
        first = (c >> 1) == 0 or flip1 >= 0
        second = (c & 1) == 0 or flip2 >= 0
        if first and second:
            corner1 = support(axis, pair.half1, i)
            if (c >> 1) != 0:
                corner1 = corner1 - 2.0 * component(corner1, flip1) * unit_axis(flip1)
            corner2 = -support(axis2, pair.half2, j)
            if (c & 1) != 0:
                corner2 = corner2 - 2.0 * component(corner2, flip2) * unit_axis(flip2)
            corner2 = pair.turn * corner2 + pair.offset
            apart = corner2 - corner1
            ahead1 = component(apart, i)
            ahead2 = wp.dot(along, apart)
            t1 = wp.clamp((ahead1 - dot * ahead2) / sine2, -span1, span1)
            t2 = wp.clamp(dot * t1 - ahead2, -span2, span2)
            t1 = wp.clamp(ahead1 + dot * t2, -span1, span1)
            point1 = corner1 + t1 * unit_axis(i)
            point2 = corner2 + t2 * along
            gap = point2 - point1
            if wp.dot(gap, gap) < best:
                best = wp.dot(gap, gap)
                middle = 0.5 * (point1 + point2)
                dist = wp.dot(gap, axis)
    if dist > limit:
        return 0
    put_hit(hits, 0, dist, pos1 + mat1 * middle, mat1 * axis, no_tangent())
    return 1


@wp.func
def side_of_line(vertex: wp.vec3, k: int, sign: float, limit: float, eps: float) -> float:
    """Signed distance of a vertex beyond ``sign * vertex[k] = limit``, zero within ``eps``."""
    d = sign * component(vertex, k) - limit
    return wp.where(wp.abs(d) < eps, 0.0, d)


@wp.func
def clip(
    source: wp.array2d[wp.vec3],
    target: wp.array2d[wp.vec3],
    world: int,
    first: int,
    n: int,
    k: int,
    sign: float,
    limit: float,
    eps: float,
) -> int:
    """Copy the part of a convex polygon within a half-plane; returns its number of vertices."""
    m = int(0)
    if n == 0:
        return 0
    vertex = load_point(source, world, first)
    here = side_of_line(vertex, k, sign, limit, eps)
    for a in range(n):
        successor = load_point(source, world, first + wp.where(a + 1 < n, a + 1, 0))
        there = side_of_line(successor, k, sign, limit, eps)
        if here <= 0.0 and m < MAX_HITS:
            store(target, world, first + m, vertex)
            m += 1
        if here * there < 0.0 and m < MAX_HITS:
            crossing = vertex + (here / (here - there)) * (successor - vertex)
            store(target, world, first + m, crossing)
            m += 1
        vertex = successor
        here = there
    return m


@wp.func
def keep_vertices(vertices: wp.array2d[wp.vec3], world: int, first: int, n: int, limit: float, same2: float) -> int:
    """Drop vertices higher than ``limit`` and repeated ones, in place; returns how many stay."""
    kept = int(0)
    for a in range(n):
        vertex = load_point(vertices, world, first + a)
        keep = vertex[2] <= limit
        for b in range(kept):
            other = load_point(vertices, world, first + b)
            dx = other[0] - vertex[0]
            dy = other[1] - vertex[1]
            if dx * dx + dy * dy < same2:
                keep = bool(False)
        if keep:
            store(vertices, world, first + kept, vertex)
            kept += 1
    return kept


@wp.func
def opposing_face(hits: Hits, pair: BoxPair, height: float, a: int, sign: float):
    """Leave the four corners of a face of box 2 in ``hits.pos``, seen from the face of box 1 at ``sign * height`` along
    ``a``.

    A corner is (two coordinates along the reference face, height above it).
    """
    turn = pair.turn
    ax = (a + 1) % 3
    ay = (a + 2) % 3
    tilt = wp.vec3(component(column(turn, 0), a), component(column(turn, 1), a), component(column(turn, 2), a))
    b = int(0)
    if wp.abs(tilt[1]) > wp.abs(tilt[0]):
        b = 1
    if wp.abs(tilt[2]) > wp.abs(component(tilt, b)):
        b = 2
    toward = wp.where(sign * component(tilt, b) > 0.0, -1.0, 1.0)
    center = pair.offset + toward * component(pair.half2, b) * column(turn, b)
    bu = (b + 1) % 3
    bv = (b + 2) % 3
    u = component(pair.half2, bu) * column(turn, bu)
    v = component(pair.half2, bv) * column(turn, bv)
    corners = int(4)
    for k in range(corners):
        su = wp.where(k == 0 or k == 3, 1.0, -1.0)
        sv = wp.where(k < 2, 1.0, -1.0)
        corner = center + su * u + sv * v
        vertex = wp.vec3(component(corner, ax), component(corner, ay), sign * component(corner, a) - height)
        store(hits.pos, hits.world, hits.first + k, vertex)


@wp.func
def face_hits(hits: Hits, pair: BoxPair, pos: wp.vec3, mat: wp.mat33, a: int, outward: float, limit: float) -> int:
    """Up to eight points of a patch on the face of box 1 (pose ``pos``, ``mat``) across its axis ``a``.

    ``outward`` is 1 where box 1 comes first among the geoms and -1 where it comes second.
    """
    sign = wp.where(component(pair.offset, a) >= 0.0, 1.0, -1.0)
    height = component(pair.half1, a)
    opposing_face(hits, pair, height, a, sign)
    ax = (a + 1) % 3
    ay = (a + 2) % 3
    wide = component(pair.half1, ax)
    deep = component(pair.half1, ay)
    eps = rounding(pair)
    n = clip(hits.pos, hits.normal, hits.world, hits.first, 4, 0, 1.0, wide, eps)
    n = clip(hits.normal, hits.pos, hits.world, hits.first, n, 0, -1.0, wide, eps)
    n = clip(hits.pos, hits.normal, hits.world, hits.first, n, 1, 1.0, deep, eps)
    n = clip(hits.normal, hits.pos, hits.world, hits.first, n, 1, -1.0, deep, eps)
    n = keep_vertices(hits.pos, hits.world, hits.first, n, limit, SAME_VERTEX * (wide * wide + deep * deep))
    x = column(mat, ax)
    y = column(mat, ay)
    z = sign * column(mat, a)
    for k in range(n):
        vertex = load_point(hits.pos, hits.world, hits.first + k)
        spot = pos + vertex[0] * x + vertex[1] * y + (height + 0.5 * vertex[2]) * z
        put_hit(hits, k, vertex[2], spot, outward * z, no_tangent())
    return n


@wp.func
def box_box(
    hits: Hits,
    pos1: wp.vec3,
    mat1: wp.mat33,
    half1: wp.vec3,
    pos2: wp.vec3,
    mat2: wp.mat33,
    half2: wp.vec3,
    cutoff: float,
) -> int:
    """Up to eight hits."""
    pair = BoxPair()
    pair.turn = wp.transpose(mat1) * mat2
    pair.offset = wp.transpose(mat1) * (pos2 - pos1)
    pair.half1 = half1
    pair.half2 = half2
    limit = cutoff + touching(pair)
    code = least_overlap_axis(pair, limit)
    if code == NO_AXIS:
        return 0
    if code >= FIRST_EDGE_AXIS:
        edges = code - FIRST_EDGE_AXIS
        return edge_hit(hits, pair, edges // 3, edges % 3, pos1, mat1, limit)
    pos = pos1
    mat = mat1
    outward = float(1.0)
    if code >= 3:
        # exchange the boxes; the pose of box 2 follows from that of box 1, so that it need not be kept until here
        pos = pos1 + mat1 * pair.offset
        mat = mat1 * pair.turn
        pair.turn = wp.transpose(pair.turn)
        pair.offset = -(pair.turn * pair.offset)
        pair.half1 = half2
        pair.half2 = half1
        code -= 3
        outward = -1.0
    return face_hits(hits, pair, pos, mat, code, outward, limit)
