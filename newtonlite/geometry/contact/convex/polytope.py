"""The polytope around the origin that EPA starts from, made of the simplex that GJK ends with.

A tetrahedron is one. A triangle that holds the origin becomes two pyramids, with tips on both sides; a segment first gets a third
corner beside it. The origin may lie in faces, which then have height zero and are pushed out first.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import HUGE, ZERO, mat, real, unit, vec
from newtonlite.geometry.contact.convex.shape import Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace, difference, put_support

CANDIDATE = wp.constant(0)
PASSED_OVER = wp.constant(1)
GONE = wp.constant(2)

QUARTER = wp.constant(real(0.25))
THIRD = wp.constant(real(1.0 / 3.0))
NO_AREA = wp.constant(real(1.0e-32))
NO_HEIGHT = wp.constant(real(1.0e-12))


@wp.struct
class Polytope:
    """Its counts and a point inside. Where it has no faces, the origin lies on the boundary, and ``normal`` is outward there."""

    vertices: int
    faces: int
    center: vec
    normal: vec


@wp.func
def put_face(work: Workspace, slot: int, a: int, b: int, c: int, center: vec) -> real:
    """Make a face; returns its height above the origin. A face without area can never be the answer and is passed over."""
    pa = difference(work, a)
    pb = difference(work, b)
    normal = wp.cross(pa - pb, difference(work, c) - pb)
    area2 = wp.dot(normal, normal)
    if area2 < NO_AREA:
        work.face[slot] = wp.vec4i(a, b, c, PASSED_OVER)
        work.normal[slot] = vec()
        work.height[slot] = HUGE
        return HUGE
    normal = normal / wp.sqrt(area2)
    if wp.dot(normal, pb - center) < ZERO:
        normal = -normal
    height = wp.dot(normal, pb)
    work.face[slot] = wp.vec4i(a, b, c, CANDIDATE)
    work.normal[slot] = normal
    work.height[slot] = height
    return height


@wp.func
def flattest(axis: vec, s1_turn: mat) -> vec:
    """The world axis most perpendicular to ``axis``, in the frame of shape 1."""
    w = s1_turn * axis
    size = vec(wp.abs(w[0]), wp.abs(w[1]), wp.abs(w[2]))
    k = int(0)
    if size[1] < size[0]:
        k = 1
    if size[2] < wp.min(size[0], size[1]):
        k = 2
    return wp.transpose(s1_turn) * unit(k)


@wp.func
def tetrahedron(work: Workspace) -> Polytope:
    """The simplex itself."""
    p = Polytope()
    p.center = QUARTER * (difference(work, 0) + difference(work, 1) + difference(work, 2) + difference(work, 3))
    faces = int(4)
    for i in range(faces):
        put_face(work, i, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4, p.center)
    p.vertices = 4
    p.faces = 4
    return p


@wp.func
def first_polytope(work: Workspace, hulls: Hulls, count: int, world: mat) -> Polytope:
    """A polytope that holds the origin, from the ``count`` (2 to 4) vertices that GJK left."""
    if count == 4:
        return tetrahedron(work)
    p = Polytope()
    a = difference(work, 0)
    along = difference(work, 1) - a
    way = wp.normalize(wp.cross(flattest(along, world), along))
    # corner 2 of a segment; then the tips 3 and 4
    for k in range(count, 5):
        if k == 3:
            way = -wp.normalize(wp.cross(along, difference(work, 2) - a))
        put_support(work, k, hulls, way, work.code[0])
        if wp.dot(difference(work, k), way) <= NO_HEIGHT:
            p.normal = way
            return p
        way = -way
    p.center = THIRD * (a + difference(work, 1) + difference(work, 2))
    sides = int(3)
    for i in range(sides):
        put_face(work, i, 4, i, (i + 1) % 3, p.center)
        put_face(work, 3 + i, 3, (i + 1) % 3, i, p.center)
    p.vertices = 5
    p.faces = 6
    return p
