"""Passive contacts in an effective inertia that is stored sparse: rows behind those of the model, while solvers run.

``h^2 k J'J`` of a contact is what a quadratic row of weight ``h^2 k`` and reference 0 adds to the Hessian, and where in it follows
from what touches.  Solvers count the rows among all others; ``drop_passive_rows`` takes them, and their forces, away again.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import QUADRATIC, init_row
from newtonlite.solvers.mujoco.kernels.constraint.row_store import append_entries, merge_entries, put, transpose_rows
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_passive
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.passive_contact import list_normal_row, passive_stiffness, push_along


@wp.func
def first_passive_row(m: ModelFields, d: DataFields, world: int) -> int:
    """First row of a passive contact, the number of rows where there is none."""
    if m.nefmrow > 0 and m.nflexpassive > 0:
        return d.passive_efc_address[world]
    return d.nefc[world]


@wp.func
def write_passive_row(m: ModelFields, d: DataFields, world: int, c: int, row: int, count: int, stiffness: float):
    """Row of a contact, of the ``count`` entries that are listed, and ``efc_c -= h k J' J qvel``."""
    # entries as they are listed: a dof that moves several points has one for each until they are merged
    h = m.opt_timestep[world]
    speed = float(0.0)
    append_entries(m, d, world, row, 1, count)
    for e in range(count):
        speed += d.passive_J[world, e] * d.qvel[world, d.passive_dof[world, e]]
        put(m, d, world, row, e, d.passive_dof[world, e], d.passive_J[world, e])
    merge_entries(m, d, world, row, 1)
    push_along(d, d.efm_c, world, count, -h * stiffness * speed)

    # 1/2 h^2 k (J a)^2
    init_row(m, d, world, row, QUADRATIC, c, 0.0, 0.0)
    d.efc_D[world, row] = h * h * stiffness
    d.efc_R[world, row] = 1.0 / (h * h * stiffness)
    d.efc_active[world, row] = h * h * stiffness
    d.efc_vel[world, row] = speed
    d.efc_aref[world, row] = 0.0
    d.efc_force[world, row] = 0.0


@wp.func
def append_passive_rows(m: ModelFields, d: DataFields, world: int):
    """Rows of all passive contacts, as far as they fit. One lane."""
    # one after the other, in the order of contacts: addresses follow from it
    first = d.nefc[world]
    row = int(first)
    needed = int(first)
    d.passive_efc_address[world] = first
    for c in range(d.ncon[world]):
        if is_passive(m, d, world, c):
            stiffness = passive_stiffness(m, d, world, c)
            if stiffness > 0.0:
                needed += 1
                count = list_normal_row(m, d, world, c)
                if row < d.njmax and d.nJ[world] + count <= d.efc_J_colind.shape[1]:
                    write_passive_row(m, d, world, c, row, count, stiffness)
                    row += 1
    # what has no room is counted with the rows that have none
    if needed > row:
        d.nefc_needed[world] = wp.max(d.nefc_needed[world], needed)
        d.nefc_max[world] = wp.max(d.nefc_max[world], needed)
        d.overflow[world] = d.overflow[world] + 1
        d.lost[world] = d.lost[world] + wp.vec3i(0, needed - row, 0)
    d.nefc[world] = row


@wp.func
def passive_forces(m: ModelFields, d: DataFields, x: wp.array2d[float], world: int, first: int, lane: int, nlane: int):
    """``jv = h^2 k J x`` of passive rows, each rounded once."""
    # entry by entry in double: what is added up is large beside what is left
    for r in range(first + lane, d.nefc[world], nlane):
        s = wp.float64(0.0)
        adr = d.efc_J_rowadr[world, r]
        for e in range(adr, adr + d.efc_J_rownnz[world, r]):
            s += wp.float64(d.efc_J[world, 0, e]) * wp.float64(x[world, d.efc_J_colind[world, e]])
        d.jv[world, r] = float(wp.float64(d.efc_D[world, r]) * s)


@wp.func
def passive_push(d: DataFields, f: wp.array2d[float], world: int, first: int, i: int) -> wp.float64:
    """``J' f`` of passive rows, at dof ``i``."""
    # they are the last entries of a dof
    s = wp.float64(0.0)
    e = d.efc_JT_rowadr[world, i + 1] - 1
    while e >= d.efc_JT_rowadr[world, i] and d.efc_JT_colind[world, e] >= first:
        s += wp.float64(d.efc_JT[world, e]) * wp.float64(f[world, d.efc_JT_colind[world, e]])
        e -= 1
    return s


@wp.func
def drop_passive_rows(m: ModelFields, d: DataFields, world: int, solved: bool, lane: int, nlane: int):
    """Rows are the model's own again; where they were ``solved``, forces of others are no part of ``qfrc_constraint``."""
    if m.nefmrow > 0 and m.nflexpassive > 0:
        # J' f of all rows is what the solvers left; without any of the model's own it is rounding alone
        first = d.passive_efc_address[world]
        count = d.nefc[world] - first
        if solved and count > 0:
            for i in range(lane, m.nv, nlane):
                push = passive_push(d, d.efc_force, world, first, i)
                left = float(wp.float64(d.qfrc_constraint[world, i]) - push)
                d.qfrc_constraint[world, i] = wp.where(first == 0, 0.0, left)
        sync()
        # entries by dofs once more, without those of the rows that go
        if lane == 0 and count > 0:
            d.nJ[world] = d.efc_J_rowadr[world, first]
            d.nefc[world] = first
        sync()
        if count > 0:
            transpose_rows(m, d, world, lane, nlane)
