"""Inverse dynamics: the forces that cause a given acceleration; constraint forces follow row by row."""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row_store import jacobian_mul, jacobian_mul_t
from newtonlite.solvers.mujoco.kernels.primitives.dense import sym_mul
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.coupled_inertia import inertia_mul
from newtonlite.solvers.mujoco.kernels.solve.primal import row_forces
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import clear_pad


@wp.func
def inverse_rows(m: ModelFields, d: DataFields, out: wp.array2d[float], world: int, lane: int, nlane: int):
    """Row forces at ``jar = J search - aref``, and ``out = J' f``."""
    nrow = d.nefc[world]
    jacobian_mul(m, d, d.search, d.jar, world, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = d.jar[world, r] - d.efc_aref[world, r]
    clear_pad(d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.jv, world, nrow, lane, nlane)
    sync()
    row_forces(m, d, world, nrow, lane, nlane)
    jacobian_mul_t(m, d, d.efc_force, out, world, lane, nlane)
    sync()


@wp.func
def inverse_force(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_inverse = M a + bias - passive - J' f`` for the acceleration in ``search``."""
    inverse_rows(m, d, d.qfrc_constraint, world, lane, nlane)
    inertia_mul(m, d, d.search, d.Ma, world, lane, nlane)
    sync()
    for i in range(lane, m.nv, nlane):
        d.qfrc_inverse[world, i] = (
            d.Ma[world, i] + d.qfrc_bias[world, i] - d.qfrc_passive[world, i] - d.qfrc_constraint[world, i]
        )
        if m.opt_integrator == MjtIntegrator.DISCRETE:
            d.qfrc_inverse[world, i] = d.qfrc_inverse[world, i] - d.efm_c[world, i]
    sync()


@wp.func
def compare_fwdinv(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``solver_fwdinv``: how far the constraint forces, and all others, are from those that the acceleration asks for."""
    if m.nfwdinv > 0:
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.qacc[world, i]
        sync()
        inverse_rows(m, d, d.grad, world, lane, nlane)
        sym_mul(d.M, m.dof_block, d.search, d.Ma, world, m.nv, lane, nlane)
        sync()
        rows = float(0.0)
        rest = float(0.0)
        for i in range(lane, m.nv, nlane):
            x = d.qfrc_constraint[world, i] - d.grad[world, i]
            y = d.Ma[world, i] - d.qfrc_smooth[world, i] - d.grad[world, i]
            rows += x * x
            rest += y * y
        rows = team_sum(d.team_f, world, rows)
        rest = team_sum(d.team_f, world, rest)
        if lane == 0:
            d.solver_fwdinv[world] = wp.vec2(wp.sqrt(rows), wp.sqrt(rest))
        sync()
