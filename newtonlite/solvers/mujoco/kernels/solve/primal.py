"""Primal solvers' shared parts, ``min_x 1/2 (x - x_s)' M (x - x_s) + s(J x - aref)``: forces, gradient and steps.

``x`` is ``qacc``, ``x_s`` is ``qacc_smooth``, ``s`` the cost of the constraint rows (``cost``).  ``newton`` and ``cg``
hold ``qacc``, ``Ma = M qacc`` and ``jar = J qacc - aref`` at the same point: what moves one of them moves all three.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.iteration_limits import FEW_ITERATIONS
from newtonlite.solvers.mujoco.kernels.constraint.row_store import jacobian_mul_t
from newtonlite.solvers.mujoco.kernels.primitives.long_vectors import add_scaled, gauss_sums, gradient_vectors
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.cost import changes_zone, is_cone, update_cone
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import scalar_boundaries, scalar_update

OPEN = wp.constant(0)
DONE = wp.constant(1)
EXACT = wp.constant(2)
"""Termination of the iterations: not yet, by a small gain, or at the minimum of the pieces that the factor is of."""
LAST = wp.constant(10)
"""Most iterations that other solvers leave to Newton's method."""


@wp.func
def own_share(iterations: int) -> int:
    """Iterations that conjugate gradients and Gauss-Seidel may take: the last quarter, or ten, are left to Newton's,
    but of few none.
    """
    # without a last quarter there would be no iterations left that end at the minimum
    if iterations < FEW_ITERATIONS:
        return iterations
    return iterations - wp.min(LAST, iterations // 4)


@wp.func
def row_forces(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> float:
    """Row forces and curvatures at ``jar``; returns this lane's share of the cost."""
    # rows whose cost is a function of one number: f = -s'(jar), and D where they are quadratic
    cost = scalar_update(
        d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.efc_force, d.efc_active, world, nrow, lane, nlane
    )
    if m.opt_cone == MjtCone.ELLIPTIC:
        sync()  # rows of cones have no force until here
        # an elliptic contact is one cost of all its rows
        for c in range(lane, d.ncon[world], nlane):
            if is_cone(d, world, c):
                cost += update_cone(m, d, world, c)
    sync()
    return cost


@wp.func
def update_forces(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> float:
    """Row forces and curvatures at ``jar``, and ``qfrc_constraint = J' f``; returns this lane's share of the cost."""
    cost = row_forces(m, d, world, nrow, lane, nlane)
    jacobian_mul_t(m, d, d.efc_force, d.qfrc_constraint, world, lane, nlane)
    sync()
    return cost


@wp.func
def gradient(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> float:
    """``grad = M x - qfrc_smooth - J' f``; returns its squared length."""
    squares = float(0.0)
    # many dofs: in whole blocks
    if m.nsparse > 0:
        squares = gradient_vectors(d.Ma, d.qfrc_smooth, d.qfrc_constraint, d.grad, d.search, world, m.nv, lane, nlane)
        return team_sum(d.team_f, world, squares)
    for i in range(lane, m.nv, nlane):
        g = d.Ma[world, i] - d.qfrc_smooth[world, i] - d.qfrc_constraint[world, i]
        d.grad[world, i] = g
        d.search[world, i] = -g
        squares += g * g
    return team_sum(d.team_f, world, squares)


@wp.func
def step_along(m: ModelFields, d: DataFields, world: int, nrow: int, alpha: float, lane: int, nlane: int):
    """Move ``qacc``, ``M qacc`` and ``jar`` by ``alpha`` along the direction."""
    # Ma and jar are linear in qacc: adding up what the step changes is cheaper than products, and drifts by rounding
    # only
    if m.nsparse > 0:
        # in whole blocks, over dofs and over rows
        add_scaled(d.qacc, d.search, alpha, world, m.nv, lane, nlane)
        add_scaled(d.Ma, d.Mv, alpha, world, m.nv, lane, nlane)
        add_scaled(d.jar, d.jv, alpha, world, nrow, lane, nlane)
        sync()
        return
    for i in range(lane, m.nv, nlane):
        d.qacc[world, i] = d.qacc[world, i] + alpha * d.search[world, i]
        d.Ma[world, i] = d.Ma[world, i] + alpha * d.Mv[world, i]
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = d.jar[world, r] + alpha * d.jv[world, r]
    sync()


@wp.func
def gauss_slope(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> wp.vec2:
    """First and second derivative of the Gauss cost along ``search``."""
    # G(alpha) = 1/2 (x + alpha p - x_s)' M (x + alpha p - x_s): its slope is p'(Ma - qfrc_smooth) at 0, its curvature
    # p'M p
    first = float(0.0)
    second = float(0.0)
    if m.nsparse > 0:
        # in whole blocks
        both = gauss_sums(d.search, d.Ma, d.qfrc_smooth, d.Mv, world, m.nv, lane, nlane)
        return wp.vec2(team_sum(d.team_f, world, both[0]), team_sum(d.team_f, world, both[1]))
    for i in range(lane, m.nv, nlane):
        s = d.search[world, i]
        first += s * (d.Ma[world, i] - d.qfrc_smooth[world, i])
        second += s * d.Mv[world, i]
    return wp.vec2(team_sum(d.team_f, world, first), team_sum(d.team_f, world, second))


@wp.func
def crosses_boundaries(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> float:
    """Rows whose cost changed its piece since forces were updated; curved pieces of elliptic cones count as changed."""
    # rows of one number: which are on another piece of their cost than their forces were taken from
    changes = scalar_boundaries(
        d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.efc_force, d.efc_active, world, nrow, lane, nlane
    )

    # elliptic contacts, each as a whole: on the boundary of the cone the cost has no quadratic piece at all
    if m.opt_cone == MjtCone.ELLIPTIC:
        for c in range(lane, d.ncon[world], nlane):
            if is_cone(d, world, c) and changes_zone(m, d, world, c, 0.0):
                changes += 1.0
        sync()  # a lane has read rows of others, which now change
    return team_sum(d.team_f, world, changes)
