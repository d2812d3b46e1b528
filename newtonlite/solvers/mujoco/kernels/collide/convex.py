"""Pairs of a team's candidates that need the general convex collider, a few lanes at a time."""

from typing import Any

import warp as wp

from newtonlite.geometry.contact.convex.number import mat, real
from newtonlite.geometry.contact.convex.pair import Search, convex_convex
from newtonlite.geometry.contact.convex.plane import plane_mesh
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, z_axis
from newtonlite.solvers.mujoco.enums import CAPSULE, CYLINDER, DISABLE_MULTICCD, ELLIPSOID, HFIELD, MESH, PLANE
from newtonlite.solvers.mujoco.kernels.collide.ground import collide_ground
from newtonlite.solvers.mujoco.kernels.collide.parameters import detection_distance
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES, convex_geom, hulls_of, workspace_of
from newtonlite.solvers.mujoco.kernels.team import sync, team_scan

@wp.func
def is_convex_pair(type1: int, type2: int) -> bool:
    """Whether a pair of geom types, the lower first, has no collider of its own."""
    mesh = type1 == HFIELD or type2 == MESH
    ellipsoid = type1 != PLANE and (type1 == ELLIPSOID or type2 == ELLIPSOID)
    cylinder = type1 == CYLINDER or (type2 == CYLINDER and type1 == CAPSULE)
    return mesh or ellipsoid or cylinder


@wp.func
def search_of(m: Any, world: int, cutoff: float, margin: float) -> Search:
    """How the model's options want pairs to be searched."""
    search = Search()
    search.cutoff = real(cutoff)
    search.margin = real(margin)
    search.tolerance = real(m.opt_ccd_tolerance[world])
    search.iterations = m.opt_ccd_iterations
    search.patches = (m.opt_disableflags & DISABLE_MULTICCD) == 0
    return search


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
    search = search_of(m, world, cutoff, margin)
    s1 = convex_geom(m, d, world, g1, origin, mat(r))
    s2 = convex_geom(m, d, world, g2, origin, mat(r))
    s1.turn = wp.identity(n=3, dtype=wp.float64)
    return convex_convex(work, hits, hulls, s1, s2, search, origin, r)


@wp.func
def collide_waiting(m: Any, d: Any, hits: Hits, world: int, lane: int, nlane: int, k: int) -> int:
    """Leave the hits of each lane's candidate ``k`` in that lane's rows, if it is convex (else -1); returns how many, or -1."""
    waiting = int(0)
    if k >= 0 and m.geom_type[m.cand_geom[k][0]] != HFIELD:
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
            hits.first = owner * MAX_HITS
            d.ccd_hits[world, owner] = collide_convex(m, d, hits, world, lane, pair[0], pair[1], cutoff, cutoff)
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
    # all lanes work at one height field together
    step = nlane
    if m.nground > 0:
        step = 1
    for first in range(0, ncand, step):
        k = int(-1)
        if lane < step and first + lane < ncand:
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
        if m.nground > 0:
            total += collide_if_ground(m, d, world, lane, nlane, first, total)
    sync()


@wp.func
def collide_if_ground(m: Any, d: Any, world: int, lane: int, nlane: int, i: int, begin: int) -> int:
    """Store the hits of near candidate ``i`` from row ``begin`` on if it is a height field's; returns how many."""
    k = d.cand[world, i]
    pair = m.cand_geom[k]
    if m.geom_type[pair[0]] != HFIELD:
        return 0
    cutoff = detection_distance(m, world, m.cand_pairid[k], pair[0], pair[1])
    n = collide_ground(m, d, world, lane, nlane, pair[0], pair[1], search_of(m, world, cutoff, cutoff), begin)
    if lane == 0:
        d.convex_hits[world, i] = wp.vec2i(begin, n)
    return n


@wp.func
def convex_pairs(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Hits of the near candidates that need the convex collider, in order, for ``narrowphase`` to take its contacts from."""
    if m.nconvexpair > 0:
        collide_convex_pairs(m, d, world, lane, nlane)


@wp.func
def convex_rows(d: Any, world: int, i: int) -> Hits:
    """The hits that ``convex_pairs`` found for near candidate ``i``; their tangents are not stored."""
    rows = Hits()
    rows.dist = d.convex_dist
    rows.pos = d.convex_pos
    rows.normal = d.convex_normal
    rows.tangent = d.convex_normal
    rows.world = world
    rows.first = d.convex_hits[world, i][0]
    return rows
