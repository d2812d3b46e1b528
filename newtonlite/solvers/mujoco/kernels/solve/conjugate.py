"""Conjugate gradients on the primal problem, with the inertia as metric: no Hessian, many cheap iterations."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.dense import copy_rows, factor, rows_mul, solve, sym_mul
from newtonlite.solvers.mujoco.kernels.solve.coupling import own_blocks
from newtonlite.solvers.mujoco.kernels.solve.line_search import line_search
from newtonlite.solvers.mujoco.kernels.solve.primal import gauss_slope, gradient, start_point, step_along, update_forces
from newtonlite.solvers.mujoco.kernels.team import sync, team_sum


@wp.func
def conjugate_direction(m: Any, d: Any, world: int, before: float, lane: int, nlane: int) -> float:
    """``search = -M^-1 grad + beta search`` of Polak and Ribiere, ``beta`` not negative; returns ``grad' M^-1 grad``.

    On entry ``search`` is ``-grad`` and ``cg_search`` the last direction; ``before`` is the last value returned, 0 at first.
    """
    solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
    sync()
    size = float(0.0)
    turn = float(0.0)
    for i in range(lane, m.nv, nlane):
        g = d.grad[world, i]
        size -= g * d.search[world, i]
        turn -= g * (d.search[world, i] + d.cg_Mgrad[world, i])
    size = team_sum(d.team_f, world, size)
    turn = team_sum(d.team_f, world, turn)
    beta = float(0.0)
    if before > 0.0:
        beta = wp.max(0.0, turn / before)
    for i in range(lane, m.nv, nlane):
        d.cg_Mgrad[world, i] = -d.search[world, i]
        d.search[world, i] = d.search[world, i] + beta * d.cg_search[world, i]
    sync()
    return size


@wp.func
def conjugate_gradients(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Iterate until gradient or improvement fall below the tolerance."""
    own_blocks(m, d, world, lane, nlane)
    copy_rows(d.M, d.H_block, d.H, world, m.nv, lane, nlane)
    sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()
    start_point(m, d, world, nrow, lane, nlane)
    update_forces(m, d, world, nrow, lane, nlane)
    for i in range(lane, m.nv, nlane):
        d.search[world, i] = 0.0
        d.cg_Mgrad[world, i] = 0.0
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)
    before = float(0.0)
    done = bool(False)
    while count < m.opt_iterations and not done:
        sync()
        for i in range(lane, m.nv, nlane):
            d.cg_search[world, i] = d.search[world, i]
        size = gradient(m, d, world, lane, nlane)
        sync()
        if not (scale * wp.sqrt(size) >= m.opt_tolerance[world]):  # small enough, or not a number
            done = True
        else:
            before = conjugate_direction(m, d, world, before, lane, nlane)
            sym_mul(d.M, m.dof_block, d.search, d.Mv, world, m.nv, lane, nlane)
            rows_mul(d.efc_J, d.efc_block, d.search, d.jv, world, nrow, lane, nlane)
            sync()
            count += 1
            found = line_search(m, d, world, nrow, gauss_slope(m, d, world, lane, nlane), False, -1, lane, nlane)
            step_along(m, d, world, nrow, found[0], lane, nlane)
            if not (scale * found[1] >= m.opt_tolerance[world]):
                done = True
            update_forces(m, d, world, nrow, lane, nlane)
    if lane == 0:
        d.solver_niter[world] = count
    sync()
