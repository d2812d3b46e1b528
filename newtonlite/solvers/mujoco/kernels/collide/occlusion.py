"""Occlusion of speculative contacts: whether something else is in the way of a point that is to meet another geom."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import HALF, ONE, TINY, ZERO, mat, real, vec
from newtonlite.geometry.contact.convex.shape import Convex
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.advance import distance_search, double, nearest_points
from newtonlite.solvers.mujoco.kernels.collide.sap import can_collide
from newtonlite.solvers.mujoco.kernels.collide.workspace import convex_geom, hulls_of


@wp.struct
class Way:
    """A point's way, from ``origin`` on: which geom's it is, and which geom it is to meet."""

    geom: int
    against: int
    origin: wp.vec3
    start: vec
    end: vec


@wp.func
def partner(pair: wp.vec2i, g: int) -> int:
    """The other geom of a pair that ``g`` is in, or -1."""
    return wp.where(pair[0] == g, pair[1], wp.where(pair[1] == g, pair[0], -1))


@wp.func
def partner_count(m: ModelFields) -> int:
    """Number of places at which ``listed_partner`` may find a partner of a geom."""
    return wp.where(m.nsap > 0, m.nsap + m.npair, m.ncandidate)


@wp.func
def listed_partner(m: ModelFields, g: int, k: int) -> wp.vec2i:
    """Place ``k`` among what may collide with geom ``g``: a geom, or -1, and the explicit pair, or -1."""
    if m.nsap == 0:
        return wp.vec2i(partner(m.cand_geom[k], g), m.cand_pairid[k])
    if k >= m.nsap:
        return wp.vec2i(partner(m.sap_pair[k - m.nsap], g), k - m.nsap)
    other = m.sap_geom[k]
    if other != g and can_collide(m, wp.min(g, other), wp.max(g, other)):
        return wp.vec2i(other, -1)
    return wp.vec2i(-1, -1)


@wp.func
def segment(a: vec, b: vec) -> Convex:
    """The segment between two points, as a capsule without thickness."""
    s = Convex()
    s.kind = wp.static(int(MjtGeom.CAPSULE))
    s.pos = HALF * (a + b)
    length = wp.length(b - a)
    z = (b - a) / length
    x = vec(ONE, ZERO, ZERO)
    if wp.abs(z[0]) > HALF:
        x = vec(ZERO, ONE, ZERO)
    y = wp.normalize(wp.cross(z, x))
    x = wp.cross(y, z)
    s.turn = mat(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    s.size = vec(ZERO, HALF * length, ZERO)
    return s


@wp.func
def meets_sphere(a: vec, b: vec, centre: vec, radius: real) -> bool:
    """Whether a segment comes within a radius of a point."""
    way = b - a
    t = wp.clamp(wp.dot(centre - a, way) / wp.dot(way, way), ZERO, ONE)
    return wp.length(a + t * way - centre) <= radius


@wp.func
def crosses_plane(m: ModelFields, world: int, g: int, s: Convex, a: vec, b: vec) -> bool:
    """Whether a segment goes through a plane from above, where that is drawn."""
    p = wp.transpose(s.turn) * (a - s.pos)
    q = wp.transpose(s.turn) * (b - s.pos)
    if p[2] < ZERO or q[2] > ZERO or p[2] - q[2] < TINY:
        return False
    at = p + p[2] / (p[2] - q[2]) * (q - p)
    size = double(m.geom_size[world, g])
    return (size[0] <= ZERO or wp.abs(at[0]) <= size[0]) and (size[1] <= ZERO or wp.abs(at[1]) <= size[1])


@wp.func
def is_between(m: ModelFields, d: DataFields, work: Workspace, world: int, way: Way, found: wp.vec2i) -> bool:
    """Whether geom ``found[0]`` meets the way of a point of a geom, and does not touch that geom yet."""
    other = found[0]
    upright = wp.identity(n=3, dtype=wp.float64)
    s = convex_geom(m, d, world, other, way.origin, upright)
    plane = m.geom_type[other] == MjtGeom.PLANE
    if plane:
        if not crosses_plane(m, world, other, s, way.start, way.end):
            return False
    elif not meets_sphere(way.start, way.end, s.pos, real(m.geom_rbound[world, other])):
        return False

    # first the segment, then the geom whose point it is, at the start of the step
    margin = m.geom_margin[world, way.geom] + m.geom_margin[world, other]
    if m.npair > 0 and found[1] >= 0:
        margin = m.pair_margin[world, found[1]]
    search = distance_search(m, world, ZERO)
    meets = bool(plane)
    touches = bool(False)
    turns = int(2)
    for turn in range(turns):
        if turn == 1 or not plane:
            one = segment(way.start, way.end)
            if turn == 1:
                one = convex_geom(m, d, world, way.geom, way.origin, upright)
                search.cutoff = real(margin) + search.tolerance
            first = s
            second = one
            if one.kind < s.kind:
                first = one
                second = s
            t = nearest_points(work, hulls_of(m), first, second, search)
            near = t.found and t.dist <= search.cutoff
            if turn == 1:
                touches = near
            else:
                meets = near
                if not near:
                    break
    return meets and not touches


@wp.func
def is_occluded(m: ModelFields, d: DataFields, work: Workspace, world: int, way: Way) -> bool:
    """Whether something that may collide with a geom is in the way of its point; height fields and distance fields never
    are.
    """
    if wp.length(way.end - way.start) <= TINY:
        return False
    count = partner_count(m)
    for k in range(count):
        found = listed_partner(m, way.geom, k)
        other = found[0]
        if other >= 0 and other != way.against:
            if m.geom_type[other] != MjtGeom.HFIELD and m.geom_type[other] < MjtGeom.SDF:
                if is_between(m, d, work, world, way, found):
                    return True
    return False
