"""Activation dynamics: rates, and values after a step."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit, MjtDyn
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.control import keep_controls
from newtonlite.solvers.mujoco.kernels.actuate.motor import bristle_loss, motor_rates
from newtonlite.solvers.mujoco.kernels.actuate.muscle import muscle_rate
from newtonlite.solvers.mujoco.kernels.actuate.servo import nearest, period, servo_rates
from newtonlite.solvers.mujoco.kernels.primitives.rk_stage import is_complete
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def is_off(m: ModelFields, d: DataFields, world: int, u: int) -> bool:
    """Whether the actuator's group is switched off."""
    if m.opt_disableactuator == 0:
        return False
    group = m.actuator_group[u]
    return group >= 0 and group < 31 and (m.opt_disableactuator & (1 << group)) != 0


@wp.func
def settled(x: float) -> float:
    """``1 - exp(-x)``, without the loss of digits at small ``x``."""
    t = wp.tanh(0.5 * x)
    return 2.0 * t / (1.0 + t)


@wp.func
def activation_rates(m: ModelFields, d: DataFields, world: int, u: int, length: float, speed: float):
    """``act_dot`` of one actuator; of user dynamics, what the user has put into ``user_rate``."""
    kind = m.actuator_dyntype[u]
    first = m.actuator_actadr[u]
    count = m.actuator_actnum[u]
    if kind == MjtDyn.DCMOTOR:
        motor_rates(m, d, world, u, length, speed)
    elif kind == MjtDyn.PID:
        servo_rates(m, d, world, u, length)
    elif kind == MjtDyn.USER:
        for k in range(count):
            d.act_dot[world, first + k] = d.user_rate[world, first + k]
    else:
        for k in range(count):
            act = d.act[world, first + k]
            rate = float(0.0)
            if m.actuator_ctrlnum[u] > 0:
                ctrl = d.control[world, m.actuator_ctrladr[u] + wp.min(k, m.actuator_ctrlnum[u] - 1)]
                if kind == MjtDyn.INTEGRATOR:
                    rate = ctrl
                elif kind == MjtDyn.FILTER or kind == MjtDyn.FILTEREXACT:
                    target = nearest(ctrl, act, period(m, d, world, u))
                    rate = (target - act) / wp.max(MINVAL, m.actuator_dynprm[world, u][0])
                elif kind == MjtDyn.MUSCLE:
                    rate = muscle_rate(ctrl, act, m.actuator_dynprm[world, u])
            d.act_dot[world, first + k] = rate


@wp.func
def next_activation(m: ModelFields, d: DataFields, world: int, u: int, slot: int, rate: float) -> float:
    """An activation after a step: exactly where it decays at a fixed rate, else ``act + dt rate``; then within its
    bounds.
    """
    dt = m.opt_timestep[world]
    dyn = m.actuator_dynprm[world, u]
    kind = m.actuator_dyntype[u]
    act = d.act[world, slot]
    o = m.actuator_outadr[u]
    if kind == MjtDyn.FILTEREXACT or (kind == MjtDyn.DCMOTOR and slot == m.actuator_slot[u, 4]):
        slow = wp.max(MINVAL, dyn[0])
        act += rate * slow * settled(dt / slow)
    elif kind == MjtDyn.DCMOTOR and slot == m.actuator_slot[u, 3]:
        speed = d.actuator_velocity[world, o]
        x = bristle_loss(dyn, m.actuator_biasprm[world, u], speed) * dt
        done = settled(x)
        share = float(1.0)
        if x > 1.0e-12:
            share = done / x
        act += share * dt * speed - done * act
    else:
        act += dt * rate
    if kind == MjtDyn.DCMOTOR:
        if slot == m.actuator_slot[u, 1] and dyn[8] > 0.0:
            act = wp.clamp(act, -dyn[8], dyn[8])
    elif m.actuator_actlimited[u] != 0:
        act = wp.clamp(act, m.actuator_actrange[world, u][0], m.actuator_actrange[world, u][1])
    if kind != MjtDyn.PID:
        act = nearest(act, d.actuator_length[world, o], period(m, d, world, u))
    return act


@wp.func
def advance_activation(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Activations after the step from ``act_dot``, and the buffers of controls; a group that is off keeps its
    activations.
    """
    if m.na > 0 and is_complete(m, d, world) and (m.opt_disableflags & MjtDisableBit.ACTUATION) == 0:
        for u in range(lane, m.nactuator, nlane):
            if m.actuator_actnum[u] > 0:
                for k in range(m.actuator_actnum[u]):
                    slot = m.actuator_actadr[u] + k
                    rate = d.act_dot[world, slot]
                    if is_off(m, d, world, u):
                        rate = 0.0
                    d.act[world, slot] = next_activation(m, d, world, u, slot, rate)
        sync()
    if m.ndelay > 0 and is_complete(m, d, world):
        for u in range(lane, m.nactuator, nlane):
            keep_controls(m, d, world, u)
        sync()
