"""Ray against cone and against a plane that is seen from both sides."""

import warp as wp

from newtonlite.geometry.ray.shapes import MISS, PARALLEL, hit, miss


@wp.func
def ray_cone(o: wp.vec3, d: wp.vec3, radius: float, half: float) -> wp.vec4:
    """The base disk at z = -half, the side up to the tip at z = half.

    On the side x^2 + y^2 = (k (half - z))^2, k = radius / (2 half).
    """
    best = float(MISS)
    normal = wp.vec3(0.0, 0.0, -1.0)
    k = radius / (2.0 * half)
    down = half - o[2]
    a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2]
    b = o[0] * d[0] + o[1] * d[1] + k * k * down * d[2]
    c = o[0] * o[0] + o[1] * o[1] - k * k * down * down
    roots = wp.vec2(MISS, MISS)
    discriminant = b * b - a * c
    if discriminant >= 0.0:
        # the root that keeps its digits, and the other by their product
        q = -(b + wp.where(b < 0.0, -1.0, 1.0) * wp.sqrt(discriminant))
        if wp.abs(q) > 0.0:
            roots[1] = c / q
        if wp.abs(a) > PARALLEL * wp.dot(d, d):
            roots[0] = q / a
    for i in range(2):
        t = roots[i]
        z = o[2] + t * d[2]
        if t >= 0.0 and t < best and wp.abs(z) <= half:
            best = t
            p = o + t * d
            normal = wp.vec3(p[0], p[1], k * k * (half - z))
    if wp.abs(d[2]) > 0.0:
        t = (-half - o[2]) / d[2]
        p = o + t * d
        if t >= 0.0 and t < best and p[0] * p[0] + p[1] * p[1] <= radius * radius:
            best = t
            normal = wp.vec3(0.0, 0.0, -1.0)
    if best >= MISS:
        return miss()
    return hit(best, normal)


@wp.func
def ray_sheet(o: wp.vec3, d: wp.vec3, width: float, length: float) -> wp.vec4:
    """The rectangle ``width`` by ``length`` about the origin in z = 0, 0 for without end, from either side; its normal
    is +z.
    """
    if d[2] * d[2] <= PARALLEL * wp.dot(d, d):
        return miss()
    t = -o[2] / d[2]
    p = o + t * d
    beyond = (width > 0.0 and wp.abs(p[0]) > 0.5 * width) or (length > 0.0 and wp.abs(p[1]) > 0.5 * length)
    if t < 0.0 or beyond:
        return miss()
    return hit(t, wp.vec3(0.0, 0.0, 1.0))
