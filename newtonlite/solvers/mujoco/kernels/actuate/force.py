"""Actuator force: ``gain (activation or control) + bias``, and servos and motors beyond it."""

import warp as wp

from newtonlite.core.mujoco import MjtBias, MjtDyn, MjtGain, MjtTrn
from newtonlite.core.types import vec10
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.activation import activation_rates, is_off, next_activation
from newtonlite.solvers.mujoco.kernels.actuate.control import set_controls
from newtonlite.solvers.mujoco.kernels.actuate.motor import motor_friction, motor_resistance, motor_voltage
from newtonlite.solvers.mujoco.kernels.actuate.muscle import muscle_bias, muscle_gain
from newtonlite.solvers.mujoco.kernels.actuate.orientation import orientation_force
from newtonlite.solvers.mujoco.kernels.actuate.pid_plugin import pid_plugin_force, pid_plugin_rates
from newtonlite.solvers.mujoco.kernels.actuate.servo import nearest, period, servo_force
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_pair_asleep


@wp.func
def affine(prm: vec10, kind: int, length: float, speed: float) -> float:
    """``p0`` or ``p0 + p1 length + p2 velocity``."""
    value = prm[0]
    if kind == MjtGain.AFFINE:
        value += prm[1] * length + prm[2] * speed
    return value


