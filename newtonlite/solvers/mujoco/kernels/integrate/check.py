"""State check: worlds with values that are not finite, or beyond 1e10, are reset and counted; other worlds are not
affected.
"""

import warp as wp

from newtonlite.core.constants import MAXVAL
from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.rk_stage import is_first, is_last
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum
from newtonlite.solvers.mujoco.kernels.primitives.vector_copy import any_beyond, any_beyond_spatial

BAD_QPOS = wp.constant(1)
BAD_QVEL = wp.constant(2)
BAD_INPUT = wp.constant(4)
BAD_QACC = wp.constant(8)


@wp.func
def reset_world(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """State back to qpos0 at rest; inputs are the caller's and stay."""
    # all that a step carries to the next one, as a reset leaves it
    for i in range(lane, m.nq, nlane):
        d.qpos[world, i] = m.qpos0[world, i]
    for i in range(lane, m.nv, nlane):
        d.qvel[world, i] = 0.0
        d.qacc_warmstart[world, i] = 0.0
    if m.na > 0:
        for i in range(lane, m.na, nlane):
            d.act[world, i] = 0.0
            d.act_dot[world, i] = 0.0
    if m.nplastic > 0:
        for i in range(lane, m.nplastic, nlane):
            d.plastic[world, i] = m.plastic0[world, i]
    if m.nhistory > 0:
        for i in range(lane, m.nhistory, nlane):
            d.history[world, i] = m.history0[world, i]
    if m.nsleep > 0:
        for t in range(lane, m.ntree, nlane):
            d.tree_asleep[world, t] = m.tree_asleep0[world, t]
        for i in range(lane, m.nq, nlane):
            d.asleep_qpos[world, i] = m.qpos0[world, i]
        if lane == 0:
            d.sleep_fresh[world, 0] = m.sleep_fresh0[world, 0]
    if lane == 0:
        d.time[world] = 0.0
    sync()


@wp.func
def check_state(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Flag a world whose positions, velocities or inputs are unusable, and reset it before it is stepped."""
    if is_first(m, d, world):
        check_start(m, d, world, lane, nlane)


@wp.func
def check_start(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``check_state`` at the start of a step."""
    # state and inputs, each with a flag of its own; a bad warm start is only dropped
    pos = any_beyond(d.qpos, MAXVAL, 0, world, m.nq, lane, nlane)
    vel = any_beyond(d.qvel, MAXVAL, 0, world, m.nv, lane, nlane)
    inp = any_beyond(d.qfrc_applied, MAXVAL, 0, world, m.nv, lane, nlane) + any_beyond(
        d.ctrl, MAXVAL, 0, world, m.nu, lane, nlane
    )
    inp += any_beyond_spatial(d.xfrc_applied, MAXVAL, 1, world, m.nbody - 1, lane, nlane)
    if any_beyond(d.qacc_warmstart, MAXVAL, 0, world, m.nv, lane, nlane) > 0.0:
        for i in range(lane, m.nv, nlane):
            if not (wp.abs(d.qacc_warmstart[world, i]) <= MAXVAL):
                d.qacc_warmstart[world, i] = 0.0

    # one sum decides for most worlds: flags are looked up where something is wrong
    found = team_sum(d.team_f, world, pos + vel + inp)
    flags = int(0)
    if found > 0.0:
        if team_sum(d.team_f, world, pos) > 0.0:
            flags += BAD_QPOS
        if team_sum(d.team_f, world, vel) > 0.0:
            flags += BAD_QVEL
        if team_sum(d.team_f, world, inp) > 0.0:
            flags += BAD_INPUT
        if (m.opt_disableflags & MjtDisableBit.AUTORESET) == 0:
            reset_world(m, d, world, lane, nlane)
    if lane == 0:
        d.bad[world] = flags
    sync()


@wp.func
def check_acceleration(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Flag a world whose acceleration, or the force it comes from, is unusable; it restarts from qpos0 at rest."""
    # qfrc_smooth too: iterations end at once where the gradient is not a number, and leave qacc where it began
    acc = any_beyond(d.qacc, MAXVAL, 0, world, m.nv, lane, nlane) + any_beyond(
        d.qfrc_smooth, MAXVAL, 0, world, m.nv, lane, nlane
    )
    found = team_sum(d.team_f, world, acc)
    if found > 0.0 and d.bad[world] < BAD_QACC:
        for i in range(lane, m.nv, nlane):
            d.qacc[world, i] = 0.0
        if lane == 0:
            d.bad[world] = d.bad[world] + BAD_QACC
        if (m.opt_disableflags & MjtDisableBit.AUTORESET) == 0:
            reset_world(m, d, world, lane, nlane)

    # the world counts once in a step, after its last pass
    if lane == 0 and is_last(m, d, world):
        if d.bad[world] != 0:
            d.bad_count[world] = d.bad_count[world] + 1
    sync()
