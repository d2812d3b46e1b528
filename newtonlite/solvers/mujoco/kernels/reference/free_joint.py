"""Floating bodies between a scene and the engine: the definitions that ``kernels.state_io.free_joint`` is tested against."""

import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, POSE, VEC3
from newtonlite.solvers.mujoco.kernels.reference.forward_kinematics import four, three


@wp.func
def reordered(X: wp.transformf) -> wp.quat:
    """Rotation of a scene's transform (x, y, z, w) in the engine's order."""
    q = wp.transform_get_rotation(X)
    return wp.quat(q[3], q[0], q[1], q[2])


@wp.func
def push_free_joints(
    joint_q: A1,
    joint_qd: A1,
    X_p: POSE,
    X_c: POSE,
    body_ipos: VEC3,
    qpos: A1,
    qvel: A1,
    joint: int,
    body: int,
    coord: int,
    speed: int,
    adr: int,
    dof: int,
    world: int,
):
    """``X_body = X_p X_joint X_c^-1``."""
    turn = reordered(X_p[world, joint])
    own = wp.quat(
        joint_q[world, coord + 6], joint_q[world, coord + 3], joint_q[world, coord + 4], joint_q[world, coord + 5]
    )
    body_quat = quat_mul(quat_mul(turn, own), quat_conj(reordered(X_c[world, joint])))
    pos = wp.transform_get_translation(X_p[world, joint]) + quat_rotate(turn, three(joint_q, world, coord))
    pos -= quat_rotate(body_quat, wp.transform_get_translation(X_c[world, joint]))
    omega = quat_rotate(turn, three(joint_qd, world, speed + 3))
    v = quat_rotate(turn, three(joint_qd, world, speed)) - wp.cross(
        omega, quat_rotate(body_quat, body_ipos[world, body])
    )
    omega = quat_rotate(quat_conj(body_quat), omega)
    for k in range(3):
        qpos[world, adr + k] = pos[k]
        qvel[world, dof + k] = v[k]
        qvel[world, dof + 3 + k] = omega[k]
    for k in range(4):
        qpos[world, adr + 3 + k] = body_quat[k]


@wp.func
def pull_free_joints(
    qpos: A1,
    qvel: A1,
    X_p: POSE,
    X_c: POSE,
    body_ipos: VEC3,
    joint_q: A1,
    joint_qd: A1,
    joint: int,
    body: int,
    coord: int,
    speed: int,
    adr: int,
    dof: int,
    world: int,
):
    """``X_joint = X_p^-1 X_body X_c``."""
    back = quat_conj(reordered(X_p[world, joint]))
    body_quat = four(qpos, world, adr + 3)
    omega = quat_rotate(body_quat, three(qvel, world, dof + 3))
    v = three(qvel, world, dof) + wp.cross(omega, quat_rotate(body_quat, body_ipos[world, body]))
    pos = three(qpos, world, adr) + quat_rotate(body_quat, wp.transform_get_translation(X_c[world, joint]))
    pos = quat_rotate(back, pos - wp.transform_get_translation(X_p[world, joint]))
    q = quat_mul(quat_mul(back, body_quat), reordered(X_c[world, joint]))
    v = quat_rotate(back, v)
    omega = quat_rotate(back, omega)
    for k in range(3):
        joint_q[world, coord + k] = pos[k]
        joint_qd[world, speed + k] = v[k]
        joint_qd[world, speed + 3 + k] = omega[k]
        joint_q[world, coord + 3 + k] = q[k + 1]
    joint_q[world, coord + 6] = q[0]
