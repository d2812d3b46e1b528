"""Conjugate gradients on the primal problem, with the inertia as metric: no Hessian, many cheap iterations."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.dense import rows_mul, sym_mul
from newtonlite.solvers.mujoco.kernels.factor import solve
from newtonlite.solvers.mujoco.kernels.solve.line_search import line_search
from newtonlite.solvers.mujoco.kernels.solve.primal import DONE, OPEN, gauss_slope, gradient, own_share, step_along, update_forces
from newtonlite.solvers.mujoco.kernels.team import sync, team_sum

LONG = wp.constant(1.0e30)
"""A squared gradient whose own square leaves float32."""


@wp.func
def conjugate_direction(m: Any, d: Any, world: int, before: wp.vec2, lane: int, nlane: int) -> wp.vec2:
    """``search = -M^-1 grad + beta search``, ``beta`` of Hager and Zhang (2005) and not negative.

    Returns ``grad' M^-1 grad`` and ``grad' search``, which are ``before`` of the next call, zeros at first.  On entry ``search`` is
    ``-grad`` and ``cg_search`` the last direction.
    """
    solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
    sync()
    size = float(0.0)
    mixed = float(0.0)
    along = float(0.0)
    for i in range(lane, m.nv, nlane):
        g = d.grad[world, i]
        size -= g * d.search[world, i]
        mixed += g * d.cg_Mgrad[world, i]
        along += g * d.cg_search[world, i]
    size = team_sum(d.team_f, world, size)
    mixed = team_sum(d.team_f, world, mixed)
    along = team_sum(d.team_f, world, along)
    beta = float(0.0)
    bend = along - before[1]
    if before[0] > 0.0 and bend > 0.0:
        beta = wp.max(0.0, (size - mixed - 2.0 * (size - 2.0 * mixed + before[0]) * (along / bend)) / bend)
    slope = float(0.0)
    for i in range(lane, m.nv, nlane):
        d.cg_Mgrad[world, i] = -d.search[world, i]
        d.search[world, i] = d.search[world, i] + beta * d.cg_search[world, i]
        slope += d.grad[world, i] * d.search[world, i]
    slope = team_sum(d.team_f, world, slope)
    sync()
    return wp.vec2(size, slope)


@wp.func
def conjugate_gradients(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int) -> wp.vec2i:
    """Iterate from ``qacc``, with forces there and the factor of M in ``H``, until gradient or improvement are below the tolerance, or the
    gradient is too long for sums of squares: rows are then so stiff that only Newton's method makes something of them.

    Returns the number of iterations, and whether they came to an end.
    """
    for i in range(lane, m.nv, nlane):
        d.search[world, i] = 0.0
        d.cg_Mgrad[world, i] = 0.0
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)
    before = wp.vec2(0.0, 0.0)
    end = int(OPEN)
    while count < own_share(m.opt_iterations) and end == OPEN:
        sync()
        for i in range(lane, m.nv, nlane):
            d.cg_search[world, i] = d.search[world, i]
        size = gradient(m, d, world, lane, nlane)
        sync()
        if not (scale * wp.sqrt(size) >= m.opt_tolerance[world]) or size > LONG:  # small enough, or not a number
            end = DONE
        else:
            before = conjugate_direction(m, d, world, before, lane, nlane)
            sym_mul(d.M, m.dof_block, d.search, d.Mv, world, m.nv, lane, nlane)
            rows_mul(d.efc_J, d.efc_block, d.search, d.jv, world, nrow, lane, nlane)
            sync()
            count += 1
            found = line_search(m, d, world, nrow, gauss_slope(m, d, world, lane, nlane), False, -1, lane, nlane)
            step_along(m, d, world, nrow, found[0], lane, nlane)
            if not (scale * found[1] >= m.opt_tolerance[world]):
                end = DONE
            update_forces(m, d, world, nrow, lane, nlane)
    return wp.vec2i(count, end)
