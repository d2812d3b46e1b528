"""Forces no one commands: springs, dampers, gravity compensation."""

from typing import Any

import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_mul, quat_normalize, quat_to_rotvec
from newtonlite.solvers.mujoco.enums import BALL, DISABLE_DAMPER, DISABLE_GRAVITY, DISABLE_SPRING, FREE
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.func
def joint_spring(m: Any, d: Any, world: int, j: int):
    """``-k (q - q_spring)``; for orientations the rotation vector of ``q_spring^-1 q``."""
    k = m.jnt_stiffness[world, j]
    if k != 0.0:
        adr = m.jnt_qposadr[j]
        dof = m.jnt_dofadr[j]
        kind = m.jnt_type[j]
        if kind > BALL:
            d.qfrc_passive[world, dof] = d.qfrc_passive[world, dof] - k * (d.qpos[world, adr] - m.qpos_spring[world, adr])
        else:
            if kind == FREE:
                for c in range(3):
                    d.qfrc_passive[world, dof + c] = d.qfrc_passive[world, dof + c] - k * (
                        d.qpos[world, adr + c] - m.qpos_spring[world, adr + c]
                    )
                adr += 3
                dof += 3
            rest = quat_normalize(
                wp.quat(
                    m.qpos_spring[world, adr], m.qpos_spring[world, adr + 1],
                    m.qpos_spring[world, adr + 2], m.qpos_spring[world, adr + 3],
                )  # fmt: skip
            )
            turn = quat_to_rotvec(quat_mul(quat_conj(rest), read_quat(m, d, world, adr)))
            for c in range(3):
                d.qfrc_passive[world, dof + c] = d.qfrc_passive[world, dof + c] - k * turn[c]


@wp.func
def gravity_compensation(m: Any, d: Any, world: int, i: int):
    """Generalised force on dof ``i`` of the lift ``-gravcomp m g`` at each compensated body it carries."""
    total = float(0.0)
    s = d.cdof[world, i]
    for b in range(m.dof_bodyid[i], m.nbody):
        share = m.body_gravcomp[world, b]
        if share != 0.0:
            moved = int(0)
            for c in range(m.chain_adr[b], m.chain_adr[b + 1]):
                if m.chain_dof[c] == i:
                    moved = 1
            if moved == 1:
                arm = d.xipos[world, b] - d.subtree_com[world, m.body_rootid[b]]
                point = wp.spatial_bottom(s) + wp.cross(wp.spatial_top(s), arm)
                total -= share * m.body_mass[world, b] * wp.dot(m.opt_gravity[world], point)
    return total


@wp.func
def passive(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``qfrc_passive``: dampers, joint springs, gravity compensation not routed through actuators."""
    damp = (m.opt_disableflags & DISABLE_DAMPER) == 0
    for i in range(lane, m.nv, nlane):
        force = float(0.0)
        if damp:
            force = -m.dof_damping[world, i] * d.qvel[world, i]
        d.qfrc_passive[world, i] = force
    sync()
    if (m.opt_disableflags & DISABLE_SPRING) == 0:
        for j in range(lane, m.njnt, nlane):
            joint_spring(m, d, world, j)
        sync()
    if m.ngravcomp > 0 and (m.opt_disableflags & DISABLE_GRAVITY) == 0:
        for i in range(lane, m.nv, nlane):
            if m.jnt_actgravcomp[m.dof_jntid[i]] == 0:
                d.qfrc_passive[world, i] = d.qfrc_passive[world, i] + gravity_compensation(m, d, world, i)
        sync()
