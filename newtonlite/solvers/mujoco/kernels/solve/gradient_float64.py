"""Gradient in double: what the last corrections of Newton's method go by."""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.cost import large_cones
from newtonlite.solvers.mujoco.kernels.solve.csr_float64 import csr_gradient_float64, csr_residuals
from newtonlite.solvers.mujoco.kernels.solve.float64_sums import gradient_sums_float64, row_residuals
from newtonlite.solvers.mujoco.kernels.solve.primal import row_forces


@wp.func
def residuals_float64(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``jar + jv = J qacc - aref``, the rounded residuals and what rounding took off."""
    # entry by entry, or in blocks
    if m.nsparse > 0:
        csr_residuals(
            # J by its entries
            d.efc_J,
            d.efc_J_rownnz,
            d.efc_J_rowadr,
            d.efc_J_colind,
            # at this point, less the reference
            d.qacc,
            d.efc_aref,
            # in two parts
            d.jar,
            d.jv,
            world,
            nrow,
            lane,
            nlane,
        )
    else:
        row_residuals(d.efc_J, d.efc_block, d.qacc, d.efc_aref, d.jar, d.jv, world, nrow, lane, nlane)


@wp.func
def gradient_sums(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``Ma = M qacc - qfrc_smooth`` and ``grad = Ma - J' f``, each rounded once."""
    if m.nsparse > 0:
        csr_gradient_float64(
            # M x - smooth
            d.M,
            m.dof_block,
            m.coupled_rowadr,
            m.coupled_colind,
            d.efm_coupled,
            d.qacc,
            d.qfrc_smooth,
            # less J' f, by the dofs' entries
            d.efc_JT,
            d.efc_JT_rowadr,
            d.efc_JT_colind,
            d.efc_cost,
            d.efc_force,
            d.efc_active,
            d.jar,
            d.jv,
            d.Ma,
            d.grad,
            world,
            m.nv,
            lane,
            nlane,
        )
    else:
        gradient_sums_float64(
            # M x - smooth
            d.M,
            m.dof_block,
            d.qacc,
            d.qfrc_smooth,
            # less J' f, row by row
            d.efc_J,
            d.efc_block,
            d.efc_cost,
            d.efc_force,
            d.efc_active,
            d.jar,
            d.jv,
            d.Ma,
            d.grad,
            world,
            m.nv,
            nrow,
            lane,
            nlane,
        )


@wp.func
def gradient_float64(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``grad`` with sums in double, ``search = -grad``; ``Ma`` is ``M x - qfrc_smooth`` afterwards."""
    # jar + jv = J x - aref, summed in double: jv holds what rounding to jar took off
    residuals_float64(m, d, world, nrow, lane, nlane)
    sync()

    # forces at the rounded jar. What jv holds counts too: of quadratic rows in the sums below, of elliptic contacts
    # here
    row_forces(m, d, world, nrow, lane, nlane)
    if m.opt_cone == MjtCone.ELLIPTIC:
        large_cones(m, d, world, nrow, lane, nlane)

    # Ma = M x - qfrc_smooth and grad = Ma - J' f, in double until each is rounded once
    gradient_sums(m, d, world, nrow, lane, nlane)
    sync()

    # at the minimum J' f is M x - qfrc_smooth, which large forces against each other do not blur
    for i in range(lane, m.nv, nlane):
        d.search[world, i] = -d.grad[world, i]
        d.qfrc_constraint[world, i] = d.Ma[world, i]
    sync()
