"""Lengths and moment arms of actuators at the reference configuration."""

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtGain, MjtJoint, MjtTrn
from newtonlite.math.quat import conjugate, normalized, rotate, rotation_vector
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.sites import Sites

JACOBIANS = 1 << 20
"""Numbers of the Jacobians of sites that are computed at once."""


def actuator_geometry(m: CompiledModel, pose, tendon_length, ten_J) -> tuple[np.ndarray, np.ndarray]:
    """Length of each force output [..., nout] and generalised force per unit of its force [..., nout, nv].

    Adhesion has neither without contacts; forces on free joints have no length.
    """
    # (outputs, their lengths, their moments): of actuators on axes and sites many at once, of others one by one
    if not m.nactuator:
        return np.zeros(0), np.zeros((0, m.nv))
    sites, blocks = Sites(m, pose), []
    kind, target = m.actuator_trntype, m.actuator_trnid[:, 0]
    on_axis = np.isin(kind, (MjtTrn.JOINT, MjtTrn.JOINTINPARENT))
    on_axis[on_axis] = m.jnt_type[target[on_axis]] > MjtJoint.BALL
    on_site = kind == MjtTrn.SITE
    if on_axis.any():
        blocks.append(axis_outputs(m, np.flatnonzero(on_axis)))
    for relative in (False, True):
        blocks += site_outputs(m, sites, np.flatnonzero(on_site & ((m.actuator_trnid[:, 1] >= 0) == relative)))
    for i in np.flatnonzero(~(on_axis | on_site)):
        found = outputs_of(m, pose, sites, i, tendon_length, ten_J)
        blocks += [(m.actuator_outadr[i] + k, *output) for k, output in enumerate(found)]

    # each at its place; worlds may differ in some of them
    worlds = np.broadcast_shapes(*(np.shape(length)[: np.ndim(length) - np.ndim(out)] for out, length, _ in blocks))
    lengths = np.empty((*worlds, m.nout))
    worlds = np.broadcast_shapes(*(np.shape(row)[: np.ndim(row) - 1 - np.ndim(out)] for out, _, row in blocks))
    rows = np.empty((*worlds, m.nout, m.nv))
    for out, length, row in blocks:
        lengths[..., out], rows[..., out, :] = length, row
    return lengths, rows


def axis_outputs(m: CompiledModel, actuators) -> tuple:
    """Outputs of actuators on hinges and slides, lengths and moments: gear times coordinate, gear along the dof."""
    joint, out = m.actuator_trnid[actuators, 0], m.actuator_outadr[actuators]
    gear = m.actuator_gear[..., out, 0]
    rows = np.zeros((*gear.shape, m.nv))
    rows[..., np.arange(len(out)), m.jnt_dofadr[joint]] = gear
    return out, gear * m.qpos0[..., m.jnt_qposadr[joint]], rows


