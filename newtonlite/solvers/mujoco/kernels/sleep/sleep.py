"""Sleep: islands that have been slow for long enough fall asleep; contacts with something awake wake them.

A tree is slow where every speed, made a length per time, is below ``sleep_tolerance``.  An island whose trees have all
been slow in ten steps sleeps: its speeds are 0 and its positions stand until something wakes it.  The decision comes
before all that depends on velocities, which are then those of a world at rest, as they are in MuJoCo, which computes
them a second time.

MuJoCo documentation, Simulation: Sleeping islands.  Taken where the flag ``sleep`` is on (``nsleep``).  What wakes
trees is in ``wake``; a caller that writes a state and wants nothing woken by round-off has ``keep_sleep_state``.

``tree_asleep`` is negative for a tree that is awake, and counts up from ``AWAKE`` to ``READY``; trees that sleep name
the next one of their island, in a circle.  ``tree_awake`` is what holds in this step, ``tree_asleep`` what comes after.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtIntegrator, MjtSleepPolicy
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.sleep_filter import filter_asleep_contacts
from newtonlite.solvers.mujoco.kernels.primitives.asleep import AWAKE, READY, is_dof_asleep, just_slept, set_awake_flags
from newtonlite.solvers.mujoco.kernels.primitives.rk_stage import is_first
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.sleep.island import link_all, root_of
from newtonlite.solvers.mujoco.kernels.sleep.wake import (
    has_applied_force,
    input_changed,
    wake_across_contacts,
    wake_across_equalities,
)


@wp.func
def sleep_cycles(m: ModelFields, d: DataFields, world: int, first_step: bool):
    """Put islands to sleep whose trees are all ready; each tree then names the next, the last one the first. One lane.

    In the first step those whose trees are all asleep become islands, and those of which some are not wake up.
    """
    # first and last tree of each island's circle, kept at its root
    for t in range(m.ntree):
        d.tree_first[world, t] = -1
        d.tree_last[world, t] = -1

    # one tree that is not ready keeps its island awake
    for t in range(m.ntree):  # -2: some tree of the island is not ready
        r = t
        if d.tree_root[world, t] >= 0:
            r = root_of(d, world, t)
        now = d.tree_asleep[world, t]
        ready = now == READY
        if first_step:
            ready = now >= 0
        if not ready:
            d.tree_first[world, r] = -2

    # trees of an island in ascending order: each names the one after it, the last one the first
    for t in range(m.ntree):
        r = t
        if d.tree_root[world, t] >= 0:
            r = root_of(d, world, t)
        if d.tree_first[world, r] != -2:
            if d.tree_first[world, r] < 0:
                d.tree_first[world, r] = t
            else:
                d.tree_asleep[world, d.tree_last[world, r]] = t
            d.tree_asleep[world, t] = d.tree_first[world, r]
            d.tree_last[world, r] = t
        elif first_step and d.tree_asleep[world, t] >= 0:
            # an island that starts half asleep wakes up
            d.tree_asleep[world, t] = AWAKE


@wp.func
def initialize_sleep(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The first step: islands of the trees that start asleep, and where they are held."""
    # islands at the start are those of trees marked asleep, which nothing has put to sleep yet
    if lane == 0:
        link_all(m, d, world)
        sleep_cycles(m, d, world, True)
    sync()
    set_awake_flags(m, d, world, lane, nlane)
    sync()

    # where bodies of sleeping trees are held: whatever moves them wakes them
    for b in range(lane, m.nbody, nlane):
        d.asleep_xpos[world, b] = d.xpos[world, b]
        d.asleep_xquat[world, b] = d.xquat[world, b]
    sync()


@wp.func
def list_awake_friction(m: ModelFields, d: DataFields, world: int):
    """Dofs with dry friction that are awake. One lane."""
    count = int(0)
    for k in range(m.nfriction):
        if not is_dof_asleep(m, d, world, m.friction_dof[k]):
            d.friction_awake[world, count] = k
            count += 1
    d.nfriction_awake[world] = count


