"""Initial polytope of EPA, made of the simplex that GJK ends with.

A tetrahedron is one. A triangle that holds the origin becomes a pyramid, and is pushed out to a tip on its other side;
a segment gets a triangle around it, and its ends are the tips. The origin may lie in faces, which then have height zero
and are pushed out first (docs/decisions/0007).
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import HALF, HUGE, ZERO, mat, real, unit_axis_double, vec
from newtonlite.geometry.contact.convex.shape import Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace, copy_vertex, difference, put_support

CANDIDATE = wp.constant(0)
PASSED_OVER = wp.constant(1)
GONE = wp.constant(2)

QUARTER = wp.constant(real(0.25))
SIN_120 = wp.constant(real(0.8660254037844386))
NO_AREA = wp.constant(real(1.0e-32))
NO_HEIGHT = wp.constant(real(1.0e-12))


@wp.struct
class Polytope:
    """Its counts and a point inside. Where it has no faces, the origin lies on the boundary, and ``normal`` is outward
    there.

    A last vertex beyond face 3 is ``waiting`` to be taken in.
    """

    vertices: int
    faces: int
    waiting: bool
    center: vec
    normal: vec


@wp.func
def put_face(work: Workspace, slot: int, a: int, b: int, c: int, center: vec, low: real, high: real):
    """Make a face. It is passed over where its height above the origin is outside of the bounds, or where it has no area
    and can never be the answer.
    """
    # normal by right angles to two sides, outward as seen from the inner point
    pa = difference(work, a)
    pb = difference(work, b)
    normal = wp.cross(pa - pb, difference(work, c) - pb)
    area2 = wp.dot(normal, normal)

    # a sliver has no normal to trust: it closes the polytope, and is never the nearest
    if area2 < NO_AREA:
        work.face[slot] = wp.vec4i(a, b, c, PASSED_OVER)
        work.normal[slot] = vec()
        work.height[slot] = HUGE
        return
    area = wp.sqrt(area2)
    normal = normal / wp.where(wp.dot(normal, pb - center) < ZERO, -area, area)

    # how far its plane is from the origin, and whether that can still be the depth
    height = wp.dot(normal, pb)
    work.face[slot] = wp.vec4i(a, b, c, wp.where(height < low or height > high, PASSED_OVER, CANDIDATE))
    work.normal[slot] = normal
    work.height[slot] = height


@wp.func
def flattest(axis: vec, s1_turn: mat) -> vec:
    """The world axis most perpendicular to ``axis``, in the frame of shape 1."""
    # by components in the world's frame, in which MuJoCo's search works
    w = s1_turn * axis
    size = vec(wp.abs(w[0]), wp.abs(w[1]), wp.abs(w[2]))
    k = int(0)
    if size[1] < size[0]:
        k = 1
    if size[2] < wp.min(size[0], size[1]):
        k = 2
    return wp.transpose(s1_turn) * unit_axis_double(k)


@wp.func
def tetrahedron(work: Workspace) -> Polytope:
    """The simplex itself."""
    p = Polytope()
    p.center = QUARTER * (difference(work, 0) + difference(work, 1) + difference(work, 2) + difference(work, 3))
    faces = int(4)

    # face i is opposite vertex i
    for i in range(faces):
        put_face(work, i, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4, p.center, -HUGE, HUGE)
    p.vertices = 4
    p.faces = 4
    return p


@wp.func
def first_polytope(work: Workspace, hulls: Hulls, count: int, world: mat) -> Polytope:
    """A polytope that holds the origin, from the ``count`` (2 to 4) vertices that GJK left.

    The line between two tips may pass beside the triangle: two pyramids on it would be hollow there, and are not
    MuJoCo's.
    """
    if count == 4:
        return tetrahedron(work)

    # the segment, or one side of the triangle
    p = Polytope()
    a = difference(work, 0)
    along = difference(work, 1) - a
    around = count == 2

    # a segment: its ends become the tips; the first of three corners lies across it and across the world axis that is
    # most at right angles to it
    way = wp.normalize(wp.cross(flattest(along, world), along))
    first = int(0)
    if around:
        copy_vertex(work, 0, 3)
        copy_vertex(work, 1, 4)
    else:
        # a triangle: its tips are found along its normal, one on either side
        way = -wp.normalize(wp.cross(along, difference(work, 2) - a))
        first = int(3)
    axis = wp.normalize(along)
    # three corners around a segment, a third of a turn apart; or tips 3 and 4 of a triangle
    for k in range(first, wp.where(around, 3, 5)):
        put_support(work, k, hulls, way, work.code[0])
        # no support beyond the origin in this direction: it lies on the boundary
        if wp.dot(difference(work, k), way) <= NO_HEIGHT:
            p.normal = way
            return p
        # a third of a turn about the segment, cos and sin of 120 degrees; or to the triangle's other side
        if around:
            way = SIN_120 * wp.cross(axis, way) - HALF * way
        else:
            way = -way

    # four of the five vertices make a tetrahedron; the fifth is taken in like any later support
    p = tetrahedron(work)
    p.waiting = True
    return p
