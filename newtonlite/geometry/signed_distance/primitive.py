"""Signed distance of primitives about the origin, axes along z: gradient and distance as one ``vec4``.

What spheres, boxes and capsules need runs in Python too, which has no ``wp.where``.
"""

import warp as wp

TINY = wp.constant(1.0e-12)
ELLIPSOID_STEPS = 24
NUDGE = wp.constant(1.0e-5)


@wp.func
def combined_value(gradient: wp.vec3, distance: float) -> wp.vec4:
    """A value of a field."""
    return wp.vec4(gradient[0], gradient[1], gradient[2], distance)


@wp.func
def along(v: wp.vec3, other: wp.vec3) -> wp.vec3:
    """The direction of ``v``; ``other`` where it has none."""
    length = wp.length(v)
    return v / wp.max(length, TINY) if length > TINY else other


@wp.func
def sign(x: float) -> float:
    """1 or -1."""
    return -1.0 if x < 0.0 else 1.0


@wp.func
def plane_field(p: wp.vec3) -> wp.vec4:
    """The half space below z = 0."""
    return wp.vec4(0.0, 0.0, 1.0, p[2])


@wp.func
def sphere_field(p: wp.vec3, radius: float) -> wp.vec4:
    """A ball."""
    return combined_value(along(p, wp.vec3(0.0, 0.0, 1.0)), wp.length(p) - radius)


@wp.func
def capsule_field(p: wp.vec3, radius: float, half: float) -> wp.vec4:
    """All points within ``radius`` of a segment."""
    out = p - wp.vec3(0.0, 0.0, wp.clamp(p[2], -half, half))
    return combined_value(along(out, wp.vec3(1.0, 0.0, 0.0)), wp.length(out) - radius)


@wp.func
def box_field(p: wp.vec3, half: wp.vec3) -> wp.vec4:
    """A box; inside, the nearest face counts, the first one of equals."""
    q = wp.vec3(wp.abs(p[0]), wp.abs(p[1]), wp.abs(p[2])) - half
    side = wp.vec3(sign(p[0]), sign(p[1]), sign(p[2]))
    out = wp.vec3(wp.max(q[0], 0.0), wp.max(q[1], 0.0), wp.max(q[2], 0.0))
    distance = wp.length(out)
    if distance > 0.0:
        return combined_value(wp.cw_mul(side, out) / distance, distance)
    if q[0] >= q[1] and q[0] >= q[2]:
        return wp.vec4(side[0], 0.0, 0.0, q[0])
    if q[1] >= q[2]:
        return wp.vec4(0.0, side[1], 0.0, q[1])
    return wp.vec4(0.0, 0.0, side[2], q[2])


@wp.func
def gradient_in_space(gradient: wp.vec2, p: wp.vec3) -> wp.vec3:
    """A gradient in the half plane (distance from the axis, height) through ``p``, in space."""
    r = wp.sqrt(p[0] * p[0] + p[1] * p[1])
    x = wp.where(r > TINY, p[0] / wp.max(r, TINY), 1.0)
    y = wp.where(r > TINY, p[1] / wp.max(r, TINY), 0.0)
    return wp.vec3(gradient[0] * x, gradient[0] * y, gradient[1])


@wp.func
def cylinder_field(p: wp.vec3, radius: float, half: float) -> wp.vec4:
    """A cylinder."""
    r = wp.sqrt(p[0] * p[0] + p[1] * p[1]) - radius
    z = wp.abs(p[2]) - half
    out = wp.vec2(wp.max(r, 0.0), wp.max(z, 0.0))
    distance = wp.length(out)
    g = wp.vec2(wp.where(r >= z, 1.0, 0.0), wp.where(r >= z, 0.0, sign(p[2])))
    if distance > 0.0:
        g = wp.vec2(out[0], sign(p[2]) * out[1]) / distance
    return combined_value(gradient_in_space(g, p), wp.where(distance > 0.0, distance, wp.max(r, z)))


