"""Runge-Kutta method of fourth order: four forward passes, each at a state that the rates so far lead to.

MuJoCo documentation, Computation: Numerical integration.  The classical method of weights 1/6, 1/3, 1/3, 1/6;
orientations in rotation vectors from the start of the step (Munthe-Kaas, High order Runge-Kutta methods on manifolds,
1999).  A pass is a whole forward program: this stage ends each by making the state of the next one, and ``rk_pass``
counts them.
"""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator, MjtJoint
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.check import BAD_QACC
from newtonlite.solvers.mujoco.kernels.integrate.euler import move_joint
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_dof_asleep
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

LAST = wp.constant(3)


@wp.func
def reach(k: int) -> float:
    """Time of the pass after pass ``k``, as a share of the step."""
    return wp.where(k < 2, 0.5, 1.0)


@wp.func
def weight(k: int) -> float:
    """Share of pass ``k`` in the rates of the step."""
    return wp.where(k == 0 or k == LAST, 1.0 / 6.0, 1.0 / 3.0)


@wp.func
def remember(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The state from which the step starts; rates zero."""
    # the state, and sums of weighted rates that begin at 0
    for i in range(lane, m.nq, nlane):
        d.rk_qpos[world, i] = d.qpos[world, i]
    for i in range(lane, m.nv, nlane):
        d.rk_qvel[world, i] = d.qvel[world, i]
        d.rk_speed[world, i] = 0.0
        d.rk_qacc[world, i] = 0.0
    for i in range(lane, m.na, nlane):
        d.rk_act[world, i] = d.act[world, i]
        d.rk_rate[world, i] = 0.0

    # lengths at the start of the step, which the later passes overwrite
    for o in range(lane, m.nrkout, nlane):
        d.rk_length[world, o] = d.actuator_length[world, o]
        d.rk_velocity[world, o] = d.actuator_velocity[world, o]
    for t in range(lane, m.nrkten, nlane):
        d.rk_ten_length[world, t] = d.ten_length[world, t]
        for i in range(m.nv):
            d.rk_ten_J[world, t, i] = d.ten_J[world, t, i]
    if lane == 0:
        d.rk_time[world] = d.time[world]


@wp.func
def turning_rate(turn: wp.vec3, omega: wp.vec3) -> wp.vec3:
    """Rate of the rotation vector ``turn`` of ``q0^-1 q`` at body-local angular velocity ``omega``.

    ``w + t x w / 2 + (1/|t|^2)(1 - |t|/2 cot(|t|/2)) t x (t x w)``.  Munthe-Kaas, High order Runge-Kutta methods on
    manifolds, 1999.
    """
    angle = wp.length(turn)
    if angle > wp.PI:  # the same rotation, the shorter way
        turn = turn * (1.0 - 2.0 * wp.PI * wp.floor(angle / (2.0 * wp.PI) + 0.5) / angle)

    # the inverse of the exponential map's derivative; a series where the closed form loses digits
    aside = wp.cross(turn, omega)
    square = wp.dot(turn, turn)
    share = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    if square > 0.1:
        half = 0.5 * wp.sqrt(square)
        share = (1.0 - half / wp.tan(half)) / square
    return omega + 0.5 * aside + share * wp.cross(turn, aside)


@wp.func
def position_rates(m: ModelFields, d: DataFields, world: int, k: int, dt: float, lane: int, nlane: int):
    """``search``: how fast the coordinates of pass ``k``, rotation vectors from the start among them, change."""
    # coordinates change as velocities say
    for i in range(lane, m.nv, nlane):
        d.search[world, i] = d.qvel[world, i]
    sync()

    # but for rotation vectors, which the passes count from the start of the step
    if k > 0:
        for j in range(lane, m.njnt, nlane):
            if m.jnt_type[j] <= MjtJoint.BALL:
                i = m.jnt_dofadr[j]
                if m.jnt_type[j] == MjtJoint.FREE:
                    i += 3
                turn = dt * wp.vec3(d.rk_move[world, i], d.rk_move[world, i + 1], d.rk_move[world, i + 2])
                rate = turning_rate(turn, wp.vec3(d.qvel[world, i], d.qvel[world, i + 1], d.qvel[world, i + 2]))
                for c in range(3):
                    d.search[world, i + c] = rate[c]
        sync()


@wp.func
def next_state(m: ModelFields, d: DataFields, world: int, k: int, dt: float, lane: int, nlane: int):
    """Add the rates of pass ``k``; velocities, activations and time of the next pass or, after the last, of the step.

    ``rk_move`` becomes the velocity with which positions move there from the start.
    """
    # sums of weighted rates
    for i in range(lane, m.nv, nlane):
        d.rk_speed[world, i] = d.rk_speed[world, i] + weight(k) * d.search[world, i]
        d.rk_qacc[world, i] = d.rk_qacc[world, i] + weight(k) * d.qacc[world, i]
        # the next pass starts as far along this one's rates as its time says; the last one leaves the step's
        if k < LAST:
            d.rk_move[world, i] = reach(k) * d.search[world, i]
            d.qvel[world, i] = d.rk_qvel[world, i] + dt * reach(k) * d.qacc[world, i]
        else:
            d.rk_move[world, i] = d.rk_speed[world, i]
            d.qvel[world, i] = d.rk_qvel[world, i] + dt * d.rk_qacc[world, i]
            d.qacc_warmstart[world, i] = d.qacc[world, i]
            d.qacc[world, i] = d.rk_qacc[world, i]

    # activations go on the same way; after the last pass advance_activation takes the mean rate
    for i in range(lane, m.na, nlane):
        d.rk_rate[world, i] = d.rk_rate[world, i] + weight(k) * d.act_dot[world, i]
        d.act[world, i] = d.rk_act[world, i]
        if k < LAST:
            d.act[world, i] = d.rk_act[world, i] + dt * reach(k) * d.act_dot[world, i]
        else:
            d.act_dot[world, i] = d.rk_rate[world, i]

    # positions move from the start of the step, not from the pass
    for i in range(lane, m.nq, nlane):
        d.qpos[world, i] = d.rk_qpos[world, i]
    if lane == 0:
        d.time[world] = d.rk_time[world] + wp.where(k < LAST, reach(k) * dt, 0.0)


@wp.func
def recall_lengths(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Lengths of tendons and actuators at the start of the step, for what follows from them after it."""
    for o in range(lane, m.nrkout, nlane):
        d.actuator_length[world, o] = d.rk_length[world, o]
        d.actuator_velocity[world, o] = d.rk_velocity[world, o]
    for t in range(lane, m.nrkten, nlane):
        d.ten_length[world, t] = d.rk_ten_length[world, t]
        for i in range(m.nv):
            d.ten_J[world, t, i] = d.rk_ten_J[world, t, i]


@wp.func
def runge_kutta(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """After each of four passes, the state of the next: ``x0 + dt/2 r0``, ``x0 + dt/2 r1``, ``x0 + dt r2``, and at last
    ``x0 + dt (r0 + 2 r1 + 2 r2 + r3) / 6``; orientations in rotation vectors from the start. A world that had to be
    reset stays where it is.
    """
    if m.opt_integrator == MjtIntegrator.RK4:
        k = d.rk_pass[world]
        sync()
        # a world that was reset stays where it is, but the passes go on
        if d.bad[world] < BAD_QACC:
            dt = m.opt_timestep[world]
            if k == 0:
                remember(m, d, world, lane, nlane)
                sync()
            position_rates(m, d, world, k, dt, lane, nlane)
            next_state(m, d, world, k, dt, lane, nlane)
            sync()
            # positions: from the start, along rk_move; what sleeps stays to the bit
            for j in range(lane, m.njnt, nlane):
                stays = bool(False)
                if m.nsleep > 0:
                    stays = is_dof_asleep(m, d, world, m.jnt_dofadr[j])
                if not stays:
                    move_joint(m, d, d.rk_move, world, j, dt)
            if k == LAST:
                recall_lengths(m, d, world, lane, nlane)
        if lane == 0:
            d.rk_pass[world] = (k + 1) % 4
        sync()
