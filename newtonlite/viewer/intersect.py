"""Ray intersection with shapes, for pictures.

Each function takes the ray's origin ``o`` and unit direction ``d`` and returns (t, n): the distance to the first point
on the surface in front of the origin and the outward unit normal there. A miss has t = MISS. Rays from inside miss.
Roots are taken from the point of the ray nearest to the shape: distances then keep their digits far from the camera.
"""

import warp as wp

MISS = wp.constant(1.0e10)


@wp.func
def miss() -> wp.vec4:
    """The answer of a ray that goes by."""
    return wp.vec4(MISS, 0.0, 0.0, 1.0)


@wp.func
def hit(t: float, n: wp.vec3) -> wp.vec4:
    """The answer of a ray that meets the surface; a miss where the surface lies behind."""
    if t <= 0.0:
        return miss()
    return wp.vec4(t, n[0], n[1], n[2])


@wp.func
def ray_plane(o: wp.vec3, d: wp.vec3, scale: wp.vec3) -> wp.vec4:
    """The plane z = 0 seen from above; width scale.x and length scale.y, 0 for without end."""
    if o[2] <= 0.0 or d[2] >= 0.0:
        return miss()
    t = -o[2] / d[2]
    p = o + t * d
    if (scale[0] > 0.0 and wp.abs(p[0]) > 0.5 * scale[0]) or (scale[1] > 0.0 and wp.abs(p[1]) > 0.5 * scale[1]):
        return miss()
    return hit(t, wp.vec3(0.0, 0.0, 1.0))


@wp.func
def ray_sphere(o: wp.vec3, d: wp.vec3, radius: float) -> wp.vec4:
    """|p| = radius."""
    near = -wp.dot(o, d)
    aside = o + near * d
    discriminant = radius * radius - wp.dot(aside, aside)
    if discriminant < 0.0:
        return miss()
    t = near - wp.sqrt(discriminant)
    return hit(t, wp.normalize(o + t * d))


@wp.func
def ray_capsule(o: wp.vec3, d: wp.vec3, radius: float, half: float) -> wp.vec4:
    """Every point at ``radius`` from the segment (0, 0, -half)..(0, 0, half): its tube, else one of its caps."""
    across = d[0] * d[0] + d[1] * d[1]
    z = o[2]
    if across > 1.0e-12:
        near = -(o[0] * d[0] + o[1] * d[1]) / across
        x = o[0] + near * d[0]
        y = o[1] + near * d[1]
        discriminant = (radius * radius - x * x - y * y) / across
        if discriminant < 0.0:
            return miss()
        t = near - wp.sqrt(discriminant)
        p = o + t * d
        if wp.abs(p[2]) <= half:
            return hit(t, wp.vec3(p[0] / radius, p[1] / radius, 0.0))
        z = p[2]
    cap = wp.vec3(0.0, 0.0, wp.sign(z) * half)
    return ray_sphere(o - cap, d, radius)


@wp.func
def ray_cylinder(o: wp.vec3, d: wp.vec3, radius: float, half: float) -> wp.vec4:
    """x² + y² = radius² with |z| <= half, and the two discs that close it."""
    if wp.abs(d[2]) > 1.0e-12 and wp.abs(o[2]) > half:
        side = wp.sign(o[2])
        t = (side * half - o[2]) / d[2]
        p = o + t * d
        if p[0] * p[0] + p[1] * p[1] <= radius * radius:
            return hit(t, wp.vec3(0.0, 0.0, side))
    across = d[0] * d[0] + d[1] * d[1]
    if across < 1.0e-12:
        return miss()
    near = -(o[0] * d[0] + o[1] * d[1]) / across
    x = o[0] + near * d[0]
    y = o[1] + near * d[1]
    discriminant = (radius * radius - x * x - y * y) / across
    if discriminant < 0.0:
        return miss()
    t = near - wp.sqrt(discriminant)
    p = o + t * d
    if wp.abs(p[2]) > half:
        return miss()
    return hit(t, wp.vec3(p[0] / radius, p[1] / radius, 0.0))


@wp.func
def ray_box(o: wp.vec3, d: wp.vec3, half: wp.vec3) -> wp.vec4:
    """|p.i| <= half.i for all three axes: the last of the three slabs to be entered."""
    enter = float(-MISS)
    leave = float(MISS)
    n = wp.vec3(0.0, 0.0, 0.0)
    for i in range(3):
        if wp.abs(d[i]) < 1.0e-12:
            if wp.abs(o[i]) > half[i]:
                return miss()
        else:
            side = -wp.sign(d[i])
            first = (side * half[i] - o[i]) / d[i]
            leave = wp.min(leave, (-side * half[i] - o[i]) / d[i])
            if first > enter:
                enter = first
                n = wp.vec3(wp.where(i == 0, side, 0.0), wp.where(i == 1, side, 0.0), wp.where(i == 2, side, 0.0))
    if enter > leave:
        return miss()
    return hit(enter, n)


@wp.func
def ray_ellipsoid(o: wp.vec3, d: wp.vec3, axes: wp.vec3) -> wp.vec4:
    """The unit sphere, stretched along the axes."""
    direction = wp.cw_div(d, axes)
    length = wp.length(direction)
    ball = ray_sphere(wp.cw_div(o, axes), direction / length, 1.0)
    if ball[0] >= MISS:
        return miss()
    n = wp.normalize(wp.cw_div(wp.vec3(ball[1], ball[2], ball[3]), axes))
    return hit(ball[0] / length, n)
