"""Dynamics without forces in float64 NumPy, for batches of states; ``constraint_rows`` has the constraints.

Each function takes a compiled model of one world; states have one leading dimension.  Bias force after Featherstone,
Rigid Body Dynamics Algorithms (2008).
"""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quat import about, cross, normalized, product
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.kinematics import Pose, com_jacobians, dof_motion, pose_at
from newtonlite.solvers.mujoco.compile.tendon_kinematics import tendon_geometry
from newtonlite.solvers.mujoco.compile.topology import ancestry
from newtonlite.solvers.mujoco.compile.trees import inertia_factors

NUDGE = 1e-5
"""Time [s] over which Jacobians are watched changing."""


@dataclass
class Coordinates:
    """Positions [n, nq], velocities [n, nv], and the acceleration of the step before."""

    qpos: np.ndarray
    qvel: np.ndarray
    qacc: np.ndarray


@dataclass
class DynamicsTerms:
    """Terms of the equations of motion in a state: pose, mass matrix [n, nv, nv], bias force [n, nv], tendon lengths
    [n, ntendon] and their Jacobian.
    """

    pose: Pose
    M: np.ndarray
    bias: np.ndarray
    length: np.ndarray
    ten_J: np.ndarray


def terms(m: CompiledModel, loaded, state: Coordinates) -> DynamicsTerms:
    """Dynamics terms of a state, all but forces. ``loaded`` has the armature that counts."""
    n, pose = len(state.qpos), pose_at(m, state.qpos)
    motion, moves = dof_motion(m, pose), ancestry(m)
    motion = tuple(np.broadcast_to(x, (n, m.nv, 3)) for x in motion)  # what nothing moves is the same in all states
    length, ten_J = tendon_geometry(m, pose, state.qpos)
    length = np.broadcast_to(length, (n, m.ntendon))
    bodies, dofs = np.arange(1, m.nbody), slice(0, m.nv)
    root, weight = inertia_factors(m, pose, motion, moves, bodies, dofs)
    M = np.swapaxes(root, -1, -2) @ (weight[..., None] * root) + np.asarray(loaded.dof_armature)[:, None] * np.eye(m.nv)
    bias = bias_force(m, pose, motion, moves, state.qvel)
    if np.any(loaded.tendon_armature):
        ten_J = np.broadcast_to(ten_J, (n, m.ntendon, m.nv))
        M, bias = M + tendon_inertia(m, loaded, moves, ten_J), bias + tendon_bias(m, loaded, state, ten_J)
    return DynamicsTerms(pose, M, bias, length, ten_J)


def tendon_inertia(m: CompiledModel, loaded, moves, ten_J) -> np.ndarray:
    """Inertia that tendons with armature add to the mass matrix [n, nv, nv], between a dof and its ancestors."""
    above = moves[m.dof_bodyid]
    return np.where(above | above.T, np.swapaxes(ten_J, -1, -2) @ (loaded.tendon_armature[:, None] * ten_J), 0.0)


def tendon_bias(m: CompiledModel, loaded, state: Coordinates, ten_J) -> np.ndarray:
    """Force [n, nv] of tendons with armature whose lengths would change ever faster if the velocities of all joints
    stayed.
    """
    ahead, behind = (tendon_jacobian(m, advance(m, state, 0.0, dt)) for dt in (NUDGE, -NUDGE))
    rate = ((ahead - behind) @ state.qvel[..., None])[..., 0] / (2.0 * NUDGE)
    return (np.swapaxes(ten_J, -1, -2) @ (loaded.tendon_armature * rate)[..., None])[..., 0]


def tendon_jacobian(m: CompiledModel, state: Coordinates) -> np.ndarray:
    """Jacobian of tendon lengths by the dofs, [..., ntendon, nv]."""
    return tendon_geometry(m, pose_at(m, state.qpos), state.qpos)[1]


