"""Noslip post-pass beside couplings: ``noslip`` for an effective inertia that ties trees, of the integrator discrete.

MuJoCo sweeps in a space of constraints that has of couplings, those of tendons and actuators, the diagonal alone; the right side
and the acceleration that follows from the forces are of the whole matrix. A stage of its own, which is not among the solvers
that a CPU calls for one island at a time: it needs the inertia of all trees, with couplings and without.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.coupled_diagonal import exchange_inertia
from newtonlite.solvers.mujoco.kernels.primitives.dense import copy_rows, rows_mul, rows_mul_t
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, solve
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.dual_newton import constraint_space
from newtonlite.solvers.mujoco.kernels.solve.hessian_sparsity import own_blocks
from newtonlite.solvers.mujoco.kernels.solve.newton import smooth_acceleration
from newtonlite.solvers.mujoco.kernels.solve.noslip import sweep_islands


@wp.func
def uncoupled_space(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``A`` as if couplings had a diagonal alone, but ``b = J qacc_smooth - aref`` of the whole inertia."""
    # the acceleration first, while the matrix is whole
    smooth_acceleration(m, d, world, lane, nlane)
    exchange_inertia(m, d, world, lane, nlane)
    constraint_space(m, d, world, nrow, lane, nlane)

    # b in place of that of the matrix without couplings
    rows_mul(d.efc_J, d.efc_block, d.qacc_smooth, d.jar, world, nrow, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.efc_b[world, r] = d.jar[world, r] - d.efc_aref[world, r]
    sync()


@wp.func
def coupled_acceleration(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``qfrc_constraint = J' f`` and ``qacc = M^-1 (qfrc_smooth + J' f)`` of the forces in ``dual``."""
    # J' f
    for r in range(lane, nrow, nlane):
        d.efc_force[world, r] = d.dual[world, r]
    sync()
    rows_mul_t(d.efc_J, d.efc_block, d.efc_force, d.qfrc_constraint, world, nrow, lane, nlane)
    sync()

    # M qacc = qfrc_smooth + J' f, with the whole matrix
    own_blocks(m, d, world, lane, nlane)
    copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
    for i in range(lane, m.nv, nlane):
        d.qacc[world, i] = d.qfrc_smooth[world, i] + d.qfrc_constraint[world, i]
    sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()
    solve(d.H, d.H_block, d.qacc, d.work, world, m.nv, lane, nlane)
    sync()


@wp.func
def coupled_noslip(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``noslip`` where tendons or actuators couple dofs in the effective inertia."""
    nrow = d.nefc[world]
    if m.opt_noslip_iterations > 0 and m.ncoupling > 0 and nrow > 0:
        uncoupled_space(m, d, world, nrow, lane, nlane)
        sweep_islands(m, d, world, nrow, lane, nlane)
        exchange_inertia(m, d, world, lane, nlane)
        coupled_acceleration(m, d, world, nrow, lane, nlane)
