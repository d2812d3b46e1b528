"""Triangle with a radius against sphere, capsule and box: contacts in closed form.

The other shape is first: normals point from it to the triangle. A triangle can touch along its face, so that a capsule
has up to five contacts with it, a box up to eleven: three corners of the triangle, eight of the box.
"""

import warp as wp

from newtonlite.geometry.contact.element.closest import FlexElement, corner_of, triangle_share
from newtonlite.geometry.contact.hits import Hits, component, no_tangent, put_hit, unit_axis
from newtonlite.geometry.contact.sphere import sphere_sphere

MOST_ELEMENT_HITS = 11
"""Contacts that an element and a geom can have at most."""


@wp.func
def ball_triangle(hits: Hits, index: int, center: wp.vec3, radius: float, e: FlexElement, cutoff: float) -> int:
    """A ball against the nearest point of the triangle; a centre in the triangle is pushed along x, as in MuJoCo."""
    share = triangle_share(center, e.a, e.b, e.c)
    nearest = share[0] * e.a + share[1] * e.b + share[2] * e.c
    return sphere_sphere(hits, index, center, radius, nearest, e.radius, wp.vec3(), cutoff)


@wp.func
def sphere_triangle(hits: Hits, center: wp.vec3, radius: float, e: FlexElement, cutoff: float) -> int:
    """At most one hit."""
    return ball_triangle(hits, 0, center, radius, e, cutoff)


@wp.func
def capsule_triangle(
    hits: Hits, pos: wp.vec3, axis: wp.vec3, radius: float, half: float, e: FlexElement, cutoff: float
) -> int:
    """The lower end, the upper end, and the corners of the triangle that lie beside the segment."""
    n = ball_triangle(hits, 0, pos - half * axis, radius, e, cutoff)
    n += ball_triangle(hits, n, pos + half * axis, radius, e, cutoff)
    corners = int(3)
    for i in range(corners):
        corner = corner_of(e, i)
        along = wp.dot(axis, corner - pos)
        if wp.abs(along) < half:
            n += sphere_sphere(hits, n, pos + along * axis, radius, corner, e.radius, wp.vec3(), cutoff)
    return n


@wp.func
def corner_in_box(
    hits: Hits, index: int, corner: wp.vec3, radius: float, pos: wp.vec3, mat: wp.mat33, half: wp.vec3, cutoff: float
) -> int:
    """A corner of the triangle over or behind the face of the box that it is farthest beyond, and beside no other."""
    local = wp.transpose(mat) * (corner - pos)
    beyond = wp.abs(local) - half
    k = wp.where(beyond[1] > beyond[0], 1, 0)
    k = wp.where(beyond[2] > component(beyond, k), 2, k)
    dist = component(beyond, k) - radius
    if dist > cutoff:
        return 0
    normal = mat * (wp.where(component(local, k) < 0.0, -1.0, 1.0) * unit_axis(k))
    put_hit(hits, index, dist, corner - (radius + 0.5 * dist) * normal, normal, no_tangent())
    return 1


@wp.func
def box_triangle(hits: Hits, pos: wp.vec3, mat: wp.mat33, half: wp.vec3, e: FlexElement, cutoff: float) -> int:
    """The corners of the triangle in the box, then the corners of the box, x fastest, as points against the triangle."""
    n = int(0)
    corners = int(3)
    for i in range(corners):
        n += corner_in_box(hits, n, corner_of(e, i), e.radius, pos, mat, half, cutoff)
    corners = int(8)
    for i in range(corners):
        local = wp.vec3(
            wp.where((i & 1) != 0, half[0], -half[0]),
            wp.where((i & 2) != 0, half[1], -half[1]),
            wp.where((i & 4) != 0, half[2], -half[2]),
        )
        n += ball_triangle(hits, n, pos + mat * local, 0.0, e, cutoff)
    return n
