"""Keeping the sleep state of a scene: positions of sleeping trees return from a state with round-off, which must not
wake them.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.asleep import just_slept
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

ROUND_OFF = wp.constant(4.0e-6)


@wp.func
def plain_zero(x: float) -> float:
    """A number without the sign of a zero."""
    return wp.where(x == 0.0, 0.0, x)


@wp.func
def keep_sleep_state(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Positions of sleeping trees that are those they fell asleep at, but for round-off, become these; -0 becomes 0."""
    # a position that came back within round-off is the one that was held, to the bit
    for j in range(lane, m.njnt, nlane):
        if just_slept(m, d, world, m.jnt_dofadr[j]):
            last = m.nq
            if j + 1 < m.njnt:
                last = m.jnt_qposadr[j + 1]
            for k in range(m.jnt_qposadr[j], last):
                held = d.asleep_qpos[world, k]
                if wp.abs(d.qpos[world, k] - held) <= ROUND_OFF * (1.0 + wp.abs(held)):
                    d.qpos[world, k] = held

    # a caller who writes -0 wakes a tree: zeros that only passed through a state shall not
    for i in range(lane, m.nv, nlane):
        d.qvel[world, i] = plain_zero(d.qvel[world, i])
        d.qfrc_applied[world, i] = plain_zero(d.qfrc_applied[world, i])
    for b in range(1 + lane, m.nbody, nlane):
        f = d.xfrc_applied[world, b]
        for c in range(6):
            f[c] = plain_zero(f[c])
        d.xfrc_applied[world, b] = f
    sync()
