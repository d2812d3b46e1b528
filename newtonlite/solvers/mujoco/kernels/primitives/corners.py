"""Corners of boxes along the axes: coordinates lower and higher of two points.

A coordinate of the second point that is not a number leaves the first; ``wp.min`` tests both, which costs more than the rest.
"""

import warp as wp


@wp.func
def lower(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Lower of each coordinate."""
    x = wp.where(b[0] < a[0], b[0], a[0])
    y = wp.where(b[1] < a[1], b[1], a[1])
    return wp.vec3(x, y, wp.where(b[2] < a[2], b[2], a[2]))


@wp.func
def higher(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Higher of each coordinate."""
    x = wp.where(b[0] > a[0], b[0], a[0])
    y = wp.where(b[1] > a[1], b[1], a[1])
    return wp.vec3(x, y, wp.where(b[2] > a[2], b[2], a[2]))
