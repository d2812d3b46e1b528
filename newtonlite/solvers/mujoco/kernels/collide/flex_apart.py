"""Elements of flexes that a plane along a face or edge of one of them parts: no search is needed to know that they do not touch.

Two convex polytopes that are apart have a plane between them that is along a face of one, or along an edge of each
(Gottschalk, Lin and Manocha, OBBTree, 1996). Neighbours in a sheet or solid, whose boxes overlap by their radius, are
parted by one of the first kind.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import SLACK
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import element_box

SHEET = wp.constant(2)
SOLID = wp.constant(3)
"""``flex_dim`` of elements that have faces."""


@wp.struct
class ElementCorners:
    """ElementCorners of an element, seen from the first of another or of its own; beyond the last the last again."""

    a: wp.vec3
    b: wp.vec3
    c: wp.vec3
    d: wp.vec3


@wp.func
def corners_from(m: ModelFields, d: DataFields, world: int, e: int, origin: wp.vec3) -> ElementCorners:
    """ElementCorners of element ``e`` from ``origin``."""
    v = m.flexelem_vert[e]
    x = ElementCorners()
    x.a = d.flexvert_xpos[world, v[0]] - origin
    x.b = d.flexvert_xpos[world, v[1]] - origin
    x.c = d.flexvert_xpos[world, v[2]] - origin
    x.d = d.flexvert_xpos[world, v[3]] - origin
    return x


@wp.func
def highest(x: ElementCorners, axis: wp.vec3) -> float:
    """Height of the highest corner along an axis."""
    return wp.max(wp.max(wp.dot(axis, x.a), wp.dot(axis, x.b)), wp.max(wp.dot(axis, x.c), wp.dot(axis, x.d)))


@wp.func
def is_gap(one: ElementCorners, two: ElementCorners, axis: wp.vec3, reach: float) -> bool:
    """Whether two elements are more than ``reach`` apart along an axis, or against it."""
    # above the first, or below it
    up = -highest(two, -axis) - highest(one, axis)
    down = -highest(one, -axis) - highest(two, axis)
    return wp.max(up, down) > reach * wp.length(axis)


@wp.func
def is_beyond_faces(one: ElementCorners, two: ElementCorners, dim: int, reach: float) -> bool:
    """Whether a plane along a face of the first, or across a triangle along one of its edges, parts it from the second."""
    ab = one.b - one.a
    ac = one.c - one.a
    up = wp.cross(ab, ac)
    if is_gap(one, two, up, reach):
        return True
    if dim == SOLID:
        ad = one.d - one.a
        return (
            is_gap(one, two, wp.cross(ac, ad), reach)
            or is_gap(one, two, wp.cross(ad, ab), reach)
            or is_gap(one, two, wp.cross(ac - ab, ad - ab), reach)
        )
    return (
        is_gap(one, two, wp.cross(ab, up), reach)
        or is_gap(one, two, wp.cross(ac, up), reach)
        or is_gap(one, two, wp.cross(ac - ab, up), reach)
    )


@wp.func
def are_parted(m: ModelFields, d: DataFields, world: int, e1: int, e2: int, cutoff: float) -> bool:
    """Whether two elements are farther apart than their radii, ``cutoff`` and the accuracy of a search, by more than
    rounding: seen from a face of one of them.
    """
    f1 = m.flex_elemflexid[e1]
    f2 = m.flex_elemflexid[e2]
    if m.flex_dim[f1] < SHEET or m.flex_dim[f2] < SHEET:
        return False
    one = element_box(d, world, e1)
    two = element_box(d, world, e2)
    size = wp.length(one.centre - two.centre) + wp.length(one.half) + wp.length(two.half)
    reach = m.flex_radius[world, f1] + m.flex_radius[world, f2] + wp.max(cutoff, 0.0)
    reach += 2.0 * m.opt_ccd_tolerance[world] + SLACK * size
    origin = d.flexvert_xpos[world, m.flexelem_vert[e1][0]]
    first = corners_from(m, d, world, e1, origin)
    second = corners_from(m, d, world, e2, origin)
    return is_beyond_faces(first, second, m.flex_dim[f1], reach) or is_beyond_faces(
        second, first, m.flex_dim[f2], reach
    )
