"""Pairs of a team's candidates that need the general convex collider, a few lanes at a time."""

from typing import Any

import warp as wp

from newtonlite.geometry.contact.convex.number import mat, real, vec
from newtonlite.geometry.contact.convex.pair import Search, convex_convex
from newtonlite.geometry.contact.convex.plane import plane_mesh
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, no_tangent, put_hit, z_axis
from newtonlite.solvers.mujoco.enums import CAPSULE, CYLINDER, DISABLE_MULTICCD, ELLIPSOID, MESH, PLANE
from newtonlite.solvers.mujoco.kernels.collide.parameters import detection_distance, pair_margin
from newtonlite.solvers.mujoco.kernels.team import sync, team_scan

CCD_LANES = 8
"""Lanes of a team that collide convex shapes; each needs some kilobytes of scratch."""


@wp.func
def is_convex_pair(type1: int, type2: int) -> bool:
    """Whether a pair of geom types, the lower first, has no collider of its own."""
    mesh = type2 == MESH
    ellipsoid = type1 != PLANE and (type1 == ELLIPSOID or type2 == ELLIPSOID)
    cylinder = type1 == CYLINDER or (type2 == CYLINDER and type1 == CAPSULE)
    return mesh or ellipsoid or cylinder


@wp.func
def hulls_of(m: Any) -> Hulls:
    """The model's hulls."""
    h = Hulls()
    h.vert = m.hull_vert
    h.nbr_adr = m.hull_nbradr
    h.nbr = m.hull_nbr
    h.fan_adr = m.hull_fanadr
    h.fan = m.hull_fan
    h.poly_normal = m.hull_normal
    h.poly_adr = m.hull_polyadr
    h.poly = m.hull_poly
    return h


@wp.func
def workspace_of(d: Any, world: int, lane: int) -> Workspace:
    """A lane's scratch."""
    w = Workspace()
    w.point1 = d.ccd_point1[world, lane]
    w.point2 = d.ccd_point2[world, lane]
    w.code = d.ccd_code[world, lane]
    w.face = d.ccd_face[world, lane]
    w.normal = d.ccd_normal[world, lane]
    w.height = d.ccd_height[world, lane]
    w.rim = d.ccd_rim[world, lane]
    w.polygon = d.ccd_polygon[world, lane]
    return w


@wp.func
def convex_geom(m: Any, d: Any, world: int, g: int, origin: wp.vec3, turn: mat) -> Convex:
    """A geom in a frame at ``origin`` whose axes are the columns of ``turn``."""
    x = d.geom_xpos[world, g] - origin
    r = d.geom_xmat[world, g]
    size = m.geom_size[world, g]
    s = Convex()
    s.kind = m.geom_type[g]
    s.pos = wp.transpose(turn) * vec(real(x[0]), real(x[1]), real(x[2]))
    s.turn = wp.transpose(turn) * mat(r)
    s.size = vec(real(size[0]), real(size[1]), real(size[2]))
    s.first = m.geom_hulladr[g]
    s.count = m.geom_hullnum[g]
    return s


@wp.func
def collide_convex(
    m: Any, d: Any, hits: Hits, world: int, lane: int, g1: int, g2: int, cutoff: float, margin: float
) -> int:
    """Leave the hits of two geoms, the lower type first; ``margin`` is the distance up to which they may have several."""
    work = workspace_of(d, world, lane)
    hulls = hulls_of(m)
    origin = d.geom_xpos[world, g1]
    r = d.geom_xmat[world, g1]
    if m.geom_type[g1] == PLANE:
        s = convex_geom(m, d, world, g2, origin, wp.identity(n=3, dtype=wp.float64))
        return plane_mesh(work, hits, hulls, origin, z_axis(r), s, cutoff)
    search = Search()
    search.cutoff = real(cutoff)
    search.margin = real(margin)
    search.tolerance = real(m.opt_ccd_tolerance[world])
    search.iterations = m.opt_ccd_iterations
    search.patches = (m.opt_disableflags & DISABLE_MULTICCD) == 0
    s1 = convex_geom(m, d, world, g1, origin, mat(r))
    s2 = convex_geom(m, d, world, g2, origin, mat(r))
    s1.turn = wp.identity(n=3, dtype=wp.float64)
    return convex_convex(work, hits, hulls, s1, s2, search, origin, r)


@wp.func
def collide_waiting(m: Any, d: Any, hits: Hits, world: int, lane: int, nlane: int, k: int) -> int:
    """Leave the hits of each lane's candidate ``k`` in that lane's rows, if it is convex (else -1); returns how many, or -1."""
    waiting = int(0)
    if k >= 0:
        waiting = wp.where(is_convex_pair(m.geom_type[m.cand_geom[k][0]], m.geom_type[m.cand_geom[k][1]]), 1, 0)
    slots = team_scan(d.team_i, world, waiting)
    if waiting == 1:
        d.ccd_lane[world, slots[0]] = lane
        d.ccd_hits[world, lane] = k
    sync()
    workers = wp.min(nlane, CCD_LANES)
    if lane < workers:
        for i in range(lane, slots[1], workers):
            owner = d.ccd_lane[world, i]
            candidate = d.ccd_hits[world, owner]
            pair = m.cand_geom[candidate]
            cutoff = detection_distance(m, world, m.cand_pairid[candidate], pair[0], pair[1])
            margin = pair_margin(m, world, m.cand_pairid[candidate], pair[0], pair[1])
            hits.first = owner * MAX_HITS
            d.ccd_hits[world, owner] = collide_convex(m, d, hits, world, lane, pair[0], pair[1], cutoff, margin)
    sync()
    found = int(-1)
    if waiting == 1:
        found = d.ccd_hits[world, lane]
    return found


@wp.func
def collide_convex_pairs(m: Any, d: Any, world: int, lane: int, nlane: int):
    """The near candidates, a team at a time; each convex one notes where its hits are."""
    hits = Hits()
    hits.dist = d.hit_dist
    hits.pos = d.hit_pos
    hits.normal = d.hit_normal
    hits.tangent = d.hit_tangent
    hits.world = world
    ncand = d.ncand[world]
    total = int(0)
    for first in range(0, ncand, nlane):
        k = int(-1)
        if first + lane < ncand:
            k = d.cand[world, first + lane]
        n = collide_waiting(m, d, hits, world, lane, nlane, k)
        slots = team_scan(d.team_i, world, wp.max(n, 0))
        if n >= 0:
            begin = total + slots[0]
            d.convex_hits[world, first + lane] = wp.vec2i(begin, n)
            for i in range(wp.min(n, d.nconmax - begin)):
                row = lane * MAX_HITS + i
                d.convex_dist[world, begin + i] = d.hit_dist[world, row]
                d.convex_pos[world, begin + i] = d.hit_pos[world, row]
                d.convex_normal[world, begin + i] = d.hit_normal[world, row]
        total += slots[1]
    sync()


@wp.func
def convex_pairs(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Hits of the near candidates that need the convex collider, in order, for ``narrowphase`` to take its contacts from."""
    if m.nconvexpair > 0:
        collide_convex_pairs(m, d, world, lane, nlane)


@wp.func
def take_convex_hits(d: Any, hits: Hits, world: int, i: int) -> int:
    """Leave the hits that ``convex_pairs`` found for near candidate ``i``, as far as they were kept; returns how many there were."""
    where = d.convex_hits[world, i]
    for k in range(wp.min(where[1], d.nconmax - where[0])):
        row = where[0] + k
        put_hit(hits, k, d.convex_dist[world, row], d.convex_pos[world, row], d.convex_normal[world, row], no_tangent())
    return where[1]