def bias_slope(m: CompiledModel, t: DynamicsTerms, qvel) -> np.ndarray:
    """Derivative of the bias force by the velocities, [n, nv, nv]; it is a quadratic form, so that differences over 1
    are exact.
    """
    n, nv = qvel.shape
    steps = np.concatenate([np.eye(nv), -np.eye(nv)])
    spread = lambda x, rank: np.repeat(np.broadcast_to(x, (n, *x.shape[-rank:])), 2 * nv, axis=0)
    motion, moves = tuple(spread(x, 2) for x in dof_motion(m, t.pose)), ancestry(m)
    pose = Pose(
        t.pose.xpos, t.pose.xquat, spread(t.pose.xipos, 2), spread(t.pose.ximat, 3), t.pose.xanchor, t.pose.xaxis
    )
    force = bias_force(m, pose, motion, moves, (qvel[:, None] + steps).reshape(-1, nv)).reshape(n, 2, nv, nv)
    return np.swapaxes(force[:, 0] - force[:, 1], -1, -2) / 2.0


def bias_force(m: CompiledModel, pose: Pose, motion, moves, qvel) -> np.ndarray:
    """Coriolis and centrifugal force [n, nv]: what it takes to keep the velocities of all joints.

    Screws (angular velocity, velocity of the world's origin) of the dofs turn with the body that carries them.
    """
    angular, linear, point = motion
    screws = np.concatenate([angular, linear + cross(point, angular)], axis=-1)
    total, drift = np.zeros((len(qvel), m.nbody, 6)), np.zeros((len(qvel), m.nbody, 6))
    for b in range(1, m.nbody):
        v, a = total[:, m.body_parentid[b]].copy(), drift[:, m.body_parentid[b]].copy()
        for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
            first, count = m.jnt_dofadr[j], {MjtJoint.FREE: 6, MjtJoint.BALL: 3}.get(int(m.jnt_type[j]), 1)
            dofs = np.arange(first, first + count)
            own = screws[:, dofs] * qvel[:, dofs, None]
            before, v = v, v + own.sum(1)
            turns = own[:, 3:].sum(1) if count == 6 else own.sum(1)  # a free joint's linear axes stay
            a = a + crossed(v if count > 1 else before, turns)
        total[:, b], drift[:, b] = v, a
    spin, change = total[..., :3], drift[..., :3]
    speed = total[..., 3:] + cross(spin, pose.xipos)
    force = m.body_mass[:, None] * (drift[..., 3:] + cross(change, pose.xipos) + cross(spin, speed))
    inertia = pose.ximat * m.body_inertia[:, None, :] @ np.swapaxes(pose.ximat, -1, -2)
    torque = (inertia @ change[..., None])[..., 0] + cross(spin, (inertia @ spin[..., None])[..., 0])
    jac, jac_turn = com_jacobians(pose, motion, moves, np.arange(m.nbody), slice(0, m.nv))
    return np.einsum("nbvi,nbi->nv", jac, force) + np.einsum("nbvi,nbi->nv", jac_turn, torque)


def crossed(v, s) -> np.ndarray:
    """Rate of change of screws [n, 6] that move with velocity screws ``v`` [n, 6]."""
    w, o = v[..., :3], v[..., 3:]
    return np.concatenate([cross(w, s[..., :3]), cross(w, s[..., 3:]) + cross(o, s[..., :3])], axis=-1)


def advance(m: CompiledModel, state: Coordinates, qacc, timestep: float) -> Coordinates:
    """Semi-implicit Euler step."""
    qvel, qpos = state.qvel + timestep * qacc, state.qpos.copy()
    for j in range(m.njnt):
        adr, dof, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        if kind == MjtJoint.FREE:
            qpos[:, adr : adr + 3] += timestep * qvel[:, dof : dof + 3]
            adr, dof = adr + 3, dof + 3
        if kind in (MjtJoint.FREE, MjtJoint.BALL):
            turn = qvel[:, dof : dof + 3]
            speed = np.linalg.norm(turn, axis=-1)
            moved = about(turn / np.maximum(speed, MINVAL)[:, None], timestep * speed)
            qpos[:, adr : adr + 4] = normalized(product(qpos[:, adr : adr + 4], moved))
        else:
            qpos[:, adr] += timestep * qvel[:, dof]
    return Coordinates(qpos, qvel, qacc)
