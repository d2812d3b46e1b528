"""Conjugate gradients on the primal problem, with the inertia as metric: no Hessian, many cheap iterations.

Nonlinear conjugate gradients with the update of Hager and Zhang, A New Conjugate Gradient Method with Guaranteed
Descent and an Efficient Line Search, SIAM J. Optim. 16 (2005); MuJoCo documentation, Computation: Algorithms.  Not the
linear method that solves ``A x = b``: the cost has pieces, and every step is a line search.

Taken where the file asks for it, but on one lane only for many dofs or few iterations (``takes_conjugate_gradients``);
``newton`` ends what it has begun.  Where they may be stopped early every island has directions, searches and an end of
its own, as in MuJoCo: one direction for all would need as many iterations as all islands together.

``cg`` begins with the point of ``start_primal`` and the factor of M in ``H``, of sparse rows with that of
``place_hessian``, tree by tree.  It leaves a point of lower cost with its forces.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row_store import jacobian_mul
from newtonlite.solvers.mujoco.kernels.primitives.factor import solve
from newtonlite.solvers.mujoco.kernels.primitives.long_vectors import conjugate_sums, conjugate_vectors, copy_vector
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.coupled_inertia import inertia_mul
from newtonlite.solvers.mujoco.kernels.solve.islands import (
    by_islands,
    choose_steps,
    dofs_of,
    open_islands,
    step_islands,
    trees_of,
)
from newtonlite.solvers.mujoco.kernels.solve.line_search import is_cut_short, line_search
from newtonlite.solvers.mujoco.kernels.solve.primal import DONE, OPEN, gauss_slope, gradient, step_along, update_forces
from newtonlite.solvers.mujoco.kernels.solve.sparse_hessian import solve_sparse_hessian, solve_tree_blocks

LONG = wp.constant(1.0e30)
"""A squared gradient whose own square leaves float32."""


@wp.func
def cg_direction(m: ModelFields, d: DataFields, world: int, island: int, lane: int, nlane: int):
    """``search = -M^-1 grad + beta search`` over the dofs of an island, ``beta`` of Hager and Zhang (2005) and not
    negative.

    On entry ``search`` is ``-M^-1 grad`` and ``cg_search`` the last direction. ``island_before`` holds ``grad' M^-1
    grad`` and ``grad' search`` of the last call, zeros at first.
    """
    # of the present gradient g: products with z = M^-1 g, with the last z, and with the last direction p
    before = d.island_before[world, island]
    size = float(0.0)
    mixed = float(0.0)
    along = float(0.0)
    trees = trees_of(m, d, world, island)
    long = m.nsparse > 0 and not by_islands(m, d, world)
    # one island of many dofs: in whole blocks, instead of tree by tree
    if long:
        sums = conjugate_sums(d.grad, d.search, d.cg_Mgrad, d.cg_search, world, m.nv, lane, nlane)
        size = sums[0]
        mixed = sums[1]
        along = sums[2]
        trees = wp.vec2i(0, 0)
    for place in range(trees[0], trees[1]):
        dofs = dofs_of(m, d, world, place)
        for i in range(dofs[0] + lane, dofs[1], nlane):
            g = d.grad[world, i]
            size -= g * d.search[world, i]
            mixed += g * d.cg_Mgrad[world, i]
            along += g * d.cg_search[world, i]

    size = team_sum(d.team_f, world, size)
    mixed = team_sum(d.team_f, world, mixed)
    along = team_sum(d.team_f, world, along)

    # with y the change of g: beta = (y'z - 2 y'M^-1 y p'g / p'y) / p'y. It is 0 for a first direction, and where p'y,
    # the curvature along p, is not positive
    beta = float(0.0)
    bend = along - before[1]
    if before[0] > 0.0 and bend > 0.0:
        beta = wp.max(0.0, (size - mixed - 2.0 * (size - 2.0 * mixed + before[0]) * (along / bend)) / bend)

    # the new direction, and how steep it is, for the next beta
    slope = float(0.0)
    if long:
        slope = conjugate_vectors(d.grad, d.search, d.cg_Mgrad, d.cg_search, beta, world, m.nv, lane, nlane)
    for place in range(trees[0], trees[1]):
        dofs = dofs_of(m, d, world, place)
        for i in range(dofs[0] + lane, dofs[1], nlane):
            d.cg_Mgrad[world, i] = -d.search[world, i]
            d.search[world, i] = d.search[world, i] + beta * d.cg_search[world, i]
            slope += d.grad[world, i] * d.search[world, i]
    slope = team_sum(d.team_f, world, slope)
    sync()

    # of this island, until its next direction
    if lane == 0:
        d.island_before[world, island] = wp.vec2(size, slope)
    sync()


@wp.func
def restart_cg(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> int:
    """Zero direction before the first one; returns the number of islands, 1 for all rows at once."""
    # no last direction, no last gradient: beta will be 0
    for i in range(lane, m.nv, nlane):
        d.search[world, i] = 0.0
        d.cg_Mgrad[world, i] = 0.0
    if m.nsparse > 0:
        # sums go over whole blocks: their pad too
        for i in range(m.nv + lane, d.cg_Mgrad.shape[1], nlane):
            d.cg_Mgrad[world, i] = 0.0
    count = int(1)

    # where islands are listed each has a direction of its own
    if by_islands(m, d, world):
        open_islands(m, d, world, lane, nlane)
        count = d.nisland[world]
    for k in range(lane, count, nlane):
        d.island_before[world, k] = wp.vec2(0.0, 0.0)
    sync()
    return count


@wp.func
def cg_iteration(m: ModelFields, d: DataFields, world: int, nrow: int, scale: float, lane: int, nlane: int) -> int:
    """Go along the direction, all rows or every island as far as its search says; returns whether that ends it."""
    # each island by its own search. EXACT says that a factor of H holds at the end, and there is none
    if by_islands(m, d, world):
        end = choose_steps(m, d, world, scale, False, lane, nlane)
        step_islands(m, d, world, nrow, lane, nlane)
        return wp.min(end, DONE)

    # or all rows by one step length
    found = line_search(m, d, world, nrow, gauss_slope(m, d, world, lane, nlane), False, -1, lane, nlane)
    if m.opt_cone == MjtCone.ELLIPTIC:
        sync()  # lanes have read rows of others
    step_along(m, d, world, nrow, found[0], lane, nlane)
    return wp.where(scale * found[1] >= m.opt_tolerance[world], OPEN, DONE)


@wp.func
def precondition(m: ModelFields, d: DataFields, world: int, whole: bool, lane: int, nlane: int):
    """``search := P^-1 search``: by the factor of M, or of sparse rows by that of the blocks that ``M + J' s'' J`` has
    within trees at the start, unless iterations are cut short: where they end is then MuJoCo's. Where M couples trees, by
    its ``whole`` factor if there is one.
    """
    if m.nefmrow > 0:
        if whole:
            solve_sparse_hessian(m, d, d.search, world, lane, nlane)
        else:
            solve_tree_blocks(m, d, d.search, world, lane, nlane)
    elif m.nsparse > 0 and not is_cut_short(m):
        solve_tree_blocks(m, d, d.search, world, lane, nlane)
    else:
        solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)


@wp.func
def cg(m: ModelFields, d: DataFields, world: int, nrow: int, most: int, whole: bool, lane: int, nlane: int) -> wp.vec2i:
    """Iterate from ``qacc``, with forces there and the factor of the metric, at most ``most`` times, until gradient or improvement are below
    the tolerance, or the gradient is too long for sums of squares: rows are then so stiff that only Newton's method
    makes something of them.

    Returns the number of iterations, and whether they came to an end.
    """
    # from the start that start_primal made, with the factor of M in H as preconditioner
    islands = restart_cg(m, d, world, nrow, lane, nlane)
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(0)
    end = int(OPEN)

    while count < most and end == OPEN:
        sync()
        # the last direction is kept: search is about to hold -grad
        copy_vector(d.cg_search, d.search, world, m.nv, lane, nlane)
        size = gradient(m, d, world, lane, nlane)
        sync()
        # a small gradient ends it; so does one whose square overflows, which only Newton's method handles
        if not (scale * wp.sqrt(size) >= m.opt_tolerance[world]) or size > LONG:  # small enough, or not a number
            end = DONE
        else:
            # search = -M^-1 grad, then conjugate to the last direction, island by island
            precondition(m, d, world, whole, lane, nlane)
            sync()
            for k in range(islands):
                if not by_islands(m, d, world) or d.island_done[world, k] == OPEN:
                    cg_direction(m, d, world, k, lane, nlane)
            # what a step adds to Ma and jar
            inertia_mul(m, d, d.search, d.Mv, world, lane, nlane)
            jacobian_mul(m, d, d.search, d.jv, world, lane, nlane)
            sync()
            count += 1
            # the step, and forces and J' f where it ends
            end = cg_iteration(m, d, world, nrow, scale, lane, nlane)
            update_forces(m, d, world, nrow, lane, nlane)
    return wp.vec2i(count, end)