@wp.func
def wake_collision(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Wake trees that touch or are tied to something awake; remove contacts among those that still sleep."""
    if m.nsleep > 0:
        # the first step after a reset; of RK4 its first pass
        if d.sleep_fresh[world, 0] != 0 and is_first(m, d, world):
            initialize_sleep(m, d, world, lane, nlane)
        # a touch wakes the sleeping side; it is awake before its contacts are sorted out
        if lane == 0:
            wake_across_contacts(m, d, world)
        sync()
        set_awake_flags(m, d, world, lane, nlane)
        sync()
        # contacts among sleepers have no rows; of equalities both sides are awake now, or both asleep together
        if lane == 0:
            filter_asleep_contacts(m, d, world)
            wake_across_equalities(m, d, world)
        sync()
        set_awake_flags(m, d, world, lane, nlane)
        sync()
        # rows of friction are made in parallel, so they need a list of what is awake
        if lane == 0:
            list_awake_friction(m, d, world)
        sync()


@wp.func
def is_slow(m: ModelFields, d: DataFields, world: int, t: int) -> bool:
    """Whether a tree may sleep, nothing pushes it, and it is slow."""
    # trees that may not sleep at all
    policy = m.tree_sleep_policy[t]
    if policy == MjtSleepPolicy.NEVER or policy == MjtSleepPolicy.AUTO_NEVER:
        return False

    # forces and torques that the caller applies keep a tree awake
    for b in range(m.tree_bodyadr[t], m.tree_bodyadr[t] + m.tree_bodynum[t]):
        if has_applied_force(d, world, b):
            return False

    # speeds of rotations count as those of points at dof_length; a tolerance of 0 asks for exact rest
    least = m.opt_sleep_tolerance[world]
    for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
        v = d.qvel[world, i]
        fast = m.dof_length[world, i] * wp.abs(v) >= least
        if least == 0.0:
            fast = input_changed(v)
        if fast or input_changed(d.qfrc_applied[world, i]):
            return False
    return True


@wp.func
def count_slow_steps(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """One step more for slow trees, the whole wait anew for the others."""
    # from AWAKE up to READY, ten slow steps in a row
    for t in range(lane, m.ntree, nlane):
        now = d.tree_asleep[world, t]
        if now < 0:
            if is_slow(m, d, world, t):
                d.tree_asleep[world, t] = wp.min(now + 1, READY)
            else:
                d.tree_asleep[world, t] = AWAKE


@wp.func
def may_sleep(m: ModelFields, d: DataFields, world: int) -> bool:
    """Whether islands are known: with the flag that disables them, only a world without constraints falls asleep. One
    lane.
    """
    # a tree with a root has a constraint on it
    if (m.opt_disableflags & MjtDisableBit.ISLAND) == 0:
        return True
    for t in range(m.ntree):
        if d.tree_root[world, t] >= 0:
            return False
    return True


@wp.func
def save_sleep_pose(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Stop the trees that have fallen asleep in this step, and keep where they are."""
    # velocity 0 in this very step, of which all that follows is computed once; MuJoCo computes it again
    for i in range(lane, m.nv, nlane):
        if just_slept(m, d, world, i):
            d.qvel[world, i] = 0.0

    # coordinates and poses at which the tree is held: of those that fall asleep now, not of those that slept before
    for j in range(lane, m.njnt, nlane):
        i = m.jnt_dofadr[j]
        if just_slept(m, d, world, i) and not is_dof_asleep(m, d, world, i):
            last = m.nq
            if j + 1 < m.njnt:
                last = m.jnt_qposadr[j + 1]
            for k in range(m.jnt_qposadr[j], last):
                d.asleep_qpos[world, k] = d.qpos[world, k]
    for b in range(1 + lane, m.nbody, nlane):
        t = m.body_treeid[b]
        if t >= 0:
            if d.tree_asleep[world, t] >= 0 and d.tree_awake[world, t] != 0:
                d.asleep_xpos[world, b] = d.xpos[world, b]
                d.asleep_xquat[world, b] = d.xquat[world, b]
    sync()


@wp.func
def sleep_islands(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Put islands to sleep that have been slow for long enough; in this step they are still awake for all others. With RK4
    trees may start asleep, and none falls asleep later.
    """
    if m.nsleep > 0 and m.opt_integrator != MjtIntegrator.RK4:
        # tree_wake serves as a flag between lanes: whether any island may sleep in this step
        if lane == 0:
            link_all(m, d, world)
            d.tree_wake[world, 0] = wp.where(may_sleep(m, d, world), 1, 0)
        sync()
        # readiness first, then whole islands of ready trees, then their poses
        if d.tree_wake[world, 0] != 0:
            count_slow_steps(m, d, world, lane, nlane)
            sync()
            if lane == 0:
                sleep_cycles(m, d, world, False)
            sync()
            save_sleep_pose(m, d, world, lane, nlane)
