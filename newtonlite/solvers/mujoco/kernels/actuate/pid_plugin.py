"""PID law of the plugin ``mujoco.pid``: ``kp e + ki integral(e) + kd de/dt`` with ``e = setpoint - length``.

Not to be confused with the servo ``actuator/pid`` of MJCF (``servo``), whose setpoints are positions and velocities, and
which has activations of its own. The activations here are the integral, then the last setpoint where its rate is
bounded, then that of the dynamics, where there are any, whose value is the setpoint.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDyn
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def pid_setpoint(m: ModelFields, d: DataFields, world: int, u: int, value: float) -> float:
    """The setpoint, no further from the last one than the greatest rate allows; at time 0 there is no last one."""
    slot = m.actuator_slot[u, 0]
    found = value
    if slot >= 0 and d.time[world] > 0.0:
        step = m.actuator_pid[world, u, 4] * m.opt_timestep[world]
        last = d.act[world, slot]
        found = wp.clamp(value, last - step, last + step)
    return found


@wp.func
def pid_integral(m: ModelFields, d: DataFields, world: int, u: int, error: float) -> float:
    """The integral of the error after the step, within its bound."""
    value = d.act[world, m.actuator_slot[u, 1]] + error * m.opt_timestep[world]
    bound = m.actuator_pid[world, u, 3]
    if bound >= 0.0:
        value = wp.clamp(value, -bound, bound)
    return value


@wp.func
def pid_plugin_rates(m: ModelFields, d: DataFields, world: int, u: int, value: float, length: float):
    """Rates of the plugin's own activations for a setpoint ``value``, which make them the integral and the setpoint of
    this step.
    """
    setpoint = pid_setpoint(m, d, world, u, value)
    slot = m.actuator_slot[u, 1]
    if slot >= 0:
        integral = pid_integral(m, d, world, u, setpoint - length)
        d.act_dot[world, slot] = (integral - d.act[world, slot]) / m.opt_timestep[world]
    slot = m.actuator_slot[u, 0]
    if slot >= 0:
        d.act_dot[world, slot] = (setpoint - d.act[world, slot]) / m.opt_timestep[world]


@wp.func
def pid_plugin_force(
    m: ModelFields, d: DataFields, world: int, u: int, value: float, length: float, speed: float
) -> float:
    """Force of the plugin for a setpoint ``value``."""
    error = pid_setpoint(m, d, world, u, value) - length

    # the setpoint moves only where dynamics make it
    setpoint_rate = float(0.0)
    if m.actuator_dyntype[u] != MjtDyn.NONE:
        setpoint_rate = d.act_dot[world, m.actuator_actadr[u] + m.actuator_actnum[u] - 1]
    force = m.actuator_pid[world, u, 0] * error + m.actuator_pid[world, u, 2] * (setpoint_rate - speed)
    if m.actuator_slot[u, 1] >= 0:
        force += m.actuator_pid[world, u, 1] * pid_integral(m, d, world, u, error)
    return force
