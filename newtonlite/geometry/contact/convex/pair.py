"""Convex pair: one contact where two shapes are nearest or deepest, or a patch where faces lie on each other."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.clip import load
from newtonlite.geometry.contact.convex.epa import epa, point_of_face, weights_in_face
from newtonlite.geometry.contact.convex.feature import feature_of, has_patches
from newtonlite.geometry.contact.convex.gjk import Guess, Reach, gjk, witness
from newtonlite.geometry.contact.convex.number import HALF, TINY, ZERO, mat, real, vec
from newtonlite.geometry.contact.convex.patch import cut_patch, find_patch
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import Hits, no_tangent, put_hit


@wp.struct
class ConvexSearch:
    """Cutoff and accuracy of a search."""

    cutoff: real  # distance of the farthest hits [m]
    margin: real  # distance up to which a patch has more than one point, and by how much both shapes together count as thicker [m]
    tolerance: real  # [m]
    iterations: int
    patches: bool  # whether to look for them at all
    guess: Guess


@wp.struct
class ConvexTouch:
    """The nearest or deepest point of a pair, and which vertices of the workspace hold it: -1 where none do. Where it is
    not found, ``normal`` is a separating axis and the first two corners are the shapes' codes along it.
    """

    found: bool
    dist: real
    normal: vec  # from shape 1 to shape 2
    point1: vec
    point2: vec
    corners: wp.vec3i


@wp.func
def radius(s: Convex) -> real:
    """Radius of a shape about its core: the core of a sphere is its centre, of a capsule its segment, of others all."""
    return wp.where(s.kind == MjtGeom.SPHERE or s.kind == MjtGeom.CAPSULE, s.size[0], ZERO)


@wp.func
def set_size(work: Workspace, which: int, r: real, thick: real):
    """Give a sphere or capsule of the workspace another radius, and any shape another thickness; an element of a flex keeps
    its own in addition.
    """
    s = work.shape[which]
    if s.kind == MjtGeom.SPHERE or s.kind == MjtGeom.CAPSULE:
        s.size = vec(r, s.size[1], s.size[2])
    s.thick = wp.where(s.kind == MjtGeom.FLEX, s.thick, ZERO) + thick
    work.shape[which] = s


@wp.func
def nearest_touch(work: Workspace, hulls: Hulls, world: mat, search: ConvexSearch) -> ConvexTouch:
    """Nearest, or deepest, points of the two shapes of the workspace. ``world`` turns the frame of the pair into the
    world's.

    Each shape counts as thicker by half the margin where that is needed to find how deep they are, beside an element of a
    flex always: so do MuJoCo's.
    """
    # a shape is its core and a radius around it; half the margin is added to the radius, but none becomes thinner
    t = ConvexTouch()
    t.corners = wp.vec3i(-1, -1, -1)
    half = HALF * wp.max(search.margin, ZERO)
    round1 = radius(work.shape[0])
    round2 = radius(work.shape[1])
    # first the cores of spheres and capsules, and other shapes as they are; beside an element of a flex the full ones
    full = work.shape[0].kind == MjtGeom.FLEX or work.shape[1].kind == MjtGeom.FLEX
    set_size(work, 0, wp.where(full, round1, ZERO), wp.where(full, half, ZERO))
    set_size(work, 1, wp.where(full, round2, ZERO), wp.where(full, half, ZERO))
    less1 = wp.where(full, ZERO, round1 + half)
    less2 = wp.where(full, ZERO, round2 + half)
    r = Reach()
    attempts = int(2)
    # cores apart: their distance less the radii is exact, and no search of rounded shapes is needed
    for _attempt in range(attempts):
        limit = wp.max(search.cutoff - (half + half) + less1 + less2, ZERO)
        r = gjk(work, hulls, world, search.guess, limit, search.tolerance, search.iterations)
        if r.beyond or r.dist > search.tolerance or less1 + less2 <= ZERO:
            break
        set_size(work, 0, round1, half)  # they meet: once more with the full shapes
        set_size(work, 1, round2, half)
        less1 = ZERO
        less2 = ZERO
    # farther than the cutoff: the axis that separates them, and where to search from the next time
    if r.beyond:
        code = work.code[r.count]
        t.normal = -r.apart / wp.length(r.apart)
        t.corners = wp.vec3i(code[0], code[1], -1)
        return t
    # the margin was only for the search: distances are of the shapes without it
    less1 = less1 - half
    less2 = less2 - half
    t.found = True

    # apart: points of the cores, moved out by their radii along the normal
    if r.dist > search.tolerance or r.count < 2:
        t.dist = r.dist - less1 - less2
        t.normal = -r.apart / wp.max(wp.length(r.apart), TINY)
        t.point1 = witness(work, r.count, r.share, 0) + less1 * t.normal
        t.point2 = witness(work, r.count, r.share, 1) - less2 * t.normal
        if r.count > 0:
            t.corners = wp.vec3i(0, wp.min(1, r.count - 1), wp.where(r.count > 2, 2, 0))
        return t

    # overlapping: points of the deepest face
    d = epa(work, hulls, r.count, world, search.tolerance, search.iterations)
    t.dist = -d.depth - less1 - less2
    t.normal = d.normal
    if d.found:
        share = weights_in_face(work, d)
        t.point1 = point_of_face(work, d, share, 0) + less1 * t.normal
        t.point2 = point_of_face(work, d, share, 1) - less2 * t.normal
        t.corners = wp.vec3i(d.face[0], d.face[1], d.face[2])
        return t

    # no face is known where the origin is on the boundary, or less than the tolerance beyond: the simplex holds the point
    t.dist = r.dist - less1 - less2
    t.point1 = witness(work, r.count, r.share, 0) + less1 * t.normal
    t.point2 = witness(work, r.count, r.share, 1) - less2 * t.normal
    return t


@wp.func
def put_patch(
    work: Workspace, hits: Hits, hulls: Hulls, t: ConvexTouch, search: ConvexSearch, pos: wp.vec3, turn: wp.mat33
) -> int:
    """Leave the points of a patch as hits; 0 where there is none.

    The side of a capsule counts as thicker by half the margin, in the direction of contact, as it does in MuJoCo.
    """
    # the corners that GJK or EPA ended with say which faces and edges meet
    thicker = real(0.0)
    if work.shape[0].kind == MjtGeom.CAPSULE or work.shape[1].kind == MjtGeom.CAPSULE:
        thicker = HALF * search.margin
    first = t.corners[0]
    a = work.code[first]
    b = work.code[t.corners[1]]
    c = work.code[t.corners[2]]
    f1 = feature_of(a[0], b[0], c[0], work.point1[first], t.point1 + thicker * t.normal)
    f2 = feature_of(a[1], b[1], c[1], work.point2[first], t.point2 - thicker * t.normal)

    # which two features lie on each other, and the cut of one by the other
    patch = find_patch(work, hulls, f1, f2, t.normal)
    if patch.corners == 0:
        return 0
    left = cut_patch(work, hulls, patch, search.margin - thicker)

    # each corner that is left is a hit: its foot on the face, and how far it is from the other feature
    n = int(0)
    for k in range(left.count):
        p = load(work, left.buffer, k)
        on_face = p - wp.dot(p - left.origin, patch.normal) * patch.normal
        height = wp.dot(on_face - p, patch.along)
        dist = height + thicker
        middle = on_face - (HALF * height) * patch.along + (HALF * thicker) * patch.normal
        if dist <= search.cutoff:
            put_hit(hits, n, float(dist), pos + turn * wp.vec3(middle), turn * wp.vec3(patch.toward), no_tangent())
            n += 1
    return n


@wp.func
def convex_convex(work: Workspace, hits: Hits, hulls: Hulls, search: ConvexSearch, pos: wp.vec3, turn: wp.mat33) -> int:
    """Up to four hits of the two shapes of the workspace, posed in a frame that is at ``pos``, turned by ``turn``."""
    return put_touch(work, hits, hulls, nearest_touch(work, hulls, mat(turn), search), search, pos, turn)


@wp.func
def put_touch(
    work: Workspace, hits: Hits, hulls: Hulls, t: ConvexTouch, search: ConvexSearch, pos: wp.vec3, turn: wp.mat33
) -> int:
    """Leave the hits of two shapes of which the nearest point is known; returns how many."""
    # too far for a contact
    if not t.found or t.dist > search.cutoff:
        return 0

    # flat features that touch get up to four points
    if (
        search.patches
        and t.corners[0] >= 0
        and t.dist < search.margin
        and has_patches(work.shape[0].kind, work.shape[1].kind)
    ):
        n = put_patch(work, hits, hulls, t, search, pos, turn)
        if n > 0:
            return n

    # everything else one, half way between the two shapes
    middle = HALF * (t.point1 + t.point2)
    put_hit(hits, 0, float(t.dist), pos + turn * wp.vec3(middle), turn * wp.vec3(t.normal), no_tangent())
    return 1
