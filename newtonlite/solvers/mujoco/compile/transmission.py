"""Lengths and moment arms of actuators at the reference configuration."""

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtGain, MjtJoint, MjtTrn
from newtonlite.math.quat import conjugate, normalized, rotate, rotation_vector
from newtonlite.solvers.mujoco.compile.sites import Sites


def actuator_geometry(m, pose, tendon_length, ten_J) -> tuple[np.ndarray, np.ndarray]:
    """Length of each force output [..., nout] and generalised force per unit of its force [..., nout, nv].

    Adhesion has neither without contacts; forces on free joints have no length.
    """
    sites, found = Sites(m, pose), []
    for i in range(m.nactuator):
        kind, (target, other) = m.actuator_trntype[i], m.actuator_trnid[i]
        gear = m.actuator_gear[..., m.actuator_outadr[i], :]
        if kind == MjtTrn.TENDON:
            found.append((gear[..., 0] * tendon_length[..., target], gear[..., :1] * ten_J[..., target, :]))
        elif kind in (MjtTrn.JOINT, MjtTrn.JOINTINPARENT):
            found.append((joint_length(m, target, gear), joint_moment(m, pose, kind, target, gear)))
        elif kind == MjtTrn.SITE:
            found.append(sites.wrench(target, other, gear))
        elif kind == MjtTrn.SLIDERCRANK:
            found.append(sites.crank(target, other, m.actuator_cranklength[..., i], gear))
        elif kind == MjtTrn.SO3:
            found += turn_outputs(m, sites, target, other)
        else:
            found.append((np.zeros(()), np.zeros(m.nv)))
    if not found:
        return np.zeros(0), np.zeros((0, m.nv))
    lengths, rows = zip(*found, strict=True)
    return np.stack(np.broadcast_arrays(*lengths), axis=-1), np.stack(np.broadcast_arrays(*rows), axis=-2)


def turn_outputs(m, sites, target: int, ref: int) -> list:
    """Length and moment of the three outputs of an orientation servo, on a site with a reference or on a ball joint."""
    if ref >= 0:
        length, rows = sites.turn(target, ref), sites.turning(target, ref)
    else:
        adr, first = m.jnt_qposadr[target], m.jnt_dofadr[target]
        length = rotation_vector(normalized(m.qpos0[..., adr : adr + 4]))
        rows = np.zeros((m.nv, 3))
        rows[first : first + 3] = np.eye(3)
    return [(length[..., k], rows[..., k]) for k in range(3)]


def joint_moment(m, pose, kind, j: int, gear) -> np.ndarray:
    """Moment of a joint transmission: its gear along the joint's dofs, [..., nv]."""
    row = np.zeros(gear.shape[:-1] + (m.nv,))
    adr = m.jnt_dofadr[j]
    if m.jnt_type[j] > MjtJoint.BALL:
        row[..., adr] = gear[..., 0]
    elif m.jnt_type[j] == MjtJoint.BALL:
        row[..., adr : adr + 3] = (
            seen_from_child(m, j, gear[..., :3]) if kind == MjtTrn.JOINTINPARENT else gear[..., :3]
        )
    elif m.jnt_type[j] == MjtJoint.FREE:
        turn = gear[..., 3:]
        row[..., adr : adr + 3] = gear[..., :3]
        row[..., adr + 3 : adr + 6] = (
            rotate(conjugate(pose.xquat[..., m.jnt_bodyid[j], :]), turn) if kind == MjtTrn.JOINTINPARENT else turn
        )
    return row


def seen_from_child(m, j: int, axis) -> np.ndarray:
    """An axis of the parent frame in the frame a ball joint has turned."""
    adr = m.jnt_qposadr[j]
    return rotate(conjugate(normalized(m.qpos0[..., adr : adr + 4])), axis)


def joint_length(m, j: int, gear) -> np.ndarray:
    """Joint coordinate at ``qpos0`` times gear; a ball's is its rotation vector along the gear."""
    adr = m.jnt_qposadr[j]
    if m.jnt_type[j] > MjtJoint.BALL:
        return gear[..., 0] * m.qpos0[..., adr]
    if m.jnt_type[j] == MjtJoint.BALL:
        turn = rotation_vector(normalized(m.qpos0[..., adr : adr + 4]))
        return (turn * gear[..., :3]).sum(-1)
    return np.zeros(gear.shape[:-1])


def resolve_dampratio(m, inverse_inertia) -> tuple[np.ndarray, np.ndarray]:
    """``actuator_biasprm`` with the damping of position servos that were given a damping ratio, and those ratios (0:
    none).

    A ratio is a positive ``biasprm[2]`` beside a position gain. Critical damping is ``2 sqrt(kp m)``, where ``1/m`` is
    the inverse inertia felt by the actuator at qpos0, the mean over its outputs; ``inverse_inertia`` is [..., nout].
    """
    bias, gain = np.array(m.actuator_biasprm, float), np.asarray(m.actuator_gainprm)[..., 0]
    kp = np.where(m.actuator_gaintype == MjtGain.PID, -bias[..., 1], gain)
    outputs = [slice(a, a + n) for a, n in zip(m.actuator_outadr, m.actuator_outnum, strict=True)]
    mean = np.stack([inverse_inertia[..., o].mean(-1) for o in outputs], axis=-1) if outputs else np.zeros(0)
    inertia = np.where(mean > MINVAL, 1.0 / np.maximum(mean, MINVAL), 0.0)
    servo = (kp == -bias[..., 1]) & (bias[..., 2] > 0) & (inertia > 0)
    critical = 2.0 * np.sqrt(np.where(servo, kp * inertia, 0.0))
    out = np.broadcast_to(bias, critical.shape + bias.shape[-1:]).copy()
    out[..., 2] = np.where(servo, -critical * bias[..., 2], bias[..., 2])
    return out, np.where(servo, bias[..., 2], 0.0)
