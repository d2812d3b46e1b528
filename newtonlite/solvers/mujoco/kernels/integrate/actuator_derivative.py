"""Velocity derivatives of actuator forces, for implicit integrators."""

import warp as wp

from newtonlite.core.mujoco import MjtBias, MjtGain, MjtTrn
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.activation import is_off, settled
from newtonlite.solvers.mujoco.kernels.actuate.force import drive, motor_force
from newtonlite.solvers.mujoco.kernels.actuate.moment import moment
from newtonlite.solvers.mujoco.kernels.actuate.motor import CONTROLLED, motor_drive, motor_friction, motor_resistance
from newtonlite.solvers.mujoco.kernels.actuate.muscle import muscle_gain
from newtonlite.solvers.mujoco.kernels.actuate.rows import is_ancestor


@wp.func
def at_bound(force: float, bounds: wp.vec2, share: float) -> bool:
    """Whether a force is at or beyond one of its bounds, up to ``share`` of the bound."""
    return force <= bounds[0] + share * wp.abs(bounds[0]) or force >= bounds[1] - share * wp.abs(bounds[1])


@wp.func
def clamped_by_joint(m: ModelFields, d: DataFields, world: int, u: int) -> bool:
    """Whether the limit of the joint's summed actuator force holds."""
    if m.actuator_trntype[u] <= MjtTrn.JOINTINPARENT:
        j = m.actuator_trnid[u][0]
        if m.jnt_actfrclimited[j] != 0:
            return at_bound(d.qfrc_actuator[world, m.jnt_dofadr[j]], m.jnt_actfrcrange[world, j], 0.0)
    return False


@wp.func
def clamped_by_tendon(m: ModelFields, d: DataFields, world: int, u: int) -> bool:
    """Whether the limit of the tendon's summed actuator force holds."""
    if m.ntendonclamp > 0 and m.actuator_trntype[u] == MjtTrn.TENDON:
        t = m.actuator_trnid[u][0]
        if m.tendon_actfrclimited[t] != 0:
            # the sum of all actuators on the tendon; friction of a motor is not part of what is clamped
            total = float(0.0)
            for k in range(m.nactuator):
                if m.actuator_trntype[k] == MjtTrn.TENDON and m.actuator_trnid[k][0] == t:
                    force = d.actuator_force[world, m.actuator_outadr[k]]
                    if m.nlaw > 0 and m.actuator_biastype[k] == MjtBias.DCMOTOR:
                        force -= motor_friction(m, d, world, k, d.actuator_length[world, m.actuator_outadr[k]])
                    total += force
            # the forces are clamped already: within rounding of the bound they count as held
            return at_bound(total, m.tendon_actfrcrange[world, t], 1.0e-5)
    return False


