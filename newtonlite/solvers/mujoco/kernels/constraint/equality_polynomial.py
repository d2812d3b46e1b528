"""Equality of joints or tendons: a coordinate follows a polynomial of another.

The row measures the difference of the follower's coordinate and the polynomial of the leader's.
"""

import warp as wp

from newtonlite.core.mujoco import MjtEq
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.equality_row import finish_equality_row
from newtonlite.solvers.mujoco.kernels.constraint.least_regularization import min_regularization
from newtonlite.solvers.mujoco.kernels.constraint.row import one_block_range
from newtonlite.solvers.mujoco.kernels.constraint.row_store import open_rows, put
from newtonlite.solvers.mujoco.kernels.constraint.tendon import tendon_moves
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries


@wp.func
def polynomial(m: ModelFields, world: int, k: int, x: float) -> wp.vec2:
    """Value and slope of ``a0 + a1 x + ... + a4 x^4``; ``a0`` alone where there is no leader."""
    # Horner's scheme, with the slope by the product rule
    value = m.eq_data[world, k, 4]
    slope = float(0.0)
    for i in range(4):
        slope = value + slope * x
        value = m.eq_data[world, k, 3 - i] + value * x
    if m.eq_pair[k][1] < 0:
        return wp.vec2(m.eq_data[world, k, 0], 0.0)
    return wp.vec2(value, slope)


@wp.func
def scalar_state(m: ModelFields, d: DataFields, world: int, k: int, side: int) -> wp.vec3:
    """Coordinate from its reference, speed and inverse weight of a tied joint or tendon; zeros where there is none."""
    j = m.eq_pair[k][side]
    if j < 0:
        return wp.vec3(0.0, 0.0, 0.0)

    # joints count from qpos0
    if m.eq_type[k] == MjtEq.JOINT:
        adr = m.jnt_qposadr[j]
        dof = m.jnt_dofadr[j]
        return wp.vec3(d.qpos[world, adr] - m.qpos0[world, adr], d.qvel[world, dof], m.dof_invweight0[world, dof])

    # tendons from their length there
    if m.ntendon > 0:
        return wp.vec3(
            d.ten_length[world, j] - m.tendon_length0[world, j], d.ten_velocity[world, j], m.tendon_invweight0[world, j]
        )
    return wp.vec3(0.0, 0.0, 0.0)


@wp.func
def scalar_blocks(m: ModelFields, k: int, side: int) -> wp.vec2i:
    """Column blocks of a tied joint or tendon."""
    j = m.eq_pair[k][side]
    if j < 0:
        return wp.vec2i(1 << 30, 0)
    if m.eq_type[k] == MjtEq.JOINT:
        return m.dof_block[m.jnt_dofadr[j]]
    if m.ntendon > 0:
        return m.tendon_block[j]
    return wp.vec2i(1 << 30, 0)


@wp.func
def scalar_width(m: ModelFields, k: int, side: int) -> int:
    """Entries of a tied joint or tendon in a sparse row."""
    j = m.eq_pair[k][side]
    if j < 0:
        return 0
    if m.eq_type[k] == MjtEq.JOINT:
        return 1
    return m.tendon_dofadr[j + 1] - m.tendon_dofadr[j]


@wp.func
def tendons_move(m: ModelFields, d: DataFields, world: int, k: int) -> bool:
    """Whether some dof changes what a tendon constraint measures."""
    if tendon_moves(m, d, world, m.eq_pair[k][0]):
        return True
    t = m.eq_pair[k][1]
    return (
        t >= 0
        and polynomial(m, world, k, scalar_state(m, d, world, k, 1)[0])[1] != 0.0
        and tendon_moves(m, d, world, t)
    )


@wp.func
def add_scalar_jacobian(
    m: ModelFields, d: DataFields, world: int, k: int, row: int, side: int, factor: float, lane: int, nlane: int
):
    """Add to a row the gradient of the follower's (``side`` 0) or leader's coordinate times ``factor``."""
    # a joint has one entry, a tendon a stretch of them; those of the leader come after the follower's
    j = m.eq_pair[k][side]
    if j >= 0:
        first = side * scalar_width(m, k, 0)
        if m.eq_type[k] == MjtEq.JOINT:
            if lane == 0:
                put(m, d, world, row, first, m.jnt_dofadr[j], factor)
        elif m.nsparse > 0:
            span = tendon_entries(m, j)
            for e in range(span[0] + lane, span[1], nlane):
                put(m, d, world, row, first + e - span[0], entry_dof(m, e), factor * d.ten_J[world, 0, e])
        elif m.ntendon > 0:
            for i in range(BLOCK * m.tendon_block[j][0] + lane, wp.min(m.nv, BLOCK * m.tendon_block[j][1]), nlane):
                d.efc_J[world, row, i] = d.efc_J[world, row, i] + factor * d.ten_J[world, j, i]
    sync()


@wp.func
def polynomial_row(m: ModelFields, d: DataFields, world: int, k: int, row: int, lane: int, nlane: int):
    """One row of two joints [m or rad] or tendons [m]."""
    # error: the follower's coordinate minus the polynomial
    one = scalar_state(m, d, world, k, 0)
    two = scalar_state(m, d, world, k, 1)
    value_slope = polynomial(m, world, k, two[0])
    pos = one[0] - value_slope[0]

    # Jacobian: the follower's minus slope times the leader's
    reach1 = scalar_blocks(m, k, 0)
    reach2 = scalar_blocks(m, k, 1)
    blocks = wp.vec2i(wp.min(reach1[0], reach2[0]), wp.max(reach1[1], reach2[1]))
    open_rows(m, d, world, row, 1, one_block_range(blocks), lane, nlane)
    sync()
    add_scalar_jacobian(m, d, world, k, row, 0, 1.0, lane, nlane)
    add_scalar_jacobian(m, d, world, k, row, 1, -value_slope[1], lane, nlane)
    vel = one[1] - value_slope[1] * two[1]

    # weight: inverses of the inertia of the two
    if lane == 0:
        least = min_regularization(m, d, world, row, 1)
        finish_equality_row(m, d, world, k, row, pos, wp.abs(pos), one[2] + two[2], vel, 0.0, least)
