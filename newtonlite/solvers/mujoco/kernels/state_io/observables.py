"""Observables: requested extended state attributes in the scene's words; an array that nobody requested has no columns."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtJoint
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import HUBER
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of, three

LOST_PAIRS = wp.constant(1 << 16)
LOST_CONTACTS = wp.constant(1 << 17)
LOST_ROWS = wp.constant(1 << 18)


@wp.func
def write_force(
    m: ModelFields, d: DataFields, world: int, j: int, source: wp.array2d[float], target: wp.array2d[float]
):
    """Force of the engine on one joint as ``Control.joint_f`` has it: in its frames, that of a floating body in the world at
    its centre of mass.
    """
    speed = d.speed_of_jnt[world, j]
    kind = m.jnt_type[j]
    dof = m.jnt_dofadr[j]
    if kind == MjtJoint.FREE:
        body = d.xquat[world, m.jnt_bodyid[j]]
        force = three(source, world, dof)
        arm = quat_rotate(body, m.body_ipos[world, m.jnt_bodyid[j]])
        torque = quat_rotate(body, three(source, world, dof + 3)) - wp.cross(arm, force)
        for k in range(3):
            target[world, speed + k] = force[k]
            target[world, speed + 3 + k] = torque[k]
    elif m.nball > 0 and kind == MjtJoint.BALL:
        child = rotation_of(d.joint_X_c[world, d.joint_of_jnt[world, j]])
        turn = quat_mul(quat_conj(child), read_quat(m, d, world, m.jnt_qposadr[j]))
        torque = quat_rotate(turn, three(source, world, dof))
        for k in range(3):
            target[world, speed + k] = torque[k]
    else:
        target[world, speed] = source[world, dof]


@wp.func
def friction_force(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_frictionloss = J' f`` over the rows of dry friction."""
    for i in range(lane, m.nv, nlane):
        total = float(0.0)
        for row in range(d.nefc[world]):
            if d.efc_cost[world, row] == HUBER and m.nsparse > 0:
                adr = d.efc_J_rowadr[world, row]
                for e in range(adr, adr + d.efc_J_rownnz[world, row]):
                    if d.efc_J_colind[world, e] == i:
                        total += d.efc_J[world, 0, e] * d.efc_force[world, row]
            elif d.efc_cost[world, row] == HUBER:
                block = d.efc_block[world, row]
                if i >= BLOCK * block[0] and i < BLOCK * block[1]:
                    total += d.efc_J[world, row, i] * d.efc_force[world, row]
        d.work[world, i] = total
    sync()


@wp.func
def write_body(m: ModelFields, d: DataFields, world: int, b: int):
    """Acceleration of a body's centre of mass, and the wrench of its parent there. Spatial vectors are about the tree's
    centre of mass.
    """
    link = d.link_of_body[world, b]
    arm = d.xipos[world, b] - d.subtree_com[world, m.body_rootid[b]]
    if d.out_body_qdd.shape[1] > 0:
        turn = wp.spatial_top(d.cvel[world, b])
        v = wp.spatial_bottom(d.cvel[world, b]) + wp.cross(turn, arm)
        angular = wp.spatial_top(d.cacc[world, b])
        linear = wp.spatial_bottom(d.cacc[world, b]) + wp.cross(angular, arm) + wp.cross(turn, v)
        if (m.opt_disableflags & MjtDisableBit.GRAVITY) == 0:
            linear += m.opt_gravity[world]
        d.out_body_qdd[world, link] = wp.spatial_vector(linear, angular)
    if d.out_body_parent_f.shape[1] > 0:
        force = wp.spatial_bottom(d.cfrc_int[world, b])
        torque = wp.spatial_top(d.cfrc_int[world, b]) - wp.cross(arm, force)
        d.out_body_parent_f[world, link] = wp.spatial_vector(force, torque)


@wp.func
def write_observables(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Forces on the scene's dofs and bodies, before the state moves on; and what did not fit."""
    if d.out_qfrc_frictionloss.shape[1] > 0:
        friction_force(m, d, world, lane, nlane)
    for j in range(lane, m.njnt, nlane):
        if d.out_qfrc_actuator.shape[1] > 0:
            write_force(m, d, world, j, d.qfrc_actuator, d.out_qfrc_actuator)
        if d.out_qfrc_bias.shape[1] > 0:
            write_force(m, d, world, j, d.qfrc_bias, d.out_qfrc_bias)
        if d.out_qfrc_constraint.shape[1] > 0:
            write_force(m, d, world, j, d.qfrc_constraint, d.out_qfrc_constraint)
        if d.out_qfrc_frictionloss.shape[1] > 0:
            write_force(m, d, world, j, d.work, d.out_qfrc_frictionloss)
    if m.nrne > 0:
        for b in range(1 + lane, m.nbody, nlane):
            write_body(m, d, world, b)
    if d.out_overflow.shape[1] > 0 and lane == 0:
        lost = int(0)
        if d.ncon_needed[world] > d.nconmax:
            lost += LOST_CONTACTS
        if d.nefc_needed[world] > d.njmax:
            lost += LOST_ROWS
        if d.nbp_needed[world] > d.nbpmax:
            lost += LOST_PAIRS
        d.out_overflow[world, 0] = lost
    sync()
