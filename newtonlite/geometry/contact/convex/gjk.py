"""GJK: distance of two convex shapes by Gilbert, Johnson and Keerthi's descent over simplices.

Gilbert, Johnson, Keerthi, A Fast Procedure for Computing the Distance Between Complex Objects in Three-Dimensional
Space, IEEE J. Robotics Automat. 4 (1988).  The difference of two shapes is a convex set, and their distance that of the
set from the origin; ``simplex`` has the nearest point of up to four of its points.

Taken for every convex pair, first.  It finds how far shapes are apart, not how deep they are inside each other
(``epa``).  It begins with the two shapes of a workspace and leaves the last simplex there.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import HALF, ONE, TINY, ZERO, mat, real, unit_axis_double, vec
from newtonlite.geometry.contact.convex.shape import Hulls, middle
from newtonlite.geometry.contact.convex.simplex import nearest, weights
from newtonlite.geometry.contact.convex.workspace import Workspace, are_flat_sided, copy_vertex, difference, put_support

CLEAR = wp.constant(real(1.0e-9))
"""Distance that a guessed axis must show beyond cutoff and tolerance [m]; a search would find the shapes apart, too."""


@wp.struct
class Guess:
    """Separating axis that may still be one: a unit vector from the first shape to the second, or anything else for none;
    and vertices near which the supports along it may be. It saves work and changes nothing.
    """

    axis: vec
    start: wp.vec2i


@wp.struct
class Reach:
    """Distance of two shapes: apart beyond the cutoff along ``apart``, or ``apart`` being the vector from the second to the
    first, of length ``dist``.

    The simplex that holds the nearest point is left in the first ``count`` vertices of the workspace; where the shapes
    are beyond the cutoff, the support that shows it is the vertex after these.
    """

    beyond: bool
    count: int
    dist: real
    apart: vec
    share: weights


@wp.func
def mixture(work: Workspace, count: int, share: weights) -> vec:
    """The point of the simplex with these weights."""
    x = vec()
    for i in range(count):
        x += share[i] * difference(work, i)
    return x


@wp.func
def keep_needed(work: Workspace, count: int, share: weights) -> Reach:
    """Drop the vertices without weight."""
    # a vertex without weight does not carry the nearest point: what is left is the smallest simplex that does
    kept = Reach()
    for i in range(count):
        if share[i] > ZERO:
            if kept.count < i:
                copy_vertex(work, i, kept.count)
            kept.share[kept.count] = share[i]
            kept.count += 1
    return kept


@wp.func
def corner(work: Workspace, i: int, count: int) -> vec:
    """Vertex ``i`` of ``count``, or zero."""
    p = vec()
    if i < count:
        p = difference(work, i)
    return p


@wp.func
def gjk(
    work: Workspace, hulls: Hulls, world: mat, guess: Guess, cutoff: real, tolerance: real, iterations: int
) -> Reach:
    """Distance as far as ``cutoff``, within ``tolerance`` for round shapes."""
    flat = are_flat_sided(work)
    gap = wp.where(flat, ZERO, HALF * tolerance * tolerance)
    least = wp.where(flat, TINY, tolerance)
    # first point: between the two middles, or any direction where these coincide
    apart = middle(work.shape[0]) - middle(work.shape[1])
    if wp.length(apart) < least:
        apart = (least + least) * (wp.transpose(world) * unit_axis_double(0))
    dist = wp.length(apart)
    before = real(-1.0)
    count = int(0)
    share = weights()
    beyond = bool(False)
    code = guess.start
    # functions are inlined: the guess is tried in the loop, before the first iteration
    guessed = wp.abs(wp.length(guess.axis) - ONE) < CLEAR
    k = int(0)
    while k < iterations:
        way = guess.axis
        if not guessed:
            if k == 0:
                code = wp.vec2i(-1, -1)
            if dist < least or wp.abs(before - dist) < TINY:  # the origin is met, or the distance stands still
                break
            way = -apart / dist
        code = put_support(work, count, hulls, way, code)
        w = difference(work, count)
        if guessed:  # it shows the shapes apart, or has cost one support and is forgotten
            guessed = False
            if wp.dot(way, w) < -(wp.max(cutoff, ZERO) + tolerance + CLEAR):
                beyond = True
                apart = -way
                break
            continue
        k += 1
        # no point is nearer to the origin along the way: |x|^2 - x'w bounds what can still be gained
        ahead = wp.dot(apart, w)
        if dist * dist - ahead < gap:
            break
        if ahead > ZERO and ahead >= cutoff * dist:
            beyond = True  # the plane through w is, and so are all points behind it
            break
        # the nearest point of the simplex with the new vertex, and of that only the vertices that hold it
        n = count + 1
        kept = keep_needed(
            work, n, nearest(n, corner(work, 0, n), corner(work, 1, n), corner(work, 2, n), corner(work, 3, n))
        )
        count = kept.count
        share = kept.share
        before = wp.where(k == 1, real(-1.0), dist)  # the first distance is that of the middles, of no point
        apart = mixture(work, count, share)
        dist = wp.length(apart)
        if count == 4:  # the origin is inside a tetrahedron: the shapes overlap
            break
    r = Reach()
    r.beyond = beyond
    r.count = count
    r.share = share
    r.apart = apart
    r.dist = wp.where(count == 4, ZERO, dist)  # of 0 epa finds the depth
    return r


@wp.func
def witness(work: Workspace, count: int, share: weights, which: int) -> vec:
    """The point of the first (0) or second (1) shape in the mixture."""
    x = vec()
    for i in range(count):
        p = work.point1[i]
        if which == 1:
            p = work.point2[i]
        x += share[i] * p
    return x
