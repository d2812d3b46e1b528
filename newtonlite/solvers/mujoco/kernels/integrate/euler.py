"""Euler: velocities first, then positions with the new velocities; joint damping implicitly."""

from typing import Any

import warp as wp

from newtonlite.math.quaternion import quat_integrate
from newtonlite.solvers.mujoco.enums import BALL, FREE
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.func
def move_joint(m: Any, d: Any, world: int, j: int, dt: float):
    """``q := q + dt qd``; orientations turn by the body-local angular velocity."""
    adr = m.jnt_qposadr[j]
    dof = m.jnt_dofadr[j]
    kind = m.jnt_type[j]
    if kind > BALL:
        d.qpos[world, adr] = d.qpos[world, adr] + dt * d.qvel[world, dof]
    else:
        if kind == FREE:
            for k in range(3):
                d.qpos[world, adr + k] = d.qpos[world, adr + k] + dt * d.qvel[world, dof + k]
            adr += 3
            dof += 3
        q = wp.quat(d.qpos[world, adr], d.qpos[world, adr + 1], d.qpos[world, adr + 2], d.qpos[world, adr + 3])
        omega = wp.vec3(d.qvel[world, dof], d.qvel[world, dof + 1], d.qvel[world, dof + 2])
        q = quat_integrate(q, omega, dt)
        for k in range(4):
            d.qpos[world, adr + k] = q[k]


@wp.func
def advance(m: Any, d: Any, world: int, lane: int, nlane: int):
    """State after the step from ``qacc_step`` in ``work``: velocities, positions, time, warm start."""
    dt = m.opt_timestep[world]
    for i in range(lane, m.nv, nlane):
        d.qacc_warmstart[world, i] = d.qacc[world, i]
        d.qvel[world, i] = d.qvel[world, i] + dt * d.search[world, i]
    sync()
    for j in range(lane, m.njnt, nlane):
        move_joint(m, d, world, j, dt)
    if lane == 0:
        d.time[world] = d.time[world] + dt
    sync()
