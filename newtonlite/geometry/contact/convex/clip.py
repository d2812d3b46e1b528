"""Polygon clipping (Sutherland-Hodgman) against the sides of a face, and reduction to a few points.

Sutherland and Hodgman, Reentrant Polygon Clipping, Comm. ACM 17 (1974): one plane after the other cuts the polygon
that the plane before has left.  ``patch`` clips; ``plane`` only reduces the polygon of a mesh.  Order of corners and
choice of the few are MuJoCo's (docs/decisions/0007).

The polygon that is cut begins in buffer 0 of the workspace; the two buffers take turns.
"""

import warp as wp

from newtonlite.geometry.contact.convex.feature import corner_count, face_corner
from newtonlite.geometry.contact.convex.number import HUGE, ONE, ZERO, real, vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace

INSIDE = wp.constant(real(-1.0e-10))
PARALLEL = wp.constant(real(1.0e-10))
BEYOND_END = wp.constant(real(3.0e-7))
ROUNDING = wp.constant(real(1.0 + 1.0e-14))
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
def after(i: int, n: int) -> int:
    """The corner after corner ``i`` of ``n``."""
    return wp.where(i + 1 < n, i + 1, 0)


@wp.func
def cut(work: Workspace, source: int, count: int, start: vec, inward: vec) -> int:
    """Copy the part of polygon ``source`` on the inner side of a plane to the other buffer; returns its corners."""
    # corner by corner, p before q: where an edge crosses the plane its crossing comes first, then q if it is inside
    n = int(0)
    p = load(work, source, 0)
    p_in = wp.dot(p - start, inward) > INSIDE
    for i in range(count):
        q = load(work, source, after(i, count))
        q_in = wp.dot(q - start, inward) > INSIDE
        if p_in != q_in:
            # an edge along the plane crosses nowhere, and a crossing just beyond an end is the end
            across = wp.dot(inward, q - p)
            t = wp.where(wp.abs(across) < PARALLEL, HUGE, wp.dot(inward, start - p) / across)
            if t > -BEYOND_END and t < ONE + BEYOND_END:
                n = store(work, 1 - source, n, p + wp.clamp(t, ZERO, ONE) * (q - p))
        if q_in:
            n = store(work, 1 - source, n, q)
        p = q
        p_in = q_in
    return n


@wp.func
def keep_low(work: Workspace, buffer: int, count: int, origin: vec, normal: vec, most: real) -> int:
    """Drop corners higher than ``most`` above a plane, in place; returns how many stay."""
    # in place: n never passes i, so that a corner is read before its place is written
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
    # the face's sides, each from its corner to the next; the first corner only begins the first side
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
            # inward of a side is side x normal, for corners that are clockwise seen from outside
            n = cut(work, buffer, n, start, wp.cross(end - start, normal))
            buffer = 1 - buffer
        start = end

    # at last the height above the face itself
    c.buffer = buffer
    c.count = keep_low(work, buffer, n, c.origin, normal, most)
    return c


@wp.func
def squared_area(a: vec, b: vec, c: vec, d: vec) -> real:
    """Four times the squared area of a quadrilateral."""
    # the cross product of the diagonals is twice the area
    across = wp.cross(a - c, b - d)
    return wp.dot(across, across)


@wp.func
def is_larger(area: real, than: real) -> bool:
    """Whether an area is larger than another, by their squares: rounded areas of nearly equal squares are the same."""
    # squares first: roots cost more, and matter only where the squares are nearly equal
    if area <= than:
        return False
    if area > ROUNDING * than:
        return True
    return wp.sqrt(area) > wp.sqrt(than)


@wp.func
def largest_quadrilateral(work: Workspace, buffer: int, n: int, anchors: int) -> wp.vec4i:
    """Corners of a large quadrilateral in a convex polygon of more than four: they advance while the area grows.

    Its first corner is one of the first ``anchors``.
    """
    # in the manner of rotating calipers: for a fixed first corner the others only ever advance around the polygon
    q = wp.vec4i(0, 1, 2, 3)
    best = q
    most = real(-1.0)
    for i in range(anchors):
        a = load(work, buffer, i)
        b = load(work, buffer, q[1])
        c = load(work, buffer, q[2])
        d = load(work, buffer, q[3])
        q[0] = i
        if i == 0:
            most = squared_area(a, b, c, d)
        # the last corner takes a step if that helps; then the third as many as help, then the second; and again
        last = bool(True)
        while last:
            k = after(q[3], n)
            p = load(work, buffer, k)
            area = squared_area(a, b, c, p)
            last = is_larger(area, most)
            if last:
                most = area
                q[3] = k
                d = p
                best = q
            third = bool(last)
            while third:
                k = after(q[2], n)
                p = load(work, buffer, k)
                area = squared_area(a, b, p, d)
                third = is_larger(area, most)
                if third:
                    most = area
                    q[2] = k
                    c = p
                    best = q
            second = bool(last)
            while second:
                k = after(q[1], n)
                p = load(work, buffer, k)
                area = squared_area(a, p, c, d)
                second = is_larger(area, most)
                if second:
                    most = area
                    q[1] = k
                    b = p
                    best = q
        # the next first corner is one further: corners that would coincide give way
        for k in range(1, 4):
            if q[k] == q[k - 1]:
                q[k] = after(q[k], n)
    return best


@wp.func
def ends_of_edge(work: Workspace, buffer: int, n: int) -> wp.vec4i:
    """The two points farthest apart."""
    # a clipped edge can have more than two corners: what counts is how far it reaches
    best = wp.vec4i(0, 1, 0, 0)
    most = real(0.0)
    for i in range(n):
        for j in range(i + 1, n):
            apart = load(work, buffer, i) - load(work, buffer, j)
            if wp.dot(apart, apart) > most:
                most = wp.dot(apart, apart)
                best = wp.vec4i(i, j, 0, 0)
    return best
