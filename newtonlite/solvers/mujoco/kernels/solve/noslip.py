"""Noslip post-pass: PGS over friction rows without regularization, normal forces held.

MuJoCo documentation, Computation: Algorithms.  Taken after any solver where ``noslip_iterations`` is
not 0.  Not a solver of the whole problem: it suppresses the slip that soft friction rows leave, and takes the forces of
all other rows as they are.

It begins with the row forces of a solver in ``efc_force`` and leaves new ones, with their ``qacc`` and
``qfrc_constraint``.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE_NORMAL, HALF_QUADRATIC, HUBER
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.dual_newton import constraint_space, finish_dual
from newtonlite.solvers.mujoco.kernels.solve.islands import count_islands, inertia_of, island_rows, row_at
from newtonlite.solvers.mujoco.kernels.solve.pgs_update import (
    HALF,
    HARD,
    NONE,
    TINY,
    pgs_residuals,
    stiffness,
    update_friction_qcqp,
    update_rows,
    update_scalar,
    vec6,
)


@wp.func
def update_pyramid_edges(m: ModelFields, d: DataFields, world: int, r: int) -> vec6:
    """To the best split of the forces of two opposite edges of a pyramid, ``r`` and ``r + 1``, whose sum is held."""
    # along (1, -1) with the sum held: curvature a_rr + a_ss - a_rs - a_sr, slope the difference of the residuals
    stiff = stiffness(m, d, world, r, r, HARD) + stiffness(m, d, world, r + 1, r + 1, HARD)
    stiff -= stiffness(m, d, world, r, r + 1, HARD) + stiffness(m, d, world, r + 1, r, HARD)

    # the edges are (half + split, half - split), neither of them negative
    half = HALF * (d.pgs_force[world, r] + d.pgs_force[world, r + 1])
    old = HALF * (d.pgs_force[world, r] - d.pgs_force[world, r + 1])

    # without curvature nothing says how to split: evenly
    split = wp.float64(0.0)
    if stiff > TINY:
        split = wp.clamp(old - (d.pgs_residual[world, r] - d.pgs_residual[world, r + 1]) / stiff, -half, half)
    step = vec6()
    step[0] = split - old
    step[1] = old - split
    return step


@wp.func
def update_friction_rows(
    m: ModelFields, d: DataFields, world: int, r: int, nrow: int, lane: int, nlane: int
) -> wp.float64:
    """Settle the friction that begins at a row, dry friction or that of a contact, if any does; returns by how much the
    cost falls.
    """
    # dry friction of a dof or tendon: a row by itself, within its bound
    kind = d.efc_cost[world, r]
    if kind == HUBER:
        return update_scalar(m, d, world, r, nrow, HARD, lane, nlane)

    # friction of a contact: in an elliptic cone under its normal force, of a pyramid edge pair by edge pair
    step = vec6()
    n = int(0)
    if kind == CONE_NORMAL:
        step = update_friction_qcqp(m, d, world, r, HARD)
        n = d.contact_dim[world, d.efc_id[world, r]]
    elif kind == HALF_QUADRATIC and m.opt_cone != MjtCone.ELLIPTIC and r >= d.ne[world] + d.nf[world] + d.nl[world]:
        c = d.efc_id[world, r]
        if d.contact_dim[world, c] > 1 and (r - d.contact_efc_address[world, c]) % 2 == 0:
            step = update_pyramid_edges(m, d, world, r)
            n = int(2)
    if n == 0:
        return NONE
    return update_rows(m, d, world, r, n, step, nrow, HARD, lane, nlane)


@wp.func
def softness(m: ModelFields, d: DataFields, world: int, rows: wp.vec2i) -> wp.float64:
    """Cost of an island's forces by the regularization, which no longer counts: part of what the first sweep gains."""
    cost = wp.float64(0.0)
    for i in range(rows[0], rows[1]):
        r = row_at(m, d, world, i)
        cost += HALF * wp.float64(d.efc_R[world, r]) * d.pgs_force[world, r] * d.pgs_force[world, r]
    return cost


@wp.func
def noslip_island(
    m: ModelFields, d: DataFields, world: int, rows: wp.vec2i, nrow: int, least: wp.float64, lane: int, nlane: int
) -> int:
    """Sweep over an island's friction until that gains less than ``least``; returns the number of sweeps."""
    # the first sweep also gains what the regularization cost, as MuJoCo counts it
    fall = softness(m, d, world, rows)
    count = int(0)
    done = bool(False)
    while count < m.opt_noslip_iterations and not done:
        for i in range(rows[0], rows[1]):
            fall += update_friction_rows(m, d, world, row_at(m, d, world, i), nrow, lane, nlane)
        count += 1
        done = not (fall >= least)  # or not a number
        fall = wp.float64(0.0)
    return count


@wp.func
def sweep_islands(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Sweeps of all islands from the forces in ``efc_force``, in the space of constraints that is there, to ``dual``."""
    # the solver's forces are where sweeps begin
    for r in range(lane, nrow, nlane):
        d.pgs_force[world, r] = wp.float64(d.efc_force[world, r])
    islands = count_islands(m, d, world)
    sync()
    # slopes without R: friction rows shall not give way
    pgs_residuals(m, d, world, nrow, HARD, lane, nlane)
    # as sweeps of PGS: island by island, until one gains less than the tolerance times the island's inertia
    most = int(0)
    for island in range(islands):
        least = wp.float64(m.opt_noslip_tolerance[world]) * wp.float64(inertia_of(m, d, world, island))
        count = noslip_island(m, d, world, island_rows(m, d, world, island, nrow), nrow, least, lane, nlane)
        most = wp.max(most, count)
    # sweeps count among the iterations, as in MuJoCo
    if lane == 0:
        d.solver_niter[world] = d.solver_niter[world] + most
    for r in range(lane, nrow, nlane):
        d.dual[world, r] = float(d.pgs_force[world, r])
    sync()


@wp.func
def noslip(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Sweep over friction alone, as if it were hard: dry friction of dofs and tendons, and of contacts under their
    normal forces.
    """
    # A, b and the factor of M anew: solvers over the dofs leave none, and refinement writes over the last column of B
    nrow = d.nefc[world]
    if m.opt_noslip_iterations > 0 and m.ncoupling == 0 and nrow > 0:
        constraint_space(m, d, world, nrow, lane, nlane)
        sweep_islands(m, d, world, nrow, lane, nlane)
        # accelerations and J' f of the new forces
        finish_dual(m, d, world, nrow, lane, nlane)
