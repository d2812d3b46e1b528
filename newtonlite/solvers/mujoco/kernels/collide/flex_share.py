"""Weights of the vertices of flexes at contacts: by the place of the contact, whoever found it."""

import warp as wp

from newtonlite.geometry.contact.element.closest import element_share
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.flex_narrowphase import flex_element
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def share_contact(m: ModelFields, d: DataFields, world: int, c: int):
    """``contact_share`` of a contact: of an element's vertices in its point nearest to the contact; 1 of a vertex."""
    for side in range(2):
        share = wp.vec4(1.0, 0.0, 0.0, 0.0)
        f = d.contact_flex[world, c][side]
        e = d.contact_elem[world, c][side]
        if f >= 0 and e >= 0:
            share = element_share(flex_element(m, d, world, m.flex_elemadr[f] + e), d.contact_pos[world, c])
        d.contact_share[world, c, side] = share


@wp.func
def share_contacts(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``contact_share`` of all contacts of flexes, of contacts that were put there by others."""
    if m.nflexgroup > 0:
        for c in range(lane, d.ncon[world], nlane):
            if d.contact_geom[world, c][1] < 0:
                share_contact(m, d, world, c)
        sync()
