"""EPA: penetration depth of two convex shapes by van den Bergen's expanding polytope.

Van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects, GDC 2001.  The face nearest to
the origin is pushed out to the support in its direction, again and again, until it cannot be.

Taken where ``gjk`` comes within its tolerance of the origin, with two vertices or more; ``gjk`` alone knows distances.
It begins with the vertices that GJK left (``polytope`` makes a first polytope of them) and leaves the nearest face, of
which corners, normal and height are contact point, direction and depth.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.geometry.contact.convex.number import HUGE, ZERO, mat, real, vec
from newtonlite.geometry.contact.convex.polytope import CANDIDATE, GONE, first_polytope, put_face
from newtonlite.geometry.contact.convex.shape import Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace, are_flat_sided, difference, is_repeated, put_support

native = header(__file__)

FLAT_TOLERANCE = wp.constant(real(1.0e-9))
VISIBLE = wp.constant(real(1.0e-10))


@wp.struct
class Depth:
    """The nearest face: its corners, outward normal and height. ``found`` is false where the origin lies on the
    boundary.
    """

    found: bool
    face: wp.vec4i
    normal: vec
    depth: real


@wp.func
def nearest_face(work: Workspace, faces: int) -> int:
    """Slot of the candidate nearest to the origin, or -1."""
    # a face that was passed over may well lie nearer: only candidates count
    best = int(-1)
    least = real(1.0e30)
    for i in range(faces):
        height = work.height[i]
        if height < least:
            if work.face[i][3] == CANDIDATE:
                best = i
                least = height
    return best


@wp.func
def toggle_edge(work: Workspace, count: int, a: int, b: int) -> int:
    """Add an edge to the rim, or remove it where it is there already; returns the new count, -1 where there is no room."""
    # an edge between two faces that are gone is met twice and drops out: what is left is the horizon
    low = wp.min(a, b)
    high = wp.max(a, b)
    for i in range(count):
        e = work.rim[i]
        if e[0] == low and e[1] == high:
            work.rim[i] = work.rim[count - 1]
            return count - 1
    if count < 0 or count >= len(work.rim):
        return -1
    work.rim[count] = wp.vec2i(low, high)
    return count + 1


@wp.func_native(native("next_visible"))
def next_visible(
    normals: wp.array[wp.vec3d], heights: wp.array[wp.float64], first: int, faces: int, w: vec, least: real
) -> int:
    """The first of the faces from ``first`` on that ``w`` is more than ``least`` above, or ``faces``."""
    ...


@wp.struct
class Hole:
    """Hole in the polytope where faces are gone: how many edges are around it, -1 for none; and the first of their
    slots, -1 for none. A gone face has the next such slot in place of its first corner, and no normal.
    """

    rim: int
    free: int


@wp.func
def remove_visible(work: Workspace, faces: int, nearest: int, w: vec) -> Hole:
    """Remove the faces that ``w`` sees, the nearest one in any case."""
    # the nearest face goes even where rounding says that w is not above it: else nothing would be made
    hole = Hole()
    hole.free = -1
    last = int(-1)
    work.height[nearest] = -HUGE
    i = next_visible(work.normal, work.height, 0, faces, w, VISIBLE)

    # a slot that is free names the next one, for the faces to come
    while i < faces:
        f = work.face[i]
        work.face[i] = wp.vec4i(-1, f[1], f[2], GONE)
        work.normal[i] = vec()
        work.height[i] = HUGE
        if last < 0:
            hole.free = i
        else:
            work.face[last][0] = i
        last = i
        # the rim: edges of faces that are gone with faces that stay
        sides = int(3)
        for e in range(sides):
            hole.rim = toggle_edge(work, hole.rim, f[e], f[(e + 1) % 3])
        i = next_visible(work.normal, work.height, i + 1, faces, w, VISIBLE)
    return hole


@wp.func
def close_hole(work: Workspace, faces: int, hole: Hole, apex: int, center: vec, low: real, high: real) -> int:
    """Faces from the rim to the new vertex; returns how many slots are in use then, -1 where there is no room.

    A face nearer than the last bound, or farther than a vertex that was reached, can no longer be the answer; but where
    the origin is still outside (the bound is negative), new faces may well be farther from it on that side.
    """
    # free slots first, then new ones
    free = hole.free
    used = int(faces)

    # faces that cannot be the answer are made as well, since the polytope has to stay closed, but are no candidates
    least = wp.where(low >= ZERO, low, -HUGE)
    for i in range(hole.rim):
        slot = free
        if free >= 0:
            free = work.face[slot][0]
        else:
            slot = used
            used += 1
        if slot >= len(work.face):
            return -1
        e = work.rim[i]
        put_face(work, slot, apex, e[0], e[1], center, least, high)
    return used


@wp.func
def epa(work: Workspace, hulls: Hulls, count: int, world: mat, tolerance: real, iterations: int) -> Depth:
    """Depth of two shapes that overlap, of the ``count`` vertices that GJK left; within ``tolerance`` for round shapes."""
    # shapes of flat faces have a support that comes again at the end; round ones end by accuracy
    flat = are_flat_sided(work)
    accuracy = wp.where(flat, FLAT_TOLERANCE, tolerance)

    # a polytope around the origin; its last vertex may still wait to be taken in
    p = first_polytope(work, hulls, count, world)
    high = real(1.0e30)
    faces = p.faces
    vertices = p.vertices
    found = bool(False)
    face = wp.vec4i(0, 0, 0, 0)
    normal = p.normal
    depth = real(0.0)
    k = int(0)

    # lower bound: the height of the nearest face. Upper bound: the lowest support that was reached
    while k < iterations:
        i = int(3)
        if not p.waiting:
            # no candidate left, or none below a support that is known: the last one is the answer
            i = nearest_face(work, faces)
            if i < 0 or (found and work.height[i] > high):
                break
            # the nearest face so far, in case it is the last
            found = True
            face = work.face[i]
            normal = work.normal[i]
            depth = work.height[i]
            k += 1
            if k == iterations or vertices >= len(work.point1):
                break
            # the support in its direction, searched from one of its corners
            put_support(work, vertices, hulls, normal, work.code[face[0]])
        w = difference(work, vertices)
        if not p.waiting:
            # the face cannot be pushed out any further, or a vertex comes again: it lies on the boundary
            reach = wp.dot(normal, w)
            high = wp.min(high, reach)
            if reach - depth < accuracy or (flat and is_repeated(work, vertices)):
                break
        # otherwise all faces below the new vertex make way for a fan from their rim to it
        hole = remove_visible(work, faces, i, w)
        if hole.rim < 0:
            break
        faces = close_hole(work, faces, hole, vertices, p.center, wp.where(p.waiting, real(-1.0), depth), high)
        p.waiting = False
        vertices += 1
        if faces < 0:
            break

    # a nearest face through the origin may have a height of rounding below 0
    d = Depth()
    d.found = found
    d.face = face
    d.normal = normal
    d.depth = wp.max(depth, ZERO)
    return d


@wp.func
def weights_in_face(work: Workspace, d: Depth) -> vec:
    """Weights of the face's corners that make the point nearest to the origin."""
    # the nearest point is the foot of the origin on the face; areas opposite the corners are its weights
    foot = d.depth * d.normal
    a = difference(work, d.face[0]) - foot
    b = difference(work, d.face[1]) - foot
    c = difference(work, d.face[2]) - foot
    share = vec(wp.dot(wp.cross(b, c), d.normal), wp.dot(wp.cross(c, a), d.normal), wp.dot(wp.cross(a, b), d.normal))
    return share / (share[0] + share[1] + share[2])


@wp.func
def point_of_face(work: Workspace, d: Depth, share: vec, which: int) -> vec:
    """The point of the first (0) or second (1) shape under the nearest point of the face."""
    # a vertex of the face is a difference of two points: the same weights mix those of one shape
    x = vec()
    for e in range(3):
        p = work.point1[d.face[e]]
        if which == 1:
            p = work.point2[d.face[e]]
        x += share[e] * p
    return x
