"""Pairs and contacts of things that sleep: those need no look, these go."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.collide.near import near_pair, near_pairid
from newtonlite.solvers.mujoco.kernels.team import sync, team_scan


@wp.func
def states_of(m: Any, d: Any, world: int, pair: wp.vec2i) -> wp.vec2i:
    """``body_awake`` of the bodies of two geoms."""
    return wp.vec2i(d.body_awake[world, m.geom_bodyid[pair[0]]], d.body_awake[world, m.geom_bodyid[pair[1]]])


@wp.func
def stir_island(m: Any, d: Any, world: int, b: int):
    """Mark the trees that fell asleep with the tree of a body: they may wake in this step. One lane."""
    at = m.body_treeid[b]
    for _ in range(m.ntree):
        if at >= 0:
            d.tree_stir[world, at] = 1
            at = d.tree_asleep[world, at]


@wp.func
def stir_neighbours(m: Any, d: Any, world: int):
    """Mark the islands that are near something awake. One lane."""
    for t in range(m.ntree):
        d.tree_stir[world, t] = d.tree_awake[world, t]
    for i in range(d.nnear[world]):
        pair = near_pair(m, d, world, i)
        state = states_of(m, d, world, pair)
        if state[0] == 1 and state[1] == 0:
            stir_island(m, d, world, m.geom_bodyid[pair[1]])
        if state[0] == 0 and state[1] == 1:
            stir_island(m, d, world, m.geom_bodyid[pair[0]])


@wp.func
def may_stir(m: Any, d: Any, world: int, geom: int) -> bool:
    """Whether the body of a geom is awake, or may wake in this step."""
    b = m.geom_bodyid[geom]
    t = m.body_treeid[b]
    if t >= 0:
        return d.tree_stir[world, t] != 0
    return d.body_awake[world, b] == 1


@wp.func
def pass_over(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Strike the near pairs of things that sleep and stay asleep, or stand."""
    if m.nsleep > 0:
        if lane == 0:
            stir_neighbours(m, d, world)
        sync()
        kept = int(0)
        nnear = d.nnear[world]
        fresh = d.sleep_fresh[world, 0] != 0
        for first in range(0, nnear, nlane):
            stays = int(0)
            here = wp.min(first + lane, nnear - 1)
            pair = near_pair(m, d, world, here)
            if first + lane < nnear and (fresh or may_stir(m, d, world, pair[0]) or may_stir(m, d, world, pair[1])):
                stays = int(1)
            pairid = int(-1)
            k = int(-1)
            if m.nprune > 0:
                pairid = near_pairid(m, d, world, here)
            else:
                k = d.near[world, here]
            slots = team_scan(d.team_i, world, stays)
            sync()
            if stays == 1:
                if m.nprune > 0:
                    d.near_geom[world, kept + slots[0]] = pair
                    d.near_pairid[world, kept + slots[0]] = pairid
                else:
                    d.near[world, kept + slots[0]] = k
            kept += slots[1]
        sync()
        if lane == 0:
            d.nnear[world] = kept
        sync()


@wp.func
def move_contact(m: Any, d: Any, world: int, c: int, to: int):
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
def keep_contacts_of_awake(m: Any, d: Any, world: int):
    """Contacts without anything awake go; the others close up. One lane."""
    found = d.ncon[world]
    kept = int(0)
    for c in range(found):
        state = states_of(m, d, world, d.contact_geom[world, c])
        if state[0] == 1 or state[1] == 1:
            if kept < c:
                move_contact(m, d, world, c, kept)
            kept += 1
    d.ncon[world] = kept
    d.ncon_needed[world] = d.ncon_needed[world] - (found - kept)
