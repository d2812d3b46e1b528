"""Kinematics at one configuration: poses of bodies and motion axes of dofs.

Arrays may carry leading world dimensions: ``body_pos`` is [nbody, 3] or [nworld, nbody, 3], and so is what follows from
it.
"""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quat import about, cross, matrix, normalized, product, rotate
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.topology import DOFS


@dataclass
class Pose:
    """Frames in the world, MuJoCo's names; ``...`` are worlds."""

    xpos: np.ndarray  # [..., nbody, 3] m
    xquat: np.ndarray  # [..., nbody, 4]
    xipos: np.ndarray  # [..., nbody, 3] m, centre of mass
    ximat: np.ndarray  # [..., nbody, 3, 3], principal axes in columns
    xanchor: np.ndarray  # [..., njnt, 3] m
    xaxis: np.ndarray  # [..., njnt, 3]
    motion: tuple | None = None  # dof_motion, once it was asked for


def pose_at(m: CompiledModel, qpos) -> Pose:
    """Forward kinematics at ``qpos`` [..., nq]."""
    pos, quat, anchors, axes = [np.zeros(3)], [np.array([1.0, 0, 0, 0])], [], []
    own = normalized(m.body_quat)
    for b in range(1, m.nbody):
        parent = m.body_parentid[b]
        p = pos[parent] + rotate(quat[parent], m.body_pos[..., b, :])
        q = product(quat[parent], own[..., b, :])
        for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
            p, q, anchor, axis = apply_joint(m, j, qpos, p, q)
            anchors.append(anchor)
            axes.append(axis)
        pos.append(p)
        quat.append(normalized(q))
    xpos, xquat = stack(pos, 3), stack(quat, 4)
    xipos = xpos + rotate(xquat, m.body_ipos)
    ximat = matrix(product(xquat, normalized(m.body_iquat)))
    return Pose(xpos, xquat, xipos, ximat, stack(anchors, 3), stack(axes, 3))


def apply_joint(m: CompiledModel, j: int, qpos, p, q):
    """Body frame (p, q) after joint ``j``, and the joint's anchor and axis."""
    adr, kind = m.jnt_qposadr[j], m.jnt_type[j]
    if kind == MjtJoint.FREE:
        p, q = qpos[..., adr : adr + 3], normalized(qpos[..., adr + 3 : adr + 7])
        return p, q, p, np.broadcast_to([0.0, 0.0, 1.0], p.shape)
    anchor = p + rotate(q, m.jnt_pos[..., j, :])
    axis = rotate(q, m.jnt_axis[..., j, :])
    moved = qpos[..., adr] - m.qpos0[..., adr]
    if kind == MjtJoint.SLIDE:
        return p + axis * moved[..., None], q, anchor, axis
    turn = normalized(qpos[..., adr : adr + 4]) if kind == MjtJoint.BALL else about(m.jnt_axis[..., j, :], moved)
    q = product(q, turn)
    return anchor - rotate(q, m.jnt_pos[..., j, :]), q, anchor, axis


def stack(items, width: int) -> np.ndarray:
    """Items [..., width] with unequal leading dimensions as one array [..., n, width]."""
    return np.stack(np.broadcast_arrays(*items), axis=-2) if items else np.zeros((0, width))


def dof_motion(m: CompiledModel, pose: Pose) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angular velocity, linear velocity and the point it is that of, for unit speed of each dof: three [..., nv, 3]."""
    if pose.motion is not None:
        return pose.motion
    angular, linear, point = [], [], []
    xmat = matrix(pose.xquat)
    zero = np.zeros(3)
    for j in range(m.njnt):
        b, kind = m.jnt_bodyid[j], m.jnt_type[j]
        if kind == MjtJoint.FREE:
            linear += list(np.eye(3))
            angular += [zero] * 3
        if kind in (MjtJoint.FREE, MjtJoint.BALL):
            angular += [xmat[..., b, :, k] for k in range(3)]
            linear += [zero] * 3
        if kind == MjtJoint.HINGE:
            angular.append(pose.xaxis[..., j, :])
            linear.append(zero)
        if kind == MjtJoint.SLIDE:
            angular.append(zero)
            linear.append(pose.xaxis[..., j, :])
        point += [pose.xanchor[..., j, :]] * DOFS[kind]
    pose.motion = stack(angular, 3), stack(linear, 3), stack(point, 3)
    return pose.motion


def com_jacobians(pose: Pose, motion, moves, bodies, dofs) -> tuple[np.ndarray, np.ndarray]:
    """Velocity of the centres of mass of some bodies and their angular velocity, per dof of a slice: two [..., bodies,
    dofs, 3].

    ``motion`` is ``dof_motion``, ``moves`` [nbody, nv] says which dofs move which bodies.
    """
    angular, linear, point = (x[..., None, dofs, :] for x in motion)
    moved = moves[bodies][:, dofs, None]
    at_com = linear + cross(angular, pose.xipos[..., bodies, None, :] - point)
    return np.where(moved, at_com, 0.0), np.where(moved, angular, 0.0)
