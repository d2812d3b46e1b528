"""Capsule against capsule: closest points of two segments, two of them where the segments are parallel."""

import warp as wp

from newtonlite.geometry.contact.hits import Hits
from newtonlite.geometry.contact.sphere import sphere_sphere

ALONGSIDE = 1.0e-8
"""Squared sine of the angle below which two capsules touch along a line, at two points."""


@wp.func
def nearest_in_range(t2: float, t1: float, half2: float, dot: float, ahead1: float, half1: float) -> wp.vec2:
    """Clamp ``t2`` to its segment; where that moves it, the point of the other segment follows."""
    held = wp.clamp(t2, -half2, half2)
    follow = wp.clamp(ahead1 + dot * held, -half1, half1)
    return wp.vec2(wp.where(held != t2, follow, t1), held)


@wp.func
def stationary(apart: wp.vec3, axis2: wp.vec3, across: wp.vec3, sine2: float, ahead1: float, half2: float) -> float:
    """Coordinate on line 1 that is nearest to line 2, or to the point that segment 2 may be."""
    if half2 > 0.0 and sine2 > 0.0:
        return wp.dot(wp.cross(apart, axis2), across) / sine2
    return ahead1


@wp.func
def capsule_capsule(
    hits: Hits,
    pos1: wp.vec3,
    axis1: wp.vec3,
    radius1: float,
    half1: float,
    pos2: wp.vec3,
    axis2: wp.vec3,
    radius2: float,
    half2: float,
    cutoff: float,
) -> int:
    """Points ``pos1 + t1 axis1`` and ``pos2 + t2 axis2``, t in -half..half, nearest to each other.

    Stationary point of the distance, with d = pos2 - pos1, c = axis1.axis2:
    t1 - c t2 = axis1.d and t2 - c t1 = -axis2.d, solved through the cross product of the axes, which keeps its
    digits where the axes are nearly parallel.
    """
    apart = pos2 - pos1
    dot = wp.dot(axis1, axis2)
    ahead1 = wp.dot(axis1, apart)
    ahead2 = -wp.dot(axis2, apart)
    across = wp.cross(axis1, axis2)
    sine2 = wp.dot(across, across)
    if half1 > 0.0 and half2 > 0.0 and sine2 <= ALONGSIDE:
        near = nearest_in_range(ahead2 - dot * half1, -half1, half2, dot, ahead1, half1)
        far = nearest_in_range(ahead2 + dot * half1, half1, half2, dot, ahead1, half1)
        n = sphere_sphere(hits, 0, pos1 + near[0] * axis1, radius1, pos2 + near[1] * axis2, radius2, across, cutoff)
        return n + sphere_sphere(
            hits, n, pos1 + far[0] * axis1, radius1, pos2 + far[1] * axis2, radius2, across, cutoff
        )
    t1 = stationary(apart, axis2, across, sine2, ahead1, half2)
    t1 = wp.clamp(t1, -half1, half1)
    point = nearest_in_range(ahead2 + dot * t1, t1, half2, dot, ahead1, half1)
    return sphere_sphere(hits, 0, pos1 + point[0] * axis1, radius1, pos2 + point[1] * axis2, radius2, across, cutoff)
