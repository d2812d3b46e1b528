"""Joints and tendons that follow a polynomial of another: coordinates, columns and Jacobian of their equality rows."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import EQ_JOINT
from newtonlite.solvers.mujoco.kernels.constraint.row import one_stretch, zero_rows
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.func
def polynomial(m: Any, world: int, k: int, x: float) -> wp.vec2:
    """Value and slope of ``a0 + a1 x + ... + a4 x^4``; ``a0`` alone where there is no leader."""
    value = m.eq_data[world, k, 4]
    slope = float(0.0)
    for i in range(4):
        slope = value + slope * x
        value = m.eq_data[world, k, 3 - i] + value * x
    if m.eq_pair[k][1] < 0:
        return wp.vec2(m.eq_data[world, k, 0], 0.0)
    return wp.vec2(value, slope)


@wp.func
def scalar_state(m: Any, d: Any, world: int, k: int, side: int) -> wp.vec3:
    """Coordinate from its reference, speed and inverse weight of a tied joint or tendon; zeros where there is none."""
    j = m.eq_pair[k][side]
    if j < 0:
        return wp.vec3(0.0, 0.0, 0.0)
    if m.eq_type[k] == EQ_JOINT:
        adr = m.jnt_qposadr[j]
        dof = m.jnt_dofadr[j]
        return wp.vec3(d.qpos[world, adr] - m.qpos0[world, adr], d.qvel[world, dof], m.dof_invweight0[world, dof])
    if m.ntendon > 0:
        return wp.vec3(d.ten_length[world, j] - m.tendon_length0[world, j], d.ten_velocity[world, j], m.tendon_invweight0[world, j])
    return wp.vec3(0.0, 0.0, 0.0)


@wp.func
def scalar_blocks(m: Any, k: int, side: int) -> wp.vec2i:
    """Column blocks of a tied joint or tendon."""
    j = m.eq_pair[k][side]
    if j < 0:
        return wp.vec2i(1 << 30, 0)
    if m.eq_type[k] == EQ_JOINT:
        return m.dof_block[m.jnt_dofadr[j]]
    if m.ntendon > 0:
        return m.tendon_block[j]
    return wp.vec2i(1 << 30, 0)


@wp.func
def tie_scalars(m: Any, d: Any, world: int, k: int, row: int, lane: int, nlane: int):
    """Jacobian of a joint or tendon constraint: the follower's minus slope times the leader's."""
    one = scalar_blocks(m, k, 0)
    two = scalar_blocks(m, k, 1)
    blocks = wp.vec2i(wp.min(one[0], two[0]), wp.max(one[1], two[1]))
    zero_rows(d.efc_J, world, row, 1, blocks[0], blocks[1], lane, nlane)
    if lane == 0:
        d.efc_block[world, row] = one_stretch(blocks)
    weight = float(1.0)
    for side in range(2):
        sync()
        j = m.eq_pair[k][side]
        if side == 1:
            weight = -polynomial(m, world, k, scalar_state(m, d, world, k, 1)[0])[1]
        if j >= 0:
            if m.eq_type[k] == EQ_JOINT:
                if lane == 0:
                    d.efc_J[world, row, m.jnt_dofadr[j]] = d.efc_J[world, row, m.jnt_dofadr[j]] + weight
            elif m.ntendon > 0:
                for i in range(16 * m.tendon_block[j][0] + lane, wp.min(m.nv, 16 * m.tendon_block[j][1]), nlane):
                    d.efc_J[world, row, i] = d.efc_J[world, row, i] + weight * d.ten_J[world, j, i]
