"""Acceleration of the step: ``qacc`` itself, or with velocity-dependent forces taken implicitly."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import (
    AFFINE,
    DISABLE_ACTUATION,
    DISABLE_CLAMPCTRL,
    DISABLE_DAMPER,
    DISABLE_EULERDAMP,
    IMPLICITFAST,
    TRN_TENDON,
)
from newtonlite.solvers.mujoco.kernels.actuate.actuation import LIMIT, moment
from newtonlite.solvers.mujoco.kernels.dense import copy_rows, factor, solve
from newtonlite.solvers.mujoco.kernels.guard import BAD_QACC
from newtonlite.solvers.mujoco.kernels.integrate.free_body import step_free_body
from newtonlite.solvers.mujoco.kernels.solve.coupling import own_blocks
from newtonlite.solvers.mujoco.kernels.team import sync, team_sum


@wp.func
def actuator_slope(m: Any, d: Any, world: int, u: int) -> float:
    """``d force / d velocity`` of an actuator; 0 where its own limit or its joint's holds the force."""
    value = float(0.0)
    j = m.actuator_trnid[u][0]
    if m.actuator_trntype[u] != TRN_TENDON and m.jnt_actfrclimited[j] != 0:
        total = d.qfrc_actuator[world, m.jnt_dofadr[j]]
        if total <= m.jnt_actfrcrange[world, j][0] or total >= m.jnt_actfrcrange[world, j][1]:
            return 0.0
    if m.actuator_gaintype[u] == AFFINE:
        ctrl = d.ctrl[world, m.actuator_ctrladr[u]]
        if not (wp.abs(ctrl) <= LIMIT):
            ctrl = 0.0
        if m.actuator_ctrllimited[u] != 0 and (m.opt_disableflags & DISABLE_CLAMPCTRL) == 0:
            ctrl = wp.clamp(ctrl, m.actuator_ctrlrange[world, u][0], m.actuator_ctrlrange[world, u][1])
        value += m.actuator_gainprm[world, u][2] * ctrl
    if m.actuator_biastype[u] == AFFINE:
        value += m.actuator_biasprm[world, u][2]
    if m.actuator_forcelimited[u] != 0:
        force = d.actuator_force[world, u]
        if force <= m.actuator_forcerange[world, u][0] or force >= m.actuator_forcerange[world, u][1]:
            value = 0.0
    return value


@wp.func
def add_pair(m: Any, d: Any, world: int, i: int, j: int, value: float):
    """Add to the lower triangle of H where M has an entry too."""
    if j <= i and m.dof_ancestor[i, j] != 0.0:
        d.H[world, i, j] = d.H[world, i, j] + value


@wp.func
def add_actuator_damping(m: Any, d: Any, world: int, u: int, scale: float):
    """``H -= dt moment' slope moment``."""
    target = m.actuator_trnid[u][0]
    value = -scale * actuator_slope(m, d, world, u)
    if value != 0.0:
        if m.ntendon > 0 and m.actuator_trntype[u] == TRN_TENDON:
            for a in range(m.tendon_adr[target], m.tendon_adr[target] + m.tendon_num[target]):
                for b in range(m.tendon_adr[target], m.tendon_adr[target] + m.tendon_num[target]):
                    i = m.wrap_dofadr[a]
                    j = m.wrap_dofadr[b]
                    gear = m.actuator_gear[world, u][0]
                    add_pair(m, d, world, i, j, value * gear * gear * m.wrap_prm[world, a] * m.wrap_prm[world, b])
        else:
            first = m.jnt_dofadr[target]
            count = int(1)
            if m.jnt_type[target] == 1:
                count = 3
            elif m.jnt_type[target] == 0:
                count = 6
            for i in range(first, first + count):
                arm = moment(m, d, world, u, i)
                for j in range(first, i + 1):
                    add_pair(m, d, world, i, j, value * arm * moment(m, d, world, u, j))


@wp.func
def add_tendon_damping(m: Any, d: Any, world: int, t: int, scale: float):
    """``H += dt J' damping J``."""
    damping = scale * m.tendon_damping[world, t]
    if damping != 0.0:
        for a in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            for b in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
                add_pair(m, d, world, m.wrap_dofadr[a], m.wrap_dofadr[b], damping * m.wrap_prm[world, a] * m.wrap_prm[world, b])


@wp.func
def is_implicit(m: Any, d: Any, world: int, lane: int, nlane: int) -> bool:
    """Whether the step differs from ``qacc``: implicitfast, or Euler with damped joints."""
    if m.opt_integrator == IMPLICITFAST:
        return True
    damping = float(0.0)
    if (m.opt_disableflags & (DISABLE_EULERDAMP | DISABLE_DAMPER)) == 0:
        for i in range(lane, m.nv, nlane):
            damping += m.dof_damping[world, i]
    return team_sum(d.team_f, world, damping) > 0.0


@wp.func
def step_acceleration(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``search = (M - dt df/dv)^-1 (qfrc_smooth + qfrc_constraint)``; Euler takes joint damping alone implicitly.

    MuJoCo documentation, Computation: Numerical integration.
    """
    if d.bad[world] >= BAD_QACC:
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = 0.0
    elif is_implicit(m, d, world, lane, nlane):
        dt = m.opt_timestep[world]
        own_blocks(m, d, world, lane, nlane)
        copy_rows(d.M, d.H_block, d.H, world, m.nv, lane, nlane)
        sync()
        damp = (m.opt_disableflags & DISABLE_DAMPER) == 0
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.qfrc_smooth[world, i] + d.qfrc_constraint[world, i]
            if damp:
                d.H[world, i, i] = d.H[world, i, i] + dt * m.dof_damping[world, i]
        sync()
        if m.opt_integrator == IMPLICITFAST and lane == 0:
            if (m.opt_disableflags & DISABLE_ACTUATION) == 0:
                for u in range(m.nactuator):
                    add_actuator_damping(m, d, world, u, dt)
            if damp:
                for t in range(m.ntendon):
                    add_tendon_damping(m, d, world, t, dt)
            for k in range(m.nlonefree):
                step_free_body(m, d, world, m.lone_free_dof[k], dt)
        sync()
        factor(d.H, d.H_block, world, m.nv, lane, nlane)
        sync()
        solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
    else:
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.qacc[world, i]
    sync()
