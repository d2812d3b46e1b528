"""Newton's method on the primal problem ``min_x 1/2 (x - x_s)' M (x - x_s) + s(J x - aref)``, and the stages of all
solvers.

The cost is convex and piecewise quadratic (but for elliptic cones), so a full step that crosses no boundary ends it.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import ELLIPTIC, PGS
from newtonlite.solvers.mujoco.kernels.primitives.dense import (
    add_combined_row,
    add_rows,
    copy_rows,
    rows_mul,
    rows_mul_t,
    sym_mul,
)
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, solve
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.cg import cg
from newtonlite.solvers.mujoco.kernels.solve.cost import changes_zone, is_cone, large_cones
from newtonlite.solvers.mujoco.kernels.solve.dual_newton import constraint_space, dual_newton, is_stiff
from newtonlite.solvers.mujoco.kernels.solve.float64_sums import gradient_sums_float64, row_residuals
from newtonlite.solvers.mujoco.kernels.solve.hessian_sparsity import hessian_blocks, own_blocks
from newtonlite.solvers.mujoco.kernels.solve.islands import choose_steps, end_stalled, open_islands, step_islands
from newtonlite.solvers.mujoco.kernels.solve.line_search import line_search
from newtonlite.solvers.mujoco.kernels.solve.lost_digits import count_lost_digits
from newtonlite.solvers.mujoco.kernels.solve.pgs import pgs
from newtonlite.solvers.mujoco.kernels.solve.primal import (
    DONE,
    EXACT,
    LED,
    OPEN,
    UNSOLVED,
    gauss_slope,
    gradient,
    row_forces,
    step_along,
)
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import scalar_boundaries
from newtonlite.solvers.mujoco.kernels.solve.warmstart import choose_warmstart, start_primal, takes_conjugate_gradients


@wp.func
def smooth_acceleration(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``qacc_smooth = M^-1 qfrc_smooth``; the factor of M stays in ``H``."""
    own_blocks(m, d, world, lane, nlane)
    copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
    for i in range(lane, m.nv, nlane):
        d.qacc_smooth[world, i] = d.qfrc_smooth[world, i]
    sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()
    solve(d.H, d.H_block, d.qacc_smooth, d.work, world, m.nv, lane, nlane)
    sync()


@wp.func
def crosses_boundaries(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int) -> float:
    """Rows whose cost changed its piece since forces were updated; curved pieces of elliptic cones count as changed."""
    changes = scalar_boundaries(
        d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.efc_force, d.efc_active, world, nrow, lane, nlane
    )
    if m.opt_cone == ELLIPTIC:
        for c in range(lane, d.ncon[world], nlane):
            if is_cone(d, world, c) and changes_zone(m, d, world, c, 0.0):
                changes += 1.0
        sync()  # a lane has read rows of others, which now change
    return team_sum(d.team_f, world, changes)


@wp.func
def factor_hessian(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Factors of ``M + J' s'' J``."""
    copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
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
                            d.efc_J,
                            d.efc_block,
                            d.cone_W,
                            36 * c + 6 * k,
                            row,
                            dim,
                            d.H,
                            d.work,
                            world,
                            m.nv,
                            lane,
                            nlane,
                        )
        sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()


