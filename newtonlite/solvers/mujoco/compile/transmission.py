"""Lengths and moment arms of actuators at the reference configuration."""

import numpy as np

from newtonlite.solvers.mujoco.enums import BALL, FREE

from .rotation import conjugate, normalized, rotate, rotation_vector

JOINT, JOINT_IN_PARENT, SLIDERCRANK, TENDON, SITE, BODY = range(6)
MINVAL = 1e-15


def actuator_moments(m, pose, ten_J) -> np.ndarray:
    """Generalised force per unit actuator force, [..., nu, nv]."""
    rows = []
    for i in range(m.nu):
        kind, target = m.actuator_trntype[i], m.actuator_trnid[i, 0]
        gear = m.actuator_gear[..., i, :]
        if kind == TENDON:
            rows.append(gear[..., :1] * ten_J[target])
        elif kind in (JOINT, JOINT_IN_PARENT):
            rows.append(joint_moment(m, pose, kind, target, gear))
        else:
            rows.append(np.zeros(m.nv))
    return np.stack(np.broadcast_arrays(*rows), axis=-2) if rows else np.zeros((0, m.nv))


def joint_moment(m, pose, kind, j: int, gear) -> np.ndarray:
    """Moment of a joint transmission: its gear along the joint's dofs, [..., nv]."""
    row = np.zeros(gear.shape[:-1] + (m.nv,))
    adr = m.jnt_dofadr[j]
    if m.jnt_type[j] > BALL:
        row[..., adr] = gear[..., 0]
    elif m.jnt_type[j] == BALL:
        row[..., adr : adr + 3] = seen_from_child(m, j, gear[..., :3]) if kind == JOINT_IN_PARENT else gear[..., :3]
    elif m.jnt_type[j] == FREE:
        turn = gear[..., 3:]
        row[..., adr : adr + 3] = gear[..., :3]
        row[..., adr + 3 : adr + 6] = rotate(conjugate(pose.xquat[m.jnt_bodyid[j]]), turn) if kind == JOINT_IN_PARENT else turn
    return row


def seen_from_child(m, j: int, axis) -> np.ndarray:
    """An axis of the parent frame in the frame a ball joint has turned."""
    adr = m.jnt_qposadr[j]
    return rotate(conjugate(normalized(m.qpos0[..., adr : adr + 4])), axis)


def actuator_lengths(m, tendon_length) -> np.ndarray:
    """Length of each actuator at ``qpos0``, [..., nu]; zero where the transmission has none."""
    lengths = []
    for i in range(m.nu):
        kind, target = m.actuator_trntype[i], m.actuator_trnid[i, 0]
        gear = m.actuator_gear[..., i, :]
        length = np.zeros(gear.shape[:-1])
        if kind == TENDON:
            length = gear[..., 0] * tendon_length[..., target]
        elif kind in (JOINT, JOINT_IN_PARENT):
            length = joint_length(m, target, gear)
        lengths.append(length)
    return np.stack(np.broadcast_arrays(*lengths), axis=-1) if lengths else np.zeros(0)


def joint_length(m, j: int, gear) -> np.ndarray:
    """Joint coordinate at ``qpos0`` times gear; a ball's is its rotation vector along the gear."""
    adr = m.jnt_qposadr[j]
    if m.jnt_type[j] > BALL:
        return gear[..., 0] * m.qpos0[..., adr]
    if m.jnt_type[j] == BALL:
        turn = rotation_vector(normalized(m.qpos0[..., adr : adr + 4]))
        return (turn * gear[..., :3]).sum(-1)
    return np.zeros(gear.shape[:-1])


def resolve_dampratio(m, inverse_inertia) -> np.ndarray:
    """``actuator_biasprm`` with the damping of position servos that were given a damping ratio.

    A ratio is a positive ``biasprm[2]`` beside ``biasprm[1] = -gainprm[0]``. Critical damping is ``2 sqrt(kp m)``, where
    ``1/m``, [..., nu], is the inverse inertia felt by the actuator at qpos0.
    """
    bias, kp = np.array(m.actuator_biasprm, float), np.asarray(m.actuator_gainprm)[..., 0]
    servo = (kp == -bias[..., 1]) & (bias[..., 2] > 0) & (inverse_inertia > MINVAL)
    critical = 2.0 * np.sqrt(np.where(servo, kp / np.where(servo, inverse_inertia, 1.0), 0.0))
    out = np.broadcast_to(bias, critical.shape + bias.shape[-1:]).copy()
    out[..., 2] = np.where(servo, -critical * bias[..., 2], bias[..., 2])
    return out
