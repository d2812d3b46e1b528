"""Tetrahedron with a radius against sphere and capsule: one contact in closed form.

Apart, the nearest points of the two. A centre inside, or an axis that passes through, is pushed out the shortest way:
along a face's normal, or across the axis and an edge. The other shape is first: normals point from it to the
tetrahedron.
"""

import warp as wp

from newtonlite.geometry.contact.element.closest import (
    FlexElement,
    corner_of,
    face_corner,
    face_outward,
    is_flat,
    is_inside,
    nearest_on_faces,
    segment_share,
    triangle_share,
    weighted_point,
)
from newtonlite.geometry.contact.hits import PARALLEL, Hits, no_tangent, put_hit
from newtonlite.geometry.contact.sphere import sphere_sphere

EVEN = wp.constant(1.0e-6)
"""Share of the size by which two ends of an axis are equally deep."""


MEETING = wp.constant(1.0e-7)
"""Distance below which nearest points give no direction [m]."""


@wp.func
def sphere_tetrahedron(hits: Hits, center: wp.vec3, radius: float, e: FlexElement, cutoff: float) -> int:
    """At most one hit."""
    # outside, or without an inside: the nearest point of the faces
    if is_flat(e) or not is_inside(e, center):
        nearest = weighted_point(e, nearest_on_faces(e, center))
        return sphere_sphere(hits, 0, center, radius, nearest, e.radius, wp.vec3(), cutoff)

    # inside: out through the nearest face
    normal = wp.vec3()
    height = float(-1.0e30)
    faces = int(4)
    for i in range(faces):
        outward = face_outward(e, i)
        above = wp.dot(outward, center - face_corner(e, i, 0))
        if above > height:
            height = above
            normal = -outward
    dist = height - radius - e.radius
    if dist > cutoff:
        return 0
    put_hit(hits, 0, dist, center + (radius + 0.5 * dist) * normal, normal, no_tangent())
    return 1


@wp.struct
class Clearance:
    """Nearest points of an axis and an element, or the shortest way of the one out of the other."""

    dist: float  # of the axis and the faces, negative: how deep [m]
    point: wp.vec3  # of the axis
    normal: wp.vec3  # from the axis to the element


@wp.func
def inner_part(a: wp.vec3, b: wp.vec3, e: FlexElement) -> wp.vec2:
    """The part of the way from ``a`` to ``b`` that is inside, first and last; first is beyond last where there is
    none.
    """
    part = wp.vec2(0.0, 1.0)
    faces = int(4)
    for i in range(faces):
        outward = face_outward(e, i)
        corner = face_corner(e, i, 0)
        begin = wp.dot(outward, a - corner)
        end = wp.dot(outward, b - corner)
        if begin > 0.0 and end > 0.0:
            return wp.vec2(1.0, 0.0)
        if begin > 0.0:
            part[0] = wp.max(part[0], begin / (begin - end))
        elif end > 0.0:
            part[1] = wp.min(part[1], begin / (begin - end))
    return part


@wp.func
def nearer_of(best: Clearance, p: wp.vec3, q: wp.vec3) -> Clearance:
    """The pair of points that is closer: what was found, or ``p`` on the axis and ``q`` on the element."""
    apart = q - p
    length = wp.length(apart)
    if length < best.dist:
        best.dist = length
        best.point = p
        best.normal = apart / wp.max(length, 1.0e-20)
    return best


@wp.func
def axis_to_edge(a: wp.vec3, b: wp.vec3, c: wp.vec3, d: wp.vec3) -> wp.vec2:
    """Shares of the nearest points of segments ``a b`` and ``c d``; where they are parallel, the middle of what lies
    side by side.
    """
    along = b - a
    edge = d - c
    across = wp.cross(along, edge)
    sine2 = wp.dot(across, across)
    length2 = wp.dot(along, along)
    span2 = wp.dot(edge, edge)
    if sine2 <= PARALLEL * length2 * span2:
        t = 0.5 * (segment_share(c, a, b) + segment_share(d, a, b))
        return wp.vec2(t, segment_share(a + t * along, c, d))
    t = wp.clamp(wp.dot(wp.cross(c - a, edge), across) / sine2, 0.0, 1.0)
    u = segment_share(a + t * along, c, d)
    t = segment_share(c + u * edge, a, b)
    return wp.vec2(t, segment_share(a + t * along, c, d))


