"""Plane, infinite and one-sided, against sphere, capsule, box, ellipsoid, cylinder, barrel and cone."""

import warp as wp

from newtonlite.geometry.contact.hits import PARALLEL, Hits, column, no_tangent, put_hit, z_axis

THIRD = wp.constant(0.8660254037844386)
"""Sine of a third of a turn."""


@wp.func
def plane_point(
    hits: Hits,
    index: int,
    plane_pos: wp.vec3,
    normal: wp.vec3,
    point: wp.vec3,
    radius: float,
    tangent: wp.vec3,
    cutoff: float,
) -> int:
    """A point, or a ball around it, against the plane."""
    dist = wp.dot(point - plane_pos, normal) - radius
    if dist > cutoff:
        return 0
    put_hit(hits, index, dist, point - (radius + 0.5 * dist) * normal, normal, tangent)
    return 1


@wp.func
def plane_sphere(hits: Hits, plane_pos: wp.vec3, normal: wp.vec3, center: wp.vec3, radius: float, cutoff: float) -> int:
    """At most one hit."""
    return plane_point(hits, 0, plane_pos, normal, center, radius, no_tangent(), cutoff)


@wp.func
def plane_capsule(
    hits: Hits,
    plane_pos: wp.vec3,
    normal: wp.vec3,
    center: wp.vec3,
    axis: wp.vec3,
    radius: float,
    half: float,
    cutoff: float,
) -> int:
    """The two end balls; the tangent follows the axis, so that friction acts along and across the capsule."""
    n = plane_point(hits, 0, plane_pos, normal, center + half * axis, radius, axis, cutoff)
    return n + plane_point(hits, n, plane_pos, normal, center - half * axis, radius, axis, cutoff)


@wp.func
def plane_box(
    hits: Hits, plane_pos: wp.vec3, normal: wp.vec3, center: wp.vec3, mat: wp.mat33, half: wp.vec3, cutoff: float
) -> int:
    """Up to four corners of the lower half of the box, in the order of their signs, x fastest."""
    height = wp.dot(center - plane_pos, normal)
    ax = half[0] * column(mat, 0)
    ay = half[1] * column(mat, 1)
    az = half[2] * column(mat, 2)
    hx = wp.dot(ax, normal)
    hy = wp.dot(ay, normal)
    hz = wp.dot(az, normal)
    if height - wp.abs(hx) - wp.abs(hy) - wp.abs(hz) > cutoff:
        return 0
    n = int(0)
    corners = int(8)
    for i in range(corners):
        sx = wp.where((i & 1) != 0, 1.0, -1.0)
        sy = wp.where((i & 2) != 0, 1.0, -1.0)
        sz = wp.where((i & 4) != 0, 1.0, -1.0)
        below = sx * hx + sy * hy + sz * hz
        dist = height + below
        if n < 4 and below <= 0.0 and dist <= cutoff:
            corner = center + sx * ax + sy * ay + sz * az
            put_hit(hits, n, dist, corner - 0.5 * dist * normal, normal, no_tangent())
            n += 1
    return n


@wp.func
def plane_ellipsoid(
    hits: Hits, plane_pos: wp.vec3, normal: wp.vec3, center: wp.vec3, mat: wp.mat33, radii: wp.vec3, cutoff: float
) -> int:
    """The lowest point, where the ellipsoid's own normal opposes the plane's."""
    scaled = wp.cw_mul(wp.transpose(mat) * normal, radii)
    lowest = center - mat * wp.cw_mul(wp.normalize(scaled), radii)
    return plane_point(hits, 0, plane_pos, normal, lowest, 0.0, no_tangent(), cutoff)


@wp.func
def plane_cylinder(
    hits: Hits,
    plane_pos: wp.vec3,
    normal: wp.vec3,
    center: wp.vec3,
    mat: wp.mat33,
    radius: float,
    half: float,
    cutoff: float,
) -> int:
    """The lowest rim points of the lower and the upper disk, then two more that make a triangle of the lower disk."""
    axis = z_axis(mat)
    if wp.dot(axis, normal) > 0.0:
        axis = -axis
    down = wp.dot(axis, normal) * axis - normal
    size2 = wp.dot(down, down)
    rim = radius * column(mat, 0)
    if size2 > PARALLEL:
        rim = down / wp.sqrt(size2)
        rim = radius * (rim - wp.dot(rim, axis) * axis)  # once more: cancellation left a part along the axis
    lower = center + half * axis
    if plane_point(hits, 0, plane_pos, normal, lower + rim, 0.0, no_tangent(), cutoff) == 0:
        return 0
    n = 1 + plane_point(hits, 1, plane_pos, normal, center - half * axis + rim, 0.0, no_tangent(), cutoff)
    side = THIRD * radius * wp.normalize(wp.cross(rim, axis))
    n += plane_point(hits, n, plane_pos, normal, lower - 0.5 * rim + side, 0.0, no_tangent(), cutoff)
    return n + plane_point(hits, n, plane_pos, normal, lower - 0.5 * rim - side, 0.0, no_tangent(), cutoff)


@wp.func
def plane_barrel(
    hits: Hits, plane_pos: wp.vec3, normal: wp.vec3, center: wp.vec3, mat: wp.mat33, size: wp.vec3, cutoff: float
) -> int:
    """The lowest point of the arc; as a cylinder's where that is its end. ``size``: radius at the ends, half height,
    radius of the arc.
    """
    axis = z_axis(mat)
    tilt = wp.dot(axis, normal)
    z = -size[2] * tilt
    if wp.abs(z) >= size[1]:
        return plane_cylinder(hits, plane_pos, normal, center, mat, size[0], size[1], cutoff)
    rise = wp.sqrt(size[2] * size[2] - z * z) - wp.sqrt(wp.max(size[2] * size[2] - size[1] * size[1], 0.0))
    lowest = center + z * axis + (size[0] + rise) * wp.normalize(tilt * axis - normal)
    return plane_point(hits, 0, plane_pos, normal, lowest, 0.0, axis, cutoff)


@wp.func
def plane_cone(
    hits: Hits,
    plane_pos: wp.vec3,
    normal: wp.vec3,
    center: wp.vec3,
    mat: wp.mat33,
    radius: float,
    half: float,
    cutoff: float,
) -> int:
    """The lowest point of the base, the two a third of a turn from it, and the tip."""
    axis = z_axis(mat)
    base = center - half * axis
    down = wp.dot(axis, normal) * axis - normal
    rim = radius * column(mat, 0)
    if wp.dot(down, down) > 1.0e-12:
        rim = radius * wp.normalize(down)
    side = THIRD * wp.cross(axis, rim)
    n = plane_point(hits, 0, plane_pos, normal, base + rim, 0.0, no_tangent(), cutoff)
    n += plane_point(hits, n, plane_pos, normal, base - 0.5 * rim + side, 0.0, no_tangent(), cutoff)
    n += plane_point(hits, n, plane_pos, normal, base - 0.5 * rim - side, 0.0, no_tangent(), cutoff)
    return n + plane_point(hits, n, plane_pos, normal, center + half * axis, 0.0, no_tangent(), cutoff)
