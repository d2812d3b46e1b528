"""Convex narrow phase: pairs of a team that need GJK and EPA, a few lanes at a time."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.geometry.contact.colliders import ANALYTIC, has_pair, pair_bits
from newtonlite.geometry.contact.convex.gjk import Guess
from newtonlite.geometry.contact.convex.number import mat, real, vec
from newtonlite.geometry.contact.convex.pair import ConvexSearch, nearest_touch, put_touch
from newtonlite.geometry.contact.convex.plane import plane_mesh
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, z_axis
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import bp_pair_geoms, bp_pair_id
from newtonlite.solvers.mujoco.kernels.collide.contact_overflow import (
    FIRST,
    LAST,
    SELECT,
    ContactLimit,
    count_within,
    is_within,
    limit_of,
    next_pass,
    no_limit,
    select_threshold_of_hits,
    store_hit,
)
from newtonlite.solvers.mujoco.kernels.collide.distance_field import HitPlace, collide_fields, is_field_pair
from newtonlite.solvers.mujoco.kernels.collide.hfield import collide_hfield
from newtonlite.solvers.mujoco.kernels.collide.parameters import detection_distance
from newtonlite.solvers.mujoco.kernels.collide.workspace import (
    CCD_LANES,
    convex_geom,
    convex_scratch,
    hits_of_lane,
    hulls_of,
)
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

ANALYTIC_PAIRS = pair_bits(ANALYTIC)
HASH = 31
"""Factor of the first geom's number in a slot for two geoms."""


@wp.func
def is_convex_pair(type1: int, type2: int) -> bool:
    """Whether a pair of geom types, the lower first, has no collider of its own."""
    return type2 == MjtGeom.SDF or not has_pair(ANALYTIC_PAIRS, type1, type2)


@wp.func
def search_of(m: ModelFields, world: int, cutoff: float, margin: float) -> ConvexSearch:
    """Search settings for convex pairs, from the model's options."""
    search = ConvexSearch()
    search.cutoff = real(cutoff)
    search.margin = real(margin)
    search.tolerance = real(m.opt_ccd_tolerance[world])
    search.iterations = m.opt_ccd_iterations
    search.patches = (m.opt_disableflags & MjtDisableBit.MULTICCD) == 0
    return search


@wp.func
def guess_of(m: ModelFields, d: DataFields, world: int, g1: int, g2: int, slot: int) -> Guess:
    """The separating axis in a slot, whichever step, world or pair it is from, with vertices that the geoms do have."""
    axis = d.convex_axis[world, slot]
    corner = d.convex_corner[world, slot]
    guess = Guess()
    guess.axis = wp.normalize(vec(real(axis[0]), real(axis[1]), real(axis[2])))
    guess.start = wp.vec2i(
        wp.where(corner[0] < m.geom_hullnum[world, g1], wp.max(corner[0], 0), 0),
        wp.where(corner[1] < m.geom_hullnum[world, g2], wp.max(corner[1], 0), 0),
    )
    return guess


@wp.func
def collide_convex(
    m: ModelFields,
    d: DataFields,
    hits: Hits,
    world: int,
    lane: int,
    g1: int,
    g2: int,
    cutoff: float,
    margin: float,
    slot: int,
) -> int:
    """Leave the hits of two geoms, the lower type first; ``margin`` is the distance up to which they may have several.
    ``slot`` has a guess of a separating axis; -1: none has.
    """
    work = convex_scratch(d, world, lane)
    hulls = hulls_of(m)
    origin = d.geom_xpos[world, g1]
    r = d.geom_xmat[world, g1]
    if m.geom_type[g1] == MjtGeom.PLANE:
        s = convex_geom(m, d, world, g2, origin, wp.identity(n=3, dtype=wp.float64))
        return plane_mesh(work, hits, hulls, origin, z_axis(r), s, cutoff)
    search = search_of(m, world, cutoff, margin)
    s = convex_geom(m, d, world, g1, origin, mat(r))
    s.turn = wp.identity(n=3, dtype=wp.float64)
    work.shape[0] = s
    work.shape[1] = convex_geom(m, d, world, g2, origin, mat(r))
    if slot >= 0:
        search.guess = guess_of(m, d, world, g1, g2, slot)
    t = nearest_touch(work, hulls, mat(r), search)
    if slot >= 0:
        d.convex_axis[world, slot] = wp.where(t.found, wp.vec3(), wp.vec3(t.normal))
        d.convex_corner[world, slot] = wp.vec2i(t.corners[0], t.corners[1])
    return put_touch(work, hits, hulls, t, search, origin, r)


