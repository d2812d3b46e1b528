"""Sleep filter: removes broad-phase pairs, groups of flexes and contacts of trees that stay asleep.

A flex is awake where one of the bodies that carry it is, and asleep where none is and one could be.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import bp_pair_geoms, bp_pair_id
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import are_apart, find_boxes, flex_box, geom_box
from newtonlite.solvers.mujoco.kernels.collide.flex_parameters import OTHER_FLEX, SELF, group_cutoff
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    carrier_count,
    carrier_points,
    flex_at_contact,
    is_flex_side,
    point_body,
)
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
def flex_awake(m: ModelFields, d: DataFields, world: int, f: int) -> int:
    """``body_awake`` of a flex: 1 where some body that carries it is awake, else 0 where one is asleep, else -1."""
    state = int(-1)
    for k in range(m.flexsleep_adr[f], m.flexsleep_adr[f + 1]):
        state = wp.max(state, d.body_awake[world, m.flexsleep_body[k]])
    return state


@wp.func
def wake_flex(m: ModelFields, d: DataFields, world: int, f: int):
    """``wake_island`` of all bodies that carry a flex. One lane."""
    for k in range(m.flexsleep_adr[f], m.flexsleep_adr[f + 1]):
        b = m.flexsleep_body[k]
        t = m.body_treeid[b]
        if t >= 0 and d.tree_wake[world, t] == 0:
            wake_island(m, d, world, b)


@wp.func
def wake_near_flexes(m: ModelFields, d: DataFields, world: int):
    """Mark the islands of flexes near something awake, and what is asleep near a flex that is awake. One lane."""
    for group in range(m.nflexgroup):
        kind = m.flexgroup_kind[group]
        f = m.flexgroup_flex[group]
        other = m.flexgroup_other[group]
        if kind < SELF:
            # states of both sides, and the boxes about them
            second = flex_awake(m, d, world, f)
            first = int(0)
            box = flex_box(d, world, f)
            near = box
            if kind == OTHER_FLEX:
                first = flex_awake(m, d, world, other)
                near = flex_box(d, world, other)
            else:
                first = d.body_awake[world, m.geom_bodyid[other]]
                near = geom_box(m, d, world, other)

            # one awake and one asleep add up to 1; what never moves wakes nothing
            if first >= 0 and first + second == 1 and not are_apart(near, box, group_cutoff(m, world, group)):
                if second == 0:
                    wake_flex(m, d, world, f)
                elif kind == OTHER_FLEX:
                    wake_flex(m, d, world, other)
                else:
                    wake_island(m, d, world, m.geom_bodyid[other])


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
    if m.nflexgroup > 0:
        wake_near_flexes(m, d, world)


@wp.func
def body_can_wake(m: ModelFields, d: DataFields, world: int, b: int) -> bool:
    """Whether a body is awake, or may wake in this step."""
    t = m.body_treeid[b]
    if t >= 0:
        return d.tree_wake[world, t] != 0
    return d.body_awake[world, b] == 1


@wp.func
def can_wake(m: ModelFields, d: DataFields, world: int, geom: int) -> bool:
    """``body_can_wake`` of the body of a geom."""
    return body_can_wake(m, d, world, m.geom_bodyid[geom])


@wp.func
def flex_can_wake(m: ModelFields, d: DataFields, world: int, f: int) -> bool:
    """``body_can_wake`` of some body that carries a flex."""
    for k in range(m.flexsleep_adr[f], m.flexsleep_adr[f + 1]):
        if body_can_wake(m, d, world, m.flexsleep_body[k]):
            return True
    return False


@wp.func
def group_can_wake(m: ModelFields, d: DataFields, world: int, group: int) -> bool:
    """Whether a side of a group of contacts of flexes is awake, or may wake in this step; in the first step all count."""
    if m.nsleep == 0:
        return True
    if d.sleep_fresh[world, 0] != 0 or flex_can_wake(m, d, world, m.flexgroup_flex[group]):
        return True
    other = m.flexgroup_other[group]
    if m.flexgroup_kind[group] >= OTHER_FLEX:
        return flex_can_wake(m, d, world, other)
    return can_wake(m, d, world, other)


@wp.func
def filter_asleep_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Remove near pairs of geoms that are asleep and stay so, or static."""
    if m.nsleep > 0:
        if m.nflexgroup > 0:
            find_boxes(m, d, world, lane, nlane)
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
    if m.nflexgroup > 0:
        d.contact_flex[world, to] = d.contact_flex[world, c]
        d.contact_elem[world, to] = d.contact_elem[world, c]
        d.contact_vert[world, to] = d.contact_vert[world, c]
        for side in range(2):
            d.contact_share[world, to, side] = d.contact_share[world, c, side]
    if m.nspeculative > 0:
        d.contact_speculative[world, to] = d.contact_speculative[world, c]
    if m.nadhesion > 0:
        d.contact_adhesion[world, to] = d.contact_adhesion[world, c]
    if m.nsurfacevel > 0:
        d.contact_surfacevel[world, to] = d.contact_surfacevel[world, c]


@wp.func
def is_side_awake(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> bool:
    """Whether something that a side of a contact moves with is awake."""
    if is_flex_side(m, d, world, c, side):
        s = flex_at_contact(m, d, world, c, side)
        for i in range(carrier_count(s)):
            points = carrier_points(m, s, i)
            for k in range(points[0], points[1]):
                if d.body_awake[world, point_body(m, s, i, k)] == 1:
                    return True
        return False
    return d.body_awake[world, m.geom_bodyid[d.contact_geom[world, c][side]]] == 1


@wp.func
def filter_asleep_contacts(m: ModelFields, d: DataFields, world: int):
    """Contacts without anything awake go; the others close up. One lane."""
    found = d.ncon[world]
    kept = int(0)
    for c in range(found):
        if is_side_awake(m, d, world, c, 0) or is_side_awake(m, d, world, c, 1):
            if kept < c:
                move_contact(m, d, world, c, kept)
            kept += 1
    d.ncon[world] = kept
    d.ncon_needed[world] = d.ncon_needed[world] - (found - kept)
