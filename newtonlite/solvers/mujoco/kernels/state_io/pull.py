"""Pull: the engine's new state in the scene's words, and the bodies' poses and velocities that follow from it."""

import warp as wp

from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.forward_kinematics import forward_kinematics
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.vector_copy import copy_row, shift_row
from newtonlite.solvers.mujoco.kernels.state_io.body_poses import write_body_q
from newtonlite.solvers.mujoco.kernels.state_io.free_joint import pull_free_joints
from newtonlite.solvers.mujoco.kernels.state_io.push import push_ball, push_free, rotation_of, three, to_xyzw


@wp.func
def pull_free(m: ModelFields, d: DataFields, world: int, j: int, coord: int, speed: int):
    """Coordinates and speeds of a floating body."""
    pull_free_joints(
        d.qpos,
        d.qvel,
        d.joint_X_p,
        d.joint_X_c,
        m.body_ipos,
        d.out_joint_q,
        d.out_joint_qd,
        d.joint_of_jnt[world, j],
        m.jnt_bodyid[j],
        coord,
        speed,
        m.jnt_qposadr[j],
        m.jnt_dofadr[j],
        world,
    )


@wp.func
def pull_ball(m: ModelFields, d: DataFields, world: int, j: int, coord: int, speed: int):
    """Orientation and angular velocity of a ball joint, in the joint's own frames."""
    child = rotation_of(d.joint_X_c[world, d.joint_of_jnt[world, j]])
    q = quat_mul(quat_mul(quat_conj(child), read_quat(m, d, world, m.jnt_qposadr[j])), child)
    omega = quat_rotate(quat_mul(q, quat_conj(child)), three(d.qvel, world, m.jnt_dofadr[j]))
    q = to_xyzw(q)
    for k in range(4):
        d.out_joint_q[world, coord + k] = q[k]
    for k in range(3):
        d.out_joint_qd[world, speed + k] = omega[k]


@wp.func
def pull_d6(m: ModelFields, d: DataFields, world: int, j: int):
    """Position and velocity of a free or ball joint."""
    coord = d.coord_of_jnt[world, j]
    speed = d.speed_of_jnt[world, j]
    if m.jnt_type[j] == MjtJoint.FREE:
        pull_free(m, d, world, j, coord, speed)
    elif m.nball > 0:
        pull_ball(m, d, world, j, coord, speed)


@wp.func
def keep_prescribed(m: ModelFields, d: DataFields, world: int, j: int):
    """A joint that the caller moves comes back as it was given, whatever the step made of it."""
    coord = d.coord_of_jnt[world, j]
    speed = d.speed_of_jnt[world, j]
    coords = int(1)
    speeds = int(1)
    if m.jnt_type[j] == MjtJoint.FREE:
        coords = 7
        speeds = 6
        push_free(m, d, world, j, coord, speed)
    elif m.nball > 0 and m.jnt_type[j] == MjtJoint.BALL:
        coords = 4
        speeds = 3
        push_ball(m, d, world, j, coord, speed)
    else:
        adr = m.jnt_qposadr[j]
        d.qpos[world, adr] = d.in_joint_q[world, coord] + m.qpos0[world, adr]
        d.qvel[world, m.jnt_dofadr[j]] = d.in_joint_qd[world, speed]
    for k in range(coords):
        d.out_joint_q[world, coord + k] = d.in_joint_q[world, coord + k]
    for k in range(speeds):
        d.out_joint_qd[world, speed + k] = d.in_joint_qd[world, speed + k]


@wp.func
def pull_joints(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Positions and velocities of all joints; those that the caller moves last, and where they are is where the engine
    goes on.
    """
    for i in range(d.joint_run.shape[1]):
        run = d.joint_run[world, i]
        shift_row(d.qpos, run[0], m.qpos0, run[0], -1.0, d.out_joint_q, run[1], world, run[4], lane, nlane)
        copy_row(d.qvel, run[2], d.out_joint_qd, run[3], world, run[4], lane, nlane)
    for i in range(lane, d.d6_jnt.shape[1], nlane):
        pull_d6(m, d, world, d.d6_jnt[world, i])
    sync()
    for i in range(lane, d.prescribed_jnt.shape[1], nlane):
        keep_prescribed(m, d, world, d.prescribed_jnt[world, i])
    sync()


@wp.func
def pull(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Joint coordinates and speeds, then body poses and velocities, level by level."""
    pull_joints(m, d, world, lane, nlane)
    if lane == 0:
        d.link_pos[world, 0] = wp.vec3(0.0, 0.0, 0.0)
        d.link_quat[world, 0] = wp.quat(1.0, 0.0, 0.0, 0.0)
        d.link_vel[world, 0] = wp.spatial_vector()
    sync()
    forward_kinematics(
        m.body_parentid,
        m.body_jntadr,
        m.body_jntnum,
        m.body_mocapid,
        m.jnt_type,
        m.jnt_qposadr,
        m.jnt_dofadr,
        m.level_adr,
        m.level_body,
        m.body_pos,
        m.body_quat,
        m.jnt_pos,
        m.jnt_axis,
        m.qpos0,
        d.qpos,
        d.qvel,
        d.mocap_pos,
        d.mocap_quat,
        d.link_pos,
        d.link_quat,
        d.xanchor,
        d.xaxis,
        d.link_vel,
        1,
        world,
        lane,
        nlane,
    )
    write_body_q(
        d.link_of_body,
        m.body_ipos,
        d.link_pos,
        d.link_quat,
        d.link_vel,
        d.out_body_q,
        d.out_body_qd,
        world,
        lane,
        nlane,
    )
    sync()
