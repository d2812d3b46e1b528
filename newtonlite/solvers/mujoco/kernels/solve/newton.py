"""Newton's method on the primal problem ``min_x 1/2 (x - x_s)' M (x - x_s) + s(J x - aref)``.

The cost is convex and piecewise quadratic (but for elliptic cones), so a full step that crosses no boundary ends it.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import DISABLE_WARMSTART, ELLIPTIC
from newtonlite.solvers.mujoco.kernels.dense import (
    add_combined_row,
    add_rows,
    copy_rows,
    factor,
    rows_mul,
    rows_mul_t,
    solve,
    sym_mul,
)
from newtonlite.solvers.mujoco.kernels.solve.cost import update_row
from newtonlite.solvers.mujoco.kernels.solve.coupling import hessian_blocks
from newtonlite.solvers.mujoco.kernels.solve.dual import dual_newton
from newtonlite.solvers.mujoco.kernels.solve.flat import clear_pad, flat_changes, flat_update
from newtonlite.solvers.mujoco.kernels.solve.line_search import line_search
from newtonlite.solvers.mujoco.kernels.team import sync, team_sum


@wp.func
def smooth_acceleration(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``qacc_smooth = M^-1 qfrc_smooth``."""
    hessian_blocks(m, d, world, lane, nlane)
    copy_rows(d.M, d.H_block, d.H, world, m.nv, lane, nlane)
    for i in range(lane, m.nv, nlane):
        d.qacc_smooth[world, i] = d.qfrc_smooth[world, i]
    sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()
    solve(d.H, d.H_block, d.qacc_smooth, d.work, world, m.nv, lane, nlane)
    sync()


