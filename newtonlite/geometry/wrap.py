"""Tendon wrapping: shortest paths past a sphere or an infinite cylinder, around it or through it.

Both reduce to a circle about the origin: the plane through the two ends and the centre of a sphere, the cross-section
of a cylinder.  Around: a tangent from each end and the arc between.  Through (the string hangs inside a ring): one
point of the circle, where the path turns with equal angles to the normal.  MuJoCo documentation, Modeling: Spatial
tendons.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.geometry.contact.hits import PARALLEL

ONSET = wp.constant(1.0e-6)
ITERATIONS = wp.constant(24)
CLOSE = wp.constant(1.0e-7)
STRAIGHT = wp.constant(-1.0)
"""Length on the shape that says: the string passes without touching."""


@wp.func
def winding(p: wp.vec2, q: wp.vec2) -> float:
    """Angle about the origin from ``p`` to ``q`` [rad], in (-pi, pi]."""
    return wp.atan2(p[0] * q[1] - p[1] * q[0], wp.dot(p, q))


@wp.func
def tangent_point(p: wp.vec2, radius: float, turn: float) -> wp.vec2:
    """Point in which the tangent from ``p`` meets the circle, ahead of ``p`` in the sense of ``turn`` (1
    counterclockwise, -1 clockwise).
    """
    square = wp.dot(p, p)
    along = radius * radius / square
    across = turn * radius * wp.sqrt(wp.max(square - radius * radius, 0.0)) / square
    return wp.vec2(along * p[0] - across * p[1], along * p[1] + across * p[0])


@wp.func
def crossing(a: wp.vec2, b: wp.vec2, c: wp.vec2, d: wp.vec2) -> bool:
    """Whether the segments ab and cd meet."""
    u = b - a
    v = d - c
    w = c - a
    det = u[0] * v[1] - u[1] * v[0]
    if wp.abs(det) < MINVAL:
        return False
    s = (w[0] * v[1] - w[1] * v[0]) / det
    t = (w[0] * u[1] - w[1] * u[0]) / det
    return s >= 0.0 and s <= 1.0 and t >= 0.0 and t <= 1.0


@wp.func
def overlap(p: wp.vec2, first: wp.vec2, last: wp.vec2, q: wp.vec2, turn: float) -> bool:
    """Whether the two tangents of a path meet before the circle, and it would run backwards on it; a path that just
    touches runs nowhere.
    """
    return turn * winding(first, last) < -ONSET and crossing(p, first, q, last)


@wp.func
def nearest_square(p: wp.vec2, q: wp.vec2) -> float:
    """Squared distance of the segment pq from the origin."""
    apart = q - p
    t = wp.clamp(-wp.dot(apart, p) / wp.max(wp.dot(apart, apart), MINVAL), 0.0, 1.0)
    near = p + t * apart
    return wp.dot(near, near)


@wp.func
def around_circle(p: wp.vec2, q: wp.vec2, radius: float, sided: bool, side: wp.vec2):
    """``(arc length, first and last point on the circle)`` of the path from ``p`` to ``q`` outside; length -1 where it
    is straight.

    With ``sided``, the path can be pulled into the polyline over ``side`` without crossing the circle; else it is the
    shorter one.
    """
    origin = wp.vec2(0.0, 0.0)
    inner = wp.min(wp.dot(p, p), wp.dot(q, q))
    apart = q - p
    if inner < radius * radius or radius < MINVAL or wp.dot(apart, apart) < MINVAL:
        return STRAIGHT, origin, origin
    clear = nearest_square(p, q) > radius * radius
    wound = float(0.0)
    turn = float(1.0)
    if sided:
        wound = winding(p, side) + winding(side, q)
        if wound <= 0.0:
            turn = -1.0
        clear = clear and wp.abs(wound - winding(p, q)) < wp.PI
    if clear:
        return STRAIGHT, origin, origin
    first = tangent_point(p, radius, turn)
    last = tangent_point(q, radius, -turn)
    blocked = overlap(p, first, last, q, turn)
    if not sided:
        other_first = tangent_point(p, radius, -turn)
        other_last = tangent_point(q, radius, turn)
        other_blocked = overlap(p, other_first, other_last, q, -turn)
        shorter = wp.length_sq(other_first - other_last) < wp.length_sq(first - last)
        if (blocked and not other_blocked) or (shorter and blocked == other_blocked):
            first = other_first
            last = other_last
            blocked = other_blocked
            turn = -1.0
    if blocked:
        return STRAIGHT, origin, origin
    arc = float(0.0)
    if sided:
        arc = wp.abs(wound - winding(p, first) - winding(last, q))
    else:
        arc = turn * winding(first, last)
        if arc < -ONSET:
            arc += 2.0 * wp.PI
    return radius * wp.abs(arc), first, last


@wp.func
def incidence(reach: float, radius: float, angle: float) -> wp.vec2:
    """Angle to the normal under which a point at distance ``reach`` is seen ``angle`` further along the circle, and its
    slope.
    """
    x = reach * wp.cos(angle) - radius
    y = reach * wp.sin(angle)
    return wp.vec2(wp.atan2(y, x), (reach * reach - reach * radius * wp.cos(angle)) / wp.max(x * x + y * y, MINVAL))


@wp.func
def through_circle(p: wp.vec2, q: wp.vec2, radius: float):
    """``(0, point, point)``: where a string from ``p`` to ``q`` pulled through the circle touches it; length -1 where
    it is straight.

    The difference of the two angles to the normal grows with the place on the circle, so its root is unique.
    """
    origin = wp.vec2(0.0, 0.0)
    a = wp.length(p)
    b = wp.length(q)
    if wp.min(a, b) <= radius or radius < MINVAL or nearest_square(p, q) <= radius * radius:
        return STRAIGHT, origin, origin
    whole = winding(p, q)
    span = wp.abs(whole)
    low = float(0.0)
    high = span
    angle = 0.5 * span
    for _ in range(ITERATIONS):
        here = incidence(a, radius, angle)
        there = incidence(b, radius, span - angle)
        miss = here[0] - there[0]
        if miss > 0.0:
            high = angle
        else:
            low = angle
        step = angle - miss / wp.max(here[1] + there[1], MINVAL)
        if step <= low or step >= high:
            step = 0.5 * (low + high)
        if wp.abs(step - angle) <= CLOSE:
            break
        angle = step
    angle = angle * wp.sign(whole)
    c = wp.cos(angle) * radius / a
    s = wp.sin(angle) * radius / a
    point = wp.vec2(c * p[0] - s * p[1], s * p[0] + c * p[1])
    return float(0.0), point, point


@wp.func
def plane_axis(p: wp.vec3, q: wp.vec3) -> wp.vec3:
    """Unit vector perpendicular to ``p`` in its plane with ``q``; in some plane where they are parallel."""
    normal = wp.cross(p, q)
    if wp.dot(normal, normal) <= PARALLEL * wp.dot(p, p) * wp.dot(q, q):
        size = wp.vec3(wp.abs(p[0]), wp.abs(p[1]), wp.abs(p[2]))
        other = wp.vec3(0.0, 1.0, 1.0)
        if size[1] > size[0] and size[1] > size[2]:
            other = wp.vec3(1.0, 0.0, 1.0)
        if size[2] > size[0] and size[2] > size[1]:
            other = wp.vec3(1.0, 1.0, 0.0)
        normal = wp.cross(p, other)
    return wp.normalize(wp.cross(normal, p))


@wp.func
def wrap(
    x0: wp.vec3, x1: wp.vec3, pos: wp.vec3, mat: wp.mat33, radius: float, cylinder: bool, sided: bool, side: wp.vec3
):
    """``(length on the shape, first and last point on it)`` of a string from ``x0`` to ``x1`` [m, world frame].

    ``mat`` has the shape's axes in columns, the third a cylinder's.  ``side`` is a point that the string keeps to when
    ``sided``; one inside the shape's radius sends it through.  Length -1: the string is straight.
    """
    p = wp.transpose(mat) * (x0 - pos)
    q = wp.transpose(mat) * (x1 - pos)
    if wp.min(wp.length(p), wp.length(q)) < MINVAL:
        return STRAIGHT, x0, x1
    e0 = wp.vec3(1.0, 0.0, 0.0)
    e1 = wp.vec3(0.0, 1.0, 0.0)
    if not cylinder:
        e0 = wp.normalize(p)
        e1 = plane_axis(p, q)
    p2 = wp.vec2(wp.dot(p, e0), wp.dot(p, e1))
    q2 = wp.vec2(wp.dot(q, e0), wp.dot(q, e1))
    length = float(0.0)
    first = wp.vec2(0.0, 0.0)
    last = wp.vec2(0.0, 0.0)
    kept = wp.transpose(mat) * (side - pos)
    if sided and wp.length(kept) < radius:
        length, first, last = through_circle(p2, q2, radius)
    else:
        flat = wp.vec2(wp.dot(kept, e0), wp.dot(kept, e1))
        if wp.length(flat) < MINVAL:
            flat = wp.vec2(1.0, 0.0)
        length, first, last = around_circle(p2, q2, radius, sided, flat)
    if length < 0.0:
        return STRAIGHT, x0, x1
    y0 = e0 * first[0] + e1 * first[1]
    y1 = e0 * last[0] + e1 * last[1]
    if cylinder:  # the height grows evenly along the unrolled path
        before = wp.length(p2 - first)
        after = wp.length(q2 - last)
        rise = (q[2] - p[2]) / wp.max(before + length + after, MINVAL)
        y0[2] = p[2] + rise * before
        y1[2] = q[2] - rise * after
        length = wp.length(wp.vec2(length, y1[2] - y0[2]))
    return length, pos + mat * y0, pos + mat * y1
