"""Narrow phase: the contacts of the broad phase's pairs, in the order of the pairs."""

import warp as wp

from newtonlite.core.constants import MINMU
from newtonlite.core.types import vec5
from newtonlite.geometry.contact.colliders import collide_geoms
from newtonlite.geometry.contact.hits import Hits, contact_frame, load_point, no_tangent, store
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
)
from newtonlite.solvers.mujoco.kernels.collide.convex import is_convex_pair
from newtonlite.solvers.mujoco.kernels.collide.parameters import (
    Parameters,
    contact_dimension,
    contact_parameters,
    detection_distance,
)
from newtonlite.solvers.mujoco.kernels.collide.speculative import is_foreseen, lost_hits, mark_speculative
from newtonlite.solvers.mujoco.kernels.collide.surface_velocity import sliding_velocity
from newtonlite.solvers.mujoco.kernels.collide.workspace import hits_of_lane, kept_hits
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan


@wp.func
def collide_pair(m: ModelFields, d: DataFields, hits: Hits, world: int, g1: int, g2: int, cutoff: float) -> int:
    """Leave the hits of two geoms with a collider of their own, the lower type first; returns how many."""
    return collide_geoms(
        m,
        hits,
        m.geom_type[g1],
        d.geom_xpos[world, g1],
        d.geom_xmat[world, g1],
        m.geom_size[world, g1],
        m.geom_type[g2],
        d.geom_xpos[world, g2],
        d.geom_xmat[world, g2],
        m.geom_size[world, g2],
        cutoff,
    )


@wp.func
def write_contact(
    m: ModelFields,
    d: DataFields,
    hits: Hits,
    tangents: bool,
    world: int,
    row: int,
    c: int,
    pair: wp.vec2i,
    p: Parameters,
):
    """Copy the hit in ``row`` of a pair, with its tangent if it has one, to contact ``c``."""
    tangent = no_tangent()
    if tangents:
        tangent = load_point(hits.tangent, world, row)
    least = vec5(MINMU, MINMU, MINMU, MINMU, MINMU)
    store(d.contact_frame, world, c, contact_frame(load_point(hits.normal, world, row), tangent))
    store(d.contact_pos, world, c, load_point(hits.pos, world, row))
    store(d.contact_dist, world, c, hits.dist[world, row])
    store(d.contact_includemargin, world, c, p.margin)
    store(d.contact_friction, world, c, wp.max(p.friction, least))
    store(d.contact_solref, world, c, p.solref)
    store(d.contact_solreffriction, world, c, p.solreffriction)
    store(d.contact_solimp, world, c, p.solimp)
    store(d.contact_dim, world, c, contact_dimension(m, p, hits.dist[world, row]))
    store(d.contact_geom, world, c, pair)
    if m.nadhesion > 0:
        store(d.contact_adhesion, world, c, p.adhesion)
    if m.nsurfacevel > 0:
        d.contact_surfacevel[world, c] = sliding_velocity(m, d, world, c)


@wp.func
def write_contacts(
    m: ModelFields,
    d: DataFields,
    hits: Hits,
    tangents: bool,
    world: int,
    near: int,
    n: int,
    index: int,
    slot: int,
    limit: ContactLimit,
):
    """Copy those of the ``n`` hits of a near pair, numbers ``index ..``, that are within the limit to contacts ``slot
    ..`` while they fit.
    """
    pair = bp_pair_geoms(m, d, world, near)
    p = contact_parameters(m, world, bp_pair_id(m, d, world, near), pair[0], pair[1])
    c = slot
    for i in range(n):
        if c < d.nconmax and is_within(limit, hits.dist[world, hits.first + i], index + i):
            write_contact(m, d, hits, tangents, world, hits.first + i, c, pair, p)
            c += 1


@wp.func
def narrowphase(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Contacts of the near pairs, in their order; ``ncon_needed`` counts them all, the ``nconmax`` deepest of which are
    kept.

    Contacts are written in a first pass. Where they do not fit, a second one finds the least of the depths that do, a
    third writes again.
    """
    hits = hits_of_lane(d, world, lane)
    nbp = d.nbp[world]
    found = int(0)
    turn = int(FIRST)
    limit = no_limit()
    while turn <= LAST:
        found = int(0)
        kept = int(0)
        for first in range(0, nbp, nlane):
            near = first + lane
            n = int(0)
            own = bool(True)
            source = hits
            if near < nbp:
                pair = bp_pair_geoms(m, d, world, near)
                if m.nconvexpair > 0 and is_convex_pair(m.geom_type[pair[0]], m.geom_type[pair[1]]):
                    first_row = d.convex_hits[world, near][0]
                    source = kept_hits(d.convex_dist, d.convex_pos, d.convex_normal, world, first_row)
                    own = bool(False)
                    n = d.convex_hits[world, near][1]
                else:
                    cutoff = detection_distance(m, world, bp_pair_id(m, d, world, near), pair[0], pair[1])
                    n = collide_pair(m, d, hits, world, pair[0], pair[1], cutoff)
            if m.nspeculative > 0:
                foreseen = is_foreseen(m, d, source, world, near, n)
                if foreseen:
                    foreseen_row = d.speculative_hits[world, near][0]
                    source = kept_hits(d.speculative_dist, d.speculative_pos, d.speculative_normal, world, foreseen_row)
                    own = bool(False)
                    n = d.speculative_hits[world, near][1]
            slots = team_scan(d.team_i, world, n)
            index = found + slots[0]
            slot = index
            if turn == SELECT:
                select_threshold_of_hits(d, source, world, lane, nlane, n, index)
            else:
                if turn == LAST:
                    fitting = team_scan(d.team_i, world, count_within(source, world, n, index, limit))
                    slot = kept + fitting[0]
                    kept += fitting[1]
                if n > 0:
                    write_contacts(m, d, source, own, world, near, n, index, slot, limit)
                    if m.nspeculative > 0:
                        mark_speculative(d, source, world, n, index, slot, limit, foreseen)
            found += slots[1]
        sync()
        if turn == SELECT:
            limit = limit_of(d, world)
        turn = next_pass(turn, found, d.nconmax)
        sync()
    if lane == 0:
        d.ncon[world] = wp.min(found, d.nconmax)
        d.ncon_needed[world] = found + lost_hits(m, d, world)
    sync()
