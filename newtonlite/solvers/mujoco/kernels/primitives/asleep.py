"""Sleep tests: whether trees, and what belongs to them, are asleep."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields

AWAKE = wp.constant(-11)
"""``tree_asleep`` of a tree that moves: it has to be slow in ten steps before it may sleep."""
READY = wp.constant(-1)
STATIC = wp.constant(-1)
NEVER = wp.constant(-2)


@wp.func
def is_pair_asleep(d: DataFields, world: int, trees: wp.vec2i) -> bool:
    """Whether something sleeps that hangs on up to two trees: one of them sleeps, none is awake."""
    asleep = bool(False)
    for i in range(2):
        t = trees[i]
        if t == NEVER:
            return False
        if t >= 0:
            if d.tree_awake[world, t] != 0:
                return False
            asleep = True
    return asleep


@wp.func
def is_dof_asleep(m: ModelFields, d: DataFields, world: int, i: int) -> bool:
    """Whether the tree of a dof sleeps in this step."""
    return d.tree_awake[world, m.dof_treeid[i]] == 0


@wp.func
def just_slept(m: ModelFields, d: DataFields, world: int, i: int) -> bool:
    """Whether the tree of a dof sleeps after this step."""
    return d.tree_asleep[world, m.dof_treeid[i]] >= 0


@wp.func
def is_sensor_asleep(m: ModelFields, d: DataFields, world: int, s: int) -> bool:
    """Whether a sensor keeps its last value: all it watches sleeps. In the first step all sensors measure."""
    if d.sleep_fresh[world, 0] != 0:
        return False
    trees = m.sensor_tree[s]
    one = wp.vec2i(trees[0], trees[1])
    two = wp.vec2i(trees[2], trees[3])
    if trees[2] == -1 and trees[3] == -1:
        return is_pair_asleep(d, world, one)
    if one[0] == -1:
        return is_pair_asleep(d, world, two)
    return is_pair_asleep(d, world, one) and is_pair_asleep(d, world, two)


@wp.func
def wake_tree(m: ModelFields, d: DataFields, world: int, t: int, value: int):
    """Wake a tree and all that fell asleep with it; one that is awake has to rest as long as ``value`` says, or longer.
    One lane.
    """
    now = d.tree_asleep[world, t]
    if now < 0:
        d.tree_asleep[world, t] = wp.min(now, value)
    else:
        at = t
        for _ in range(m.ntree):
            if at >= 0 and at < m.ntree:
                after = d.tree_asleep[world, at]
                if after >= 0:
                    d.tree_asleep[world, at] = value
                at = after


@wp.func
def set_awake_flags(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``tree_awake`` and ``body_awake`` as ``tree_asleep`` says."""
    for t in range(lane, m.ntree, nlane):
        d.tree_awake[world, t] = wp.where(d.tree_asleep[world, t] < 0, 1, 0)
    for b in range(lane, m.nbody, nlane):
        t = m.body_treeid[b]
        state = int(STATIC)
        if t >= 0:
            state = wp.where(d.tree_asleep[world, t] < 0, 1, 0)
        elif m.nmocap > 0 and m.body_mocapid[m.body_rootid[b]] >= 0:
            state = int(1)
        d.body_awake[world, b] = state
