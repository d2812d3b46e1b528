"""Waking: by changes of the caller, and by tendons, contacts and equalities with something awake.

MuJoCo documentation, Simulation: Sleeping islands.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtJoint, MjtSleepPolicy
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.asleep import AWAKE, NEVER, set_awake_flags, wake_tree
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_flex_side, waking_body
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

SAME = wp.constant(2.0e-6)
"""Poses of bodies that differ by less, relative to their size, differ by round-off between kernels."""


@wp.func
def input_changed(x: float) -> bool:
    """Whether some bit of a number is set: it is not 0, or it is -0."""
    return x != 0.0 or 1.0 / x < 0.0


@wp.func
def differ(a: wp.quat, b: wp.quat) -> bool:
    """Whether some component differs."""
    return a[0] != b[0] or a[1] != b[1] or a[2] != b[2] or a[3] != b[3]


@wp.func
def moved(m: ModelFields, d: DataFields, world: int, j: int) -> bool:
    """Whether the position of a joint is not the one that was held; the length of a quaternion does not matter."""
    # a scalar, or the position of a free joint, to the bit
    adr = m.jnt_qposadr[j]
    kind = m.jnt_type[j]
    if kind > MjtJoint.BALL:
        return d.qpos[world, adr] != d.asleep_qpos[world, adr]
    if kind == MjtJoint.FREE:
        for k in range(3):
            if d.qpos[world, adr + k] != d.asleep_qpos[world, adr + k]:
                return True
        adr += 3

    # quaternions of other lengths are the same rotation: only where numbers differ are they normalized
    held = wp.quat(
        d.asleep_qpos[world, adr],
        d.asleep_qpos[world, adr + 1],
        d.asleep_qpos[world, adr + 2],
        d.asleep_qpos[world, adr + 3],
    )
    now = wp.quat(d.qpos[world, adr], d.qpos[world, adr + 1], d.qpos[world, adr + 2], d.qpos[world, adr + 3])
    if differ(now, held):
        return differ(wp.normalize(now), wp.normalize(held))
    return False


@wp.func
def has_applied_force(d: DataFields, world: int, b: int) -> bool:
    """Whether a force or torque is applied to a body."""
    f = d.xfrc_applied[world, b]
    for c in range(6):
        if input_changed(f[c]):
            return True
    return False


@wp.func
def wake_changed_inputs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Mark the trees whose positions, velocities or applied forces the caller has changed, and those that must not
    sleep.
    """
    # trees that must not sleep are marked from the start
    for t in range(lane, m.ntree, nlane):
        policy = m.tree_sleep_policy[t]
        d.tree_wake[world, t] = wp.where(policy == MjtSleepPolicy.NEVER or policy == MjtSleepPolicy.AUTO_NEVER, 1, 0)
    sync()

    # what the caller can change: positions, velocities and forces of dofs, forces on bodies
    for j in range(lane, m.njnt, nlane):
        if moved(m, d, world, j):
            d.tree_wake[world, m.dof_treeid[m.jnt_dofadr[j]]] = 1
    for i in range(lane, m.nv, nlane):
        if input_changed(d.qvel[world, i]) or input_changed(d.qfrc_applied[world, i]):
            d.tree_wake[world, m.dof_treeid[i]] = 1
    for b in range(1 + lane, m.nbody, nlane):
        if m.body_treeid[b] >= 0 and has_applied_force(d, world, b):
            d.tree_wake[world, m.body_treeid[b]] = 1
    sync()


