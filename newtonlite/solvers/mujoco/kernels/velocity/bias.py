"""Bias force: velocities, and Coriolis, centrifugal and gravity forces by recursive Newton-Euler at zero acceleration."""

from typing import Any

import warp as wp

from newtonlite.math.spatial import cross_motion, inertia_mul, momentum_rate
from newtonlite.solvers.mujoco.enums import BALL, DISABLE_GRAVITY, FREE
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def body_motion(m: Any, d: Any, world: int, b: int):
    """Velocity and bias acceleration of a body: ``v += S qd``, ``a += v x S qd``, joint by joint."""
    p = m.body_parentid[b]
    v = d.cvel[world, p]
    a = d.cacc[world, p]
    for j in range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b]):
        adr = m.jnt_dofadr[j]
        kind = m.jnt_type[j]
        count = int(1)
        if kind == FREE:  # translations first: their axes do not turn
            for k in range(3):
                v += d.cdof[world, adr + k] * d.qvel[world, adr + k]
            adr += 3
            count = 3
        if m.nball > 0 and kind == BALL:
            count = 3
        before = v
        for k in range(count):
            s = d.cdof[world, adr + k] * d.qvel[world, adr + k]
            a += cross_motion(before, s)
            v += s
    d.cvel[world, b] = v
    d.cacc[world, b] = a


@wp.func
def com_vel(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Spatial velocity and bias acceleration of every body, root to leaf."""
    if lane == 0:
        zero = wp.vec3(0.0, 0.0, 0.0)
        lift = -m.opt_gravity[world]
        if (m.opt_disableflags & DISABLE_GRAVITY) != 0:
            lift = zero
        d.cvel[world, 0] = wp.spatial_vector(zero, zero)
        d.cacc[world, 0] = wp.spatial_vector(zero, lift)
    sync()
    for level in range(m.nlevel):
        for k in range(m.level_adr[level] + lane, m.level_adr[level + 1], nlane):
            body_motion(m, d, world, m.level_body[k])
        sync()


@wp.func
def rne(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``qfrc_bias = S' sum_subtree (I a + v x* I v)``, leaf to root."""
    for k in range(m.nlevel):
        level = m.nlevel - 1 - k
        for i in range(m.level_adr[level] + lane, m.level_adr[level + 1], nlane):
            b = m.level_body[i]
            inertia = d.cinert[world, b]
            v = d.cvel[world, b]
            f = inertia_mul(inertia, d.cacc[world, b]) + momentum_rate(inertia, v)
            for c in range(m.child_adr[b], m.child_adr[b + 1]):
                f += d.cfrc[world, m.child_body[c]]
            d.cfrc[world, b] = f
        sync()
    for i in range(lane, m.nv, nlane):
        d.qfrc_bias[world, i] = wp.dot(d.cdof[world, i], d.cfrc[world, m.dof_bodyid[i]])
    sync()
