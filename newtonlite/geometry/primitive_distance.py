"""Primitive distance: signed distances [m] of points from primitives in their own frames, as MuJoCo's tactile sensors
measure them.
"""

import warp as wp

from newtonlite.core.constants import MINVAL


@wp.func
def signed_box(p: wp.vec3, half: wp.vec3) -> float:
    """Outside the distance; inside the way out along the field that leaves each face at right angles near it."""
    a = wp.vec3(wp.abs(p[0]) - half[0], wp.abs(p[1]) - half[1], wp.abs(p[2]) - half[2])
    if wp.max(a) >= 0.0:
        return wp.length(wp.max(a, wp.vec3(0.0, 0.0, 0.0)))
    along = wp.normalize(wp.vec3(-half[0] / a[0], -half[1] / a[1], -half[2] / a[2]))
    return -wp.min(wp.vec3(-a[0] / along[0], -a[1] / along[1], -a[2] / along[2]))


@wp.func
def signed_ellipsoid(p: wp.vec3, semi: wp.vec3) -> float:
    """To first order: the scaled radius less one, over the length of its gradient."""
    u = wp.cw_div(p, semi)
    g = wp.length(wp.cw_div(u, semi))
    if g < MINVAL:
        return -wp.min(semi)
    size = wp.length(u)
    return size * (size - 1.0) / g


@wp.func
def signed_capsule(p: wp.vec3, radius: float, half: float) -> float:
    """From the segment along z, less the radius."""
    return wp.length(wp.vec3(p[0], p[1], p[2] - wp.clamp(p[2], -half, half))) - radius


@wp.func
def signed_cylinder(p: wp.vec3, radius: float, half: float) -> float:
    """From side and caps."""
    side = wp.length(wp.vec2(p[0], p[1])) - radius
    cap = wp.abs(p[2]) - half
    return wp.min(wp.max(side, cap), 0.0) + wp.length(wp.vec2(wp.max(side, 0.0), wp.max(cap, 0.0)))