@wp.func
def start_point(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """``qacc`` at the warm start (or 0), with ``Ma = M qacc`` and ``jar = J qacc - aref``."""
    cold = (m.opt_disableflags & DISABLE_WARMSTART) != 0
    for i in range(lane, m.nv, nlane):
        a = d.qacc_warmstart[world, i]
        if cold:
            a = 0.0
        d.qacc[world, i] = a
    sync()
    sym_mul(d.M, m.dof_block, d.qacc, d.Ma, world, m.nv, lane, nlane)
    rows_mul(d.efc_J, d.efc_block, d.qacc, d.jar, world, nrow, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = d.jar[world, r] - d.efc_aref[world, r]
    clear_pad(d.efc_type, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.jv, world, nrow, lane, nlane)
    sync()


@wp.func
def row_forces(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Row forces and curvatures at ``jar``."""
    if m.opt_cone == ELLIPTIC:
        for r in range(lane, nrow, nlane):
            update_row(m, d, world, r)
    else:
        flat_update(
            d.efc_type, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.efc_force, d.efc_active, world, nrow, lane, nlane
        )
    sync()


@wp.func
def update_forces(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Row forces and curvatures at ``jar``, and ``qfrc_constraint = J' f``."""
    row_forces(m, d, world, nrow, lane, nlane)
    rows_mul_t(d.efc_J, d.efc_block, d.efc_force, d.qfrc_constraint, world, nrow, lane, nlane)
    sync()


@wp.func
def boundaries_crossed(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int) -> float:
    """Rows whose cost changed its piece since forces were updated; curved pieces of elliptic cones count as changed."""
    if m.opt_cone == ELLIPTIC:
        return 1.0
    changes = flat_changes(
        d.efc_type, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.efc_force, d.efc_active, world, nrow, lane, nlane
    )
    return team_sum(d.team_f, world, changes)


@wp.func
def gradient(m: Any, d: Any, world: int, lane: int, nlane: int) -> float:
    """``grad = M x - qfrc_smooth - J' f``; returns its squared length."""
    squares = float(0.0)
    for i in range(lane, m.nv, nlane):
        g = d.Ma[world, i] - d.qfrc_smooth[world, i] - d.qfrc_constraint[world, i]
        d.grad[world, i] = g
        d.search[world, i] = -g
        squares += g * g
    return team_sum(d.team_f, world, squares)


@wp.func
def newton_direction(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """``search = -(M + J' s'' J)^-1 grad``."""
    copy_rows(d.M, d.H_block, d.H, world, m.nv, lane, nlane)
    sync()
    add_rows(d.efc_J, d.efc_block, d.efc_active, d.H, world, nrow, m.nv, lane, nlane)
    sync()
    if m.opt_cone == ELLIPTIC:
        for c in range(d.ncon[world]):
            row = d.contact_efc_address[world, c]
            if row >= 0:
                dim = d.contact_dim[world, c]
                if dim > 1 and d.contact_zone[world, c] == 1:
                    for k in range(dim):
                        add_combined_row(
                            d.efc_J, d.efc_block, d.cone_W, 36 * c + 6 * k, row, dim, d.H, d.work, world, m.nv, lane, nlane
                        )
        sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()
    solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
    sync()


@wp.func
def step_along(m: Any, d: Any, world: int, nrow: int, alpha: float, lane: int, nlane: int):
    """Move ``qacc``, ``M qacc`` and ``jar`` by ``alpha`` along the direction."""
    for i in range(lane, m.nv, nlane):
        d.qacc[world, i] = d.qacc[world, i] + alpha * d.search[world, i]
        d.Ma[world, i] = d.Ma[world, i] + alpha * d.Mv[world, i]
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = d.jar[world, r] + alpha * d.jv[world, r]
    sync()


@wp.func
def gauss_slope(m: Any, d: Any, world: int, lane: int, nlane: int) -> wp.vec2:
    """First and second derivative of the Gauss cost along ``search``."""
    first = float(0.0)
    second = float(0.0)
    for i in range(lane, m.nv, nlane):
        s = d.search[world, i]
        first += s * (d.Ma[world, i] - d.qfrc_smooth[world, i])
        second += s * d.Mv[world, i]
    return wp.vec2(team_sum(d.team_f, world, first), team_sum(d.team_f, world, second))


@wp.func
def primal_newton(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Iterate to the minimum, or until gradient or improvement fall below the tolerance."""
    hessian_blocks(m, d, world, lane, nlane)
    start_point(m, d, world, nrow, lane, nlane)
    update_forces(m, d, world, nrow, lane, nlane)
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)
    done = bool(False)
    while count < m.opt_iterations and not done:
        sync()
        size = gradient(m, d, world, lane, nlane)
        sync()
        if not (scale * wp.sqrt(size) >= m.opt_tolerance[world]):  # small enough, or not a number
            done = True
        else:
            newton_direction(m, d, world, nrow, lane, nlane)
            sym_mul(d.M, m.dof_block, d.search, d.Mv, world, m.nv, lane, nlane)
            rows_mul(d.efc_J, d.efc_block, d.search, d.jv, world, nrow, lane, nlane)
            sync()
            count += 1
            step_along(m, d, world, nrow, 1.0, lane, nlane)
            if boundaries_crossed(m, d, world, nrow, lane, nlane) == 0.0:
                done = True  # one quadratic piece: the full step is exact
            else:
                step_along(m, d, world, nrow, -1.0, lane, nlane)
                p = gauss_slope(m, d, world, lane, nlane)
                found = line_search(m, d, world, nrow, p, False, lane, nlane)
                step_along(m, d, world, nrow, found[0], lane, nlane)
                if not (scale * found[1] >= m.opt_tolerance[world]):
                    done = True
            update_forces(m, d, world, nrow, lane, nlane)
    if lane == 0:
        d.solver_niter[world] = count
    sync()


@wp.func
def solve_unconstrained(m: Any, d: Any, world: int, lane: int, nlane: int):
    """A world without rows: ``qacc`` is the smooth acceleration."""
    if d.nefc[world] == 0:
        smooth_acceleration(m, d, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            d.qacc[world, i] = d.qacc_smooth[world, i]
            d.qfrc_constraint[world, i] = 0.0
        if lane == 0:
            d.solver_niter[world] = 0
        sync()


@wp.func
def solve_few_rows(m: Any, d: Any, world: int, lane: int, nlane: int):
    """A world with up to ``ndual`` rows: Newton in constraint space."""
    nrow = d.nefc[world]
    if nrow > 0 and nrow <= d.ndual:
        dual_newton(m, d, world, nrow, lane, nlane)


@wp.func
def solve_many_rows(m: Any, d: Any, world: int, lane: int, nlane: int):
    """A world with more rows, or with elliptic cones: Newton over the dofs."""
    nrow = d.nefc[world]
    if nrow > d.ndual:
        primal_newton(m, d, world, nrow, lane, nlane)
