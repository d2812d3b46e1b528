"""Contacts of flexes: hits put among the contacts of geoms, in MuJoCo's order.

Contacts are ordered by the lower of their two bodies, flexes counting as bodies behind all others; so those of a body's
geoms with flexes follow all others of this body and higher ones.
"""

import warp as wp

from newtonlite.core.constants import MINMU
from newtonlite.core.types import vec5
from newtonlite.geometry.contact.hits import contact_frame, no_tangent
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.contact_overflow import ContactLimit, is_within
from newtonlite.solvers.mujoco.kernels.collide.flex_near import OTHER_FLEX, VERTICES
from newtonlite.solvers.mujoco.kernels.collide.flex_parameters import group_parameters
from newtonlite.solvers.mujoco.kernels.collide.flex_reduction import move_hit
from newtonlite.solvers.mujoco.kernels.collide.flex_share import share_contact
from newtonlite.solvers.mujoco.kernels.collide.parameters import contact_dimension
from newtonlite.solvers.mujoco.kernels.collide.sleep_filter import move_contact
from newtonlite.solvers.mujoco.kernels.collide.surface_velocity import sliding_velocity
from newtonlite.solvers.mujoco.kernels.primitives.sort import keep_least
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def lower_body(m: ModelFields, d: DataFields, world: int, c: int) -> int:
    """The lower body of a contact of two geoms."""
    geoms = d.contact_geom[world, c]
    return wp.min(m.geom_bodyid[geoms[0]], m.geom_bodyid[geoms[1]])


@wp.func
def hit_body(m: ModelFields, d: DataFields, world: int, i: int) -> int:
    """The body of a hit's geom; behind all bodies where there is none."""
    return m.flexgroup_body[d.flexhit_group[world, i]]


@wp.func
def keep_deepest(m: ModelFields, d: DataFields, world: int, ncon: int, nhit: int) -> wp.vec2i:
    """Of ``ncon`` contacts and ``nhit`` hits let the deepest stay for which there is room, side by side; how many of each.
    One lane.
    """
    # the deepest, by a heap; of equally deep ones the first in the order of contacts
    i = int(0)
    k = int(0)
    while i + k < ncon + nhit:
        number = i + k
        first = bool(k >= nhit)
        if i < ncon and not first:
            first = lower_body(m, d, world, i) <= hit_body(m, d, world, k)
        if first:
            keep_least(d.contact_mu, d.contact_efc_address, world, d.nconmax, number, d.contact_dist[world, i], number)
            i += 1
        else:
            keep_least(d.contact_mu, d.contact_efc_address, world, d.nconmax, number, d.flexhit_dist[world, k], number)
            k += 1
    limit = ContactLimit()
    limit.dist = -1.0e38
    limit.index = -1
    if d.nconmax > 0:
        limit.dist = d.contact_mu[world, 0]
        limit.index = d.contact_efc_address[world, 0]

    # once more in the same order: what stays closes up
    kept = wp.vec2i(0, 0)
    i = int(0)
    k = int(0)
    while i + k < ncon + nhit:
        number = i + k
        first = bool(k >= nhit)
        if i < ncon and not first:
            first = lower_body(m, d, world, i) <= hit_body(m, d, world, k)
        if first:
            if is_within(limit, d.contact_dist[world, i], number):
                if kept[0] < i:
                    move_contact(m, d, world, i, kept[0])
                kept[0] = kept[0] + 1
            i += 1
        else:
            if is_within(limit, d.flexhit_dist[world, k], number):
                if kept[1] < k:
                    move_hit(d, world, k, kept[1])
                kept[1] = kept[1] + 1
            k += 1
    return kept