@wp.func
def drive(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """Input of the gain: the last activation, now or after the step, or the control where there is none."""
    if m.actuator_actnum[u] > 0:
        slot = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
        if m.actuator_actearly[u] != 0:
            return next_activation(m, d, world, u, slot, d.act_dot[world, slot])
        return d.act[world, slot]
    if m.actuator_ctrlnum[u] > 0:
        return d.control[world, m.actuator_ctrladr[u]]
    return 0.0


@wp.func
def motor_force(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float) -> float:
    """Electrical force: K times the current, which is an activation, or what voltage and back-EMF leave."""
    gain = m.actuator_gainprm[world, u]
    if m.actuator_dynprm[world, u][0] > 0.0:
        return gain[1] * drive(m, d, world, u)
    return gain[1] / motor_resistance(m, d, world, u) * motor_voltage(m, d, world, u, length, speed)


@wp.func
def gain_force(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float) -> float:
    """The part of the force that control or activation cause."""
    kind = m.actuator_gaintype[u]
    prm = m.actuator_gainprm[world, u]
    o = m.actuator_outadr[u]
    if kind == MjtGain.PID:
        integral = float(0.0)
        slot = m.actuator_slot[u, 1]
        if slot >= 0:
            integral = d.act[world, slot]
            if m.actuator_actearly[u] != 0:
                integral = next_activation(m, d, world, u, slot, d.act_dot[world, slot])
        return servo_force(m, d, world, u, length, integral)
    if kind == MjtGain.DCMOTOR:
        return motor_force(m, d, world, u, length, speed)
    given = drive(m, d, world, u)
    if m.ncircle > 0:
        given = nearest(given, length, period(m, d, world, u))
    if kind == MjtGain.MUSCLE:
        return muscle_gain(prm, m.actuator_lengthrange[world, o], m.actuator_acc0[world, o], length, speed)[0] * given
    if kind == MjtGain.USER:
        return d.user_gain[world, u] * given
    return affine(prm, kind, length, speed) * given


@wp.func
def bias_force(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float) -> float:
    """The part of the force that is there without control: affine, passive muscle, or back-EMF."""
    kind = m.actuator_biastype[u]
    prm = m.actuator_biasprm[world, u]
    o = m.actuator_outadr[u]
    if kind == MjtBias.AFFINE:
        return affine(prm, MjtBias.AFFINE, length, speed)
    if kind == MjtBias.MUSCLE:
        return muscle_bias(prm, m.actuator_lengthrange[world, o], m.actuator_acc0[world, o], length)
    if kind == MjtBias.DCMOTOR and m.actuator_dynprm[world, u][0] <= 0.0:
        k = m.actuator_gainprm[world, u][1]
        return -k * k / motor_resistance(m, d, world, u) * speed
    if kind == MjtBias.USER:
        return d.user_bias[world, u]
    return 0.0


@wp.func
def pid_plugin(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float) -> float:
    """Rates and force of the plugin ``mujoco.pid``, whose setpoint is its control, or the activation of its dynamics: that
    of now for the rates, and for the force that of after the step where it acts early.
    """
    value = float(0.0)
    if m.actuator_ctrlnum[u] > 0:
        value = d.control[world, m.actuator_ctrladr[u]]
    now = value
    if m.actuator_dyntype[u] != MjtDyn.NONE:
        value = drive(m, d, world, u)
        now = d.act[world, m.actuator_actadr[u] + m.actuator_actnum[u] - 1]
    pid_plugin_rates(m, d, world, u, now, length)
    return pid_plugin_force(m, d, world, u, value, length, speed)


@wp.func
def law_force(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float):
    """Rates of the activations, then the force before limits, of an actuator with a law of its own."""
    if m.actuator_actnum[u] > 0:
        activation_rates(m, d, world, u, length, speed)
    if m.npid > 0 and m.actuator_pluginid[u] >= 0:
        d.actuator_force[world, m.actuator_outadr[u]] = pid_plugin(m, d, world, u, length, speed)
    elif m.actuator_gaintype[u] == MjtGain.SO3:
        orientation_force(m, d, world, u)
    else:
        force = gain_force(m, d, world, u, length, speed) + bias_force(m, d, world, u, length, speed)
        d.actuator_force[world, m.actuator_outadr[u]] = force


@wp.func
def plain_force(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float) -> float:
    """``gain ctrl + bias`` with gain and bias fixed or affine."""
    given = d.control[world, m.actuator_ctrladr[u]]
    if m.ncircle > 0:
        given = nearest(given, length, period(m, d, world, u))
    force = affine(m.actuator_gainprm[world, u], m.actuator_gaintype[u], length, speed) * given
    if m.actuator_biastype[u] == MjtBias.AFFINE:
        force += affine(m.actuator_biasprm[world, u], MjtBias.AFFINE, length, speed)
    return force


@wp.func
def raw_force(m: ModelFields, d: DataFields, world: int, u: int):
    """Force of one actuator before the limits of tendons and its own; none from a group that is off, or while it acts
    on what sleeps.
    """
    set_controls(m, d, world, u)
    o = m.actuator_outadr[u]
    length = d.actuator_length[world, o]
    speed = d.actuator_velocity[world, o]
    idle = is_off(m, d, world, u)
    asleep = bool(False)
    if m.nsleep > 0:
        asleep = is_pair_asleep(d, world, m.actuator_tree[u])
        idle = idle or asleep
    if m.nlaw > 0 and m.actuator_law[u] != 0 and not asleep:
        law_force(m, d, world, u, length, speed)
    elif not asleep:
        d.actuator_force[world, o] = plain_force(m, d, world, u, length, speed)
    if idle:
        for k in range(o, o + m.actuator_outnum[u]):
            d.actuator_force[world, k] = 0.0


@wp.func
def limited_force(m: ModelFields, d: DataFields, world: int, u: int):
    """Share of a tendon's limit, then the actuator's own; a motor's friction comes on top."""
    o = m.actuator_outadr[u]
    if m.ntendonclamp > 0 and m.actuator_trntype[u] == MjtTrn.TENDON:
        t = m.actuator_trnid[u][0]
        total = d.ten_actuatorforce[world, t]
        if m.tendon_actfrclimited[t] != 0 and total != 0.0:
            bound = wp.clamp(total, m.tendon_actfrcrange[world, t][0], m.tendon_actfrcrange[world, t][1])
            d.actuator_force[world, o] = d.actuator_force[world, o] * (bound / total)
    own = m.actuator_forcelimited[u] != 0
    if m.nlaw > 0:
        own = own and m.actuator_gaintype[u] != MjtGain.SO3
    if own:
        bounds = m.actuator_forcerange[world, u]
        d.actuator_force[world, o] = wp.clamp(d.actuator_force[world, o], bounds[0], bounds[1])
    if m.nlaw > 0 and m.actuator_biastype[u] == MjtBias.DCMOTOR and not is_off(m, d, world, u):
        d.actuator_force[world, o] = d.actuator_force[world, o] + motor_friction(
            m, d, world, u, d.actuator_length[world, o]
        )
