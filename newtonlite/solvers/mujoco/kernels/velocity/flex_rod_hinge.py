"""Curvature of a hinge of a rod: the curvature binormal, and its slopes by the two edges (Bergou et al. 2008)."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def any_normal(t: wp.vec3) -> wp.vec3:
    """A direction across a unit vector: y, or z where the vector is near to that, made orthogonal."""
    start = wp.vec3(0.0, 1.0, 0.0)
    if wp.abs(t[1]) >= 0.5:
        start = wp.vec3(0.0, 0.0, 1.0)
    return wp.normalize(start - t * wp.dot(t, start))


@wp.func
def curvature(e0: wp.vec3, e1: wp.vec3) -> wp.vec3:
    """Curvature binormal of two edges in a row; zero where it is not defined."""
    scale = wp.length(e0) * wp.length(e1) + wp.dot(e0, e1)
    return wp.where(scale < MINVAL, wp.vec3(0.0, 0.0, 0.0), 2.0 / wp.max(scale, MINVAL) * wp.cross(e0, e1))


@wp.func
def curvature_by_first(e0: wp.vec3, e1: wp.vec3) -> wp.mat33:
    """Slope of the curvature binormal by the first edge."""
    l0 = wp.max(wp.length(e0), MINVAL)
    l1 = wp.length(e1)
    scale = wp.max(l0 * l1 + wp.dot(e0, e1), MINVAL)
    return (-2.0 * wp.skew(e1) - wp.outer(curvature(e0, e1), (l1 / l0) * e0 + e1)) / scale


@wp.func
def curvature_by_second(e0: wp.vec3, e1: wp.vec3) -> wp.mat33:
    """Slope of the curvature binormal by the second edge."""
    l0 = wp.length(e0)
    l1 = wp.max(wp.length(e1), MINVAL)
    scale = wp.max(l0 * l1 + wp.dot(e0, e1), MINVAL)
    return (2.0 * wp.skew(e0) - wp.outer(curvature(e0, e1), (l0 / l1) * e1 + e0)) / scale


@wp.func
def hinge_edge(m: ModelFields, d: DataFields, world: int, h: int, side: int) -> wp.vec3:
    """First (``side`` 0), second or third edge of a hinge."""
    return d.flexvert_xpos[world, m.flexrod_vert[h][side + 1]] - d.flexvert_xpos[world, m.flexrod_vert[h][side]]
