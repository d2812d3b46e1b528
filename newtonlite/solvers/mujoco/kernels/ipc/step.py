"""Incremental potential contact: a step of the integrator discrete at whose end no surfaces cross.

Barrier-free augmented Lagrangian contact with a conservative advancement (arXiv:2512.12151), as MuJoCo's flag ipc: pairs of
parts of surfaces are linearised where nothing crosses yet, one solution with a row for each that pushes gives a proposal,
forces of pairs are updated, and what nothing crosses goes on along the proposal as far as no pair meets; again until the
whole of it is gone.  The row costs are one-sided and quadratic and the solvers go to the minimum, so that the proposal is
taken without a line search.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row_store import entries_reserved, keep_entries, transpose_rows
from newtonlite.solvers.mujoco.kernels.ipc.active_pairs import (
    linearize_pairs,
    merge_pairs,
    seed_pairs,
    update_forces_of_pairs,
)
from newtonlite.solvers.mujoco.kernels.ipc.advance import advance_part
from newtonlite.solvers.mujoco.kernels.ipc.near import LOST, NEAR, list_near
from newtonlite.solvers.mujoco.kernels.ipc.rows import ROWS, add_rows_of_pairs, displace, plan_rows
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.newton import minimize_primal, smooth_acceleration
from newtonlite.solvers.mujoco.kernels.solve.status import SolverStatus
from newtonlite.solvers.mujoco.kernels.solve.warmstart import takes_conjugate_gradients

MOST_ROUNDS = wp.constant(1024)
MOST_STALLED = wp.constant(64)
"""Rounds of a step, and those in a row that nothing advances in."""
LEAST_PART = wp.constant(1.0e-6)
"""Part of the motion below which nothing advances, and that may be left."""


@wp.func
def begin_motion(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Ways at the velocity before the step and in free flight; nothing has moved yet."""
    # the velocity of free flight
    h = m.opt_timestep[world]
    for i in range(lane, m.nv, nlane):
        d.ipc_speed[world, i] = d.qvel[world, i] + h * d.qacc_smooth[world, i]
        d.ipc_safe_speed[world, i] = 0.0
        a = d.qacc_warmstart[world, i]
        d.qacc[world, i] = wp.where((m.opt_disableflags & MjtDisableBit.WARMSTART) != 0, d.qacc_smooth[world, i], a)
    sync()
    for v in range(lane, m.nipcpoint, nlane):
        if m.ipcpoint_active[v] != 0:
            d.ipc_drift[world, v] = displace(m, d, world, v, d.qvel)
            d.ipc_flight[world, v] = displace(m, d, world, v, d.ipc_speed)
            d.ipc_move[world, v] = d.ipc_flight[world, v]
            d.ipc_safe[world, v] = wp.vec3(0.0, 0.0, 0.0)
    if lane == 0:
        d.ipc_count[world, LOST] = 0
        d.ipc_entries[world] = entries_reserved(m, d, world)
    sync()