@wp.func
def wake_marked(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Wake the sleeping trees that are marked."""
    if lane == 0:
        for t in range(m.ntree):
            if d.tree_asleep[world, t] >= 0 and d.tree_wake[world, t] != 0:
                wake_tree(m, d, world, t, AWAKE)
    sync()
    set_awake_flags(m, d, world, lane, nlane)
    sync()


@wp.func
def wake(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Wake trees whose state or inputs the caller has changed since the last step."""
    if m.nsleep > 0:
        wake_changed_inputs(m, d, world, lane, nlane)
        wake_marked(m, d, world, lane, nlane)


@wp.func
def displaced(m: ModelFields, d: DataFields, world: int, b: int) -> bool:
    """Whether a body is not where it fell asleep: what its tree stands on was moved."""
    # within round-off of kernels that compute poses in other orders
    now = d.xpos[world, b]
    apart = wp.length(now - d.asleep_xpos[world, b])
    q = d.xquat[world, b]
    held = d.asleep_xquat[world, b]
    turn = wp.abs(q[0] - held[0]) + wp.abs(q[1] - held[1]) + wp.abs(q[2] - held[2]) + wp.abs(q[3] - held[3])
    return apart > SAME * (1.0 + wp.length(now)) or turn > 2.0 * SAME


@wp.func
def mark_displaced(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Mark the sleeping trees with a body that is not where it fell asleep."""
    # in the first step poses are not held yet
    for t in range(lane, m.ntree, nlane):
        d.tree_wake[world, t] = 0
    sync()
    if d.sleep_fresh[world, 0] == 0:
        for b in range(1 + lane, m.nbody, nlane):
            t = m.body_treeid[b]
            if t >= 0:
                if d.tree_awake[world, t] == 0 and displaced(m, d, world, b):
                    d.tree_wake[world, t] = 1
    sync()


@wp.func
def tendon_couples(m: ModelFields, d: DataFields, world: int, t: int) -> bool:
    """Whether a tendon has a constraint now: dry friction, or a length beyond its limits."""
    # dry friction always couples
    on = (m.opt_disableflags & MjtDisableBit.CONSTRAINT) == 0
    if on and (m.opt_disableflags & MjtDisableBit.FRICTIONLOSS) == 0 and m.tendon_frictionloss[world, t] > 0.0:
        return True
    if not on or (m.opt_disableflags & MjtDisableBit.LIMIT) != 0:
        return False

    # a limit, where the length is within its margin
    for k in range(m.ntenlimit):
        if m.limit_tendon[k] == t:
            bounds = m.tendon_range[world, t]
            margin = m.tendon_margin[world, t]
            length = d.ten_length[world, t]
            return length - bounds[0] < margin or bounds[1] - length < margin
    return False


@wp.func
def wake_across_tendons(m: ModelFields, d: DataFields, world: int):
    """Wake trees that a tendon ties to one that is awake. One lane."""
    for t in range(m.ntendon):
        # one side awake, the other asleep: the sleeping side gets the awake one's count of slow steps
        trees = m.tendon_tree[t]
        if trees[0] >= 0 and trees[1] >= 0:
            awake = d.tree_awake[world, trees[0]]
            if awake != d.tree_awake[world, trees[1]] and tendon_couples(m, d, world, t):
                value = d.tree_asleep[world, trees[1 - awake]]
                wake_tree(m, d, world, trees[awake], value)


@wp.func
def wake_tendon(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Wake trees that stand on something that moved, or that tendons tie to awake ones."""
    if m.nsleep > 0:
        mark_displaced(m, d, world, lane, nlane)
        wake_marked(m, d, world, lane, nlane)
        if m.ntendon > 0:
            if lane == 0:
                wake_across_tendons(m, d, world)
            sync()
            set_awake_flags(m, d, world, lane, nlane)
            sync()


@wp.func
def contact_body(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> int:
    """Body by which a side of a contact wakes, and is woken: of a flex, which sleeps as a whole, one stands for all."""
    # MuJoCo asks one body of an element, or of the cells, whatever the contact's weights
    if is_flex_side(m, d, world, c, side):
        return waking_body(m, d, world, c, side)
    return m.geom_bodyid[d.contact_geom[world, c][side]]


@wp.func
def wake_across_contacts(m: ModelFields, d: DataFields, world: int):
    """Wake trees that touch one that is awake, or a mocap body. One lane."""
    for c in range(d.ncon[world]):
        # body_awake: 1 awake or moved by a mocap, 0 asleep, -1 static. One awake and one asleep add up to 1
        b1 = contact_body(m, d, world, c, 0)
        b2 = contact_body(m, d, world, c, 1)
        state = d.body_awake[world, b1] + d.body_awake[world, b2]
        if state == 1 and d.body_awake[world, b1] >= 0 and d.body_awake[world, b2] >= 0:
            # the sleeper's count goes on where the other tree's is; a mocap body has none
            other = wp.where(d.body_awake[world, b1] == 1, m.body_treeid[b1], m.body_treeid[b2])
            asleep = wp.where(d.body_awake[world, b1] == 1, m.body_treeid[b2], m.body_treeid[b1])
            value = int(AWAKE)
            if other >= 0:
                value = d.tree_asleep[world, other]
            wake_tree(m, d, world, asleep, value)


@wp.func
def sleeping_island(m: ModelFields, d: DataFields, world: int, t: int) -> int:
    """The lowest of the trees that fell asleep with this one; -1 where it is awake."""
    if d.tree_asleep[world, t] < 0:
        return -1

    # around the circle of trees that name each other, once
    lowest = t
    at = t
    for _ in range(m.ntree):
        if at >= 0:
            lowest = wp.min(lowest, at)
            at = d.tree_asleep[world, at]
    return lowest


@wp.func
def wake_across_equalities(m: ModelFields, d: DataFields, world: int):
    """Wake trees that an equality ties to something awake, or to a tree that fell asleep apart from them. One lane."""
    for k in range(m.neq):
        trees = m.eq_tree[k]
        if d.eq_active[world, k] != 0 and trees[0] != trees[1] and trees[0] != -1 and trees[1] != -1:
            # NEVER stands for a body that moves without a tree: it counts as awake
            awake1 = trees[0] == NEVER
            awake2 = trees[1] == NEVER
            if not awake1:
                awake1 = d.tree_awake[world, trees[0]] != 0
            if not awake2:
                awake2 = d.tree_awake[world, trees[1]] != 0
            # both asleep is no reason to wake, unless they fell asleep in different islands
            apart = awake1 != awake2
            if not awake1 and not awake2:
                apart = sleeping_island(m, d, world, trees[0]) != sleeping_island(m, d, world, trees[1])
            if apart:
                if not awake1:
                    wake_tree(m, d, world, trees[0], AWAKE)
                if not awake2:
                    wake_tree(m, d, world, trees[1], AWAKE)
