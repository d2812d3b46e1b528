"""The polytope around the origin that EPA starts from, made of the simplex that GJK ends with, as MuJoCo makes it.

A tetrahedron is one. A triangle becomes two pyramids, with tips on both sides. A segment gets three corners around it, a third of a
turn apart. Where the origin lies in a face of a tetrahedron, that face is the triangle to begin with.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import HALF, HUGE, ONE, ZERO, mat, real, unit, vec
from newtonlite.geometry.contact.convex.shape import Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace, difference, put_support, swap_vertices

CANDIDATE = wp.constant(0)
PASSED_OVER = wp.constant(1)
GONE = wp.constant(2)

QUARTER = wp.constant(real(0.25))
THIRD = wp.constant(real(1.0 / 3.0))
SIN_120 = wp.constant(real(0.8660254037844386))
NO_AREA = wp.constant(real(1.0e-32))
NO_HEIGHT = wp.constant(real(1.0e-15))
ON_TRIANGLE = wp.constant(real(1.0e-14))


@wp.struct
class Polytope:
    """Its counts and a point inside. Where it has no faces, the origin lies on the boundary, and ``normal`` is outward there."""

    vertices: int
    faces: int
    center: vec
    normal: vec


@wp.func
def put_face(work: Workspace, slot: int, a: int, b: int, c: int, center: vec) -> real:
    """Make a face; returns its height above the origin, negative where the origin is outside.

    What it keeps is how far the origin is from its plane. A face without area can never be the answer and is passed over.
    """
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
    work.height[slot] = wp.abs(height)
    return height


@wp.func
def flattest(axis: vec, world: mat) -> vec:
    """The world axis most perpendicular to ``axis``, in the frame of the pair."""
    w = world * axis
    size = vec(wp.abs(w[0]), wp.abs(w[1]), wp.abs(w[2]))
    k = int(0)
    if size[1] < size[0]:
        k = 1
    if size[2] < wp.min(size[0], size[1]):
        k = 2
    return wp.transpose(world) * unit(k)


@wp.func
def begin_with(work: Workspace, slot: int):
    """Let the corners of a face be the first three vertices."""
    f = work.face[slot]
    for i in range(3):
        k = wp.where(i == 0, f[0], wp.where(i == 1, f[1], f[2]))
        swap_vertices(work, i, k)
        f = wp.vec4i(f[0], wp.where(f[1] == i, k, f[1]), wp.where(f[2] == i, k, f[2]), 0)


@wp.func
def lowest_face(work: Workspace, faces: int) -> int:
    """The first face that the origin lies in, else the lowest."""
    best = int(0)
    for i in range(1, faces):
        if work.height[best] >= NO_HEIGHT and work.height[i] < work.height[best]:
            best = i
    return best


@wp.func
def tetrahedron(work: Workspace) -> Polytope:
    """The simplex itself; none where the origin lies in a face, whose corners come first then."""
    p = Polytope()
    p.center = QUARTER * (difference(work, 0) + difference(work, 1) + difference(work, 2) + difference(work, 3))
    least = real(1.0e30)
    for i in range(4):
        # corners 012, 031, 023, 321
        codes = wp.where(i < 2, wp.where(i == 0, 0o210, 0o130), wp.where(i == 2, 0o320, 0o123))
        least = wp.min(least, put_face(work, i, codes & 7, (codes >> 3) & 7, codes >> 6, p.center))
    if least < NO_HEIGHT:
        begin_with(work, lowest_face(work, 4))
        return p
    p.vertices = 4
    p.faces = 4
    return p


@wp.func
def bipyramid(work: Workspace, first: int, up: int, down: int, center: vec) -> wp.vec2d:
    """Six faces around the ring of three vertices from ``first`` on; returns the least height of those of each tip."""
    least = wp.vec2d(HUGE, HUGE)
    sides = int(3)
    for i in range(sides):
        # 01, 20, 12
        a = first + wp.where(i == 0, 0, 3 - i)
        b = first + wp.where(i == 2, 2, 1 - i)
        high = put_face(work, i, up, a, b, center)
        low = put_face(work, 3 + i, down, b, a, center)
        least = wp.vec2d(wp.min(least[0], high), wp.min(least[1], low))
    return least


@wp.func
def is_around(work: Workspace) -> bool:
    """Whether the line through vertices 0 and 1 goes through the triangle of the next three."""
    start = difference(work, 0)
    along = difference(work, 1) - start
    a = difference(work, 2) - start
    b = difference(work, 3) - start
    c = difference(work, 4) - start
    x = wp.dot(wp.cross(a, b), along)
    y = wp.dot(wp.cross(b, c), along)
    z = wp.dot(wp.cross(c, a), along)
    return wp.min(x, wp.min(y, z)) >= ZERO or wp.max(x, wp.max(y, z)) <= ZERO


@wp.func
def first_polytope(work: Workspace, hulls: Hulls, count: int, dist: real, world: mat) -> Polytope:
    """A polytope that holds the origin, from the ``count`` (2 to 4) vertices that GJK left, which come as near as ``dist`` to it."""
    p = Polytope()
    if count == 4:
        p = tetrahedron(work)
        if p.faces > 0:
            return p
    a = difference(work, 0)
    along = difference(work, 1) - a
    flat = bool(count > 2)
    way = wp.cross(flattest(along, world), along)
    if flat:
        way = -wp.cross(along, difference(work, 2) - a)
    way = wp.normalize(way)
    p.normal = way
    along = wp.normalize(along)
    inside = bool(True)
    for k in range(wp.min(count, 3), 5):
        put_support(work, k, hulls, way, work.code[0])
        if flat:
            inside = inside and wp.dot(difference(work, k), way) > NO_HEIGHT
            way = -way
        else:
            way = SIN_120 * wp.cross(along, way) - HALF * way
    if flat:
        p.center = THIRD * (a + difference(work, 1) + difference(work, 2))
    else:
        p.center = HALF * (a + difference(work, 1))
    least = bipyramid(work, wp.where(flat, 0, 2), wp.where(flat, 4, 0), wp.where(flat, 3, 1), p.center)
    if flat and dist > ON_TRIANGLE:
        # the origin is on the side of one of the tips
        inside = inside and wp.where(wp.dot(p.normal, a) < ZERO, least[1], least[0]) > ZERO
    elif not flat:
        inside = is_around(work)
    p.vertices = 5
    p.faces = wp.where(inside, 6, 0)
    return p