@wp.func
def edge_end(k: int, which: int) -> int:
    """Vertex at one end of edge ``k`` of a tetrahedron: 01 02 03 12 13 23."""
    first = wp.where(k < 3, 0, wp.where(k < 5, 1, 2))
    second = wp.where(k < 3, k + 1, wp.where(k < 5, k - 1, 3))
    return wp.where(which == 0, first, second)


@wp.func
def clear_of_faces(a: wp.vec3, b: wp.vec3, e: FlexElement) -> Clearance:
    """Nearest points of an axis outside and the faces: an end over a face, or the axis beside an edge."""
    best = Clearance()
    best.dist = 1.0e30
    for i in range(4):
        one = face_corner(e, i, 0)
        two = face_corner(e, i, 1)
        three = face_corner(e, i, 2)
        share = triangle_share(a, one, two, three)
        best = nearer_of(best, a, share[0] * one + share[1] * two + share[2] * three)
        share = triangle_share(b, one, two, three)
        best = nearer_of(best, b, share[0] * one + share[1] * two + share[2] * three)
    for k in range(6):
        c = corner_of(e, edge_end(k, 0))
        d = corner_of(e, edge_end(k, 1))
        t = axis_to_edge(a, b, c, d)
        best = nearer_of(best, a + t[0] * (b - a), c + t[1] * (d - c))
    return best


@wp.func
def way_out(a: wp.vec3, b: wp.vec3, e: FlexElement, part: wp.vec2) -> Clearance:
    """The least translation that takes an axis out of a tetrahedron: through a face, or across an edge."""
    best = Clearance()
    depth = float(1.0e30)
    edge = int(-1)

    # through a face: until its deeper end is out
    for i in range(4):
        outward = face_outward(e, i)
        corner = face_corner(e, i, 0)
        deep = -wp.min(wp.dot(outward, a - corner), wp.dot(outward, b - corner))
        if deep < depth:
            depth = deep
            best.normal = -outward

    # across the axis and an edge: as far as the tetrahedron's vertices go, to the nearer side
    along = b - a
    for k in range(6):
        c = corner_of(e, edge_end(k, 0))
        side = wp.cross(along, corner_of(e, edge_end(k, 1)) - c)
        size2 = wp.dot(side, side)
        if size2 > PARALLEL * wp.dot(along, along) * wp.dot(along, along):
            side = side / wp.sqrt(size2)
            high = float(-1.0e30)
            low = float(1.0e30)
            for v in range(4):
                height = wp.dot(side, corner_of(e, v) - a)
                high = wp.max(high, height)
                low = wp.min(low, height)
            deep = wp.min(high, -low)
            if deep < depth:
                depth = deep
                edge = k
                best.normal = wp.where(high < -low, -side, side)

    # where on the axis: beside that edge, at the deeper end, or in the middle of what is inside
    if edge >= 0:
        t = axis_to_edge(a, b, corner_of(e, edge_end(edge, 0)), corner_of(e, edge_end(edge, 1)))
        best.point = a + t[0] * along
    else:
        ahead = wp.dot(best.normal, along)
        best.point = wp.where(ahead > 0.0, b, a)
        if wp.abs(ahead) <= EVEN * wp.length(along):
            best.point = a + 0.5 * (part[0] + part[1]) * along
    best.dist = -depth
    return best


@wp.func
def capsule_tetrahedron(
    hits: Hits, pos: wp.vec3, axis: wp.vec3, radius: float, half: float, e: FlexElement, cutoff: float
) -> int:
    """At most one hit."""
    a = pos - half * axis
    b = pos + half * axis
    part = wp.vec2(1.0, 0.0)
    if not is_flat(e):
        part = inner_part(a, b, e)
    found = clear_of_faces(a, b, e)
    if part[0] <= part[1] or found.dist < MEETING:
        found = way_out(a, b, e, part)
    dist = found.dist - radius - e.radius
    if dist > cutoff:
        return 0
    put_hit(hits, 0, dist, found.point + (radius + 0.5 * dist) * found.normal, found.normal, no_tangent())
    return 1
