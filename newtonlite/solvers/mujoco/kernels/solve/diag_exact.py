"""Exact diagonal of ``J M^-1 J'`` at the present pose, in place of inverse weights at qpos0 (flag ``diagexact``).

MuJoCo documentation, Computation: Exact diagonal.  Rows begin with an ``R`` of weight 1 (``row.diag_approx``), which is
multiplied by the diagonal here; without the flag they have the approximate weight from the start.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import MIN_R
from newtonlite.solvers.mujoco.kernels.constraint.rows_float64 import rows_float64
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor_tree
from newtonlite.solvers.mujoco.kernels.primitives.float64_tree import half_solve_float64
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.delassus import half_solve_rows
from newtonlite.solvers.mujoco.kernels.velocity.inertia_float64 import factor_inertia_float64


@wp.func
def diag_of_row(m: ModelFields, d: DataFields, world: int, row: int, weight: float):
    """Multiply a row's regularisation by a weight; the pull of a contact that sticks, ``R adhesion`` in ``aref``, goes
    with it.
    """
    # R was made for a diagonal of 1: R = (1 - d)/d times the weight, within float32's bound
    before = d.efc_R[world, row]
    after = wp.max(MIN_R, before * weight)
    d.efc_R[world, row] = after
    d.efc_D[world, row] = 1.0 / after

    # aref of a normal row holds R times the adhesion, shared by the edges of a pyramid: it changes as R does
    if m.nadhesion > 0 and row >= d.ne[world] + d.nf[world] + d.nl[world]:
        c = d.efc_id[world, row]
        dim = d.contact_dim[world, c]
        share = float(1.0)
        if dim > 1:
            if m.opt_cone != MjtCone.ELLIPTIC:
                share = 1.0 / float(2 * (dim - 1))
            elif row != d.contact_efc_address[world, c]:
                share = 0.0
        d.efc_aref[world, row] = d.efc_aref[world, row] + (after - before) * share * d.contact_adhesion[world, c]


@wp.func
def exact_diagonal(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``R`` and ``D`` of all rows by the exact diagonal; rows of a contact by that of its first."""
    # M = L'L at this pose, and B = L^-T J': the right side beside J' does not matter, so qvel stands for it
    nrow = d.nefc[world]
    if m.nfloat64 > 0:
        factor_inertia_float64(m, d, world, lane, nlane)
        rows_float64(m, d, world, lane, nlane)
        for r in range(lane, nrow, nlane):
            half_solve_float64(m, d, world, r)
            sum = wp.float64(0.0)
            for i in range(m.nv):
                sum += d.rows64[world, r, i] * d.rows64[world, r, i]
            d.efc_active[world, r] = float(sum)
    else:
        factor_tree(d.M, m.dof_block, m.dof_end, d.H, world, m.nv, lane, nlane)
        sync()
        half_solve_rows(d.efc_J, d.efc_block, d.qvel, d.H, m.dof_end, d.B, world, nrow, m.nv, lane, nlane)
        sync()
        # diagonal of J M^-1 J' = B'B, column by column; efc_active is free before the solver
        for r in range(lane, nrow, nlane):
            weight = float(0.0)
            for i in range(m.nv):
                weight += d.B[world, i, r] * d.B[world, i, r]
            d.efc_active[world, r] = weight
    sync()
    # rows of a contact share the diagonal of its first, which keeps the ratios of R that its cone asks for
    first = d.ne[world] + d.nf[world] + d.nl[world]
    for r in range(lane, nrow, nlane):
        leader = r
        if r >= first:
            leader = d.contact_efc_address[world, d.efc_id[world, r]]
        diag_of_row(m, d, world, r, d.efc_active[world, leader])
    sync()


@wp.func
def diag_exact(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``R`` and ``D`` by the exact diagonal where that is of ``M`` as it is: tendons and actuators of the integrator discrete are to come
    (``coupled_diagonal``).
    """
    if m.ndiagexact > 0 and m.nefmkept == 0:
        exact_diagonal(m, d, world, lane, nlane)
    sync()
