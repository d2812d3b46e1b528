"""Actuators: transmission length and speed, scalar force, and its share on every dof."""

from typing import Any

import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate, quat_to_rotvec
from newtonlite.solvers.mujoco.enums import (
    AFFINE,
    BALL,
    DISABLE_ACTUATION,
    DISABLE_CLAMPCTRL,
    DISABLE_GRAVITY,
    FREE,
    TRN_INPARENT,
    TRN_TENDON,
)
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.passive import gravity_compensation

LIMIT = wp.constant(1.0e10)


@wp.func
def moment(m: Any, d: Any, world: int, u: int, i: int) -> float:
    """Moment arm of actuator ``u`` on dof ``i``: force on the dof per unit of actuator force."""
    gear = m.actuator_gear[world, u]
    if m.ntendon > 0 and m.actuator_trntype[u] == TRN_TENDON:
        t = m.actuator_trnid[u][0]
        arm = float(0.0)
        for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            if m.wrap_dofadr[k] == i:
                arm += m.wrap_prm[world, k]
        return arm * gear[0]
    j = m.actuator_trnid[u][0]
    kind = m.jnt_type[j]
    if kind > BALL:
        return gear[0]
    k = i - m.jnt_dofadr[j]
    adr = m.jnt_qposadr[j]
    if kind == FREE:
        if k < 3:
            return gear[k]
        k -= 3
        adr += 3
        gear = wp.spatial_vector(gear[3], gear[4], gear[5], 0.0, 0.0, 0.0)
    axis = wp.vec3(gear[0], gear[1], gear[2])
    if m.actuator_trntype[u] == TRN_INPARENT:
        axis = quat_rotate(quat_conj(read_quat(m, d, world, adr)), axis)
    return axis[k]


@wp.func
def transmission_length(m: Any, d: Any, world: int, u: int) -> float:
    """Length of the transmission: ``gear . q``; 0 for free joints."""
    gear = m.actuator_gear[world, u]
    target = m.actuator_trnid[u][0]
    if m.ntendon > 0 and m.actuator_trntype[u] == TRN_TENDON:
        return d.ten_length[world, target] * gear[0]
    kind = m.jnt_type[target]
    adr = m.jnt_qposadr[target]
    if kind > BALL:
        return d.qpos[world, adr] * gear[0]
    if m.nball > 0 and kind == BALL:
        q = read_quat(m, d, world, adr)
        axis = wp.vec3(gear[0], gear[1], gear[2])
        if m.actuator_trntype[u] == TRN_INPARENT:
            axis = quat_rotate(quat_conj(q), axis)
        return wp.dot(axis, quat_to_rotvec(q))
    return 0.0


@wp.func
def transmission_speed(m: Any, d: Any, world: int, u: int) -> float:
    """Rate of the transmission length: moment times qvel over the dofs it moves."""
    target = m.actuator_trnid[u][0]
    if m.ntendon > 0 and m.actuator_trntype[u] == TRN_TENDON:
        return d.ten_velocity[world, target] * m.actuator_gear[world, u][0]
    first = m.jnt_dofadr[target]
    kind = m.jnt_type[target]
    if kind > BALL:
        return m.actuator_gear[world, u][0] * d.qvel[world, first]
    count = int(3)
    if kind == FREE:
        count = 6
    speed = float(0.0)
    for i in range(first, first + count):
        speed += moment(m, d, world, u, i) * d.qvel[world, i]
    return speed


@wp.func
def affine(kind: int, prm: wp.vec3, length: float, speed: float) -> float:
    """``p0`` or ``p0 + p1 length + p2 velocity``."""
    value = prm[0]
    if kind == AFFINE:
        value += prm[1] * length + prm[2] * speed
    return value


@wp.func
def actuator_scalar(m: Any, d: Any, world: int, u: int):
    """``force = gain ctrl + bias``, control and force clamped to their ranges."""
    length = transmission_length(m, d, world, u)
    speed = transmission_speed(m, d, world, u)
    ctrl = d.ctrl[world, m.actuator_ctrladr[u]]
    if not (wp.abs(ctrl) <= LIMIT):
        ctrl = 0.0
    if m.actuator_ctrllimited[u] != 0 and (m.opt_disableflags & DISABLE_CLAMPCTRL) == 0:
        ctrl = wp.clamp(ctrl, m.actuator_ctrlrange[world, u][0], m.actuator_ctrlrange[world, u][1])
    force = affine(m.actuator_gaintype[u], m.actuator_gainprm[world, u], length, speed) * ctrl
    if m.actuator_biastype[u] == AFFINE:
        force += affine(AFFINE, m.actuator_biasprm[world, u], length, speed)
    if m.actuator_forcelimited[u] != 0:
        force = wp.clamp(force, m.actuator_forcerange[world, u][0], m.actuator_forcerange[world, u][1])
    d.actuator_length[world, u] = length
    d.actuator_velocity[world, u] = speed
    d.actuator_force[world, u] = force


@wp.func
def actuation(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``qfrc_actuator = moment' force``, then the clamp on each joint's sum."""
    off = (m.opt_disableflags & DISABLE_ACTUATION) != 0
    for u in range(lane, m.nactuator, nlane):
        actuator_scalar(m, d, world, u)
    sync()
    for i in range(lane, m.nv, nlane):
        total = float(0.0)
        j = m.dof_jntid[i]
        if not off:
            for k in range(m.moment_adr[i], m.moment_adr[i + 1]):
                u = m.moment_act[k]
                total += moment(m, d, world, u, i) * d.actuator_force[world, u]
            if m.ngravcomp > 0 and m.jnt_actgravcomp[j] != 0 and (m.opt_disableflags & DISABLE_GRAVITY) == 0:
                total += gravity_compensation(m, d, world, i)
            if m.jnt_actfrclimited[j] != 0:
                total = wp.clamp(total, m.jnt_actfrcrange[world, j][0], m.jnt_actfrcrange[world, j][1])
        d.qfrc_actuator[world, i] = total
    sync()
