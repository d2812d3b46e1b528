"""Truncated Newton: Newton's method whose directions come from conjugate gradients, without a factor of the Hessian.

Dembo and Steihaug, Truncated-Newton Algorithms for Large-Scale Unconstrained Optimization, Math. Programming 26 (1983).
From a warm start that is nearly the minimum the system ``H p = -grad`` is solved in a few iterations, in the metric of
the diagonal of ``H = M + J' s'' J``; a factor takes as long as some tens of them.  Not ``cg``, which searches along each of
its directions: here the cost is the one quadratic of the present pieces until a direction ends, and rows that are
on other pieces there are searched for once.

Taken by one lane where the file asks for conjugate gradients and rows are sparse, before Newton's method or ``cg``
(``newton.minimize_sparse``), which go on from where it came to.  On entry the point of ``start_primal``; at the end one
of no higher cost, with its forces.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.core.native import header
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row_store import jacobian_mul
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, I1
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.coupled_inertia import inertia_mul
from newtonlite.solvers.mujoco.kernels.solve.islands import by_islands
from newtonlite.solvers.mujoco.kernels.solve.line_search import line_search
from newtonlite.solvers.mujoco.kernels.solve.primal import (
    DONE,
    OPEN,
    crosses_boundaries,
    gauss_slope,
    gradient,
    own_share,
    step_along,
    update_forces,
)
from newtonlite.solvers.mujoco.kernels.solve.warmstart import takes_conjugate_gradients

PART = wp.constant(0.1)
"""Part of the tolerance that a gain ends at: what is left is then a third of what conjugate gradients leave there."""
NEAR = wp.constant(4.0e4)
FAR = wp.constant(1.0e7)
"""Tolerances that a gradient may have at the start: few iterations end it, or some tens."""
MANY_DOFS = wp.constant(750)
"""Dofs above which a factor takes longer than some tens of iterations."""
FEWEST = wp.constant(12)
SHARE = wp.constant(20)
"""Iterations: at least so many, and one for so many dofs, in the time of a factor."""

native = header(__file__)


@wp.func_native(native("add_curvature"))
def add_curvature(
    J: A2,
    rownnz: I1,
    rowadr: I1,
    rowsuper: I1,
    colind: I1,
    JT: A1,
    JT_rowadr: I1,
    JT_colind: I1,
    weight: A1,
    x: A1,
    work: A1,
    y: A1,
    world: int,
    nrow: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``y += J' diag(weight) J x`` over ``nrow`` rows and ``n`` columns, with ``work`` over rows."""
    ...


@wp.func_native(native("curvature_metric"))
def curvature_metric(
    M: A2, JT: A1, JT_rowadr: I1, JT_colind: I1, weight: A1, metric: A1, world: int, n: int, lane: int, nlane: int
):
    """``metric``: 1 over the diagonal of ``M + J' diag(weight) J``, 1 in its pad."""
    ...


@wp.func_native(native("bend_along"))
def bend_along(direction: A1, product: A1, world: int, n: int, lane: int, nlane: int) -> float:
    """This lane's share of ``direction'product``."""
    ...


@wp.func_native(native("residual_step"))
def residual_step(
    x: A1, residual: A1, direction: A1, product: A1, metric: A1, alpha: float, world: int, n: int, lane: int, nlane: int
) -> wp.vec2:
    """``x += alpha direction``, ``residual += alpha product``; returns this lane's share of the residual's square in the
    metric, and of its square.
    """
    ...


@wp.func_native(native("turn_direction"))
def turn_direction(direction: A1, residual: A1, metric: A1, beta: float, world: int, n: int, lane: int, nlane: int):
    """``direction = beta direction - metric residual``."""
    ...


