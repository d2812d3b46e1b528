"""Sphere against sphere, capsule, cylinder, box and barrel."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.geometry.contact.hits import Hits, no_tangent, put_hit
from newtonlite.geometry.signed_distance.primitive import barrel_field

COINCIDENT = 1.0e-6
"""Distance of two centres, relative to the radii, below which they give no direction."""


@wp.func
def direction(apart: wp.vec3, length: float, least: float, fallback: wp.vec3) -> wp.vec3:
    """Unit vector along ``apart``; along ``fallback`` where ``length``, its length, is below ``least``; x where that
    vanishes.
    """
    if length > least:
        return apart / length
    size = wp.length(fallback)
    if size > COINCIDENT:
        return fallback / size
    return wp.vec3(1.0, 0.0, 0.0)


@wp.func
def sphere_sphere(
    hits: Hits,
    index: int,
    center1: wp.vec3,
    radius1: float,
    center2: wp.vec3,
    radius2: float,
    fallback: wp.vec3,
    cutoff: float,
) -> int:
    """One hit along the line of centres. ``fallback`` (any length, may vanish) is the normal of coincident centres."""
    reach = radius1 + radius2
    apart = center2 - center1
    length2 = wp.dot(apart, apart)
    if length2 > (reach + cutoff) * (reach + cutoff):
        return 0
    length = wp.sqrt(length2)
    normal = direction(apart, length, COINCIDENT * reach, fallback)
    dist = length - reach
    put_hit(hits, index, dist, center1 + (radius1 + 0.5 * dist) * normal, normal, no_tangent())
    return 1


@wp.func
def sphere_capsule(
    hits: Hits,
    center: wp.vec3,
    sphere_axis: wp.vec3,
    radius: float,
    capsule_pos: wp.vec3,
    capsule_axis: wp.vec3,
    capsule_radius: float,
    half: float,
    cutoff: float,
) -> int:
    """The sphere against the nearest point of the capsule's segment."""
    along = wp.clamp(wp.dot(capsule_axis, center - capsule_pos), -half, half)
    nearest = capsule_pos + along * capsule_axis
    return sphere_sphere(hits, 0, center, radius, nearest, capsule_radius, wp.cross(sphere_axis, capsule_axis), cutoff)


@wp.func
def inward_of_nearest_face(low: wp.vec3, high: wp.vec3, least: float) -> wp.vec3:
    """Inward normal of the face at distance ``least``, among distances to the low and high faces; the first found wins."""
    if low[0] == least:
        return wp.vec3(1.0, 0.0, 0.0)
    if high[0] == least:
        return wp.vec3(-1.0, 0.0, 0.0)
    if low[1] == least:
        return wp.vec3(0.0, 1.0, 0.0)
    if high[1] == least:
        return wp.vec3(0.0, -1.0, 0.0)
    if low[2] == least:
        return wp.vec3(0.0, 0.0, 1.0)
    return wp.vec3(0.0, 0.0, -1.0)


@wp.func
def ball_in_box_frame(
    hits: Hits,
    index: int,
    local: wp.vec3,
    radius: float,
    box_pos: wp.vec3,
    box_mat: wp.mat33,
    half: wp.vec3,
    cutoff: float,
) -> int:
    """A ball at ``local``, in the frame of the box, against its nearest point, or from inside against its nearest face."""
    nearest = wp.max(wp.min(local, half), -half)
    toward = nearest - local
    away = wp.length(toward)
    if away - radius > cutoff:
        return 0
    if away > MINVAL:
        normal = toward / away
        middle = 0.5 * (nearest + local + radius * normal)
        put_hit(hits, index, away - radius, box_pos + box_mat * middle, box_mat * normal, no_tangent())
        return 1
    low = half + local
    high = half - local
    depth = wp.min(wp.min(wp.min(low[0], high[0]), wp.min(low[1], high[1])), wp.min(low[2], high[2]))
    inward = inward_of_nearest_face(low, high, depth)
    center = local + 0.5 * (radius - depth) * inward
    put_hit(hits, index, -depth - radius, box_pos + box_mat * center, box_mat * inward, no_tangent())
    return 1


@wp.func
def sphere_box(
    hits: Hits, center: wp.vec3, radius: float, box_pos: wp.vec3, box_mat: wp.mat33, half: wp.vec3, cutoff: float
) -> int:
    """At most one hit."""
    local = wp.transpose(box_mat) * (center - box_pos)
    return ball_in_box_frame(hits, 0, local, radius, box_pos, box_mat, half, cutoff)


@wp.func
def sphere_cylinder(
    hits: Hits,
    center: wp.vec3,
    sphere_axis: wp.vec3,
    radius: float,
    cylinder_pos: wp.vec3,
    axis: wp.vec3,
    cylinder_radius: float,
    half: float,
    cutoff: float,
) -> int:
    """The sphere against the side, a cap or the rim, whichever is nearest."""
    offset = center - cylinder_pos
    along = wp.dot(axis, offset)
    out = offset - along * axis
    out2 = wp.dot(out, out)
    over_side = wp.abs(along) < half
    over_cap = out2 < cylinder_radius * cylinder_radius
    if over_side and over_cap:
        over_cap = half - wp.abs(along) < cylinder_radius - wp.sqrt(out2)
        over_side = not over_cap
    if over_side:
        spot = cylinder_pos + along * axis
        return sphere_sphere(hits, 0, center, radius, spot, cylinder_radius, wp.cross(sphere_axis, axis), cutoff)
    upward = wp.where(along > 0.0, 1.0, -1.0)
    if over_cap:
        dist = wp.abs(along) - half - radius
        if dist > cutoff:
            return 0
        inward = -upward * axis
        put_hit(hits, 0, dist, center + (radius + 0.5 * dist) * inward, inward, no_tangent())
        return 1
    rim = cylinder_pos + upward * half * axis + (cylinder_radius / wp.sqrt(out2)) * out
    return sphere_sphere(hits, 0, center, radius, rim, 0.0, wp.cross(sphere_axis, axis), cutoff)


@wp.func
def sphere_barrel(
    hits: Hits, center: wp.vec3, radius: float, pos: wp.vec3, mat: wp.mat33, size: wp.vec3, cutoff: float
) -> int:
    """The sphere's middle in the distance field of the barrel."""
    value = barrel_field(wp.transpose(mat) * (center - pos), size[0], size[1], size[2])
    dist = value[3] - radius
    if dist > cutoff:
        return 0
    outward = mat * wp.vec3(value[0], value[1], value[2])
    put_hit(hits, 0, dist, center - (radius + 0.5 * dist) * outward, -outward, no_tangent())
    return 1
