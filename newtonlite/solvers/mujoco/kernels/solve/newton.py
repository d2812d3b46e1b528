"""Newton's method on the primal problem ``min_x 1/2 (x - x_s)' M (x - x_s) + s(J x - aref)``, and the stages of all
solvers.

MuJoCo documentation, Computation: Algorithms.  The cost is convex and piecewise quadratic (but for elliptic cones), so
a full step that crosses no boundary ends it.

Taken for worlds with more than ``ndual`` rows or with rows too stiff for constraint space, and to end what conjugate
gradients or Gauss-Seidel have begun; ``ndual`` is 0 for elliptic cones and for iterations that are cut short.  Not
``dual_newton``, which takes the same steps over row forces, and not ``cg``, which has no Hessian.

``newton_iterations`` begins with ``qacc``, ``Ma``, ``jar``, row forces and ``qfrc_constraint`` of one point, and with
``H_block`` for the rows at hand.  It leaves the minimum in ``qacc``, its row forces in ``efc_force``, and
``qfrc_constraint = M qacc - qfrc_smooth``; where iterations ran out, the last point, and ``qfrc_constraint = J' f``.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone, MjtSolver
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row_store import jacobian_mul, jacobian_mul_t
from newtonlite.solvers.mujoco.kernels.primitives.branches import branch_acceleration
from newtonlite.solvers.mujoco.kernels.primitives.dense import add_combined_row, add_rows, copy_rows
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, solve
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane, sync
from newtonlite.solvers.mujoco.kernels.solve.cg import cg
from newtonlite.solvers.mujoco.kernels.solve.cost import first_of_cone_row
from newtonlite.solvers.mujoco.kernels.solve.coupled_inertia import coupled_smooth_acceleration, inertia_mul
from newtonlite.solvers.mujoco.kernels.solve.dual_newton import constraint_space, dual_newton, is_stiff
from newtonlite.solvers.mujoco.kernels.solve.gradient_float64 import gradient_float64
from newtonlite.solvers.mujoco.kernels.solve.hessian_sparsity import hessian_blocks, own_blocks
from newtonlite.solvers.mujoco.kernels.solve.islands import (
    by_islands,
    choose_steps,
    end_stalled,
    open_islands,
    step_islands,
)
from newtonlite.solvers.mujoco.kernels.solve.line_search import is_cut_short, line_search
from newtonlite.solvers.mujoco.kernels.solve.lost_digits import count_lost_digits, count_lost_sparse
from newtonlite.solvers.mujoco.kernels.solve.passive_rows import first_passive_row
from newtonlite.solvers.mujoco.kernels.solve.pgs import pgs
from newtonlite.solvers.mujoco.kernels.solve.primal import (
    DONE,
    EXACT,
    OPEN,
    crosses_boundaries,
    gauss_slope,
    gradient,
    own_share,
    row_forces,
    step_along,
)
from newtonlite.solvers.mujoco.kernels.solve.sparse_hessian import (
    factor_sparse_hessian,
    place_hessian,
    solve_sparse_hessian,
)
from newtonlite.solvers.mujoco.kernels.solve.status import SolverStatus
from newtonlite.solvers.mujoco.kernels.solve.truncated_newton import truncated_newton
from newtonlite.solvers.mujoco.kernels.solve.warmstart import choose_warmstart, start_primal, takes_conjugate_gradients
from newtonlite.solvers.mujoco.solver_path import SolverPath, solver_path


@wp.func
def smooth_acceleration(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc_smooth = M^-1 qfrc_smooth``; the factor of M stays in ``H``, or in ``H_profile`` where M couples trees."""
    if m.nefmrow > 0:
        coupled_smooth_acceleration(m, d, world, lane, nlane)
        return

    if m.nstem > 0:
        branch_acceleration(m, d, world, lane, nlane)
        return

    # L'L = M, tree by tree: M has no entries between trees, so that rows of H are as short as they get
    own_blocks(m, d, world, lane, nlane)

    # H begins as M; constraint rows are added to a new copy later
    copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
    for i in range(lane, m.nv, nlane):
        d.qacc_smooth[world, i] = d.qfrc_smooth[world, i]
    sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()

    # M x = qfrc_smooth
    solve(d.H, d.H_block, d.qacc_smooth, d.work, world, m.nv, lane, nlane)
    sync()


