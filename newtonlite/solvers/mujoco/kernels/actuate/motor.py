"""Direct-current motors: winding, controller, heat, cogging and bristle friction.

``gainprm``: resistance R, constant K, temperature coefficient, reference temperature, kp, ki, kd, greatest drive
voltage. ``dynprm``: time constant of the current, its greatest rate, thermal resistance, capacity, ambient temperature,
bristle stiffness and damping, greatest rate of the setpoint, bound of the integral.  ``biasprm``: cogging amplitude,
poles, phase; Coulomb and static friction, Stribeck speed.  MuJoCo documentation, XML reference: dcmotor.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtCtrlInput
from newtonlite.core.types import vec10
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.servo import first_input, held_within, inputs, slewed

CONTROLLED = int(MjtCtrlInput.POS | MjtCtrlInput.VEL | MjtCtrlInput.FF)


@wp.func
def motor_resistance(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """Resistance at the winding's temperature."""
    gain = m.actuator_gainprm[world, u]
    ohm = gain[0]
    slot = m.actuator_slot[u, 2]
    if slot >= 0:
        ohm *= 1.0 + gain[2] * (d.act[world, slot] + m.actuator_dynprm[world, u][4] - gain[3])
    return wp.max(MINVAL, ohm)


@wp.func
def motor_inputs(m: ModelFields, d: DataFields, world: int, u: int) -> wp.vec4:
    """Controls by meaning, the first of them limited in its rate."""
    given = inputs(m, d, world, u)
    if m.actuator_ctrlnum[u] > 0:
        k = first_input(m, d, world, u)
        given[k] = slewed(m, d, world, u, given[k], m.actuator_dynprm[world, u][7])
    return given


@wp.func
def motor_drive(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float) -> float:
    """Voltage that the controller asks for, before it is clamped: its torque over K in amperes, and the back-EMF."""
    gain = m.actuator_gainprm[world, u]
    given = motor_inputs(m, d, world, u)
    integral = float(0.0)
    if m.actuator_slot[u, 1] >= 0:
        integral = d.act[world, m.actuator_slot[u, 1]]
    torque = gain[4] * (given[0] - length) + gain[6] * (given[1] - speed) + gain[5] * integral + given[2]
    return gain[0] / gain[1] * torque + gain[1] * speed


@wp.func
def motor_voltage(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float) -> float:
    """Voltage at the terminals: the controller's, within its bound, and the one given."""
    given = motor_inputs(m, d, world, u)
    volt = given[3]
    if (m.actuator_ctrlspec[u] & CONTROLLED) != 0:
        drive = motor_drive(m, d, world, u, length, speed)
        bound = m.actuator_gainprm[world, u][7]
        if bound > 0.0:
            drive = wp.clamp(drive, -bound, bound)
        volt += drive
    return volt


@wp.func
def motor_current_rate(m: ModelFields, d: DataFields, world: int, u: int, volt: float, speed: float) -> float:
    """Rate of the current through the winding's inductance."""
    dyn = m.actuator_dynprm[world, u]
    target = (volt - m.actuator_gainprm[world, u][1] * speed) / motor_resistance(m, d, world, u)
    rate = (target - d.act[world, m.actuator_slot[u, 4]]) / wp.max(MINVAL, dyn[0])
    if dyn[1] > 0.0:
        rate = wp.clamp(rate, -dyn[1], dyn[1])
    return rate


@wp.func
def motor_rates(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float):
    """Rates of setpoint, integral, temperature, bristle and current."""
    dyn = m.actuator_dynprm[world, u]
    given = motor_inputs(m, d, world, u)
    volt = motor_voltage(m, d, world, u, length, speed)
    ohm = motor_resistance(m, d, world, u)
    slot = m.actuator_slot[u, 0]
    if slot >= 0 and m.actuator_ctrlnum[u] > 0:
        d.act_dot[world, slot] = (given[first_input(m, d, world, u)] - d.act[world, slot]) / m.opt_timestep[world]
    slot = m.actuator_slot[u, 1]
    if slot >= 0:
        d.act_dot[world, slot] = held_within(given[0] - length, d.act[world, slot], dyn[8])
    slot = m.actuator_slot[u, 2]
    if slot >= 0:
        current = (volt - m.actuator_gainprm[world, u][1] * speed) / ohm
        if m.actuator_slot[u, 4] >= 0:
            current = d.act[world, m.actuator_slot[u, 4]]
        d.act_dot[world, slot] = (ohm * current * current - d.act[world, slot] / dyn[2]) / dyn[3]
    slot = m.actuator_slot[u, 3]
    if slot >= 0:
        d.act_dot[world, slot] = speed - bristle_loss(dyn, m.actuator_biasprm[world, u], speed) * d.act[world, slot]
    slot = m.actuator_slot[u, 4]
    if slot >= 0:
        d.act_dot[world, slot] = motor_current_rate(m, d, world, u, volt, speed)


@wp.func
def bristle_loss(dyn: vec10, bias: vec10, speed: float) -> float:
    """Rate [1/s] at which sliding straightens the bristles: ``sigma0 |v| / g(v)``. Canudas de Wit et al. 1995."""
    ratio = speed / wp.max(MINVAL, bias[5])
    stribeck = bias[3] + (bias[4] - bias[3]) * wp.exp(-ratio * ratio)
    return dyn[5] * wp.abs(speed) / wp.max(MINVAL, stribeck)


@wp.func
def motor_friction(m: ModelFields, d: DataFields, world: int, u: int, length: float) -> float:
    """Cogging and bristle forces, which no limit of the force touches."""
    bias = m.actuator_biasprm[world, u]
    dyn = m.actuator_dynprm[world, u]
    force = bias[0] * wp.sin(bias[1] * length + bias[2])
    slot = m.actuator_slot[u, 3]
    if slot >= 0:
        force -= dyn[5] * d.act[world, slot] + dyn[6] * d.act_dot[world, slot]
    return force
