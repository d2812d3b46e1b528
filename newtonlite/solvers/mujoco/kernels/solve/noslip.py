"""Noslip post-pass: PGS over friction rows without regularization, normal forces held."""

from typing import Any

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE_NORMAL, HALF_QUADRATIC, HUBER
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.dual_newton import constraint_space, finish_dual
from newtonlite.solvers.mujoco.kernels.solve.islands import count_islands, inertia_of, row_at, rows_of
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
def update_pyramid_edges(m: Any, d: Any, world: int, r: int) -> vec6:
    """To the best split of the forces of two opposite edges of a pyramid, ``r`` and ``r + 1``, whose sum is held."""
    stiff = stiffness(m, d, world, r, r, HARD) + stiffness(m, d, world, r + 1, r + 1, HARD)
    stiff -= stiffness(m, d, world, r, r + 1, HARD) + stiffness(m, d, world, r + 1, r, HARD)
    half = HALF * (d.pgs_force[world, r] + d.pgs_force[world, r + 1])
    old = HALF * (d.pgs_force[world, r] - d.pgs_force[world, r + 1])
    split = wp.float64(0.0)
    if stiff > TINY:
        split = wp.clamp(old - (d.pgs_residual[world, r] - d.pgs_residual[world, r + 1]) / stiff, -half, half)
    step = vec6()
    step[0] = split - old
    step[1] = old - split
    return step


@wp.func
def update_friction_rows(m: Any, d: Any, world: int, r: int, nrow: int, lane: int, nlane: int) -> wp.float64:
    """Settle the friction that begins at a row, dry friction or that of a contact, if any does; returns by how much the
    cost falls.
    """
    kind = d.efc_cost[world, r]
    if kind == HUBER:
        return update_scalar(m, d, world, r, nrow, HARD, lane, nlane)
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
def softness(m: Any, d: Any, world: int, rows: wp.vec2i) -> wp.float64:
    """Cost of an island's forces by the regularization, which no longer counts: part of what the first sweep gains."""
    cost = wp.float64(0.0)
    for i in range(rows[0], rows[1]):
        r = row_at(m, d, world, i)
        cost += HALF * wp.float64(d.efc_R[world, r]) * d.pgs_force[world, r] * d.pgs_force[world, r]
    return cost


@wp.func
def noslip_island(m: Any, d: Any, world: int, rows: wp.vec2i, nrow: int, least: wp.float64, lane: int, nlane: int):
    """Sweep over an island's friction until that gains less than ``least``."""
    fall = softness(m, d, world, rows)
    count = int(0)
    done = bool(False)
    while count < m.opt_noslip_iterations and not done:
        for i in range(rows[0], rows[1]):
            fall += update_friction_rows(m, d, world, row_at(m, d, world, i), nrow, lane, nlane)
        count += 1
        done = not (fall >= least)  # or not a number
        fall = wp.float64(0.0)


@wp.func
def noslip(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Sweep over friction alone, as if it were hard: dry friction of dofs and tendons, and of contacts under their
    normal forces.
    """
    nrow = d.nefc[world]
    if m.opt_noslip_iterations > 0 and nrow > 0:
        constraint_space(m, d, world, nrow, lane, nlane)
        for r in range(lane, nrow, nlane):
            d.pgs_force[world, r] = wp.float64(d.efc_force[world, r])
        islands = count_islands(m, d, world)
        sync()
        pgs_residuals(m, d, world, nrow, HARD, lane, nlane)
        for island in range(islands):
            least = wp.float64(m.opt_noslip_tolerance[world]) * wp.float64(inertia_of(m, d, world, island))
            noslip_island(m, d, world, rows_of(m, d, world, island, nrow), nrow, least, lane, nlane)
        for r in range(lane, nrow, nlane):
            d.dual[world, r] = float(d.pgs_force[world, r])
        sync()
        finish_dual(m, d, world, nrow, lane, nlane)
