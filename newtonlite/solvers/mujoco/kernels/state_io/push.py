"""Push: a scene's state becomes the engine's (``push_state``), its forces and controls the engine's inputs
(``push_input``).

Floating bodies are converted in ``free_joint``; a ball's coordinates turn from the joint's frames to the body's.
"""

import warp as wp

from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate, quat_to_rotvec
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.vector_copy import copy_row, copy_spatial, shift_row
from newtonlite.solvers.mujoco.kernels.sleep.keep_sleep_state import keep_sleep_state
from newtonlite.solvers.mujoco.kernels.state_io.free_joint import push_free_joints

TARGET_Q = wp.constant(0)
TARGET_QD = wp.constant(1)
BALL_X = wp.constant(2)
CTRL = wp.constant(5)


@wp.func
def to_wxyz(q: wp.quat) -> wp.quat:
    """A scene's quaternion in the engine's order."""
    return wp.quat(q[3], q[0], q[1], q[2])


@wp.func
def to_xyzw(q: wp.quat) -> wp.quat:
    """An engine's quaternion in the scene's order."""
    return wp.quat(q[1], q[2], q[3], q[0])


@wp.func
def rotation_of(X: wp.transformf) -> wp.quat:
    """Rotation of a scene's transform, in the engine's order."""
    return to_wxyz(wp.transform_get_rotation(X))


@wp.func
def ball_in_child(q: wp.quat, child: wp.quat) -> wp.quat:
    """Orientation ``q`` of a ball joint's child frame, seen by the body the frame is fixed to: ``child q child^-1``."""
    return quat_mul(quat_mul(child, q), quat_conj(child))


@wp.func
def three(a: wp.array2d[float], world: int, i: int) -> wp.vec3:
    """Three numbers in a row."""
    return wp.vec3(a[world, i], a[world, i + 1], a[world, i + 2])


@wp.func
def scene_quat(a: wp.array2d[float], world: int, i: int) -> wp.quat:
    """A quaternion of the scene (x, y, z, w) in the engine's order."""
    return wp.quat(a[world, i + 3], a[world, i], a[world, i + 1], a[world, i + 2])


@wp.func
def push_free(m: ModelFields, d: DataFields, world: int, j: int, coord: int, speed: int):
    """Pose and velocity of a floating body."""
    push_free_joints(
        d.in_joint_q,
        d.in_joint_qd,
        d.joint_X_p,
        d.joint_X_c,
        m.body_ipos,
        d.qpos,
        d.qvel,
        d.joint_of_jnt[world, j],
        m.jnt_bodyid[j],
        coord,
        speed,
        m.jnt_qposadr[j],
        m.jnt_dofadr[j],
        world,
    )


@wp.func
def push_ball(m: ModelFields, d: DataFields, world: int, j: int, coord: int, speed: int):
    """Orientation and angular velocity of a ball joint, turned into the child body's frame."""
    child = rotation_of(d.joint_X_c[world, d.joint_of_jnt[world, j]])
    q = scene_quat(d.in_joint_q, world, coord)
    omega = quat_rotate(quat_mul(child, quat_conj(q)), three(d.in_joint_qd, world, speed))
    q = ball_in_child(q, child)
    adr = m.jnt_qposadr[j]
    dof = m.jnt_dofadr[j]
    for k in range(4):
        d.qpos[world, adr + k] = q[k]
    for k in range(3):
        d.qvel[world, dof + k] = omega[k]


@wp.func
def inward(m: ModelFields, d: DataFields, world: int, j: int, v: wp.vec3) -> wp.vec3:
    """A vector of a ball joint's parent frame in the child body's frame. ``qpos`` must be there."""
    child = rotation_of(d.joint_X_c[world, d.joint_of_jnt[world, j]])
    return quat_rotate(quat_mul(quat_conj(read_quat(m, d, world, m.jnt_qposadr[j])), child), v)


@wp.func
def push_d6(m: ModelFields, d: DataFields, world: int, j: int):
    """Position and velocity of a free or ball joint."""
    coord = d.coord_of_jnt[world, j]
    speed = d.speed_of_jnt[world, j]
    if m.jnt_type[j] == MjtJoint.FREE:
        push_free(m, d, world, j, coord, speed)
    elif m.nball > 0:
        push_ball(m, d, world, j, coord, speed)


