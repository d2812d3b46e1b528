"""Equality constraints: which of them hold gets rows, in order; what the rows are is in the file of each kind."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtEq
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.connect import connect_rows
from newtonlite.solvers.mujoco.kernels.constraint.equality_polynomial import polynomial_row, scalar_width, tendons_move
from newtonlite.solvers.mujoco.kernels.constraint.flex import claim_flex_entries, edge_rows, strain_rows
from newtonlite.solvers.mujoco.kernels.constraint.row_store import append_entries, chain_length
from newtonlite.solvers.mujoco.kernels.constraint.weld import weld_rows
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_pair_asleep
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def entries_of_equality(m: ModelFields, k: int) -> int:
    """Entries of a sparse row of a constraint: all dofs that move what it ties."""
    if m.eq_type[k] == MjtEq.CONNECT or m.eq_type[k] == MjtEq.WELD:
        return chain_length(m, m.eq_body[k][0]) + chain_length(m, m.eq_body[k][1])
    return scalar_width(m, k, 0) + scalar_width(m, k, 1)


@wp.func
def claim_equalities(m: ModelFields, d: DataFields, world: int):
    """Give each constraint that holds its rows, in order, as long as they fit."""
    # constraints that hold: enabled, active, moved by some dof, and not asleep
    needed = int(0)
    kept = int(0)
    on = (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.EQUALITY)) == 0
    for k in range(m.neq):
        n = int(0)
        row = int(-1)
        if on and d.eq_active[world, k] != 0:
            n = m.eq_nrow[k]
        if m.ntendon > 0 and m.eq_type[k] == MjtEq.TENDON and n > 0:
            n = int(tendons_move(m, d, world, k))
        if m.nsleep > 0:
            if is_pair_asleep(d, world, m.eq_tree[k]):
                n = int(0)
        # rows in order, as long as they fit; needed counts them all
        if n > 0 and needed + n <= d.njmax:
            row = needed
            kept += n
            if m.nsparse > 0:
                if m.eq_type[k] == MjtEq.FLEX or m.eq_type[k] == MjtEq.FLEXSTRAIN:
                    claim_flex_entries(m, d, world, k, row)
                else:
                    append_entries(m, d, world, row, n, entries_of_equality(m, k))
        needed += n
        d.eq_efc_address[world, k] = row
    d.ne[world] = kept
    d.nefc[world] = kept
    d.nefc_needed[world] = needed


@wp.func
def fill_equalities(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Jacobian and parameters of all rows, constraint by constraint."""
    for k in range(m.neq):
        row = d.eq_efc_address[world, k]
        if row >= 0:
            if m.eq_type[k] == MjtEq.CONNECT:
                connect_rows(m, d, world, k, row, lane, nlane)
            elif m.eq_type[k] == MjtEq.WELD:
                weld_rows(m, d, world, k, row, lane, nlane)
            elif m.eq_type[k] == MjtEq.FLEX:
                if m.nflexrow > 0:
                    edge_rows(m, d, world, k, row, lane, nlane)
            elif m.eq_type[k] == MjtEq.FLEXSTRAIN:
                if m.nflexstrain > 0:
                    strain_rows(m, d, world, k, row, lane, nlane)
            else:
                polynomial_row(m, d, world, k, row, lane, nlane)
    sync()


@wp.func
def equality_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Start the rows of a world; all equality rows."""
    if lane == 0:
        d.ne[world] = 0
        d.nf[world] = 0
        d.nl[world] = 0
        d.nefc[world] = 0
        d.nefc_needed[world] = 0
        if m.nsparse > 0:
            d.nJ[world] = 0
        if m.neq > 0:
            claim_equalities(m, d, world)
    sync()
    if m.neq > 0:
        fill_equalities(m, d, world, lane, nlane)
