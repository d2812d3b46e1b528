"""Stiffness of passive contacts in the effective inertia: a product of rows for each."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    carrier_count,
    carrier_points,
    carrier_weight,
    flex_at_contact,
    is_passive,
    point_body,
    point_weight,
)
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.velocity.passive_contact import (
    contact_normal,
    normal_velocity,
    passive_stiffness,
    push_apart,
)


@wp.func
def add_row(m: ModelFields, d: DataFields, world: int, c: int, i: int, scale: float):
    """Row ``i`` of ``M += scale J'``, with J the normal of a contact."""
    for side in range(2):
        if d.contact_geom[world, c][side] < 0:
            n = contact_normal(d, world, c, side)
            s = flex_at_contact(m, d, world, c, side)
            for p in range(carrier_count(s)):
                points = carrier_points(m, s, p)
                for k in range(points[0], points[1]):
                    b = point_body(m, s, p, k)
                    share = scale * carrier_weight(s, p) * point_weight(m, s, k)
                    arm = lever(m, d, world, b, d.contact_pos[world, c])
                    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
                        j = m.chain_dof[e]
                        d.M[world, i, j] = d.M[world, i, j] + share * wp.dot(n, linear_at(d.cdof[world, j], arm))


@wp.func
def couple_contact(m: ModelFields, d: DataFields, world: int, c: int):
    """``M += h^2 k J'J`` and ``efm_c -= h k J' J qvel`` of a passive contact."""
    h = m.opt_timestep[world]
    stiffness = passive_stiffness(m, d, world, c)
    push_apart(m, d, d.efm_c, world, c, -h * stiffness * normal_velocity(m, d, world, c))
    # row after row, of all dofs that move its flexes
    for side in range(2):
        if d.contact_geom[world, c][side] < 0:
            n = contact_normal(d, world, c, side)
            s = flex_at_contact(m, d, world, c, side)
            for p in range(carrier_count(s)):
                points = carrier_points(m, s, p)
                for k in range(points[0], points[1]):
                    b = point_body(m, s, p, k)
                    share = h * h * stiffness * carrier_weight(s, p) * point_weight(m, s, k)
                    arm = lever(m, d, world, b, d.contact_pos[world, c])
                    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
                        i = m.chain_dof[e]
                        add_row(m, d, world, c, i, share * wp.dot(n, linear_at(d.cdof[world, i], arm)))


@wp.func
def passive_contact_stiffness(m: ModelFields, d: DataFields, world: int):
    """Stiffness of all passive contacts, one after the other. One lane: they share vertices."""
    for c in range(d.ncon[world]):
        if is_passive(m, d, world, c):
            couple_contact(m, d, world, c)
