"""Polygon clipping (Sutherland-Hodgman) against the sides of a face, and reduction to a few points."""

import warp as wp

from newtonlite.geometry.contact.convex.feature import corner_count, face_corner
from newtonlite.geometry.contact.convex.number import HUGE, ONE, ZERO, real, vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace

INSIDE = wp.constant(real(-1.0e-10))
PARALLEL = wp.constant(real(1.0e-10))
BEYOND_END = wp.constant(real(3.0e-7))
MOST_POINTS = 4


@wp.func
def load(work: Workspace, buffer: int, i: int) -> vec:
    """Corner ``i`` of one of the two polygons."""
    return work.polygon[buffer * (len(work.polygon) // 2) + i]


@wp.func
def store(work: Workspace, buffer: int, i: int, p: vec) -> int:
    """Put a corner; returns the number of corners then. What does not fit is left out."""
    if i >= len(work.polygon) // 2:
        return i
    work.polygon[buffer * (len(work.polygon) // 2) + i] = p
    return i + 1


@wp.func
def cut(work: Workspace, source: int, count: int, start: vec, inward: vec) -> int:
    """Copy the part of polygon ``source`` on the inner side of a plane to the other buffer; returns its corners."""
    n = int(0)
    p = load(work, source, 0)
    for i in range(count):
        q = load(work, source, wp.where(i + 1 < count, i + 1, 0))
        p_in = wp.dot(p - start, inward) > INSIDE
        q_in = wp.dot(q - start, inward) > INSIDE
        if p_in != q_in:
            across = wp.dot(inward, q - p)
            t = wp.where(wp.abs(across) < PARALLEL, HUGE, wp.dot(inward, start - p) / across)
            if t > -BEYOND_END and t < ONE + BEYOND_END:
                n = store(work, 1 - source, n, p + wp.clamp(t, ZERO, ONE) * (q - p))
        if q_in:
            n = store(work, 1 - source, n, q)
        p = q
    return n


@wp.func
def keep_low(work: Workspace, buffer: int, count: int, origin: vec, normal: vec, most: real) -> int:
    """Drop corners higher than ``most`` above a plane, in place; returns how many stay."""
    n = int(0)
    for i in range(count):
        p = load(work, buffer, i)
        if wp.dot(p - origin, normal) <= most:
            n = store(work, buffer, n, p)
    return n


@wp.struct
class Cut:
    """Clipped polygon: the buffer that holds it, its number of corners; and a corner of the face that cut it."""

    buffer: int
    count: int
    origin: vec


@wp.func
def clip_to_face(work: Workspace, hulls: Hulls, s: Convex, face: int, normal: vec, count: int, most: real) -> Cut:
    """Cut the polygon in buffer 0 by the sides of a face, and by height ``most`` above it."""
    buffer = int(0)
    n = int(count)
    sides = corner_count(hulls, s, face)
    start = vec()
    c = Cut()
    for e in range(sides + 1):
        end = face_corner(hulls, s, face, e % sides)
        if e == 0:
            c.origin = end
        elif n > 0:
            n = cut(work, buffer, n, start, wp.cross(end - start, normal))
            buffer = 1 - buffer
        start = end
    c.buffer = buffer
    c.count = keep_low(work, buffer, n, c.origin, normal, most)
    return c


@wp.func
def double_area(work: Workspace, buffer: int, a: int, b: int, c: int, d: int) -> real:
    """Twice the area of a quadrilateral of the polygon."""
    return wp.length(
        wp.cross(load(work, buffer, a) - load(work, buffer, c), load(work, buffer, b) - load(work, buffer, d))
    )


@wp.func
def largest_quadrilateral(work: Workspace, buffer: int, n: int, anchors: int) -> wp.vec4i:
    """Corners of a large quadrilateral in a convex polygon of more than four: they advance while the area grows.

    Its first corner is one of the first ``anchors``.
    """
    q = wp.vec4i(0, 1, 2, 3)
    best = q
    most = double_area(work, buffer, 0, 1, 2, 3)
    for a in range(anchors):
        q[0] = a
        turn = int(3)
        # the last corner takes a step if that helps; then the third as many as help, then the second; and again
        while turn > 0:
            t = wp.vec4i(q[0], q[1], q[2], q[3])
            t[turn] = (q[turn] + 1) % n
            area = double_area(work, buffer, t[0], t[1], t[2], t[3])
            if area > most:
                most = area
                q = t
                best = t
                turn = wp.min(turn, 2)
            else:
                turn = wp.where(turn == 3, 0, wp.where(turn == 2, 1, 3))
        for k in range(1, 4):
            if q[k] == q[k - 1]:
                q[k] = (q[k] + 1) % n
    return best


@wp.func
def ends_of_edge(work: Workspace, buffer: int, n: int) -> wp.vec4i:
    """The two points farthest apart."""
    best = wp.vec4i(0, 1, 0, 0)
    most = real(0.0)
    for i in range(n):
        for j in range(i + 1, n):
            apart = load(work, buffer, i) - load(work, buffer, j)
            if wp.dot(apart, apart) > most:
                most = wp.dot(apart, apart)
                best = wp.vec4i(i, j, 0, 0)
    return best