@wp.func
def push_force(m: ModelFields, d: DataFields, world: int, j: int):
    """Applied force of a free or ball joint. ``qpos`` must be there. That on a floating body is a wrench in the world at its
    centre of mass, as body forces are, however its parent frame is turned.
    """
    speed = d.speed_of_jnt[world, j]
    dof = m.jnt_dofadr[j]
    if m.jnt_type[j] == MjtJoint.FREE:
        force = three(d.in_joint_f, world, speed)
        torque = three(d.in_joint_f, world, speed + 3)
        if wp.length_sq(force) + wp.length_sq(torque) > 0.0:
            body = read_quat(m, d, world, m.jnt_qposadr[j] + 3)
            arm = quat_rotate(body, m.body_ipos[world, m.jnt_bodyid[j]])
            torque = quat_rotate(quat_conj(body), torque + wp.cross(arm, force))
        for k in range(3):
            d.qfrc_applied[world, dof + k] = force[k]
            d.qfrc_applied[world, dof + 3 + k] = torque[k]
    elif m.nball > 0:
        torque = inward(m, d, world, j, three(d.in_joint_f, world, speed))
        for k in range(3):
            d.qfrc_applied[world, dof + k] = torque[k]


@wp.func
def target_of(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """Control ``u`` from where it is authored; positions gain the joint's reference, a ball's velocity turns into the child
    body's frame.
    """
    kind = d.ctrl_from[world, u]
    i = d.ctrl_index[world, u]
    if kind > CTRL:
        return d.in_ctrl_more[world, i][kind - CTRL - 1]
    j = m.actuator_trnid[m.ctrl_actuator[u]][0]
    if kind == TARGET_QD:
        if m.nball > 0 and m.jnt_type[j] == MjtJoint.BALL:
            first = d.speed_of_jnt[world, j]
            return inward(m, d, world, j, three(d.in_target_qd, world, first))[i - first]
        return d.in_target_qd[world, i]
    if kind == TARGET_Q:
        return d.in_target_q[world, i] + m.qpos0[world, m.jnt_qposadr[j]]
    child = rotation_of(d.joint_X_c[world, d.joint_of_jnt[world, j]])
    return quat_to_rotvec(ball_in_child(scene_quat(d.in_target_q, world, i), child))[kind - BALL_X]


@wp.func
def push_state(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Positions and velocities of one world."""
    for i in range(d.joint_run.shape[1]):
        run = d.joint_run[world, i]
        shift_row(d.in_joint_q, run[1], m.qpos0, run[0], 1.0, d.qpos, run[0], world, run[4], lane, nlane)
        copy_row(d.in_joint_qd, run[3], d.qvel, run[2], world, run[4], lane, nlane)
    for i in range(lane, d.d6_jnt.shape[1], nlane):
        push_d6(m, d, world, d.d6_jnt[world, i])
    sync()


@wp.func
def push_marked(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Positions and velocities of a world that was reset; the mark goes."""
    if d.in_resync[world, 0] != 0:
        push_state(m, d, world, lane, nlane)
        if lane == 0:
            d.in_resync[world, 0] = 0
        sync()


@wp.func
def push_input(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Joint forces, controls and body forces of one world; joints and bodies that the caller moves feel none."""
    for i in range(d.joint_run.shape[1]):
        run = d.joint_run[world, i]
        copy_row(d.in_joint_f, run[3], d.qfrc_applied, run[2], world, run[4], lane, nlane)
    for i in range(lane, d.d6_jnt.shape[1], nlane):
        push_force(m, d, world, d.d6_jnt[world, i])
    for i in range(d.ctrl_run.shape[1]):
        direct = d.ctrl_run[world, i]
        copy_row(d.in_ctrl, direct[1], d.ctrl, direct[0], world, direct[2], lane, nlane)
    for i in range(lane, d.other_ctrl.shape[1], nlane):
        u = d.other_ctrl[world, i]
        d.ctrl[world, u] = target_of(m, d, world, u)
    for i in range(d.body_run.shape[1]):
        links = d.body_run[world, i]
        copy_spatial(d.in_body_f, links[1], d.xfrc_applied, links[0], world, links[2], lane, nlane)
    sync()
    for i in range(lane, d.prescribed_dof.shape[1], nlane):
        d.qfrc_applied[world, d.prescribed_dof[world, i]] = 0.0
    for i in range(lane, d.prescribed_body.shape[1], nlane):
        d.xfrc_applied[world, d.prescribed_body[world, i]] = wp.spatial_vector()
    sync()
    if m.nsleep > 0:
        keep_sleep_state(m, d, world, lane, nlane)
