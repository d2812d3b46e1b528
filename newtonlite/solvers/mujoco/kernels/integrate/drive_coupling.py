"""Tendons and actuators in the effective inertia of the integrator discrete: products of the rows by which they push, with
a weight of stiffness and damping over a step.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.actuate.moment import moment
from newtonlite.solvers.mujoco.kernels.integrate.actuator_derivative import actuator_derivative
from newtonlite.solvers.mujoco.kernels.integrate.actuator_stiffness import actuator_slope
from newtonlite.solvers.mujoco.kernels.integrate.add_inertia import add_inertia
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries, tendon_row
from newtonlite.solvers.mujoco.kernels.velocity.tendon import spring_stretch, tendon_damping_derivative


@wp.func
def add_tendon_product(m: ModelFields, d: DataFields, world: int, t: int, weight: float):
    """``M += weight J'J`` of a tendon, over all pairs of the dofs that move it."""
    # dofs that do not move it now leave the matrix as it is
    row = tendon_row(m, t)
    span = tendon_entries(m, t)
    for e in range(span[0], span[1]):
        i = entry_dof(m, e)
        arm = d.ten_J[world, row, e]
        if arm != 0.0:
            for f in range(span[0], span[1]):
                j = entry_dof(m, f)
                add_inertia(m, d, world, i, j, weight * arm * d.ten_J[world, row, f], -1)


@wp.func
def couple_tendon(m: ModelFields, d: DataFields, world: int, t: int):
    """``M += (h^2 k + h b) J'J`` of a tendon, and ``efm_c -= h k J' J qvel``; no stiffness within its dead band."""
    # slope of the spring outside of its dead band, not negative
    h = m.opt_timestep[world]
    k = float(0.0)
    if (m.opt_disableflags & MjtDisableBit.SPRING) == 0:
        x = spring_stretch(m, d, world, t)
        if x != 0.0:
            p = m.tendon_stiffnesspoly[world, t]
            k = wp.max(0.0, m.tendon_stiffness[world, t] + x * (2.0 * p[0] + 3.0 * x * p[1]))
    # slope of the damper
    b = float(0.0)
    if (m.opt_disableflags & MjtDisableBit.DAMPER) == 0:
        b = wp.max(0.0, tendon_damping_derivative(m, d, world, t))
    d.efm_ts[world, t] = h * (b + h * k)
    # the part of the right side, and the product
    if k != 0.0:
        row = tendon_row(m, t)
        span = tendon_entries(m, t)
        for e in range(span[0], span[1]):
            i = entry_dof(m, e)
            arm = d.ten_J[world, row, e]
            d.efm_c[world, i] = d.efm_c[world, i] - h * k * d.ten_velocity[world, t] * arm
    if k != 0.0 or b != 0.0:
        add_tendon_product(m, d, world, t, h * (b + h * k))


@wp.func
def add_actuator_product(m: ModelFields, d: DataFields, world: int, u: int, weight: float):
    """``M += weight moment' moment`` of an actuator, output by output."""
    # outputs do not act on each other: each has a length of its own
    for o in range(m.actuator_outadr[u], m.actuator_outadr[u] + m.actuator_outnum[u]):
        for p in range(m.push_adr[o], m.push_adr[o + 1]):
            i = m.push_dof[p]
            arm = moment(m, d, world, o, i)
            if arm != 0.0:
                for q in range(m.push_adr[o], m.push_adr[o + 1]):
                    j = m.push_dof[q]
                    add_inertia(m, d, world, i, j, weight * arm * moment(m, d, world, o, j), -1)


@wp.func
def couple_actuator(m: ModelFields, d: DataFields, world: int, u: int):
    """``M += (h^2 k + h b) moment' moment`` of an actuator, and ``efm_c -= h k moment' velocity``, in ``efm_ca`` too."""
    # only what stabilises: a force that falls with length and speed
    h = m.opt_timestep[world]
    k = wp.max(0.0, -actuator_slope(m, d, world, u))
    b = wp.max(0.0, -actuator_derivative(m, d, world, u))
    d.efm_as[world, u] = h * (b + h * k)
    # the way that the old speed goes within the step, by the dofs that each output pushes
    if k != 0.0:
        for o in range(m.actuator_outadr[u], m.actuator_outadr[u] + m.actuator_outnum[u]):
            for p in range(m.push_adr[o], m.push_adr[o + 1]):
                i = m.push_dof[p]
                share = h * k * d.actuator_velocity[world, o] * moment(m, d, world, o, i)
                d.efm_c[world, i] = d.efm_c[world, i] - share
                d.efm_ca[world, i] = d.efm_ca[world, i] - share
    if k != 0.0 or b != 0.0:
        add_actuator_product(m, d, world, u, h * (b + h * k))
