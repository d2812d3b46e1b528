"""Dual Newton method in constraint space, for worlds with few rows.

Every Newton iterate has the form ``x = qacc_smooth + M^-1 J' f``, so with ``A = J M^-1 J'`` the whole iteration runs on
``f``: ``jar = b + A f``, Gauss cost ``1/2 f'A f``.  The target of a step solves ``(I + G'AG) y = -G'(b + A c)``, one
row per active constraint instead of one per dof.  It is the primal Newton step by the matrix inversion lemma
(docs/decisions/0001).

Taken for worlds with up to ``ndual`` rows (no more than dofs) that are not too stiff.  It has no elliptic cones.  It is
neither ``newton``, whose unknowns are accelerations, nor ``pgs``, which minimizes the dual problem row by row: the
iterates here are those of the primal problem, written in ``f``.

``dual_newton`` begins with ``M = L'L`` in ``H``, and with ``B``, ``efc_A`` and ``efc_b`` (``constraint_space``).  It
leaves ``qacc``, ``efc_force`` and ``qfrc_constraint``.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.block import whole_blocks
from newtonlite.solvers.mujoco.kernels.primitives.dense import rows_mul, rows_mul_t
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, factor_tree, solve
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.delassus import (
    active_system,
    delassus,
    delassus_mul,
    dual_acceleration,
    half_solve_rows,
    spread_forces,
)
from newtonlite.solvers.mujoco.kernels.solve.line_search import line_search
from newtonlite.solvers.mujoco.kernels.solve.refine import refine_dual
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import clear_pad, scalar_boundaries, scalar_update
from newtonlite.solvers.mujoco.kernels.solve.status import SolverStatus

MAX_STIFFNESS = wp.constant(2000.0)
MIN_IMPROVEMENT = wp.constant(2)


@wp.func
def constraint_space(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Factor of M, ``A`` and ``b = J qacc_smooth - aref``."""
    # M = L'L along the branches of the trees, then B = L^-T [J', qfrc_smooth] and A = B'B
    factor_tree(d.M, m.dof_block, m.dof_end, d.H, world, m.nv, lane, nlane)
    sync()
    half_solve_rows(d.efc_J, d.efc_block, d.qfrc_smooth, d.H, m.dof_end, d.B, world, nrow, m.nv, lane, nlane)
    sync()

    # the column after the last row is J qacc_smooth: b = J qacc_smooth - aref
    delassus(d.B, d.efc_block, d.efc_A, world, nrow, m.nv, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.efc_b[world, r] = d.efc_A[world, r, nrow] - d.efc_aref[world, r]

    # pads of rows are neutral for vectors: no cost, no force
    clear_pad(d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.jv, world, nrow, lane, nlane)
    for r in range(nrow + lane, whole_blocks(nrow), nlane):
        d.jar_target[world, r] = 0.0
    sync()


@wp.func
def is_stiff(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> bool:
    """Whether a row is so stiff, next to the inertia it moves, that forces in float32 do not tell the acceleration.

    Forces then cancel: ``A + R`` of rows that say the same is singular but for ``R``, and ``J' f`` is a difference of
    large numbers. Up to MAX_STIFFNESS the last correction makes good for it (docs/decisions/0015).
    """
    # D = 1/R, so A_rr D_r is A_rr / R_r: how much stiffer the row is than what it moves
    count = float(0.0)
    for r in range(lane, nrow, nlane):
        if d.efc_A[world, r, r] * d.efc_D[world, r] > MAX_STIFFNESS:
            count += 1.0
    return team_sum(d.team_f, world, count) > 0.0


@wp.func
def target_forces(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> wp.vec2i:
    """Forces ``target`` that are optimal on the present pieces, ``jar_target = b + A target``; counts pieces that
    change, and active rows.
    """
    # (I + G'AG) y = -G'(b + A c) over the active rows, G'G their curvature, c the forces of saturated rows
    count = active_system(
        d.efc_A,
        d.efc_active,
        d.efc_force,
        d.efc_b,
        d.efc_K,
        d.K_block,
        d.rhs,
        d.efc_root,
        d.efc_index,
        world,
        nrow,
        lane,
        nlane,
    )
    factor(d.efc_K, d.K_block, world, count, lane, nlane)
    sync()
    solve(d.efc_K, d.K_block, d.rhs, d.rhs_work, world, count, lane, nlane)
    sync()

    # f = G y on active rows, the bound on saturated ones, 0 elsewhere; and jar = b + A f at it
    spread_forces(d.efc_active, d.efc_force, d.rhs, d.efc_root, d.efc_index, d.target, world, nrow, count, lane, nlane)
    sync()
    delassus_mul(d.efc_A, d.target, d.A_target, world, nrow, lane, nlane)
    sync()
    for r in range(lane, nrow, nlane):
        d.jar_target[world, r] = d.efc_b[world, r] + d.A_target[world, r]
    sync()

    # rows on another piece at the target than the system was made for: none, and the target is the minimum
    changes = scalar_boundaries(
        d.efc_cost,
        d.efc_D,
        d.efc_R,
        d.efc_frictionloss,
        d.jar_target,
        d.efc_force,
        d.efc_active,
        world,
        nrow,
        lane,
        nlane,
    )
    return wp.vec2i(int(team_sum(d.team_f, world, changes)), count)


@wp.func
def update(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> float:
    """Pieces and their forces at ``jar``; returns the constraint cost."""
    cost = scalar_update(
        d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.efc_force, d.efc_active, world, nrow, lane, nlane
    )
    cost = team_sum(d.team_f, world, cost)
    sync()
    return cost


@wp.func
def set_forces(m: ModelFields, d: DataFields, world: int, nrow: int, alpha: float, lane: int, nlane: int) -> float:
    """Move ``f``, ``A f`` and ``jar`` by ``alpha`` towards the target; returns the Gauss cost there."""
    # f, A f and jar = b + A f stay consistent: all move by the same share of the way to the target
    gauss = float(0.0)
    for r in range(lane, nrow, nlane):
        # the whole way copies the target, without rounding
        f = d.target[world, r]
        af = d.A_target[world, r]
        if alpha != 1.0:
            f = d.dual[world, r] + alpha * (f - d.dual[world, r])
            af = d.A_dual[world, r] + alpha * (af - d.A_dual[world, r])
        d.dual[world, r] = f
        d.A_dual[world, r] = af
        d.jar[world, r] = d.efc_b[world, r] + af
        gauss += 0.5 * f * af
    gauss = team_sum(d.team_f, world, gauss)
    sync()
    return gauss


@wp.func
def search_target(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int) -> wp.vec2:
    """Exact step length towards the target, and the gain."""
    # along f + alpha (target - f): jar changes by A (target - f), the Gauss cost by half its product with the forces
    curvature = float(0.0)
    for r in range(lane, nrow, nlane):
        rate = d.A_target[world, r] - d.A_dual[world, r]
        curvature += (d.target[world, r] - d.dual[world, r]) * rate
        d.jv[world, r] = rate
    curvature = team_sum(d.team_f, world, curvature)
    sync()

    # the search adds the Gauss slope row by row, so p[0] is 0
    return line_search(m, d, world, nrow, wp.vec2(0.0, curvature), True, -1, lane, nlane)


@wp.func
def initial_forces(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Pieces at the warm start, from which the first target is taken; ``f = 0`` is the point to fall back to."""
    # jar of last step's acceleration says which rows to begin with; without a warm start jar of qacc_smooth does
    if (m.opt_disableflags & MjtDisableBit.WARMSTART) == 0:
        rows_mul(d.efc_J, d.efc_block, d.qacc_warmstart, d.jar, world, nrow, lane, nlane)
        sync()
        for r in range(lane, nrow, nlane):
            d.jar[world, r] = d.jar[world, r] - d.efc_aref[world, r]
    else:
        for r in range(lane, nrow, nlane):
            d.jar[world, r] = d.efc_b[world, r]

    # f = 0, up to the pad, which products with A read
    for r in range(lane, whole_blocks(nrow), nlane):
        d.dual[world, r] = 0.0
        d.A_dual[world, r] = 0.0
    sync()
    update(m, d, world, nrow, lane, nlane)


@wp.func
def dual_start(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Begin at the warm start's target, or at ``f = 0`` where that costs less."""
    # cost at f = 0: jar = b, no Gauss cost
    for r in range(lane, nrow, nlane):
        d.jar[world, r] = d.efc_b[world, r]
    sync()
    idle = update(m, d, world, nrow, lane, nlane)

    # cost at the target; if it is higher the iterations begin at f = 0
    gauss = set_forces(m, d, world, nrow, 1.0, lane, nlane)
    if gauss + update(m, d, world, nrow, lane, nlane) > idle:
        for r in range(lane, nrow, nlane):
            d.dual[world, r] = 0.0
            d.A_dual[world, r] = 0.0
            d.jar[world, r] = d.efc_b[world, r]
        sync()
        update(m, d, world, nrow, lane, nlane)


@wp.func
def dual_newton(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Iterate, from ``constraint_space``, until a target crosses no boundary (it is then exact) or two gains fall below
    the tolerance.
    """
    # the first target is for the pieces of the warm start: if they are right, it is the answer
    initial_forces(m, d, world, nrow, lane, nlane)
    scale = 1.0 / (m.stat_meaninertia[world] * float(wp.max(1, m.nv)))
    count = int(1)
    little = int(0)
    found = target_forces(m, d, world, nrow, lane, nlane)

    # otherwise begin where the cost is lower, at that target or without forces
    if found[0] > 0:
        dual_start(m, d, world, nrow, lane, nlane)

    # Newton's iterations: a target, and if it crosses a boundary a search towards it
    while count < m.opt_iterations and found[0] > 0 and little < MIN_IMPROVEMENT:
        count += 1
        found = target_forces(m, d, world, nrow, lane, nlane)
        if found[0] > 0:
            step = search_target(m, d, world, nrow, lane, nlane)
            set_forces(m, d, world, nrow, step[0], lane, nlane)
            update(m, d, world, nrow, lane, nlane)
            # the second small gain ends them: after the first, pieces may still change for a large one
            if not (scale * step[1] >= m.opt_tolerance[world]):  # small enough, or not a number
                little += 1

    # ended by small gains or spent: the point as it is. Ended exactly: the target, and a correction in double
    if found[0] > 0:
        finish_dual(m, d, world, nrow, lane, nlane)
    else:
        set_forces(m, d, world, nrow, 1.0, lane, nlane)
        dual_qacc(m, d, world, nrow, lane, nlane)
        refine_dual(m, d, world, nrow, found[1], lane, nlane)
    if lane == 0:
        d.solver_niter[world] = count
        d.solver_status[world] = SolverStatus.SOLVED
    sync()


@wp.func
def dual_qacc(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``qacc = M^-1 (qfrc_smooth + J' f)``."""
    for r in range(lane, nrow, nlane):
        d.efc_force[world, r] = d.dual[world, r]
    sync()
    dual_acceleration(d.B, d.efc_force, d.H, m.dof_parentid, m.dof_end, d.qacc, world, nrow, m.nv, lane, nlane)
    sync()


@wp.func
def finish_dual(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """``qacc`` of the forces, and ``qfrc_constraint = J' f``."""
    dual_qacc(m, d, world, nrow, lane, nlane)
    rows_mul_t(d.efc_J, d.efc_block, d.efc_force, d.qfrc_constraint, world, nrow, lane, nlane)
    sync()
