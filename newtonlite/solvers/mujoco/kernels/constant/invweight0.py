"""Inverse weights at the reference pose, subtree masses, lengths (``mj_setConst``). Run with ``qpos = qpos0``.

An inverse weight is a diagonal of ``J M^-1 J'``: how fast a quantity moves under a unit force.  Inputs and results are
model parameters. Worlds may share them, and then all write the same numbers: nothing but final ones is written.
"""

import warp as wp

from newtonlite.core.mujoco import MjtJoint
from newtonlite.core.types import MAXVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.moment import moment, tendon_moment
from newtonlite.solvers.mujoco.kernels.primitives.dense import copy_rows
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, solve
from newtonlite.solvers.mujoco.kernels.primitives.float64_tree import solve_float64
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.solve.hessian_sparsity import hessian_blocks
from newtonlite.solvers.mujoco.kernels.velocity.inertia_float64 import factor_inertia_float64


@wp.func
def set_subtreemass(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Mass of each body and all below it."""
    if lane == 0:
        for k in range(m.nbody):
            b = m.nbody - 1 - k
            total = m.body_mass[world, b]
            for below in range(k):
                child = m.nbody - 1 - below
                if m.body_parentid[child] == b:
                    total += m.body_subtreemass[world, child]
            m.body_subtreemass[world, b] = total
    sync()


@wp.func
def factor_m(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Factor of M in ``H``, and the mean of M's diagonal."""
    if lane == 0:
        d.ne[world] = 0
        d.nf[world] = 0
        d.nl[world] = 0
        d.ncon[world] = 0
        total = float(0.0)
        count = int(0)
        for i in range(m.nv):
            if m.dof_armature[world, i] < MAXVAL:  # dofs that callers move have a fictitious armature
                total += d.M[world, i, i]
                count += 1
        if count > 0:
            m.stat_meaninertia[world] = total / float(count)
    sync()
    hessian_blocks(m, d, world, lane, nlane)
    copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
    sync()
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    sync()
    if m.nfloat64 > 0:
        factor_inertia_float64(m, d, world, lane, nlane)


@wp.func
def inverse_weight(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> float:
    """``J M^-1 J'`` for the row in ``grad``; ``M^-1 J'`` is left in ``search``."""
    for i in range(lane, m.nv, nlane):
        d.search[world, i] = d.grad[world, i]
    sync()
    if m.nfloat64 > 0:
        if lane == 0:
            solve_float64(m, d, world, d.search, d.search)
    else:
        solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
    sync()
    total = float(0.0)
    for i in range(lane, m.nv, nlane):
        total += d.grad[world, i] * d.search[world, i]
    return team_sum(d.team_f, world, total)


@wp.func
def clear_row(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Zero the row in ``grad``."""
    sync()
    for i in range(lane, m.nv, nlane):
        d.grad[world, i] = 0.0
    sync()


@wp.func
def body_row(m: ModelFields, d: DataFields, world: int, b: int, c: int, lane: int, nlane: int):
    """Row of the Jacobian of a body's centre of mass (``c`` below 3) or rotation."""
    clear_row(m, d, world, lane, nlane)
    arm = lever(m, d, world, b, d.xipos[world, b])
    for k in range(m.chain_adr[b] + lane, m.chain_adr[b + 1], nlane):
        i = m.chain_dof[k]
        if c < 3:
            d.grad[world, i] = linear_at(d.cdof[world, i], arm)[c]
        else:
            d.grad[world, i] = d.cdof[world, i][c - 3]
    sync()


@wp.func
def set_body_invweight0(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Mean inverse weight of every body against forces and torques at its centre of mass; sliders have that of their
    mass.
    """
    for b in range(1, m.nbody):
        found = wp.vec2(0.0, 0.0)
        if m.body_slider[world, b] == 1:
            found = wp.vec2(1.0 / m.body_mass[world, b], 0.0)
        elif m.chain_adr[b + 1] > m.chain_adr[b]:
            for c in range(6):
                body_row(m, d, world, b, c, lane, nlane)
                found[c / 3] = found[c / 3] + inverse_weight(m, d, world, lane, nlane) / 3.0
        if lane == 0:
            m.body_invweight0[world, b] = found


@wp.func
def set_dof_invweight0(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Inverse weight of every dof; the three of a turn or a shift in space share their mean."""
    mean = float(0.0)
    for i in range(m.nv):
        clear_row(m, d, world, lane, nlane)
        if lane == 0:
            d.grad[world, i] = 1.0
        sync()
        found = inverse_weight(m, d, world, lane, nlane)
        if m.body_slider[world, m.dof_bodyid[i]] == 1:
            found = 1.0 / m.body_mass[world, m.dof_bodyid[i]]
        j = m.dof_jntid[i]
        place = i - m.jnt_dofadr[j]
        if m.jnt_type[j] != MjtJoint.FREE and m.jnt_type[j] != MjtJoint.BALL:
            if lane == 0:
                m.dof_invweight0[world, i] = found
        else:
            mean = wp.where(place % 3 == 0, 0.0, mean) + found / 3.0
            if place % 3 == 2 and lane == 0:
                for k in range(i - 2, i + 1):
                    m.dof_invweight0[world, k] = mean
    sync()


@wp.func
def set_tendon_invweight0(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Length and inverse weight of every tendon."""
    for t in range(m.ntendon):
        clear_row(m, d, world, lane, nlane)
        for i in range(lane, m.nv, nlane):
            d.grad[world, i] = tendon_moment(m, d, world, t, i)
        sync()
        found = inverse_weight(m, d, world, lane, nlane)
        if lane == 0:
            m.tendon_invweight0[world, t] = found
            m.tendon_length0[world, t] = d.ten_length[world, t]


@wp.func
def set_actuator_acc0(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Size of the acceleration that a unit force of an actuator's output causes."""
    for o in range(m.nout):
        clear_row(m, d, world, lane, nlane)
        for k in range(m.push_adr[o] + lane, m.push_adr[o + 1], nlane):
            i = m.push_dof[k]
            d.grad[world, i] = moment(m, d, world, o, i)
        sync()
        inverse_weight(m, d, world, lane, nlane)
        total = float(0.0)
        for i in range(lane, m.nv, nlane):
            total += d.search[world, i] * d.search[world, i]
        size = wp.sqrt(team_sum(d.team_f, world, total))
        if lane == 0:
            m.actuator_acc0[world, o] = size
    sync()
