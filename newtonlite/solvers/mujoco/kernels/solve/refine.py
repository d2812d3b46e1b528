"""Iterative refinement: a last correction of the acceleration, from a gradient with sums in float64.

A solver in float32 leaves of the gradient what its own sums round off, some roundings of every term.  With these sums
in double, one more solve with the factor at hand gives the optimum rounded to float32.  Higham, Accuracy and Stability
of Numerical Algorithms, 12.

Taken after ``dual_newton`` where its last target crossed no boundary.  ``newton`` has the correction as rounds of its
own loop (``newton_iterations``).
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.factor import solve
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.delassus import dual_acceleration
from newtonlite.solvers.mujoco.kernels.solve.float64_sums import (
    gradient_sums_float64,
    half_solve_gradient,
    row_residuals,
)
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import scalar_update


@wp.func
def refine_dual(m: ModelFields, d: DataFields, world: int, nrow: int, count: int, lane: int, nlane: int):
    """Correct ``qacc`` by ``-(M + J'DJ)^-1 grad`` with the factors of M and of the ``count`` active rows' system; sets
    ``qfrc_constraint``.

    Row forces stay: they are as good as they get.
    """
    # J x - aref at the solution, in double: jar, and what rounding took off in jv
    row_residuals(d.efc_J, d.efc_block, d.qacc, d.efc_aref, d.jar, d.jv, world, nrow, lane, nlane)
    sync()

    # forces and curvatures at that jar, into scratch: efc_force and efc_active stay those of the solution
    scalar_update(
        d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.target, d.A_target, world, nrow, lane, nlane
    )
    sync()

    # grad = M x - qfrc_smooth - J' f in double; M x - qfrc_smooth is the constraint force
    gradient_sums_float64(
        d.M,
        m.dof_block,
        d.qacc,
        d.qfrc_smooth,
        d.efc_J,
        d.efc_block,
        d.efc_cost,
        d.target,
        d.A_target,
        d.jar,
        d.jv,
        d.qfrc_constraint,
        d.grad,
        world,
        m.nv,
        nrow,
        lane,
        nlane,
    )
    sync()

    # -(M + J'DJ)^-1 grad by the matrix inversion lemma: with z = M^-1 grad it is -z + M^-1 J'G (I + G'AG)^-1 G'J z
    half_solve_gradient(d.H, m.dof_end, m.dof_parentid, d.grad, d.B, d.A_target, world, m.nv, nrow, lane, nlane)
    sync()

    # right side G'J z, over the active rows alone
    for i in range(lane, count, nlane):
        d.rhs[world, i] = d.efc_root[world, i] * d.A_target[world, d.efc_index[world, i]]
    for r in range(lane, nrow, nlane):
        d.target[world, r] = 0.0
    sync()

    # with the factor that the last target left
    solve(d.efc_K, d.K_block, d.rhs, d.rhs_work, world, count, lane, nlane)
    sync()
    for i in range(lane, count, nlane):
        d.target[world, d.efc_index[world, i]] = d.efc_root[world, i] * d.rhs[world, i]
    sync()

    # B holds -L^-T grad in place of the smooth force: M^-1 of it and of J' times the weights
    dual_acceleration(d.B, d.target, d.H, m.dof_parentid, m.dof_end, d.search, world, nrow, m.nv, lane, nlane)
    sync()
    for i in range(lane, m.nv, nlane):
        d.qacc[world, i] = d.qacc[world, i] + d.search[world, i]
    sync()