@wp.func
def make_room(m: ModelFields, d: DataFields, world: int):
    """Give each hit its place among the contacts, in ``flexhit_contact``, and move contacts out of the way. One lane."""
    ncon = d.ncon[world]
    nhit = wp.min(d.nflexhits[world], d.nflexhit)
    needed = d.ncon_needed[world] + d.nflexhits[world]
    if ncon + nhit > d.nconmax:
        kept = keep_deepest(m, d, world, ncon, nhit)
        ncon = kept[0]
        nhit = kept[1]

    # from the last place on: contacts move towards the end, over places that are free
    place = ncon + nhit
    i = ncon - 1
    for back in range(nhit):
        k = nhit - 1 - back
        after = bool(i >= 0)
        while after:
            after = lower_body(m, d, world, i) > hit_body(m, d, world, k)
            if after:
                place -= 1
                move_contact(m, d, world, i, place)
                i -= 1
                after = i >= 0
        place -= 1
        d.flexhit_contact[world, k] = place
    d.ncon[world] = ncon + nhit
    d.ncon_needed[world] = needed
    d.nflexhits[world] = nhit


@wp.func
def write_flex_contact(m: ModelFields, d: DataFields, world: int, i: int):
    """Copy hit ``i`` to its contact."""
    c = d.flexhit_contact[world, i]
    group = d.flexhit_group[world, i]
    kind = m.flexgroup_kind[group]
    other = m.flexgroup_other[group]
    f = m.flexgroup_flex[group]
    part = d.flexhit_part[world, i]
    p = group_parameters(m, world, group)

    # what touches: a geom and a vertex or element, or two elements, numbered within their flexes
    sides = wp.vec2i(other, -1)
    flexes = wp.vec2i(-1, f)
    elements = wp.vec2i(-1, -1)
    vertices = wp.vec2i(-1, -1)
    if kind == VERTICES:
        vertices[1] = part[1] - m.flex_vertadr[f]
    else:
        elements[1] = part[1] - m.flex_elemadr[f]
    if kind >= OTHER_FLEX:
        sides[0] = -1
        flexes[0] = other
        elements[0] = part[0] - m.flex_elemadr[other]
    d.contact_geom[world, c] = sides
    d.contact_flex[world, c] = flexes
    d.contact_elem[world, c] = elements
    d.contact_vert[world, c] = vertices

    # where, and by which parameters
    dist = d.flexhit_dist[world, i]
    least = vec5(MINMU, MINMU, MINMU, MINMU, MINMU)
    d.contact_frame[world, c] = contact_frame(d.flexhit_normal[world, i], no_tangent())
    d.contact_pos[world, c] = d.flexhit_pos[world, i]
    d.contact_dist[world, c] = dist
    d.contact_includemargin[world, c] = p.margin
    d.contact_friction[world, c] = wp.max(p.friction, least)
    d.contact_solref[world, c] = p.solref
    d.contact_solreffriction[world, c] = p.solreffriction
    d.contact_solimp[world, c] = p.solimp
    d.contact_dim[world, c] = contact_dimension(m, p, dist)
    share_contact(m, d, world, c)
    if m.nspeculative > 0:
        d.contact_speculative[world, c] = 0
    if m.nadhesion > 0:
        d.contact_adhesion[world, c] = p.adhesion
    if m.nsurfacevel > 0:
        d.contact_surfacevel[world, c] = sliding_velocity(m, d, world, c)


@wp.func
def flex_contacts(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The hits of ``flex_narrowphase`` become contacts; where not all fit, the deepest of all contacts stay."""
    if m.nflexgroup > 0:
        if lane == 0:
            make_room(m, d, world)
        sync()
        for i in range(lane, d.nflexhits[world], nlane):
            write_flex_contact(m, d, world, i)
        sync()
        for c in range(lane, d.ncon[world], nlane):
            if d.contact_geom[world, c][1] >= 0:
                d.contact_flex[world, c] = wp.vec2i(-1, -1)
                d.contact_elem[world, c] = wp.vec2i(-1, -1)
                d.contact_vert[world, c] = wp.vec2i(-1, -1)
        sync()
