"""Sleep filter: removes broad-phase pairs and contacts of trees that stay asleep."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import bp_pair_geoms, bp_pair_id
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan


@wp.func
def awake_states(m: ModelFields, d: DataFields, world: int, pair: wp.vec2i) -> wp.vec2i:
    """``body_awake`` of the bodies of two geoms."""
    return wp.vec2i(d.body_awake[world, m.geom_bodyid[pair[0]]], d.body_awake[world, m.geom_bodyid[pair[1]]])


@wp.func
def wake_island(m: ModelFields, d: DataFields, world: int, b: int):
    """Mark the trees that fell asleep with the tree of a body: they may wake in this step. One lane."""
    at = m.body_treeid[b]
    for _ in range(m.ntree):
        if at >= 0:
            d.tree_wake[world, at] = 1
            at = d.tree_asleep[world, at]


@wp.func
def wake_neighbours(m: ModelFields, d: DataFields, world: int):
    """Mark the islands that are near something awake. One lane."""
    for t in range(m.ntree):
        d.tree_wake[world, t] = d.tree_awake[world, t]
    for i in range(d.nbp[world]):
        pair = bp_pair_geoms(m, d, world, i)
        state = awake_states(m, d, world, pair)
        if state[0] == 1 and state[1] == 0:
            wake_island(m, d, world, m.geom_bodyid[pair[1]])
        if state[0] == 0 and state[1] == 1:
            wake_island(m, d, world, m.geom_bodyid[pair[0]])


@wp.func
def can_wake(m: ModelFields, d: DataFields, world: int, geom: int) -> bool:
    """Whether the body of a geom is awake, or may wake in this step."""
    b = m.geom_bodyid[geom]
    t = m.body_treeid[b]
    if t >= 0:
        return d.tree_wake[world, t] != 0
    return d.body_awake[world, b] == 1


@wp.func
def filter_asleep_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Remove near pairs of geoms that are asleep and stay so, or static."""
    if m.nsleep > 0:
        if lane == 0:
            wake_neighbours(m, d, world)
        sync()
        kept = int(0)
        nbp = d.nbp[world]
        fresh = d.sleep_fresh[world, 0] != 0
        for first in range(0, nbp, nlane):
            stays = int(0)
            here = wp.min(first + lane, nbp - 1)
            pair = bp_pair_geoms(m, d, world, here)
            if first + lane < nbp and (fresh or can_wake(m, d, world, pair[0]) or can_wake(m, d, world, pair[1])):
                stays = int(1)
            pairid = int(-1)
            k = int(-1)
            if m.nsap > 0:
                pairid = bp_pair_id(m, d, world, here)
            else:
                k = d.near[world, here]
            slots = team_scan(d.team_i, world, stays)
            sync()
            if stays == 1:
                if m.nsap > 0:
                    d.bp_geom[world, kept + slots[0]] = pair
                    d.bp_pairid[world, kept + slots[0]] = pairid
                else:
                    d.near[world, kept + slots[0]] = k
            kept += slots[1]
        sync()
        if lane == 0:
            d.nbp[world] = kept
        sync()


@wp.func
def move_contact(m: ModelFields, d: DataFields, world: int, c: int, to: int):
    """Contact ``c`` becomes contact ``to``."""
    d.contact_frame[world, to] = d.contact_frame[world, c]
    d.contact_pos[world, to] = d.contact_pos[world, c]
    d.contact_dist[world, to] = d.contact_dist[world, c]
    d.contact_includemargin[world, to] = d.contact_includemargin[world, c]
    d.contact_friction[world, to] = d.contact_friction[world, c]
    d.contact_solref[world, to] = d.contact_solref[world, c]
    d.contact_solreffriction[world, to] = d.contact_solreffriction[world, c]
    d.contact_solimp[world, to] = d.contact_solimp[world, c]
    d.contact_dim[world, to] = d.contact_dim[world, c]
    d.contact_geom[world, to] = d.contact_geom[world, c]
    if m.nadhesion > 0:
        d.contact_adhesion[world, to] = d.contact_adhesion[world, c]
    if m.nsurfacevel > 0:
        d.contact_surfacevel[world, to] = d.contact_surfacevel[world, c]


@wp.func
def filter_asleep_contacts(m: ModelFields, d: DataFields, world: int):
    """Contacts without anything awake go; the others close up. One lane."""
    found = d.ncon[world]
    kept = int(0)
    for c in range(found):
        state = awake_states(m, d, world, d.contact_geom[world, c])
        if state[0] == 1 or state[1] == 1:
            if kept < c:
                move_contact(m, d, world, c, kept)
            kept += 1
    d.ncon[world] = kept
    d.ncon_needed[world] = d.ncon_needed[world] - (found - kept)