@wp.func
def motor_derivative(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """Motor: controller and back-EMF through the winding, nothing of them where force, voltage or current's rate is at
    its bound.
    """
    # bristle friction damps in any case
    o = m.actuator_outadr[u]
    gain = m.actuator_gainprm[world, u]
    dyn = m.actuator_dynprm[world, u]
    length = d.actuator_length[world, o]
    speed = d.actuator_velocity[world, o]
    ohm = motor_resistance(m, d, world, u)
    value = -dyn[6]

    # the rest is torque K i through the winding: nothing of it where a bound holds the torque
    held = clamped_by_tendon(m, d, world, u)
    if m.actuator_forcelimited[u] != 0:
        held = held or at_bound(motor_force(m, d, world, u, length, speed), m.actuator_forcerange[world, u], 0.0)
    if not held:
        # d voltage / d velocity: the controller's damping as a voltage, and the back-EMF it compensates, unless the
        # voltage is at its bound
        by_drive = float(0.0)
        if (m.actuator_ctrlspec[u] & CONTROLLED) != 0:
            asked = wp.abs(motor_drive(m, d, world, u, length, speed))
            if gain[7] <= 0.0 or asked < gain[7]:
                by_drive = gain[1] - gain[6] * gain[0] / gain[1]
        # without inductance i = (voltage - K velocity) / R at once
        if dyn[0] <= 0.0:
            value += gain[1] * (by_drive - gain[1]) / ohm
        elif m.actuator_actearly[u] != 0:
            # with it the current follows by the share that the step lets it settle
            rate = wp.abs(d.act_dot[world, m.actuator_slot[u, 4]])
            if dyn[1] <= 0.0 or rate < dyn[1]:
                value += gain[1] * (by_drive - gain[1]) * settled(m.opt_timestep[world] / dyn[0]) / ohm
    return value


@wp.func
def actuator_derivative(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """``d force / d velocity`` of an actuator; 0 where its own limit, its tendon's or its joint's holds the force."""
    # force is constant in the velocity where something clamps it
    if is_off(m, d, world, u) or clamped_by_joint(m, d, world, u):
        return 0.0

    # gain(velocity) times activation, plus bias(velocity)
    o = m.actuator_outadr[u]
    gain = m.actuator_gaintype[u]
    if m.nlaw > 0 and gain == MjtGain.DCMOTOR:
        return motor_derivative(m, d, world, u)
    if clamped_by_tendon(m, d, world, u):
        return 0.0
    value = float(0.0)
    if gain == MjtGain.AFFINE:
        value = m.actuator_gainprm[world, u][2] * drive(m, d, world, u)

    # slope of the force-velocity curve
    if m.nlaw > 0 and gain == MjtGain.MUSCLE:
        span = m.actuator_lengthrange[world, o]
        curve = muscle_gain(
            m.actuator_gainprm[world, u],
            span,
            m.actuator_acc0[world, o],
            d.actuator_length[world, o],
            d.actuator_velocity[world, o],
        )
        value = curve[1] * drive(m, d, world, u)

    # kv of an affine bias
    if m.actuator_biastype[u] == MjtBias.AFFINE or m.actuator_biastype[u] == MjtBias.SO3:
        value += m.actuator_biasprm[world, u][2]

    # the actuator's own limit; of an SO(3) servo that of the torque's length
    if m.actuator_forcelimited[u] != 0:
        bounds = m.actuator_forcerange[world, u]
        force = d.actuator_force[world, o]
        if m.nlaw > 0 and gain == MjtGain.SO3:
            force = wp.length(wp.vec3(force, d.actuator_force[world, o + 1], d.actuator_force[world, o + 2]))
            bounds = wp.vec2(-1.0, bounds[1] * (1.0 - 1.0e-6))
        if at_bound(force, bounds, 0.0):
            value = 0.0
    return value


@wp.func
def add_pair(m: ModelFields, d: DataFields, world: int, i: int, j: int, value: float):
    """Add to the lower triangle of H where M has an entry too."""
    if j <= i and is_ancestor(m, i, j):
        d.H[world, i, j] = d.H[world, i, j] + value


@wp.func
def add_actuator_damping(m: ModelFields, d: DataFields, world: int, u: int, scale: float):
    """``H -= scale moment' slope moment``, over the outputs of actuator ``u``."""
    # H is M - dt df/dv, and f = moment' force(velocity of the actuator = moment qvel)
    value = -scale * actuator_derivative(m, d, world, u)
    if value != 0.0:
        # products of moments over pairs of dofs, each pair once
        for o in range(m.actuator_outadr[u], m.actuator_outadr[u] + m.actuator_outnum[u]):
            for a in range(m.push_adr[o], m.push_adr[o + 1]):
                arm = value * moment(m, d, world, o, m.push_dof[a])
                if arm != 0.0:
                    for b in range(m.push_adr[o], a + 1):
                        add_pair(m, d, world, m.push_dof[a], m.push_dof[b], arm * moment(m, d, world, o, m.push_dof[b]))