@wp.func
def leave_rest(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The first solution is asked for from no motion where anything is near, else from free flight."""
    if d.ipc_count[world, NEAR] > 0:
        for v in range(lane, m.nipcpoint, nlane):
            d.ipc_move[world, v] = wp.vec3(0.0, 0.0, 0.0)
    sync()


@wp.func
def solve_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc`` of the rows at hand, from where it is; ``ipc_speed`` and ``ipc_move`` that follow from it."""
    nrow = d.nefc[world]
    if nrow > 0:
        # the metric of conjugate gradients has to be made anew where Newton's method came after them
        if takes_conjugate_gradients(m) and m.nefmrow == 0:
            smooth_acceleration(m, d, world, lane, nlane)
        if lane == 0:
            d.solver_status[world] = SolverStatus.STARTED
            d.solver_niter[world] = 0
        sync()
        minimize_primal(m, d, world, nrow, lane, nlane)
    else:
        for i in range(lane, m.nv, nlane):
            d.qacc[world, i] = d.qacc_smooth[world, i]
            d.qfrc_constraint[world, i] = 0.0
        sync()

    # where that leads
    h = m.opt_timestep[world]
    for i in range(lane, m.nv, nlane):
        d.ipc_speed[world, i] = d.qvel[world, i] + h * d.qacc[world, i]
    sync()
    for v in range(lane, m.nipcpoint, nlane):
        if m.ipcpoint_active[v] != 0:
            d.ipc_move[world, v] = displace(m, d, world, v, d.ipc_speed)
    sync()


@wp.func
def propose(m: ModelFields, d: DataFields, world: int, native: int, lane: int, nlane: int) -> int:
    """The solution with rows of all active pairs that push; returns iterations."""
    # rows of pairs that are inside their wall, and of those that the solution takes there
    linearize_pairs(m, d, world, lane, nlane)
    if lane == 0:
        d.ipc_count[world, ROWS] = 0
        d.nefc[world] = native
        keep_entries(m, d, world, d.ipc_entries[world])
    sync()
    plan_rows(m, d, world, True, lane, nlane)
    count = int(0)
    added = int(1)
    add_rows_of_pairs(m, d, world, native, lane, nlane)
    while added > 0:
        solve_rows(m, d, world, lane, nlane)
        if d.nefc[world] > 0:
            count += d.solver_niter[world]
        plan_rows(m, d, world, False, lane, nlane)
        added = add_rows_of_pairs(m, d, world, native, lane, nlane)
    return count


@wp.func
def go_on(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Surfaces go along the proposal as far as nothing meets, all else to its end."""
    part = d.ipc_part[world]
    for i in range(lane, m.nv, nlane):
        if m.ipcdof_held[i] == 0:
            d.ipc_safe_speed[world, i] = d.ipc_speed[world, i]
        elif part >= 1.0:
            d.ipc_safe_speed[world, i] = d.ipc_speed[world, i]
        elif part > LEAST_PART:
            d.ipc_safe_speed[world, i] = d.ipc_safe_speed[world, i] + part * (
                d.ipc_speed[world, i] - d.ipc_safe_speed[world, i]
            )
    sync()
    for v in range(lane, m.nipcpoint, nlane):
        if m.ipcpoint_active[v] != 0:
            d.ipc_safe[world, v] = displace(m, d, world, v, d.ipc_safe_speed)
    sync()


@wp.func
def end_motion(m: ModelFields, d: DataFields, world: int, native: int, left: float, lane: int, nlane: int):
    """``qacc`` of the motion that was taken; rows are the model's own again; what did not fit, or was left, is counted."""
    h = m.opt_timestep[world]
    for i in range(lane, m.nv, nlane):
        d.qacc[world, i] = (d.ipc_safe_speed[world, i] - d.qvel[world, i]) / h
    if lane == 0:
        if d.ipc_count[world, LOST] > 0 or d.nefc_needed[world] > d.njmax:
            # pairs have room by rows: as many more are asked for
            more = wp.max(d.nefc_needed[world], d.njmax + d.ipc_count[world, LOST])
            d.nefc_needed[world] = more
            d.overflow[world] = d.overflow[world] + 1
            d.lost[world] = d.lost[world] + wp.vec3i(0, more - d.njmax, 0)
        d.nefc_max[world] = wp.max(d.nefc_max[world], d.nefc_needed[world])
        d.nefc[world] = native
        keep_entries(m, d, world, d.ipc_entries[world])
        if left > LEAST_PART:
            d.ipc_incomplete[world] = d.ipc_incomplete[world] + 1
        d.solver_status[world] = SolverStatus.SOLVED
    sync()
    transpose_rows(m, d, world, lane, nlane)


@wp.func
def keep_apart(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc`` at whose end no surfaces cross, with ``qfrc_constraint`` of all rows and pairs."""
    if m.nipcpoint > 0:
        if m.nv > 0:
            native = d.nefc[world]
            begin_motion(m, d, world, lane, nlane)
            # rounds, until all of the motion is gone: of a first one, without a solution, what can meet in free flight is
            # active afterwards. Functions are inlined: one loop, so that the search is there once
            left = float(1.0)
            stalled = int(0)
            round = int(0)
            iterations = int(0)
            while round <= MOST_ROUNDS and stalled < MOST_STALLED and left > LEAST_PART:
                if round > 0:
                    iterations += propose(m, d, world, native, lane, nlane)
                    update_forces_of_pairs(m, d, world, lane, nlane)
                list_near(m, d, world, lane, nlane)
                if round == 0:
                    seed_pairs(m, d, world, lane, nlane)
                    leave_rest(m, d, world, lane, nlane)
                else:
                    advance_part(m, d, world, lane, nlane)
                    merge_pairs(m, d, world, lane, nlane)
                    go_on(m, d, world, lane, nlane)
                    left -= left * d.ipc_part[world]
                    stalled = wp.where(d.ipc_part[world] > LEAST_PART, 0, stalled + 1)
                round += 1
                sync()
            end_motion(m, d, world, native, left, lane, nlane)
            if lane == 0:
                d.solver_niter[world] = iterations
            sync()
