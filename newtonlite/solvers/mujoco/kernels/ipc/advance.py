"""Conservative advancement of incremental potential contact: the part of a step's motion in which no pair meets.

Of every gap a fifth stays: the motion goes on by what the gap exceeds that, over the most by which it can shrink.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.ipc.near import NEAR
from newtonlite.solvers.mujoco.kernels.ipc.pair import closing_bound, pair_gap, pair_vertices
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

STAYS = wp.constant(0.2)
"""Part of a gap that stays."""
NEVER = wp.constant(2.0)
"""Time of a pair that does not meet, in parts of the motion."""
STEPS = wp.constant(32)
STILL = wp.constant(1.0e-12)


@wp.func
def meeting_time(m: ModelFields, d: DataFields, world: int, k: int) -> float:
    """Time at which near pair ``k`` meets, in parts of the motion."""
    gap = d.ipcnear_gap[world, k]
    pair = d.ipcnear[world, k]
    most = closing_bound(m, d, world, pair[0], pair_vertices(m, pair))
    # surfaces that are through are the solution's business
    if most < STILL or gap <= 0.0 or most <= (1.0 - STAYS) * gap:
        return NEVER
    t = float(0.0)
    for _ in range(STEPS):
        room = pair_gap(m, d, world, pair, t).gap - STAYS * gap
        if room <= 1.0e-6 * gap or t >= 1.0:
            break
        t += room / most
    return wp.min(t, 1.0)


@wp.func
def advance_part(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Times of near pairs, each no later than the earliest before it, and the part of the motion that all leave."""
    for k in range(lane, d.ipc_count[world, NEAR], nlane):
        d.ipcnear_time[world, k] = meeting_time(m, d, world, k)
    sync()
    if lane == 0:
        part = float(1.0)
        for k in range(d.ipc_count[world, NEAR]):
            if d.ipcnear_time[world, k] != NEVER:
                part = wp.min(part, d.ipcnear_time[world, k])
                d.ipcnear_time[world, k] = part
        d.ipc_part[world] = part
    sync()