@wp.func
def hessian_mul(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``Mv = H cg_search`` at the curvatures of the present point."""
    # M p first: the products of the rows are added to it
    inertia_mul(m, d, d.cg_search, d.Mv, world, lane, nlane)
    sync()
    add_curvature(
        # entries by rows, and by columns
        d.efc_J,
        d.efc_J_rownnz,
        d.efc_J_rowadr,
        d.efc_J_rowsuper,
        d.efc_J_colind,
        d.efc_JT,
        d.efc_JT_rowadr,
        d.efc_JT_colind,
        d.efc_active,
        # from the direction to the product, by way of the rows
        d.cg_search,
        d.jv,
        d.Mv,
        world,
        nrow,
        m.nv,
        lane,
        nlane,
    )


@wp.func
def conjugate_direction(
    m: ModelFields, d: DataFields, world: int, nrow: int, most: int, scale: float, lane: int, nlane: int
) -> wp.vec2i:
    """``search = -H^-1 grad``, from the gradient at hand, of which ``grad`` then has what is left, by at most ``most``
    iterations. Returns their number, and whether they came to an end.
    """
    curvature_metric(d.M, d.efc_JT, d.efc_JT_rowadr, d.efc_JT_colind, d.efc_active, d.H_work, world, m.nv, lane, nlane)
    # from rest: the residual is the gradient itself. Sums go over whole blocks, their pad too
    for i in range(lane, d.search.shape[1], nlane):
        d.search[world, i] = 0.0
        d.cg_search[world, i] = 0.0
        d.Mv[world, i] = 0.0
    sync()
    sums = residual_step(d.search, d.grad, d.cg_search, d.Mv, d.H_work, 0.0, world, m.nv, lane, nlane)
    before = team_sum(d.team_f, world, sums[0])
    beta = float(0.0)
    count = int(0)
    end = int(OPEN)
    while count < most and end == OPEN:
        sync()
        # conjugate to the last direction, and the product with it
        turn_direction(d.cg_search, d.grad, d.H_work, beta, world, m.nv, lane, nlane)
        sync()
        hessian_mul(m, d, world, nrow, lane, nlane)
        bend = team_sum(d.team_f, world, bend_along(d.cg_search, d.Mv, world, m.nv, lane, nlane))
        # to the minimum along it: a small gain ends it, or a small rest of the gradient
        alpha = before / wp.max(bend, 1.0e-30)
        sums = residual_step(d.search, d.grad, d.cg_search, d.Mv, d.H_work, alpha, world, m.nv, lane, nlane)
        left = team_sum(d.team_f, world, sums[0])
        squares = team_sum(d.team_f, world, sums[1])
        # with the last iteration that there may be, the tolerance itself is enough
        gain = scale * 0.5 * alpha * before
        enough = wp.where(count + 1 < most, PART, 1.0) * m.opt_tolerance[world]
        if not (gain >= enough and scale * wp.sqrt(squares) >= enough):  # or not a number
            end = DONE
        # the update of Fletcher and Reeves, exact for one quadratic
        beta = left / wp.max(before, 1.0e-30)
        before = left
        count += 1
    sync()
    return wp.vec2i(count, end)


@wp.func
def is_near(m: ModelFields, d: DataFields, world: int, left: float) -> bool:
    """Whether iterations from a gradient of length ``left``, in the unit of the tolerance, take less time than a factor."""
    # in the place of ``cg`` from anywhere
    reach = wp.where(m.nv > MANY_DOFS, FAR, NEAR)
    return takes_conjugate_gradients(m) or left < reach * m.opt_tolerance[world]


@wp.func
def truncated_newton(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> wp.vec2i:
    """Iterate from ``qacc``, with forces there, if the minimum is near. Returns the number of conjugate gradients, and
    whether they came to an end.
    """
    spent = int(0)
    end = int(OPEN)
    # cones have no curvature row by row, and islands steps of their own
    if m.opt_cone != MjtCone.ELLIPTIC and not by_islands(m, d, world):
        scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
        # in the unit of the tolerance, per dof and mean inertia, as MuJoCo's gains and gradients are
        most = wp.min(wp.max(FEWEST, m.nv // SHARE), own_share(m.opt_iterations))
        going = bool(True)
        while going:
            sync()
            left = scale * wp.sqrt(gradient(m, d, world, lane, nlane))
            sync()
            going = False
            # at the minimum already; or near it, or on the way to it, as long as iterations remain
            if left < m.opt_tolerance[world]:
                end = DONE
            elif spent < most and (spent > 0 or is_near(m, d, world, left)):
                found = conjugate_direction(m, d, world, nrow, most - spent, scale, lane, nlane)
                spent += found[0]
                # what a step along it adds to Ma and jar, per unit of its length
                inertia_mul(m, d, d.search, d.Mv, world, lane, nlane)
                jacobian_mul(m, d, d.search, d.jv, world, lane, nlane)
                sync()
                # the whole step where no row is on another piece there, or as far as the cost falls
                step_along(m, d, world, nrow, 1.0, lane, nlane)
                if crosses_boundaries(m, d, world, nrow, lane, nlane) == 0.0:
                    end = found[1]
                else:
                    step_along(m, d, world, nrow, -1.0, lane, nlane)
                    p = gauss_slope(m, d, world, lane, nlane)
                    moved = line_search(m, d, world, nrow, p, False, -1, lane, nlane)
                    step_along(m, d, world, nrow, moved[0], lane, nlane)
                    end = wp.where(scale * moved[1] >= m.opt_tolerance[world], OPEN, DONE)
                # forces at the new point, and J' f for its gradient
                update_forces(m, d, world, nrow, lane, nlane)
                going = end == OPEN
    return wp.vec2i(spent, end)
