"""Fixed tendons: linear combinations of joint coordinates, with spring, damper and actuation."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import DISABLE_DAMPER, DISABLE_SPRING
from newtonlite.solvers.mujoco.kernels.team import sync


@wp.func
def tendon_state(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``length = sum c q``, ``velocity = sum c qd``, and the passive force along the tendon."""
    for t in range(lane, m.ntendon, nlane):
        length = float(0.0)
        speed = float(0.0)
        for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            c = m.wrap_prm[world, k]
            length += c * d.qpos[world, m.wrap_qposadr[k]]
            speed += c * d.qvel[world, m.wrap_dofadr[k]]
        force = float(0.0)
        if (m.opt_disableflags & DISABLE_SPRING) == 0:
            rest = m.tendon_lengthspring[world, t]
            stretch = wp.max(length - rest[1], 0.0) + wp.min(length - rest[0], 0.0)
            force -= m.tendon_stiffness[world, t] * stretch
        if (m.opt_disableflags & DISABLE_DAMPER) == 0:
            force -= m.tendon_damping[world, t] * speed
        d.ten_length[world, t] = length
        d.ten_velocity[world, t] = speed
        d.ten_force[world, t] = force
    sync()
    if m.ntendon > 0 and lane == 0:
        for t in range(m.ntendon):
            for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
                i = m.wrap_dofadr[k]
                d.qfrc_passive[world, i] = d.qfrc_passive[world, i] + m.wrap_prm[world, k] * d.ten_force[world, t]
    sync()
