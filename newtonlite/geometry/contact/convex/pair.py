"""The contacts of two convex shapes: one point where they are nearest or deepest, or a patch where they lie flat on each other."""

import warp as wp

from newtonlite.geometry.contact.convex.clip import load
from newtonlite.geometry.contact.convex.epa import epa, point_of_face, weights_in_face
from newtonlite.geometry.contact.convex.feature import Feature, feature_of, has_patches
from newtonlite.geometry.contact.convex.gjk import Reach, gjk, witness
from newtonlite.geometry.contact.convex.number import HALF, TINY, ZERO, mat, real, vec
from newtonlite.geometry.contact.convex.patch import cut_patch, find_patch
from newtonlite.geometry.contact.convex.shape import CAPSULE, SPHERE, Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import Hits, no_tangent, put_hit


@wp.struct
class Search:
    """How far to look and how well."""

    cutoff: real  # distance of the farthest hits [m]
    margin: real  # distance up to which a patch has more than one point [m]
    tolerance: real  # [m]
    iterations: int
    patches: bool  # whether to look for them at all


@wp.struct
class Touch:
    """The nearest or deepest point of a pair, and the features that hold it."""

    found: bool
    dist: real
    normal: vec  # from shape 1 to shape 2
    point1: vec
    point2: vec
    feature1: Feature
    feature2: Feature
    has_features: bool


@wp.func
def touch_features(work: Workspace, t: Touch, a: int, b: int, c: int) -> Touch:
    """The features under three vertices of the workspace."""
    ka = work.code[a]
    kb = work.code[b]
    kc = work.code[c]
    t.feature1 = feature_of(ka[0], kb[0], kc[0], work.point1[a])
    t.feature2 = feature_of(ka[1], kb[1], kc[1], work.point2[a])
    t.has_features = True
    return t


@wp.func
def core(s: Convex) -> Convex:
    """A sphere's centre, a capsule's segment; other shapes as they are."""
    if s.kind == SPHERE or s.kind == CAPSULE:
        s.size = vec(ZERO, s.size[1], s.size[2])
    return s


@wp.func
def radius(s: Convex) -> real:
    """How much ``core`` takes off."""
    return wp.where(s.kind == SPHERE or s.kind == CAPSULE, s.size[0], ZERO)


@wp.func
def nearest_touch(work: Workspace, hulls: Hulls, s1: Convex, s2: Convex, world: mat, search: Search) -> Touch:
    """Where the shapes are nearest, or deepest in each other. ``world`` turns the frame of the pair into the world's."""
    t = Touch()
    round1 = radius(s1)
    round2 = radius(s2)
    a = core(s1)
    b = core(s2)
    r = Reach()
    again = bool(True)
    attempts = int(2)
    for _attempt in range(attempts):
        if again:
            r = gjk(work, hulls, a, b, search.cutoff + round1 + round2, search.tolerance, search.iterations)
            # where the cores meet: once more with the full shapes
            again = not r.beyond and r.dist <= search.tolerance and round1 + round2 > ZERO
            if again:
                a = s1
                b = s2
                round1 = real(0.0)
                round2 = real(0.0)
    if r.beyond:
        return t
    if r.dist > search.tolerance or r.count < 2:
        t.found = True
        t.dist = r.dist - round1 - round2
        t.normal = -r.apart / wp.max(wp.length(r.apart), TINY)
        t.point1 = witness(work, r.count, r.share, 0) + round1 * t.normal
        t.point2 = witness(work, r.count, r.share, 1) - round2 * t.normal
        if r.count > 0:
            t = touch_features(work, t, 0, wp.min(1, r.count - 1), wp.where(r.count > 2, 2, 0))
        return t
    d = epa(work, hulls, a, b, r.count, world, search.tolerance, search.iterations)
    t.found = True
    t.dist = -d.depth
    t.normal = d.normal
    if d.found:
        share = weights_in_face(work, d)
        t.point1 = point_of_face(work, d, share, 0)
        t.point2 = point_of_face(work, d, share, 1)
        return touch_features(work, t, d.face[0], d.face[1], d.face[2])
    t.point1 = witness(work, r.count, r.share, 0)
    t.point2 = witness(work, r.count, r.share, 1)
    return t


@wp.func
def put_patch(
    work: Workspace, hits: Hits, hulls: Hulls, s1: Convex, s2: Convex, t: Touch, search: Search, pos: wp.vec3, turn: wp.mat33
) -> int:
    """Leave the points of a patch as hits; 0 where there is none.

    The side of a capsule counts as thicker by half the margin, in the direction of contact, as it does in MuJoCo.
    """
    thicker = real(0.0)
    if s1.kind == CAPSULE or s2.kind == CAPSULE:
        thicker = HALF * search.margin
    f1 = t.feature1
    f2 = t.feature2
    f1.spot = t.point1 + thicker * t.normal
    f2.spot = t.point2 - thicker * t.normal
    patch = find_patch(work, hulls, s1, s2, f1, f2, t.normal)
    if patch.corners == 0:
        return 0
    left = cut_patch(work, hulls, s1, s2, patch, search.margin - thicker)
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
def convex_convex(
    work: Workspace, hits: Hits, hulls: Hulls, s1: Convex, s2: Convex, search: Search, pos: wp.vec3, turn: wp.mat33
) -> int:
    """Up to four hits of two shapes posed in a frame that is at ``pos``, turned by ``turn``."""
    world = mat(
        real(turn[0, 0]), real(turn[0, 1]), real(turn[0, 2]), real(turn[1, 0]), real(turn[1, 1]), real(turn[1, 2]),
        real(turn[2, 0]), real(turn[2, 1]), real(turn[2, 2]),
    )  # fmt: skip
    t = nearest_touch(work, hulls, s1, s2, world, search)
    if not t.found or t.dist > search.cutoff:
        return 0
    if search.patches and t.has_features and t.dist < search.margin and has_patches(s1, s2):
        n = put_patch(work, hits, hulls, s1, s2, t, search, pos, turn)
        if n > 0:
            return n
    middle = HALF * (t.point1 + t.point2)
    put_hit(hits, 0, float(t.dist), pos + turn * wp.vec3(middle), turn * wp.vec3(t.normal), no_tangent())
    return 1