@wp.func
def collide_waiting(m: ModelFields, d: DataFields, hits: Hits, world: int, lane: int, nlane: int, near: int) -> int:
    """Leave the hits of each lane's pair ``near`` in that lane's rows, if it is convex (else -1); returns how many, or
    -1.
    """
    waiting = int(0)
    if near >= 0:
        pair = bp_pair_geoms(m, d, world, near)
        type1 = m.geom_type[pair[0]]
        if type1 != MjtGeom.HFIELD and not is_field_pair(type1, m.geom_type[pair[1]]):
            waiting = wp.where(is_convex_pair(m.geom_type[pair[0]], m.geom_type[pair[1]]), 1, 0)
    slots = team_scan(d.team_i, world, waiting)
    if waiting == 1:
        d.ccd_lane[world, slots[0]] = lane
        d.ccd_hits[world, lane] = near
    sync()
    workers = wp.min(nlane, CCD_LANES)
    if lane < workers:
        for i in range(lane, slots[1], workers):
            owner = d.ccd_lane[world, i]
            mine = d.ccd_hits[world, owner]
            geoms = bp_pair_geoms(m, d, world, mine)
            cutoff = detection_distance(m, world, bp_pair_id(m, d, world, mine), geoms[0], geoms[1])
            hits.first = owner * MAX_HITS
            # a lane alone goes by the geoms: one world after the other has these slots
            slot = mine
            if nlane == 1:
                slot = (HASH * geoms[0] + geoms[1]) % d.nbpmax
            d.ccd_hits[world, owner] = collide_convex(m, d, hits, world, lane, geoms[0], geoms[1], cutoff, cutoff, slot)
    sync()
    found = int(-1)
    if waiting == 1:
        found = d.ccd_hits[world, lane]
    return found


@wp.func
def store_hits(d: DataFields, hits: Hits, world: int, n: int, index: int, slot: int, limit: ContactLimit) -> int:
    """Keep those of ``n`` hits, numbers ``index ..``, that are within the limit from row ``slot`` on while they fit;
    returns how many.
    """
    row = slot
    for i in range(n):
        dist = hits.dist[world, hits.first + i]
        if row < d.nconmax and is_within(limit, dist, index + i):
            store_hit(d, hits, world, i, row)
            row += 1
    return row - slot


@wp.func
def list_convex(
    m: ModelFields, d: DataFields, world: int, lane: int, nlane: int, turn: int, limit: ContactLimit
) -> int:
    """One turn over the near pairs, a team at a time; each convex one notes where its hits are. Returns how many hits
    there are.
    """
    hits = hits_of_lane(d, world, lane)
    nbp = d.nbp[world]
    found = int(0)
    kept = int(0)
    # all lanes work at one height field, or distance field, together
    step = nlane
    if m.nhfieldpair > 0 or m.nfieldpair > 0:
        step = 1
    for first in range(0, nbp, step):
        near = int(-1)
        if lane < step and first + lane < nbp:
            near = first + lane
        n = collide_waiting(m, d, hits, world, lane, nlane, near)
        hits.first = lane * MAX_HITS
        slots = team_scan(d.team_i, world, wp.max(n, 0))
        index = found + slots[0]
        if turn == SELECT:
            select_threshold_of_hits(d, hits, world, lane, nlane, wp.max(n, 0), index)
        else:
            fitting = slots
            if turn == LAST:
                fitting = team_scan(d.team_i, world, count_within(hits, world, wp.max(n, 0), index, limit))
            if n >= 0:
                begin = kept + fitting[0]
                d.convex_hits[world, near] = wp.vec2i(begin, store_hits(d, hits, world, n, index, begin, limit))
            kept += fitting[1]
        found += slots[1]
        if m.nhfieldpair > 0:
            pair = bp_pair_geoms(m, d, world, first)
            if m.geom_type[pair[0]] == MjtGeom.HFIELD:
                cutoff = detection_distance(m, world, bp_pair_id(m, d, world, first), pair[0], pair[1])
                search = search_of(m, world, cutoff, cutoff)
                both = collide_hfield(
                    m, d, hits, world, lane, nlane, pair[0], pair[1], search, found, kept, turn, limit
                )
                if lane == 0:
                    d.convex_hits[world, first] = wp.vec2i(kept, wp.clamp(d.nconmax - kept, 0, both[1]))
                found += both[0]
                kept += both[1]
        if m.nfieldpair > 0:
            pair = bp_pair_geoms(m, d, world, first)
            if is_field_pair(m.geom_type[pair[0]], m.geom_type[pair[1]]):
                place = HitPlace()
                place.turn = turn
                place.index = found
                place.begin = kept
                place.limit = limit
                shared = collide_fields(m, d, hits, world, lane, nlane, pair, place)
                if lane == 0:
                    d.convex_hits[world, first] = wp.vec2i(kept, wp.clamp(d.nconmax - kept, 0, shared[1]))
                found += shared[0]
                kept += shared[1]
    sync()
    return found


@wp.func
def collide_convex_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Hits of the convex pairs, in order; the deepest where there is no room for all."""
    found = int(0)
    turn = int(FIRST)
    limit = no_limit()
    while turn <= LAST:
        found = list_convex(m, d, world, lane, nlane, turn, limit)
        if turn == SELECT:
            limit = limit_of(d, world)
        turn = next_pass(turn, found, d.nconmax)
        sync()
    if lane == 0:
        d.convex_lost[world] = wp.max(found - d.nconmax, 0)
    sync()


@wp.func
def convex_narrowphase(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Hits of the near candidates that need the convex collider, in order, for ``narrowphase`` to take its contacts
    from.
    """
    if m.nconvexpair > 0:
        collide_convex_pairs(m, d, world, lane, nlane)
