"""Position derivatives of actuator forces, for the integrator discrete."""

from typing import Any

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtBias, MjtGain
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.activation import is_off, settled
from newtonlite.solvers.mujoco.kernels.actuate.force import drive, motor_force
from newtonlite.solvers.mujoco.kernels.actuate.motor import CONTROLLED, motor_drive, motor_resistance
from newtonlite.solvers.mujoco.kernels.actuate.muscle import force_at_speed, optimal_length, peak_force, scaled_length
from newtonlite.solvers.mujoco.kernels.integrate.actuator_derivative import (
    at_bound,
    clamped_by_joint,
    clamped_by_tendon,
)


@wp.func
def force_slope_at_length(prm: Any, x: float) -> float:
    """Slope of ``muscle.force_at_length``."""
    # the parabolas of force_at_length, from the edge of the range and from its middle
    low = prm[4]
    high = prm[5]
    if x < low or x > high:
        return 0.0
    edge = low
    if x > 1.0:
        edge = high
    middle = 0.5 * (edge + 1.0)
    half = wp.max(MINVAL, wp.abs(1.0 - middle))
    if wp.abs(x - edge) <= wp.abs(x - 1.0):
        return (x - edge) / (half * half)
    return -(x - 1.0) / (half * half)


@wp.func
def muscle_gain_slope(prm: Any, span: wp.vec2, acc0: float, length: float, speed: float) -> float:
    """Derivative of the active force per activation by the length."""
    # d/dlength of force over length, at the force over velocity that holds
    whole = wp.max(MINVAL, optimal_length(prm, span))
    fast = wp.max(MINVAL, whole * prm[6])
    slope = force_slope_at_length(prm, scaled_length(prm, span, length)) / whole
    return -peak_force(prm, acc0) * slope * force_at_speed(prm, speed / fast)[0]


@wp.func
def muscle_bias_slope(prm: Any, span: wp.vec2, acc0: float, length: float) -> float:
    """Derivative of the passive force by the length."""
    # a parabola, then a line: the slope rises to 1 and stays
    half = wp.max(MINVAL, 0.5 * (prm[5] - 1.0))
    x = (scaled_length(prm, span, length) - 1.0) / half
    return -peak_force(prm, acc0) * prm[7] * wp.clamp(x, 0.0, 1.0) / (half * wp.max(MINVAL, optimal_length(prm, span)))


@wp.func
def motor_slope(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """Motor: its controller's gain through the winding, unless a bound holds; and cogging, which none does."""
    # cogging is not limited
    o = m.actuator_outadr[u]
    length = d.actuator_length[world, o]
    speed = d.actuator_velocity[world, o]
    gain = m.actuator_gainprm[world, u]
    bias = m.actuator_biasprm[world, u]
    dyn = m.actuator_dynprm[world, u]
    value = bias[0] * bias[1] * wp.cos(bias[1] * length + bias[2])

    # the controller asks for kp (target - length) as a voltage
    held = clamped_by_tendon(m, d, world, u)
    if m.actuator_forcelimited[u] != 0:
        held = held or at_bound(motor_force(m, d, world, u, length, speed), m.actuator_forcerange[world, u], 0.0)
    if not held and (m.actuator_ctrlspec[u] & CONTROLLED) != 0:
        asked = wp.abs(motor_drive(m, d, world, u, length, speed))
        if gain[7] <= 0.0 or asked < gain[7]:
            # torque kp error / R K as a voltage, times K / R at the present temperature
            by_drive = -gain[4] * gain[0] / motor_resistance(m, d, world, u)
            if dyn[0] <= 0.0:
                value += by_drive
            elif m.actuator_actearly[u] != 0:
                # with inductance the current follows by the share that the step lets it settle
                rate = wp.abs(d.act_dot[world, m.actuator_slot[u, 4]])
                if dyn[1] <= 0.0 or rate < dyn[1]:
                    value += by_drive * settled(m.opt_timestep[world] / dyn[0])
    return value


@wp.func
def actuator_slope(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """``d force / d length`` of an actuator; 0 where its own limit, its tendon's or its joint's holds the force."""
    # force is constant in the length where something clamps it
    if is_off(m, d, world, u) or clamped_by_joint(m, d, world, u):
        return 0.0
    o = m.actuator_outadr[u]
    gain = m.actuator_gaintype[u]
    if m.nlaw > 0 and gain == MjtGain.DCMOTOR:
        return motor_slope(m, d, world, u)
    if clamped_by_tendon(m, d, world, u):
        return 0.0

    # gain(length) times activation, plus bias(length)
    value = float(0.0)
    span = m.actuator_lengthrange[world, o]
    acc0 = m.actuator_acc0[world, o]
    length = d.actuator_length[world, o]
    # affine gain, by the length
    if gain == MjtGain.AFFINE:
        value = m.actuator_gainprm[world, u][1] * drive(m, d, world, u)
    # active force of a muscle
    if m.nlaw > 0 and gain == MjtGain.MUSCLE:
        speed = d.actuator_velocity[world, o]
        value = muscle_gain_slope(m.actuator_gainprm[world, u], span, acc0, length, speed) * drive(m, d, world, u)
    # kp of a position servo is in its bias
    if m.actuator_biastype[u] == MjtBias.AFFINE:
        value += m.actuator_biasprm[world, u][1]
    if m.nlaw > 0 and m.actuator_biastype[u] == MjtBias.MUSCLE:
        value += muscle_bias_slope(m.actuator_biasprm[world, u], span, acc0, length)

    # the actuator's own limit
    if m.actuator_forcelimited[u] != 0:
        if at_bound(d.actuator_force[world, o], m.actuator_forcerange[world, u], 0.0):
            value = 0.0
    return value