@wp.func
def barrel_field(p: wp.vec3, radius: float, half: float, profile: float) -> wp.vec4:
    """A barrel: ``radius`` at -half and +half, sides that are arcs of radius ``profile``."""
    q = wp.vec2(wp.sqrt(p[0] * p[0] + p[1] * p[1]), wp.abs(p[2]))
    center = radius - wp.sqrt(wp.max(profile * profile - half * half, 0.0))
    arm = q - wp.vec2(center, 0.0)
    reach = wp.length(arm)
    inside = q[1] < half and (arm[0] < 0.0 or reach < profile)
    lid = q - wp.vec2(wp.clamp(q[0], 0.0, radius), half)
    # the arc ends at the rim: beyond the line from its centre to the rim the rim is nearest
    side = q - wp.vec2(radius, half)
    outward = wp.vec2(1.0, 0.0)
    if arm[1] * (radius - center) <= arm[0] * half and reach > TINY:
        outward = arm / reach
        side = (reach - profile) * outward
    on_lid = wp.dot(lid, lid) < wp.dot(side, side)
    out = wp.where(on_lid, lid, side)
    distance = wp.length(out)
    g = wp.where(on_lid, wp.vec2(0.0, 1.0), outward)
    if distance > TINY:
        g = wp.where(inside, -1.0, 1.0) * out / distance
    return combined_value(gradient_in_space(wp.vec2(g[0], sign(p[2]) * g[1]), p), wp.where(inside, -distance, distance))


@wp.func
def from_segment(p: wp.vec2, a: wp.vec2, b: wp.vec2) -> wp.vec2:
    """The way to ``p`` from the nearest point of a segment."""
    t = wp.clamp(wp.dot(p - a, b - a) / wp.dot(b - a, b - a), 0.0, 1.0)
    return p - (a + t * (b - a))


@wp.func
def cone_field(p: wp.vec3, radius: float, half: float) -> wp.vec4:
    """A cone: its base of ``radius`` at -half, its tip at +half."""
    q = wp.vec2(wp.sqrt(p[0] * p[0] + p[1] * p[1]), p[2])
    rim = wp.vec2(radius, -half)
    base = from_segment(q, wp.vec2(0.0, -half), rim)
    side = from_segment(q, rim, wp.vec2(0.0, half))
    # the side's outward normal in the half plane
    normal = wp.normalize(wp.vec2(2.0 * half, radius))
    above = wp.dot(q - rim, normal)
    inside = above < 0.0 and p[2] > -half
    on_base = wp.dot(base, base) < wp.dot(side, side)
    out = wp.where(on_base, base, side)
    distance = wp.length(out)
    g = wp.where(on_base, wp.vec2(0.0, -1.0), normal)
    if distance > TINY:
        g = wp.where(inside, -1.0, 1.0) * out / distance
    return combined_value(gradient_in_space(g, p), wp.where(inside, -distance, distance))


@wp.func
def ellipsoid_field(p: wp.vec3, radii: wp.vec3) -> wp.vec4:
    """An ellipsoid: Newton's method on the multiplier of its nearest point, from the side on which it cannot overshoot."""
    q = wp.vec3(
        wp.max(wp.abs(p[0]), NUDGE * radii[0]),
        wp.max(wp.abs(p[1]), NUDGE * radii[1]),
        wp.max(wp.abs(p[2]), NUDGE * radii[2]),
    )
    squares = wp.cw_mul(radii, radii)
    least = wp.min(squares[0], wp.min(squares[1], squares[2]))
    # the multiplier less its least value, so that nothing cancels near the middle
    over = squares - wp.vec3(least, least, least)
    scaled = wp.cw_mul(radii, q)
    start = scaled - over
    t = wp.max(start[0], wp.max(start[1], start[2]))
    for _k in range(ELLIPSOID_STEPS):
        u = wp.cw_div(scaled, over + wp.vec3(t, t, t))
        excess = wp.dot(u, u) - 1.0
        slope = wp.dot(wp.cw_mul(u, u), wp.cw_div(wp.vec3(2.0, 2.0, 2.0), over + wp.vec3(t, t, t)))
        t = t + wp.max(excess, 0.0) / wp.max(slope, TINY)
    on = wp.cw_div(wp.cw_mul(squares, q), over + wp.vec3(t, t, t))
    normal = wp.normalize(wp.cw_div(on, squares))
    distance = wp.dot(q - on, normal)
    return combined_value(wp.cw_mul(normal, wp.vec3(sign(p[0]), sign(p[1]), sign(p[2]))), distance)
