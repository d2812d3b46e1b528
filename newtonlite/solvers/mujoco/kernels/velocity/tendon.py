"""Tendon velocity stages: velocities, springs, dampers, and the bias force of tendon armature."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit, MjtWrap
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.point import point_bias, point_velocity
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries, tendon_row


@wp.func
def tendon_speed(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """``J qvel``."""
    speed = float(0.0)
    if m.nspatial > 0 and m.tendon_spatial[t] != 0:
        span = tendon_entries(m, t)
        for e in range(span[0], span[1]):
            speed += d.ten_J[world, tendon_row(m, t), e] * d.qvel[world, entry_dof(m, e)]
    else:
        for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            speed += m.wrap_prm[world, w] * d.qvel[world, m.wrap_dofadr[w]]
    return speed


@wp.func
def spring_stretch(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """Distance of a tendon's length outside the dead band of its spring."""
    length = d.ten_length[world, t]
    rest = m.tendon_lengthspring[world, t]
    if m.nplastic > 0:
        adr = m.tendon_plasticadr[t]
        if adr >= 0:
            rest = wp.vec2(d.plastic[world, adr], d.plastic[world, adr + 1])
    return wp.max(length - rest[1], 0.0) + wp.min(length - rest[0], 0.0)


@wp.func
def spring_force(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """``-x (k + p0 x + p1 x^2)`` outside the dead band."""
    x = spring_stretch(m, d, world, t)
    p = m.tendon_stiffnesspoly[world, t]
    return -x * (m.tendon_stiffness[world, t] + x * (p[0] + x * p[1]))


@wp.func
def damper_force(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """``-v (b + p0 |v| + p1 v^2)``."""
    p = m.tendon_dampingpoly[world, t]
    speed = d.ten_velocity[world, t]
    v = wp.abs(speed)
    return -speed * (m.tendon_damping[world, t] + v * (p[0] + v * p[1]))


@wp.func
def tendon_damping_derivative(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """``-d force / d speed`` of the damper."""
    p = m.tendon_dampingpoly[world, t]
    v = wp.abs(d.ten_velocity[world, t])
    return m.tendon_damping[world, t] + v * (2.0 * p[0] + 3.0 * v * p[1])


@wp.func
def tendon_forces(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Speeds of tendons, and forces of their springs and dampers."""
    for t in range(lane, m.ntendon, nlane):
        d.ten_velocity[world, t] = tendon_speed(m, d, world, t)
        d.ten_spring[world, t] = wp.where(
            (m.opt_disableflags & MjtDisableBit.SPRING) == 0, spring_force(m, d, world, t), 0.0
        )
        d.ten_damper[world, t] = wp.where(
            (m.opt_disableflags & MjtDisableBit.DAMPER) == 0, damper_force(m, d, world, t), 0.0
        )
    sync()


@wp.func
def tendon_passive(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Speeds; springs and dampers into ``qfrc_spring``, ``qfrc_damper`` and their sum ``qfrc_passive``."""
    if m.ntendon > 0:
        tendon_forces(m, d, world, lane, nlane)
        for t in range(m.ntendon):
            spring = d.ten_spring[world, t]
            damper = d.ten_damper[world, t]
            if spring != 0.0 or damper != 0.0:
                span = tendon_entries(m, t)
                for e in range(span[0] + lane, span[1], nlane):
                    arm = d.ten_J[world, tendon_row(m, t), e]
                    i = entry_dof(m, e)
                    d.qfrc_spring[world, i] = d.qfrc_spring[world, i] + arm * spring
                    d.qfrc_damper[world, i] = d.qfrc_damper[world, i] + arm * damper
                    d.qfrc_passive[world, i] = d.qfrc_passive[world, i] + arm * (spring + damper)
                sync()
    sync()


@wp.func
def jdot_qvel(m: ModelFields, d: DataFields, world: int, w0: int, w1: int) -> float:
    """Second derivative of the distance of two sites on a path at ``qacc = 0``: ``u . a + (v^2 - (u . v)^2) / L``."""
    b0 = m.wrap_bodyid[w0]
    b1 = m.wrap_bodyid[w1]
    p0 = d.site_xpos[world, m.wrap_objid[w0]]
    p1 = d.site_xpos[world, m.wrap_objid[w1]]
    length = wp.length(p1 - p0)
    if b0 == b1 or length < MINVAL:
        return 0.0
    u = (p1 - p0) / length
    v = point_velocity(m, d, world, b1, p1) - point_velocity(m, d, world, b0, p0)
    a = point_bias(m, d, world, b1, p1) - point_bias(m, d, world, b0, p0)
    along = wp.dot(u, v)
    return wp.dot(u, a) + (wp.length_sq(v) - along * along) / length


@wp.func
def spatial_tendon_bias(m: ModelFields, d: DataFields, world: int, t: int) -> float:
    """``dJ/dt qvel`` of a spatial tendon over sites and pulleys; those with inertia meet no geoms."""
    total = float(0.0)
    share = float(1.0)
    for w in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t] - 1):
        if m.wrap_type[w] != MjtWrap.SITE:
            share = 1.0 / m.wrap_prm[world, w]
        elif m.wrap_type[w + 1] == MjtWrap.SITE:
            total += share * jdot_qvel(m, d, world, w, w + 1)
    return total


@wp.func
def tendon_bias(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_bias += J' armature dJ/dt qvel``; the Jacobian of fixed tendons is constant."""
    if m.nspatial > 0:
        for t in range(lane, m.ntendon, nlane):
            force = float(0.0)
            if m.tendon_spatial[t] != 0 and m.tendon_armature[world, t] != 0.0:
                force = m.tendon_armature[world, t] * spatial_tendon_bias(m, d, world, t)
            d.ten_bias[world, t] = force
        sync()
        for t in range(m.ntendon):
            force = d.ten_bias[world, t]
            if force != 0.0:
                span = tendon_entries(m, t)
                for e in range(span[0] + lane, span[1], nlane):
                    i = entry_dof(m, e)
                    d.qfrc_bias[world, i] = d.qfrc_bias[world, i] + d.ten_J[world, tendon_row(m, t), e] * force
                sync()
