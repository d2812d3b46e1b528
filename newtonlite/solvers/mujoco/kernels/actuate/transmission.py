"""Transmission: lengths and velocities of actuator outputs, and their moment rows."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtJoint, MjtTrn
from newtonlite.math.quaternion import quat_conj, quat_rotate, quat_to_rotvec
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.moment import output_speed
from newtonlite.solvers.mujoco.kernels.actuate.rows import moment_row
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def plain_length(m: ModelFields, d: DataFields, world: int, o: int) -> float:
    """Length of an output on a joint or tendon: ``gear . q``; 0 for free joints."""
    gear = m.actuator_gear[world, o]
    u = m.out_actuator[o]
    target = m.actuator_trnid[u][0]
    if m.ntendon > 0 and m.actuator_trntype[u] == MjtTrn.TENDON:
        return d.ten_length[world, target] * gear[0]
    kind = m.jnt_type[target]
    adr = m.jnt_qposadr[target]
    if kind > MjtJoint.BALL:
        return d.qpos[world, adr] * gear[0]
    if m.nball > 0 and kind == MjtJoint.BALL:
        q = read_quat(m, d, world, adr)
        axis = wp.vec3(gear[0], gear[1], gear[2])
        if m.actuator_trntype[u] == MjtTrn.JOINTINPARENT:
            axis = quat_rotate(quat_conj(q), axis)
        return wp.dot(axis, quat_to_rotvec(q))
    return 0.0


@wp.func
def transmission(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``actuator_length`` and ``actuator_moment``; contacts must be known where adhesion acts."""
    for o in range(lane, m.nout, nlane):
        plain = bool(True)
        if m.nmomentrow > 0:
            plain = m.out_momentrow[o] < 0
        if plain:
            d.actuator_length[world, o] = plain_length(m, d, world, o)
    if m.nmomentrow > 0:
        for o in range(m.nout):
            if m.out_momentrow[o] >= 0:
                length = moment_row(m, d, world, o, lane, nlane)
                if lane == 0:
                    d.actuator_length[world, o] = length
    sync()


@wp.func
def actuator_velocity(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``actuator_velocity = moment . qvel``; 0 where actuation is switched off."""
    for o in range(lane, m.nout, nlane):
        u = m.out_actuator[o]
        if (m.opt_disableflags & MjtDisableBit.ACTUATION) != 0:
            d.actuator_velocity[world, o] = 0.0
        elif m.ntendon > 0 and m.actuator_trntype[u] == MjtTrn.TENDON:
            d.actuator_velocity[world, o] = d.ten_velocity[world, m.actuator_trnid[u][0]] * m.actuator_gear[world, o][0]
        else:
            d.actuator_velocity[world, o] = output_speed(m, d, world, o)
    sync()
