"""Stiffness of passive contacts in the effective inertia: a product of rows for each."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_passive
from newtonlite.solvers.mujoco.kernels.solve.passive_rows import append_passive_rows
from newtonlite.solvers.mujoco.kernels.velocity.passive_contact import list_normal_row, passive_stiffness, push_along


@wp.func
def couple_contact(m: ModelFields, d: DataFields, world: int, c: int):
    """``M += h^2 k J'J`` and ``efm_c -= h k J' J qvel`` of a passive contact, with J the row of its normal."""
    h = m.opt_timestep[world]
    stiffness = passive_stiffness(m, d, world, c)
    count = list_normal_row(m, d, world, c)

    # J qvel, and the force that it changes within the step
    speed = float(0.0)
    for e in range(count):
        speed += d.passive_J[world, e] * d.qvel[world, d.passive_dof[world, e]]
    push_along(d, d.efm_c, world, count, -h * stiffness * speed)

    # row after row, of all dofs that move its flexes
    for e in range(count):
        i = d.passive_dof[world, e]
        scaled = h * h * stiffness * d.passive_J[world, e]
        for f in range(count):
            j = d.passive_dof[world, f]
            d.M[world, i, j] = d.M[world, i, j] + scaled * d.passive_J[world, f]


@wp.func
def passive_contact_stiffness(m: ModelFields, d: DataFields, world: int):
    """Stiffness of all passive contacts, one after the other. One lane: they share vertices."""
    # where nothing has a column for every dof, as rows
    if m.nefmrow > 0 and m.nflexpassive > 0:
        append_passive_rows(m, d, world)
        return
    for c in range(d.ncon[world]):
        if is_passive(m, d, world, c):
            couple_contact(m, d, world, c)
