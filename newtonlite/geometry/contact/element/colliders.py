"""Colliders of elements: which function collides an element of a flex with a geom of each type.

Pairs that have no function here take GJK and EPA; of these an element is a shape (``convex_element``).
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.capsule import capsule_capsule
from newtonlite.geometry.contact.capsule_box import capsule_box
from newtonlite.geometry.contact.convex.number import mat, real, vec
from newtonlite.geometry.contact.convex.shape import Convex
from newtonlite.geometry.contact.element.closest import FlexElement
from newtonlite.geometry.contact.element.tetrahedron import capsule_tetrahedron, sphere_tetrahedron
from newtonlite.geometry.contact.element.triangle import box_triangle, capsule_triangle, sphere_triangle
from newtonlite.geometry.contact.hits import Hits, z_axis
from newtonlite.geometry.contact.sphere import sphere_capsule


@wp.func
def turn_round(hits: Hits, n: int):
    """Let the normals of ``n`` hits point from the second shape to the first."""
    for i in range(n):
        row = hits.first + i
        hits.normal[hits.world, row] = -hits.normal[hits.world, row]


@wp.func
def collide_rod(
    hits: Hits, kind: int, pos: wp.vec3, turn: wp.mat33, size: wp.vec3, e: FlexElement, cutoff: float
) -> int:
    """Hits of a geom and an element that is a capsule."""
    middle = 0.5 * (e.a + e.b)
    axis = wp.normalize(e.a - e.b)
    half = 0.5 * wp.length(e.b - e.a)
    if kind == MjtGeom.SPHERE:
        return sphere_capsule(hits, pos, z_axis(turn), size[0], middle, axis, e.radius, half, cutoff)
    if kind == MjtGeom.CAPSULE:
        return capsule_capsule(hits, pos, z_axis(turn), size[0], size[1], middle, axis, e.radius, half, cutoff)
    n = capsule_box(hits, middle, axis, e.radius, half, pos, turn, size, cutoff)
    turn_round(hits, n)
    return n


@wp.func
def collide_element(
    hits: Hits, kind: int, pos: wp.vec3, turn: wp.mat33, size: wp.vec3, e: FlexElement, cutoff: float
) -> int:
    """Leave the hits of a geom and an element that collide in closed form, the geom first; returns how many."""
    if e.dim == 1:
        return collide_rod(hits, kind, pos, turn, size, e, cutoff)
    if e.dim == 2:
        if kind == MjtGeom.SPHERE:
            return sphere_triangle(hits, pos, size[0], e, cutoff)
        if kind == MjtGeom.CAPSULE:
            return capsule_triangle(hits, pos, z_axis(turn), size[0], size[1], e, cutoff)
        return box_triangle(hits, pos, turn, size, e, cutoff)
    if kind == MjtGeom.SPHERE:
        return sphere_tetrahedron(hits, pos, size[0], e, cutoff)
    return capsule_tetrahedron(hits, pos, z_axis(turn), size[0], size[1], e, cutoff)


@wp.func
def convex_element(e: FlexElement, origin: wp.vec3, turn: mat) -> Convex:
    """An element in a frame at ``origin`` whose axes are the columns of ``turn``."""
    # its first vertex, and the ways from there to the others
    back = wp.transpose(turn)
    first = e.a - origin
    one = e.b - e.a
    two = e.c - e.a
    three = e.d - e.a
    s = Convex()
    s.kind = MjtGeom.FLEX
    s.pos = back * vec(real(first[0]), real(first[1]), real(first[2]))
    s.turn = back * mat(
        real(one[0]),
        real(two[0]),
        real(three[0]),
        real(one[1]),
        real(two[1]),
        real(three[1]),
        real(one[2]),
        real(two[2]),
        real(three[2]),
    )
    # a search begins between the middles of boxes along the world's axes
    low = wp.min(wp.min(e.a, e.b), wp.min(e.c, e.d))
    high = wp.max(wp.max(e.a, e.b), wp.max(e.c, e.d))
    middle = 0.5 * (low + high) - e.a
    s.size = back * vec(real(middle[0]), real(middle[1]), real(middle[2]))
    s.thick = real(e.radius)
    s.count = e.dim
    return s


@wp.func
def collide_rods(hits: Hits, one: FlexElement, two: FlexElement, cutoff: float) -> int:
    """Leave the hits of two elements that are capsules; returns how many."""
    axis1 = one.a - one.b
    axis2 = two.a - two.b
    return capsule_capsule(
        hits,
        0.5 * (one.a + one.b),
        wp.normalize(axis1),
        one.radius,
        0.5 * wp.length(axis1),
        0.5 * (two.a + two.b),
        wp.normalize(axis2),
        two.radius,
        0.5 * wp.length(axis2),
        cutoff,
    )
