"""The walk down the tree: the definitions that ``kernels.position.forward_kinematics`` is tested against."""

import warp as wp

from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quaternion import axis_angle_to_quat, quat_mul, quat_normalize, quat_rotate, quat_trim
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, INDEX, QUAT, SPATIAL, VEC3
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def three(a: A1, world: int, i: int) -> wp.vec3:
    """Three numbers in a row."""
    return wp.vec3(a[world, i], a[world, i + 1], a[world, i + 2])


@wp.func
def four(a: A1, world: int, i: int) -> wp.quat:
    """The unit quaternion along four numbers in a row."""
    return quat_normalize(wp.quat(a[world, i], a[world, i + 1], a[world, i + 2], a[world, i + 3]))


@wp.func
def forward_kinematics(
    body_parentid: INDEX,
    body_jntadr: INDEX,
    body_jntnum: INDEX,
    body_mocapid: INDEX,
    jnt_type: INDEX,
    jnt_qposadr: INDEX,
    jnt_dofadr: INDEX,
    level_adr: INDEX,
    level_body: INDEX,
    body_pos: VEC3,
    body_quat: QUAT,
    jnt_pos: VEC3,
    jnt_axis: VEC3,
    qpos0: A1,
    qpos: A1,
    qvel: A1,
    mocap_pos: VEC3,
    mocap_quat: QUAT,
    xpos: VEC3,
    xquat: QUAT,
    xanchor: VEC3,
    xaxis: VEC3,
    xvel: SPATIAL,
    moving: int,
    world: int,
    lane: int,
    nlane: int,
):
    """Joint by joint: the frame is carried to the joint's anchor, turned or shifted there, and carried back; so is its
    velocity.
    """
    for level in range(level_adr.shape[0] - 1):
        for i in range(level_adr[level] + lane, level_adr[level + 1], nlane):
            b = level_body[i]
            p = body_parentid[b]
            arm = quat_rotate(xquat[world, p], body_pos[world, b])
            pos = xpos[world, p] + arm
            quat = quat_mul(xquat[world, p], body_quat[world, b])
            omega = wp.vec3()
            v = wp.vec3()
            if moving != 0:
                omega = wp.spatial_bottom(xvel[world, p])
                v = wp.spatial_top(xvel[world, p]) + wp.cross(omega, arm)
            if body_mocapid[b] >= 0:
                pos = mocap_pos[world, body_mocapid[b]]
                quat = quat_normalize(mocap_quat[world, body_mocapid[b]])
            for j in range(body_jntadr[b], body_jntadr[b] + body_jntnum[b]):
                adr = jnt_qposadr[j]
                dof = jnt_dofadr[j]
                kind = jnt_type[j]
                axis = quat_rotate(quat, jnt_axis[world, j])
                before = quat_rotate(quat, jnt_pos[world, j])
                if kind == MjtJoint.FREE:
                    pos = three(qpos, world, adr)
                    quat = four(qpos, world, adr + 3)
                    v = three(qvel, world, dof)
                    omega = quat_rotate(quat, three(qvel, world, dof + 3))
                    axis = jnt_axis[world, j]
                    before = wp.vec3()
                if moving == 0:
                    xanchor[world, j] = pos + before
                    xaxis[world, j] = axis
                if kind == MjtJoint.SLIDE:
                    shift = axis * (qpos[world, adr] - qpos0[world, adr])
                    pos += shift
                    v += wp.cross(omega, shift) + axis * qvel[world, dof]
                elif kind != MjtJoint.FREE:
                    v += wp.cross(omega, before)
                    if kind == MjtJoint.HINGE:
                        quat = quat_mul(
                            quat, axis_angle_to_quat(jnt_axis[world, j], qpos[world, adr] - qpos0[world, adr])
                        )
                        omega += axis * qvel[world, dof]
                    else:
                        quat = quat_mul(quat, four(qpos, world, adr))
                        omega += quat_rotate(quat, three(qvel, world, dof))
                    after = quat_rotate(quat, jnt_pos[world, j])
                    pos += before - after
                    v -= wp.cross(omega, after)
            if body_jntnum[b] > 0:
                quat = quat_trim(quat)
            xpos[world, b] = pos
            xquat[world, b] = quat
            if moving != 0:
                xvel[world, b] = wp.spatial_vector(v, omega)
        sync()
