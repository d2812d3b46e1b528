"""Mass-orthonormal velocities for the solvers, of models whose inertia needs more digits than float32 has.

With ``M = L'L`` in double and ``y = L x``, the problem ``min_x 1/2 (x - x_s)' M (x - x_s) + s(J x - aref)`` is
``min_y 1/2 |y - y_s|^2 + s(J L^-1 y - aref)``: rows, forces, costs and Newton's steps are the same, the matrix is the
identity, and what float32 rounds is small next to all motions, heavy and light. All solvers work on it as they are.
The literature calls such a change of variables whitening.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.rows_float64 import rows_float64
from newtonlite.solvers.mujoco.kernels.primitives.float64_tree import (
    half_solve_float64,
    solve_float64,
    solved_float64,
    times_factor_float64,
)
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.lost_digits import count_lost_float64
from newtonlite.solvers.mujoco.kernels.velocity.inertia_float64 import factor_inertia_float64, smooth_force_float64


@wp.func
def set_inertia(m: ModelFields, d: DataFields, world: int, whitened: bool, lane: int, nlane: int):
    """``M`` as the identity, or as it is."""
    for i in range(lane, m.nv, nlane):
        for j in range(16 * m.dof_block[i][0], wp.min(16 * m.dof_block[i][1], m.nv)):
            value = float(d.M64[world, i, j])
            if whitened:
                value = wp.where(i == j, 1.0, 0.0)
            d.M[world, i, j] = value


@wp.func
def whiten_warmstart(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc_warmstart := L qacc_warmstart``; the present one is kept."""
    for i in range(lane, m.nv, nlane):
        d.kept_warmstart[world, i] = d.qacc_warmstart[world, i]
    sync()
    for i in range(lane, m.nv, nlane):
        total = wp.float64(0.0)
        j = int(i)
        while j >= 0:
            total += d.L64[world, i, j] * wp.float64(d.kept_warmstart[world, j])
            j = m.dof_parentid[j]
        d.qacc_warmstart[world, i] = float(total)


@wp.func
def whiten(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M = 1``, ``efc_J = J L^-1``, ``qfrc_smooth = L^-T qfrc_smooth`` for the solvers."""
    if m.nfloat64 > 0:
        factor_inertia_float64(m, d, world, lane, nlane)
        smooth_force_float64(m, d, world, lane, nlane)
        count_lost_float64(m, d, world, lane, nlane)
        rows_float64(m, d, world, lane, nlane)
        last = d.njmax
        for i in range(lane, m.nv, nlane):
            d.rows64[world, last, i] = d.force64[world, i]
        whiten_warmstart(m, d, world, lane, nlane)
        sync()
        nrow = d.nefc[world]
        for k in range(lane, nrow + 1, nlane):
            row = wp.where(k < nrow, k, last)
            half_solve_float64(m, d, world, row)
            if k < nrow:
                t = d.efc_block[world, k]
                for i in range(m.nv):
                    b = i / 16
                    if (t[0] <= b and b < t[1]) or (t[2] <= b and b < t[3]):
                        d.efc_J[world, k, i] = float(d.rows64[world, k, i])
        sync()
        for i in range(lane, m.nv, nlane):
            d.qfrc_smooth[world, i] = float(d.rows64[world, last, i])
        set_inertia(m, d, world, True, lane, nlane)
        sync()


@wp.func
def constraint_force(m: ModelFields, d: DataFields, world: int, i: int) -> wp.float64:
    """Element ``i`` of ``L^-T J' f``."""
    total = wp.float64(0.0)
    for r in range(d.nefc[world]):
        if d.efc_force[world, r] != 0.0:
            t = d.efc_block[world, r]
            b = i / 16
            if (t[0] <= b and b < t[1]) or (t[2] <= b and b < t[3]):
                total += wp.float64(d.efc_force[world, r]) * d.rows64[world, r, i]
    return total


@wp.func
def unwhiten_forces(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_smooth``, ``qfrc_constraint = L' g``, and the sum of all forces in ``force64``."""
    last = d.njmax
    for i in range(lane, m.nv, nlane):
        d.rows64[world, last, i] = constraint_force(m, d, world, i)
    sync()
    for i in range(lane, m.nv, nlane):
        force = times_factor_float64(m, d, world, last, i)
        d.qfrc_smooth[world, i] = float(d.force64[world, i])
        d.qfrc_constraint[world, i] = float(force)
        d.force64[world, i] = d.force64[world, i] + force
    sync()


@wp.func
def unwhiten_accelerations(m: ModelFields, d: DataFields, world: int):
    """``qacc_smooth`` and ``qacc``: ``L^-1 y``. One lane."""
    last = d.njmax
    for k in range(m.nv):
        found = solved_float64(m, d, world, last, k)
        d.rows64[world, last, k] = found
        d.qacc_smooth[world, k] = float(found)
    for k in range(m.nv):
        if d.nefc[world] > 0:
            d.rows64[world, last, k] = wp.float64(d.qacc[world, k])
            d.rows64[world, last, k] = solved_float64(m, d, world, last, k)
        d.qacc[world, k] = float(d.rows64[world, last, k])


@wp.func
def unwhiten(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Everything back: ``M``, ``efc_J``, forces, accelerations ``L^-1 y``. Of a world without rows those are in double."""
    if m.nfloat64 > 0:
        if lane == 0:
            unwhiten_accelerations(m, d, world)
        sync()
        unwhiten_forces(m, d, world, lane, nlane)
        set_inertia(m, d, world, False, lane, nlane)
        for i in range(lane, m.nv, nlane):
            d.qacc_warmstart[world, i] = d.kept_warmstart[world, i]
        for r in range(lane, d.nefc[world], nlane):
            for i in range(m.nv):
                d.efc_J[world, r, i] = d.kept_J[world, r, i]
        sync()


@wp.func
def smooth_acceleration_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc_smooth = M^-1 qfrc_smooth`` by ``M64``."""
    if m.nfloat64 > 0:
        factor_inertia_float64(m, d, world, lane, nlane)
        if lane == 0:
            solve_float64(m, d, world, d.qfrc_smooth, d.qacc_smooth)
        sync()
