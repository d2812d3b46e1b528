"""Euler: velocities first, then positions with the new velocities; joint damping implicitly."""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator, MjtJoint
from newtonlite.math.quaternion import quat_integrate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.asleep import just_slept, set_awake_flags
from newtonlite.solvers.mujoco.kernels.primitives.rk_stage import is_complete
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def move_joint(m: ModelFields, d: DataFields, speed: wp.array2d[float], world: int, j: int, dt: float):
    """``q := q + dt speed``; orientations turn by the body-local angular velocity."""
    # slides and hinges, and the translation of a free joint, move in straight lines
    adr = m.jnt_qposadr[j]
    dof = m.jnt_dofadr[j]
    kind = m.jnt_type[j]
    if kind > MjtJoint.BALL:
        d.qpos[world, adr] = d.qpos[world, adr] + dt * speed[world, dof]
    else:
        if kind == MjtJoint.FREE:
            for k in range(3):
                d.qpos[world, adr + k] = d.qpos[world, adr + k] + dt * speed[world, dof + k]
            adr += 3
            dof += 3
        # orientations turn about an axis of the body, and stay unit quaternions
        q = wp.quat(d.qpos[world, adr], d.qpos[world, adr + 1], d.qpos[world, adr + 2], d.qpos[world, adr + 3])
        omega = wp.vec3(speed[world, dof], speed[world, dof + 1], speed[world, dof + 2])
        q = quat_integrate(q, omega, dt)
        for k in range(4):
            d.qpos[world, adr + k] = q[k]


@wp.func
def advance(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """State after the step from the acceleration in ``search``: velocities, positions, time, warm start. What sleeps
    stays.
    """
    # semi-implicit: velocities first, positions by the new ones; RK4 has moved the state already
    dt = m.opt_timestep[world]
    if m.opt_integrator != MjtIntegrator.RK4:
        for i in range(lane, m.nv, nlane):
            d.qacc_warmstart[world, i] = d.qacc[world, i]
            d.qvel[world, i] = d.qvel[world, i] + dt * d.search[world, i]
            if m.nsleep > 0:
                if just_slept(m, d, world, i):
                    d.qvel[world, i] = 0.0
        sync()
        # trees that fell asleep in this step stay
        for j in range(lane, m.njnt, nlane):
            stays = bool(False)
            if m.nsleep > 0:
                stays = just_slept(m, d, world, m.jnt_dofadr[j])
            if not stays:
                move_joint(m, d, d.qvel, world, j, dt)
        if m.nsleep > 0:
            # what fell asleep sleeps from here on
            set_awake_flags(m, d, world, lane, nlane)
    # the step is over, and with it the first after a reset
    if lane == 0 and is_complete(m, d, world):
        d.time[world] = d.time[world] + dt
        if m.nsleep > 0:
            d.sleep_fresh[world, 0] = 0
    sync()
