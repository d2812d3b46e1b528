"""Effective inertia that couples trees, stored sparse: its products, and the smooth acceleration.

Entries between trees are rows ``efm_coupled`` beside ``M`` (``derive/coupled_rows``), passive contacts the last of the constraint
rows (``passive_rows``). Where the profile has no room for the
factor, the smooth acceleration is solved by conjugate gradients in the metric of the blocks of trees (Saad, Iterative Methods
for Sparse Linear Systems, 9.2), around which residuals in double correct it.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.branches import branch_mul
from newtonlite.solvers.mujoco.kernels.primitives.dense import sym_mul
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.passive_rows import first_passive_row, passive_forces, passive_push
from newtonlite.solvers.mujoco.kernels.solve.sparse_hessian import (
    factor_sparse_hessian,
    place_hessian,
    solve_sparse_hessian,
    solve_tree_blocks,
)

CORRECTIONS = wp.constant(2)
"""Solutions of a residual in double, the first of the whole; of a factor."""
ROUNDS = wp.constant(8)
"""The same of conjugate gradients."""
GAIN = wp.constant(1.0e-6)
"""Part of a round's squared residual that conjugate gradients leave of it."""
ROUNDING = wp.constant(1.0e-13)
"""Part of the squared force that a residual in double may have: rounding of the acceleration leaves about that."""


@wp.func
def inertia_mul(
    m: ModelFields, d: DataFields, x: wp.array2d[float], y: wp.array2d[float], world: int, lane: int, nlane: int
):
    """``y = M x``, with the couplings of the effective inertia between trees."""
    # within trees, then row by row what is between them
    if m.nstem > 0:
        branch_mul(m, d, x, y, world, lane, nlane)
    else:
        sym_mul(d.M, m.dof_block, x, y, world, m.nv, lane, nlane)
    if m.nefmrow > 0:
        sync()
        for i in range(lane, m.nv, nlane):
            s = y[world, i]
            for e in range(m.coupled_rowadr[i], m.coupled_rowadr[i + 1]):
                s += d.efm_coupled[world, e] * x[world, m.coupled_colind[e]]
            y[world, i] = s


@wp.func
def smooth_residual(m: ModelFields, d: DataFields, world: int, first: int, lane: int, nlane: int) -> float:
    """``grad = qfrc_smooth - M qacc_smooth`` with sums in double, also in ``search``; its squared length."""
    # rows of passive contacts are part of M; each dof gathers its own
    size = float(0.0)
    passive_forces(m, d, d.qacc_smooth, world, first, lane, nlane)
    sync()
    for i in range(lane, m.nv, nlane):
        s = wp.float64(d.qfrc_smooth[world, i])
        # blocks of the dof's tree, then couplings
        for j in range(16 * m.dof_block[i][0], wp.min(16 * m.dof_block[i][1], m.nv)):
            s -= wp.float64(d.M[world, i, j]) * wp.float64(d.qacc_smooth[world, j])
        for e in range(m.coupled_rowadr[i], m.coupled_rowadr[i + 1]):
            s -= wp.float64(d.efm_coupled[world, e]) * wp.float64(d.qacc_smooth[world, m.coupled_colind[e]])
        s -= passive_push(d, d.jv, world, first, i)
        d.grad[world, i] = float(s)
        d.search[world, i] = float(s)
        size += float(s) * float(s)
    size = team_sum(d.team_f, world, size)
    sync()
    return size


@wp.func
def conjugate_correction(m: ModelFields, d: DataFields, world: int, first: int, most: int, lane: int, nlane: int):
    """``qacc_smooth += M^-1 grad``, to three digits, by at most ``most`` conjugate gradients in the metric of the blocks of
    trees; ``grad`` and ``search`` are the residual.
    """
    # z = P^-1 r in search, direction p in cg_search
    solve_tree_blocks(m, d, d.search, world, lane, nlane)
    sync()
    size = float(0.0)
    for i in range(lane, m.nv, nlane):
        d.cg_search[world, i] = d.search[world, i]
        size += d.search[world, i] * d.grad[world, i]
    size = team_sum(d.team_f, world, size)
    sync()
    # sizes are squares of residuals in the metric
    enough = GAIN * size
    count = int(0)
    while count < most and size > enough:
        # along p to the minimum
        inertia_mul(m, d, d.cg_search, d.Mv, world, lane, nlane)
        passive_forces(m, d, d.cg_search, world, first, lane, nlane)
        sync()
        along = float(0.0)
        for i in range(lane, m.nv, nlane):
            d.Mv[world, i] = d.Mv[world, i] + float(passive_push(d, d.jv, world, first, i))
            along += d.cg_search[world, i] * d.Mv[world, i]
        along = team_sum(d.team_f, world, along)
        alpha = size / along
        for i in range(lane, m.nv, nlane):
            d.qacc_smooth[world, i] = d.qacc_smooth[world, i] + alpha * d.cg_search[world, i]
            d.grad[world, i] = d.grad[world, i] - alpha * d.Mv[world, i]
            d.search[world, i] = d.grad[world, i]
        sync()
        # the next direction, conjugate to the last
        solve_tree_blocks(m, d, d.search, world, lane, nlane)
        sync()
        left = float(0.0)
        for i in range(lane, m.nv, nlane):
            left += d.search[world, i] * d.grad[world, i]
        left = team_sum(d.team_f, world, left)
        beta = left / size
        for i in range(lane, m.nv, nlane):
            d.cg_search[world, i] = d.search[world, i] + beta * d.cg_search[world, i]
        sync()
        size = left
        count += 1


@wp.func
def coupled_smooth_acceleration(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc_smooth = M^-1 qfrc_smooth``; the factor of M stays in ``H_profile`` where that has room for it."""
    # from rest: the first residual is the force itself
    for i in range(lane, m.nv, nlane):
        d.qacc_smooth[world, i] = 0.0
    # a factor of the whole, or where it has no room of the blocks of trees
    first = first_passive_row(m, d, world)
    nrow = d.nefc[world] - first
    room = place_hessian(m, d, world, first, nrow, True, lane, nlane)
    if not room:
        place_hessian(m, d, world, first, nrow, False, lane, nlane)
    factor_sparse_hessian(m, d, world, wp.vec2i(first, first + nrow), room, False, lane, nlane)
    # solutions for what is left, until that is rounding
    force = float(0.0)
    for i in range(lane, m.nv, nlane):
        force += d.qfrc_smooth[world, i] * d.qfrc_smooth[world, i]
    force = team_sum(d.team_f, world, force)
    sync()
    rounds = wp.where(room, CORRECTIONS, ROUNDS)
    count = int(0)
    while count < rounds:
        size = smooth_residual(m, d, world, first, lane, nlane)
        count += 1
        # a force that is no number leaves at once
        if not (size > ROUNDING * force):
            count = rounds
        elif room:
            solve_sparse_hessian(m, d, d.search, world, lane, nlane)
            sync()
            for i in range(lane, m.nv, nlane):
                d.qacc_smooth[world, i] = d.qacc_smooth[world, i] + d.search[world, i]
            sync()
        else:
            conjugate_correction(m, d, world, first, m.nv, lane, nlane)
