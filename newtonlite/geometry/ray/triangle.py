"""Ray against triangle."""

import warp as wp

from newtonlite.geometry.ray.shapes import PARALLEL, hit, miss


@wp.func
def ray_triangle(o: wp.vec3, d: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec4:
    """The triangle from either side; its normal is that of counterclockwise corners.  Moeller and Trumbore, 1997."""
    ab = b - a
    ac = c - a
    n = wp.cross(ab, ac)
    facing = -wp.dot(d, n)
    if facing * facing <= PARALLEL * wp.dot(d, d) * wp.dot(n, n):
        return miss()
    ao = o - a
    side = wp.cross(ao, d)
    t = wp.dot(ao, n) / facing
    u = wp.dot(ac, side) / facing
    v = -wp.dot(ab, side) / facing
    if t < 0.0 or u < 0.0 or v < 0.0 or u + v > 1.0:
        return miss()
    return hit(t, n)
