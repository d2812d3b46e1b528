"""Ray against plane, sphere, capsule, ellipsoid, cylinder and box.

Roots are taken from the point of the ray nearest to the centre: far from a small shape they keep their digits in
float32.
"""

import warp as wp

MISS = wp.constant(1.0e10)
PARALLEL = wp.constant(1.0e-12)
"""Squared component of a direction, relative to its length, below which the ray runs along a surface."""


@wp.func
def miss() -> wp.vec4:
    """The answer of a ray that goes by."""
    return wp.vec4(MISS, 0.0, 0.0, 0.0)


@wp.func
def hit(t: float, n: wp.vec3) -> wp.vec4:
    """The answer of a ray that meets a surface at ``t``, whose normal points along ``n``."""
    u = wp.normalize(n)
    return wp.vec4(t, u[0], u[1], u[2])


@wp.func
def nearer(a: wp.vec4, b: wp.vec4) -> wp.vec4:
    """The first of two answers."""
    if b[0] < a[0]:
        return b
    return a


@wp.func
def ahead(roots: wp.vec2) -> float:
    """The smaller of two ordered roots that is not behind the origin, or MISS."""
    if roots[0] >= 0.0:
        return roots[0]
    if roots[1] >= 0.0:
        return roots[1]
    return MISS


@wp.func
def ball_roots(o: wp.vec3, d: wp.vec3, radius: float) -> wp.vec2:
    """Both ``t`` with ``|o + t d| = radius``, the smaller first; MISS where there are none."""
    square = wp.dot(d, d)
    middle = -wp.dot(o, d) / square
    aside = o + middle * d
    discriminant = (radius * radius - wp.dot(aside, aside)) / square
    if discriminant < 0.0:
        return wp.vec2(MISS, MISS)
    half = wp.sqrt(discriminant)
    return wp.vec2(middle - half, middle + half)


@wp.func
def is_upright(d: wp.vec3) -> bool:
    """Whether a direction runs along z."""
    return d[0] * d[0] + d[1] * d[1] <= PARALLEL * wp.dot(d, d)


@wp.func
def tube_roots(o: wp.vec3, d: wp.vec3, radius: float) -> wp.vec2:
    """Both ``t`` on the endless cylinder about z; MISS where there are none."""
    if is_upright(d):
        return wp.vec2(MISS, MISS)
    return ball_roots(wp.vec3(o[0], o[1], 0.0), wp.vec3(d[0], d[1], 0.0), radius)


@wp.func
def ray_plane(o: wp.vec3, d: wp.vec3, size: wp.vec3) -> wp.vec4:
    """The plane z = 0 from its front; half-lengths ``size[0]``, ``size[1]``, not positive for without end."""
    if d[2] * d[2] <= PARALLEL * wp.dot(d, d) or d[2] > 0.0 or o[2] < 0.0:
        return miss()
    t = -o[2] / d[2]
    p = o + t * d
    if (size[0] > 0.0 and wp.abs(p[0]) > size[0]) or (size[1] > 0.0 and wp.abs(p[1]) > size[1]):
        return miss()
    return hit(t, wp.vec3(0.0, 0.0, 1.0))


@wp.func
def ray_sphere(o: wp.vec3, d: wp.vec3, radius: float) -> wp.vec4:
    """``|p| = radius``."""
    t = ahead(ball_roots(o, d, radius))
    if t >= MISS:
        return miss()
    return hit(t, o + t * d)


@wp.func
def ray_capsule(o: wp.vec3, d: wp.vec3, radius: float, half: float) -> wp.vec4:
    """Every point at ``radius`` from the segment (0, 0, -half) .. (0, 0, half): its tube and the outer halves of two
    balls.
    """
    best = float(MISS)
    center = float(0.0)
    on_tube = bool(False)
    for part in range(3):
        z = (float(part) - 1.0) * half
        roots = tube_roots(o, d, radius)
        if part != 1:
            roots = ball_roots(o - wp.vec3(0.0, 0.0, z), d, radius)
        for i in range(2):
            t = roots[i]
            level = o[2] + t * d[2]
            outer = wp.abs(level) <= half
            if part != 1:
                outer = level * z >= half * half and level * (float(part) - 1.0) >= 0.0
            if t >= 0.0 and t < best and outer:
                best = t
                center = z
                on_tube = part == 1
    if best >= MISS:
        return miss()
    p = o + best * d
    if on_tube:
        return hit(best, wp.vec3(p[0], p[1], 0.0))
    return hit(best, p - wp.vec3(0.0, 0.0, center))


@wp.func
def ray_ellipsoid(o: wp.vec3, d: wp.vec3, size: wp.vec3) -> wp.vec4:
    """A unit sphere, stretched by ``size``."""
    scaled = wp.cw_div(o, size)
    t = ahead(ball_roots(scaled, wp.cw_div(d, size), 1.0))
    if t >= MISS:
        return miss()
    return hit(t, wp.cw_div(wp.cw_div(o + t * d, size), size))


@wp.func
def slab(o: float, d: float, half: float) -> wp.vec2:
    """Interval in which a ray is within ``-half <= x <= half``; empty where it never is."""
    if d == 0.0:
        if wp.abs(o) <= half:
            return wp.vec2(-MISS, MISS)
        return wp.vec2(MISS, -MISS)
    a = (-half - o) / d
    b = (half - o) / d
    return wp.vec2(wp.min(a, b), wp.max(a, b))


@wp.func
def ray_cylinder(o: wp.vec3, d: wp.vec3, radius: float, half: float) -> wp.vec4:
    """Intersection of an endless cylinder and a slab."""
    flat = slab(o[2], d[2], half)
    tube = tube_roots(o, d, radius)
    if is_upright(d) and o[0] * o[0] + o[1] * o[1] <= radius * radius:
        tube = wp.vec2(-MISS, MISS)
    enter = wp.max(flat[0], tube[0])
    leave = wp.min(flat[1], tube[1])
    if enter > leave or leave < 0.0:
        return miss()
    t = enter
    on_tube = tube[0] > flat[0]
    if enter < 0.0:
        t = leave
        on_tube = tube[1] < flat[1]
    p = o + t * d
    if on_tube:
        return hit(t, wp.vec3(p[0], p[1], 0.0))
    return hit(t, wp.vec3(0.0, 0.0, p[2]))


@wp.func
def ray_box(o: wp.vec3, d: wp.vec3, size: wp.vec3) -> wp.vec4:
    """Intersection of three slabs."""
    enter = -float(MISS)
    leave = float(MISS)
    first = int(0)
    last = int(0)
    for i in range(3):
        span = slab(o[i], d[i], size[i])
        if span[0] > enter:
            enter = span[0]
            first = i
        if span[1] < leave:
            leave = span[1]
            last = i
    if enter > leave or leave < 0.0:
        return miss()
    t = enter
    axis = first
    if enter < 0.0:
        t = leave
        axis = last
    n = wp.vec3(0.0, 0.0, 0.0)
    n[axis] = wp.sign(o[axis] + t * d[axis])
    return hit(t, n)