def site_outputs(m: CompiledModel, sites, actuators) -> list[tuple]:
    """Outputs, lengths and moments of actuators on sites that all have a reference, or all have none; in blocks, since
    the Jacobians of each are three times as large as its moments.
    """
    found = []
    step = max(1, JACOBIANS // max(1, sites.linear.size))
    for block in np.split(actuators, range(step, len(actuators), step)) if len(actuators) else ():
        out, (target, ref) = m.actuator_outadr[block], m.actuator_trnid[block].T
        found.append((out, *sites.wrench(target, ref, m.actuator_gear[..., out, :])))
    return found


def outputs_of(m: CompiledModel, pose, sites, i: int, tendon_length, ten_J) -> list[tuple]:
    """Length and moment of each output of one actuator."""
    kind, (target, other) = m.actuator_trntype[i], m.actuator_trnid[i]
    gear = m.actuator_gear[..., m.actuator_outadr[i], :]
    if kind == MjtTrn.TENDON:
        return [(gear[..., 0] * tendon_length[..., target], gear[..., :1] * ten_J[..., target, :])]
    if kind in (MjtTrn.JOINT, MjtTrn.JOINTINPARENT):
        return [(joint_length(m, target, gear), joint_moment(m, pose, kind, target, gear))]
    if kind == MjtTrn.SLIDERCRANK:
        return [sites.crank(target, other, m.actuator_cranklength[..., i], gear)]
    if kind == MjtTrn.SO3:
        return turn_outputs(m, sites, target, other)
    return [(np.zeros(()), np.zeros(m.nv))]


def turn_outputs(m: CompiledModel, sites, target: int, ref: int) -> list:
    """Length and moment of the three outputs of an orientation servo, on a site with a reference or on a ball joint."""
    if ref >= 0:
        length, rows = sites.turn(target, ref), sites.turning(target, ref)
    else:
        adr, first = m.jnt_qposadr[target], m.jnt_dofadr[target]
        length = rotation_vector(normalized(m.qpos0[..., adr : adr + 4]))
        rows = np.zeros((m.nv, 3))
        rows[first : first + 3] = np.eye(3)
    return [(length[..., k], rows[..., k]) for k in range(3)]


def joint_moment(m: CompiledModel, pose, kind, j: int, gear) -> np.ndarray:
    """Moment of a transmission on a ball or free joint: its gear along the joint's dofs, [..., nv]."""
    row = np.zeros(gear.shape[:-1] + (m.nv,))
    adr = m.jnt_dofadr[j]
    if m.jnt_type[j] == MjtJoint.BALL:
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


def seen_from_child(m: CompiledModel, j: int, axis) -> np.ndarray:
    """An axis of the parent frame in the frame a ball joint has turned."""
    adr = m.jnt_qposadr[j]
    return rotate(conjugate(normalized(m.qpos0[..., adr : adr + 4])), axis)


def joint_length(m: CompiledModel, j: int, gear) -> np.ndarray:
    """Rotation vector of a ball joint at ``qpos0`` along the gear; a free joint has no length."""
    adr = m.jnt_qposadr[j]
    if m.jnt_type[j] == MjtJoint.BALL:
        turn = rotation_vector(normalized(m.qpos0[..., adr : adr + 4]))
        return (turn * gear[..., :3]).sum(-1)
    return np.zeros(gear.shape[:-1])


def output_means(m: CompiledModel, values) -> np.ndarray:
    """For each actuator, the mean of numbers [..., nout] over its outputs."""
    if not len(m.actuator_outnum):
        return np.zeros(0)
    if (m.actuator_outnum == 1).all():
        return values[..., m.actuator_outadr]
    outputs = [slice(a, a + n) for a, n in zip(m.actuator_outadr, m.actuator_outnum, strict=True)]
    return np.stack([values[..., o].mean(-1) for o in outputs], axis=-1)


def resolve_dampratio(m: CompiledModel, inverse_inertia) -> tuple[np.ndarray, np.ndarray]:
    """``actuator_biasprm`` with the damping of position servos that were given a damping ratio, and those ratios (0:
    none).

    A ratio is a positive ``biasprm[2]`` beside a position gain. Critical damping is ``2 sqrt(kp m)``, where ``1/m`` is
    the inverse inertia felt by the actuator at qpos0, the mean over its outputs, and 0 of one that moves nothing;
    ``inverse_inertia`` is [..., nout].
    """
    bias, gain = np.array(m.actuator_biasprm, float), np.asarray(m.actuator_gainprm)[..., 0]
    kp = np.where(m.actuator_gaintype == MjtGain.PID, -bias[..., 1], gain)
    mean = output_means(m, inverse_inertia)
    inertia = np.where(mean > MINVAL, 1.0 / np.maximum(mean, MINVAL), 0.0)
    servo = (kp == -bias[..., 1]) & (bias[..., 2] > 0)
    critical = 2.0 * np.sqrt(np.where(servo, kp * inertia, 0.0))
    out = np.broadcast_to(bias, critical.shape + bias.shape[-1:]).copy()
    out[..., 2] = np.where(servo, -critical * bias[..., 2], bias[..., 2])
    return out, np.where(servo, bias[..., 2], 0.0)