@wp.func
def factor_hessian(m: ModelFields, d: DataFields, world: int, nrow: int, again: bool, lane: int, nlane: int):
    """Factors of ``M + J' s'' J``; ``again`` where those before were of the same rows."""
    if m.nsparse > 0:
        factor_sparse_hessian(m, d, world, wp.vec2i(0, nrow), True, again, lane, nlane)
        return

    # H = M + J' s'' J: every row adds D J_r' J_r where its cost is quadratic, nothing where it is linear or 0
    copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
    sync()
    add_rows(d.efc_J, d.efc_block, d.efc_active, d.H, world, nrow, m.nv, lane, nlane)
    sync()

    # on the boundary of a cone s'' is a full matrix W'W: every row of W is the weights of a combination of the
    # contact's rows of J, of which the outer product is added
    if m.opt_cone == MjtCone.ELLIPTIC:
        for c in range(d.ncon[world]):
            row = d.contact_efc_address[world, c]
            if row >= 0:
                dim = d.contact_dim[world, c]
                if dim > 1 and d.contact_on_cone[world, c] != 0:
                    for k in range(dim):
                        add_combined_row(
                            d.efc_J,
                            d.efc_block,
                            d.cone_W,
                            first_of_cone_row(c, k),
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

    # leaf first, in place
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()


@wp.func
def solve_hessian(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``search := H^-1 search`` by the factor of ``factor_hessian``."""
    # the factor's places, or dofs as they are
    if m.nsparse > 0:
        solve_sparse_hessian(m, d, d.search, world, lane, nlane)
    else:
        solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)


@wp.func
def update_search_products(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Products with the direction: ``M search`` and ``J search``."""
    inertia_mul(m, d, d.search, d.Mv, world, lane, nlane)
    jacobian_mul(m, d, d.search, d.jv, world, lane, nlane)
    sync()


@wp.func
def try_full_step(m: ModelFields, d: DataFields, world: int, nrow: int, scale: float, lane: int, nlane: int) -> int:
    """Move along the direction, all rows as far; returns whether that is the end, and known to be exact."""
    # the whole Newton step: exact if the cost is one quadratic from here to there
    step_along(m, d, world, nrow, 1.0, lane, nlane)
    if crosses_boundaries(m, d, world, nrow, lane, nlane) == 0.0:
        return EXACT  # one quadratic piece

    # otherwise back, and along the direction to where the slope of the cost vanishes
    step_along(m, d, world, nrow, -1.0, lane, nlane)
    p = gauss_slope(m, d, world, lane, nlane)

    # the Gauss cost is a parabola along the direction; the search needs its slope and curvature at 0
    found = line_search(m, d, world, nrow, p, False, -1, lane, nlane)
    if m.opt_cone == MjtCone.ELLIPTIC:
        sync()
    step_along(m, d, world, nrow, found[0], lane, nlane)

    # the gain, in the unit of the tolerance, says whether another direction is worth its factorization
    return wp.where(scale * found[1] >= m.opt_tolerance[world], OPEN, DONE)


@wp.func
def newton_iterations(
    m: ModelFields, d: DataFields, world: int, nrow: int, most: int, ended: int, lane: int, nlane: int
) -> int:
    """Newton's iterations from ``qacc``, with forces there, until gradient or improvement fall below the tolerance, at
    most ``most``; none of them where ``ended`` says that another solver got there.

    One that ends so is corrected by a last step, with a gradient in double, and the factor at hand where that is of the
    present pieces; by three where rows are no more than ``ndual``: stiff ones, whose factor has fewer digits, and those
    that Gauss-Seidel began with. ``qfrc_constraint`` is then ``M x - qfrc_smooth`` of the point before the last
    correction, and not ``J' f``: large forces against each other do not blur it. Returns the number of iterations,
    without corrections.
    """
    if by_islands(m, d, world):
        open_islands(m, d, world, lane, nlane)

    # gains and gradients are compared with the tolerance per dof and mean inertia, as MuJoCo's are
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)

    # two kinds of rounds: iterations until a gain is small, then corrections by the gradient in double
    corrections = wp.where(nrow <= d.ndual, 3, 1)
    end = int(ended)
    again = bool(False)
    # the corrections go through the same loop: functions are inlined, and a factorization compiles for long
    while (end == OPEN and count < most) or (end != OPEN and corrections > 0):
        sync()
        correcting = end != OPEN
        converged = bool(False)
        # the direction: down the gradient, which is also the measure of how near the minimum is
        if correcting:
            gradient_float64(m, d, world, nrow, lane, nlane)
        else:
            size = gradient(m, d, world, lane, nlane)
            converged = not (scale * wp.sqrt(size) >= m.opt_tolerance[world])  # or not a number
        sync()
        # a small gradient ends the iterations; the next round is a correction
        if converged:
            end = DONE
        else:
            # search = -H^-1 grad, with the last factor where it is of the pieces that hold at this point
            if end != EXACT:
                factor_hessian(m, d, world, nrow, again, lane, nlane)
                again = True
            solve_hessian(m, d, world, lane, nlane)
            sync()
            # what a step adds to Ma and jar, per unit of its length
            update_search_products(m, d, world, nrow, lane, nlane)
            # how far: a correction takes the whole step; otherwise a search says it, of each island or of all rows
            if correcting:
                step_along(m, d, world, nrow, 1.0, lane, nlane)
                end = EXACT
                corrections -= 1
            elif by_islands(m, d, world):
                end = choose_steps(m, d, world, scale, True, lane, nlane)
                step_islands(m, d, world, nrow, lane, nlane)
            else:
                end = try_full_step(m, d, world, nrow, scale, lane, nlane)
            # forces at the new point; iterations also need J' f for their next gradient
            row_forces(m, d, world, nrow, lane, nlane)
            if not correcting:
                count += 1
                jacobian_mul_t(m, d, d.efc_force, d.qfrc_constraint, world, lane, nlane)
            sync()
            # float32 may have no digits for a smaller step: then iterations end, and corrections follow
            if end == OPEN:
                end = end_stalled(m, d, world, lane, nlane)
    return count


@wp.func
def minimize_sparse(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Solve a world of sparse rows from the start at hand: by Newton's method where conjugate gradients are not taken and
    its factor has room, else by those, which it goes on from where they do not come to an end in their share. Where the
    file asks for them and the start is near the minimum, a step of Newton's method without a factor comes first.
    """
    # near the minimum a team has conjugate gradients at once, and files that cut iterations short have MuJoCo's way
    newton = not takes_conjugate_gradients(m)
    spent = wp.vec2i(0, OPEN)
    if one_lane() and m.opt_solver == MjtSolver.CG and not is_cut_short(m):
        spent = truncated_newton(m, d, world, nrow, lane, nlane)
    count = spent[0]

    if spent[1] == OPEN:
        # the profile of the Hessian says whether there is room; without, conjugate gradients have all iterations
        room = bool(False)
        share = own_share(m.opt_iterations)
        if newton:
            room = place_hessian(m, d, world, 0, nrow, True, lane, nlane)
            share = m.opt_iterations

        # conjugate gradients in the metric of blocks of trees, at the curvatures of the start; of coupled inertia in the
        # whole
        if not room:
            whole = bool(False)
            first = int(0)
            if m.nefmrow > 0:
                first = first_passive_row(m, d, world)
                whole = place_hessian(m, d, world, first, nrow - first, True, lane, nlane)
            if not whole:
                first = int(0)
                place_hessian(m, d, world, 0, nrow, False, lane, nlane)
            factor_sparse_hessian(m, d, world, wp.vec2i(first, nrow), whole, False, lane, nlane)
            spent = cg(m, d, world, nrow, wp.max(0, share - count), whole, lane, nlane)
            count += spent[0]
            if spent[1] == OPEN and count < m.opt_iterations:
                room = place_hessian(m, d, world, 0, nrow, True, lane, nlane)

        # Newton's method from the start, or from where they came to
        if room:
            count += newton_iterations(m, d, world, nrow, m.opt_iterations - count, OPEN, lane, nlane)
        count_lost_sparse(m, d, world, lane, nlane)
    if lane == 0:
        d.solver_niter[world] = count
        d.solver_status[world] = SolverStatus.SOLVED
    sync()


@wp.func
def minimize_primal(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Solve over the dofs: Newton's iterations, after conjugate gradients where those are asked for, or from where
    another solver came to.
    """
    # iterations of a solver that led here count, and its point is the start
    before = wp.where(d.solver_status[world] == SolverStatus.STARTED, d.solver_niter[world], 0)
    spent = wp.vec2i(before, wp.where(before > 0, DONE, OPEN))

    # qacc, Ma, jar and forces at the start
    start_primal(m, d, world, nrow, lane, nlane)

    # sparse: one or the other, by conjugate gradients also where a factor has no room
    if m.nsparse > 0:
        minimize_sparse(m, d, world, nrow, lane, nlane)
        return

    # conjugate gradients come first where the file asks for them; Newton's method ends what they began
    if takes_conjugate_gradients(m):
        spent = cg(m, d, world, nrow, own_share(m.opt_iterations), False, lane, nlane)

    # which trees the rows couple, for the shape of H
    hessian_blocks(m, d, world, lane, nlane)

    # where none remain there is at most a correction, if the other solver came to its end
    remaining = m.opt_iterations - spent[0]
    count = newton_iterations(m, d, world, nrow, remaining, wp.where(remaining == 0, spent[1], OPEN), lane, nlane)
    if lane == 0:
        d.solver_niter[world] = spent[0] + count
        d.solver_status[world] = SolverStatus.SOLVED
    sync()


@wp.func
def solve_unconstrained(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """A world without rows: ``qacc`` is the smooth acceleration. Solvers that may begin there get it in any world, and all
    worlds with the flag ipc, whose rows are solved by steps alone.
    """
    if d.nefc[world] == 0 or m.nipcpoint > 0 or choose_warmstart(m):
        smooth_acceleration(m, d, world, lane, nlane)
    if d.nefc[world] == 0 or m.nipcpoint > 0:
        if m.nefmrow > 0:
            count_lost_sparse(m, d, world, lane, nlane)
        else:
            count_lost_digits(m, d, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            d.qacc[world, i] = d.qacc_smooth[world, i]
            d.qfrc_constraint[world, i] = 0.0
        if m.nipcpoint > 0:
            for r in range(lane, d.nefc[world], nlane):
                d.efc_force[world, r] = 0.0
        if lane == 0:
            d.solver_niter[world] = 0
            d.solver_status[world] = SolverStatus.SOLVED
        sync()


@wp.func
def solve_dual_newton(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """A world with up to ``ndual`` rows: Newton in constraint space, unless rows are too stiff for it; the space alone
    for Gauss-Seidel.
    """
    if m.nv > 0 and m.nipcpoint == 0:
        nrow = d.nefc[world]
        path = solver_path(m.opt_solver, False, nrow, d.ndual, False)
        if path == SolverPath.DUAL_NEWTON or path == SolverPath.GAUSS_SEIDEL:
            # A and b serve dual Newton, Gauss-Seidel, and the test of stiffness
            constraint_space(m, d, world, nrow, lane, nlane)
            count_lost_digits(m, d, world, lane, nlane)
            if m.opt_solver != MjtSolver.PGS:
                stiff = is_stiff(m, d, world, nrow, lane, nlane)
                if solver_path(m.opt_solver, False, nrow, d.ndual, stiff) != SolverPath.DUAL_NEWTON:
                    if lane == 0:
                        d.solver_status[world] = SolverStatus.UNSOLVED
                    sync()
                else:
                    dual_newton(m, d, world, nrow, lane, nlane)


@wp.func
def solve_pgs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """A world with up to ``ndual`` rows, which are all there may be, by Gauss-Seidel in their space."""
    if m.nv > 0 and m.opt_solver == MjtSolver.PGS:
        nrow = d.nefc[world]
        if solver_path(m.opt_solver, False, nrow, d.ndual, False) == SolverPath.GAUSS_SEIDEL:
            pgs(m, d, world, nrow, lane, nlane)


@wp.func
def solve_primal(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """A world with more rows, or stiffer ones, or with elliptic cones, or that was left to this stage: solved over the
    dofs.
    """
    if m.nv > 0 and m.nipcpoint == 0:
        nrow = d.nefc[world]
        # more rows than constraint space is for; fewer ones have their status from the stages before
        many = solver_path(m.opt_solver, False, nrow, d.ndual, False) == SolverPath.PRIMAL_NEWTON
        if many:
            if lane == 0:
                d.solver_status[world] = SolverStatus.UNSOLVED
            sync()
        if nrow > 0 and d.solver_status[world] != SolverStatus.SOLVED:
            minimize_primal(m, d, world, nrow, lane, nlane)
            # a team counts later, where it has registers for it (``count_of_teams``)
            if many and one_lane() and m.nsparse == 0:
                count_lost_digits(m, d, world, lane, nlane)
