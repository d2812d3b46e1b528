"""Servos with setpoints for position and velocity and a feed-forward force; setpoints on a circle."""

import warp as wp

from newtonlite.core.mujoco import MjtCtrlInput
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def period(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """Length of a full turn about the gear's axis, for servos that turn something; 0 for others."""
    turn = float(0.0)
    if m.actuator_circle[u] != 0:
        gear = m.actuator_gear[world, m.actuator_outadr[u]]
        axis = wp.spatial_top(gear)
        if m.actuator_circle[u] == 2:
            axis = wp.spatial_bottom(gear)
        turn = 2.0 * wp.PI * wp.length(axis)
    return turn


@wp.func
def nearest(value: float, centre: float, turn: float) -> float:
    """``value`` moved by whole turns to where it is nearest to ``centre``."""
    if turn > 0.0:
        return value - turn * wp.round((value - centre) / turn)
    return value


@wp.func
def inputs(m: ModelFields, d: DataFields, world: int, u: int) -> wp.vec4:
    """Controls by meaning (position, velocity, feed-forward, voltage); those that the actuator does not have are zero."""
    spec = m.actuator_ctrlspec[u]
    c = m.actuator_ctrladr[u]
    found = wp.vec4(0.0, 0.0, 0.0, 0.0)
    for k in range(4):
        if (spec & (1 << k)) != 0:
            found[k] = d.control[world, c]
            c += 1
    return found


@wp.func
def first_input(m: ModelFields, d: DataFields, world: int, u: int) -> int:
    """Meaning, one of four, of the actuator's first control."""
    spec = m.actuator_ctrlspec[u]
    if (spec & MjtCtrlInput.POS) != 0:
        return 0
    if (spec & MjtCtrlInput.VEL) != 0:
        return 1
    if (spec & MjtCtrlInput.FF) != 0:
        return 2
    return 3


@wp.func
def slewed(m: ModelFields, d: DataFields, world: int, u: int, value: float, rate: float) -> float:
    """The setpoint, no further from the one in effect than ``rate`` allows in a step."""
    if m.actuator_slot[u, 0] >= 0:
        last = d.act[world, m.actuator_slot[u, 0]]
        remaining = rate * m.opt_timestep[world]
        return wp.clamp(value, last - remaining, last + remaining)
    return value


@wp.func
def held_within(rate: float, value: float, bound: float) -> float:
    """Rate of an integral that stops at ``bound`` (0: none) and only turns back from it."""
    if bound > 0.0:
        if value >= bound:
            return wp.min(rate, 0.0)
        if value <= -bound:
            return wp.max(rate, 0.0)
    return rate


@wp.func
def servo_rates(m: ModelFields, d: DataFields, world: int, u: int, length: float):
    """Rates of a PID servo's setpoint and integral."""
    dyn = m.actuator_dynprm[world, u]
    turn = period(m, d, world, u)
    target = servo_target(m, d, world, u)
    slot = m.actuator_slot[u, 0]
    if slot >= 0:
        d.act_dot[world, slot] = (target - d.act[world, slot]) / m.opt_timestep[world]
    slot = m.actuator_slot[u, 1]
    if slot >= 0:
        error = nearest(target, length, turn) - length
        d.act_dot[world, slot] = held_within(error, d.act[world, slot], dyn[0])


@wp.func
def servo_target(m: ModelFields, d: DataFields, world: int, u: int) -> float:
    """Position setpoint in effect."""
    return slewed(m, d, world, u, inputs(m, d, world, u)[0], m.actuator_dynprm[world, u][1])


@wp.func
def servo_force(m: ModelFields, d: DataFields, world: int, u: int, length: float, integral: float) -> float:
    """``kp setpoint + kv velocity setpoint + ki integral + feed-forward``; the rest of the PID law is an affine bias."""
    bias = m.actuator_biasprm[world, u]
    given = inputs(m, d, world, u)
    target = nearest(servo_target(m, d, world, u), length, period(m, d, world, u))
    return -bias[1] * target - bias[2] * given[1] + m.actuator_gainprm[world, u][0] * integral + given[2]