@wp.func
def update_search_products(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Products with the direction: ``M search`` and ``J search``."""
    sym_mul(d.M, m.dof_block, d.search, d.Mv, world, m.nv, lane, nlane)
    rows_mul(d.efc_J, d.efc_block, d.search, d.jv, world, nrow, lane, nlane)
    sync()


@wp.func
def try_full_step(m: Any, d: Any, world: int, nrow: int, scale: float, lane: int, nlane: int) -> int:
    """Move along the direction, all rows as far; returns whether that is the end, and known to be exact."""
    step_along(m, d, world, nrow, 1.0, lane, nlane)
    if crosses_boundaries(m, d, world, nrow, lane, nlane) == 0.0:
        return EXACT  # one quadratic piece
    step_along(m, d, world, nrow, -1.0, lane, nlane)
    p = gauss_slope(m, d, world, lane, nlane)
    found = line_search(m, d, world, nrow, p, False, -1, lane, nlane)
    if m.opt_cone == ELLIPTIC:
        sync()
    step_along(m, d, world, nrow, found[0], lane, nlane)
    return wp.where(scale * found[1] >= m.opt_tolerance[world], OPEN, DONE)


@wp.func
def gradient_float64(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """``grad`` with sums in double, ``search = -grad``; ``Ma`` is ``M x - qfrc_smooth`` afterwards."""
    row_residuals(d.efc_J, d.efc_block, d.qacc, d.efc_aref, d.jar, d.jv, world, nrow, lane, nlane)
    sync()
    row_forces(m, d, world, nrow, lane, nlane)
    if m.opt_cone == ELLIPTIC:
        large_cones(m, d, world, nrow, lane, nlane)
    gradient_sums_float64(
        d.M,
        m.dof_block,
        d.qacc,
        d.qfrc_smooth,
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
    sync()
    for i in range(lane, m.nv, nlane):
        d.search[world, i] = -d.grad[world, i]
        d.qfrc_constraint[world, i] = d.Ma[world, i]
    sync()


@wp.func
def newton_iterations(m: Any, d: Any, world: int, nrow: int, most: int, ended: int, lane: int, nlane: int) -> int:
    """Newton's iterations from ``qacc``, with forces there, until gradient or improvement fall below the tolerance, at
    most ``most``; none of them where ``ended`` says that another solver got there.

    One that ends so takes a last step, with a gradient in double, and the factor at hand where that is of the present
    pieces; two where rows are few but stiff, whose factor has fewer digits. ``qfrc_constraint`` is then ``M x -
    qfrc_smooth`` and not ``J' f``: large forces against each other do not blur it. Returns the number of iterations,
    without the last steps.
    """
    if m.nislandtree > 0:
        open_islands(m, d, world, lane, nlane)
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)
    left = wp.where(nrow <= d.ndual, 3, 1)
    end = int(ended)
    # the last steps go through the same loop: functions are inlined, and a factorization compiles for long
    while (end == OPEN and count < most) or (end != OPEN and left > 0):
        sync()
        last = end != OPEN
        small = bool(False)
        if last:
            gradient_float64(m, d, world, nrow, lane, nlane)
        else:
            size = gradient(m, d, world, lane, nlane)
            small = not (scale * wp.sqrt(size) >= m.opt_tolerance[world])  # or not a number
        sync()
        if small:
            end = DONE
        else:
            if end != EXACT:
                factor_hessian(m, d, world, nrow, lane, nlane)
            solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
            sync()
            update_search_products(m, d, world, nrow, lane, nlane)
            if last:
                step_along(m, d, world, nrow, 1.0, lane, nlane)
                end = EXACT
                left -= 1
            elif m.nislandtree > 0:
                end = choose_steps(m, d, world, scale, True, lane, nlane)
                step_islands(m, d, world, nrow, lane, nlane)
            else:
                end = try_full_step(m, d, world, nrow, scale, lane, nlane)
            row_forces(m, d, world, nrow, lane, nlane)
            if not last:
                count += 1
                rows_mul_t(d.efc_J, d.efc_block, d.efc_force, d.qfrc_constraint, world, nrow, lane, nlane)
            sync()
            if end == OPEN:
                end = end_stalled(m, d, world, lane, nlane)
    return count


@wp.func
def minimize_primal(m: Any, d: Any, world: int, nrow: int, lane: int, nlane: int):
    """Solve over the dofs: Newton's iterations, after conjugate gradients where those are asked for, or from where
    another solver came to.
    """
    before = wp.max(0, LED - d.solver_niter[world])
    spent = wp.vec2i(before, wp.where(before > 0, DONE, OPEN))
    start_primal(m, d, world, nrow, lane, nlane)
    if takes_conjugate_gradients(m):
        spent = cg(m, d, world, nrow, lane, nlane)
    hessian_blocks(m, d, world, lane, nlane)
    left = m.opt_iterations - spent[0]
    count = newton_iterations(m, d, world, nrow, left, wp.where(left == 0, spent[1], OPEN), lane, nlane)
    if lane == 0:
        d.solver_niter[world] = spent[0] + count
    sync()


@wp.func
def solve_unconstrained(m: Any, d: Any, world: int, lane: int, nlane: int):
    """A world without rows: ``qacc`` is the smooth acceleration. Solvers that may begin there get it in any world."""
    if d.nefc[world] == 0 or choose_warmstart(m):
        smooth_acceleration(m, d, world, lane, nlane)
    if d.nefc[world] == 0:
        count_lost_digits(m, d, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            d.qacc[world, i] = d.qacc_smooth[world, i]
            d.qfrc_constraint[world, i] = 0.0
        if lane == 0:
            d.solver_niter[world] = 0
        sync()


@wp.func
def solve_dual_newton(m: Any, d: Any, world: int, lane: int, nlane: int):
    """A world with up to ``ndual`` rows: Newton in constraint space, unless rows are too stiff for it; the space alone
    for Gauss-Seidel.
    """
    if m.nv > 0:
        nrow = d.nefc[world]
        if nrow > 0 and nrow <= d.ndual:
            constraint_space(m, d, world, nrow, lane, nlane)
            count_lost_digits(m, d, world, lane, nlane)
            if m.opt_solver != PGS:
                if is_stiff(m, d, world, nrow, lane, nlane):
                    if lane == 0:
                        d.solver_niter[world] = UNSOLVED
                    sync()
                else:
                    dual_newton(m, d, world, nrow, lane, nlane)


@wp.func
def solve_pgs(m: Any, d: Any, world: int, lane: int, nlane: int):
    """A world with up to ``ndual`` rows, which are all there may be, by Gauss-Seidel in their space."""
    if m.nv > 0 and m.opt_solver == PGS:
        nrow = d.nefc[world]
        if nrow > 0 and nrow <= d.ndual:
            pgs(m, d, world, nrow, lane, nlane)


@wp.func
def solve_primal(m: Any, d: Any, world: int, lane: int, nlane: int):
    """A world with more rows, or stiffer ones, or with elliptic cones, or that was left to this stage: solved over the
    dofs.
    """
    if m.nv > 0:
        nrow = d.nefc[world]
        if nrow > d.ndual:
            if lane == 0:
                d.solver_niter[world] = UNSOLVED
            sync()
        if nrow > 0 and d.solver_niter[world] < 0:
            minimize_primal(m, d, world, nrow, lane, nlane)
            if nrow > d.ndual:
                count_lost_digits(m, d, world, lane, nlane)
