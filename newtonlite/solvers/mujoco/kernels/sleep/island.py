"""Islands: kinematic trees that constraints couple, directly or through others (union-find).

A tree that a constraint acts on is in an island, if need be by itself; islands are numbered by their lowest trees, as
MuJoCo does. Links are found from what has rows: equalities, dry friction, limits, contacts.

MuJoCo documentation, Computation: Constraint islands.  Taken before constraint rows are there, by ``sleep``, which has
to know what would couple; ``island_ids`` finds the islands of solvers from the rows themselves.

``tree_root`` of a tree is a tree of its island with a lower number or itself, -1 where nothing acts on it.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtEq, MjtIntegrator, MjtJoint
from newtonlite.math.quaternion import quat_to_rotvec
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.contact import contact_row_count
from newtonlite.solvers.mujoco.kernels.constraint.equality_polynomial import polynomial, scalar_state, tendons_move
from newtonlite.solvers.mujoco.kernels.position.kinematics import read_quat
from newtonlite.solvers.mujoco.kernels.primitives.asleep import is_pair_asleep
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    carrier_count,
    carrier_points,
    carrier_weight,
    flex_at_contact,
    is_flex_side,
    point_body,
)
from newtonlite.solvers.mujoco.kernels.primitives.tendon_entries import entry_dof, tendon_entries, tendon_row
from newtonlite.solvers.mujoco.kernels.sleep.wake import tendon_couples


@wp.func
def are_trees_asleep(m: ModelFields, d: DataFields, world: int, trees: wp.vec2i) -> bool:
    """Whether a constraint on these trees has no rows because they sleep; in the first step all count."""
    if m.nsleep > 0:
        if d.sleep_fresh[world, 0] == 0:
            return is_pair_asleep(d, world, trees)
    return False


@wp.func
def is_tree_asleep(m: ModelFields, d: DataFields, world: int, t: int) -> bool:
    """``are_trees_asleep`` of one tree."""
    return are_trees_asleep(m, d, world, wp.vec2i(t, -1))


@wp.func
def root_of(d: DataFields, world: int, t: int) -> int:
    """The lowest tree known to be tied to this one."""
    at = t
    while d.tree_root[world, at] != at:
        at = d.tree_root[world, at]
    return at


@wp.func
def link(d: DataFields, world: int, t1: int, t2: int):
    """A constraint acts on two trees, or on one, where the other number is negative."""
    # a constraint on one tree links it to itself, which is enough to make it an island
    a = wp.where(t1 >= 0, t1, t2)
    b = wp.where(t2 >= 0, t2, t1)
    if a >= 0:
        # nothing acted on these trees before: each is its own root
        if d.tree_root[world, a] < 0:
            d.tree_root[world, a] = a
        if d.tree_root[world, b] < 0:
            d.tree_root[world, b] = b
        # the lower root takes the other one: islands are numbered by their lowest trees
        a = root_of(d, world, a)
        b = root_of(d, world, b)
        d.tree_root[world, wp.max(a, b)] = wp.min(a, b)


@wp.func
def link_tendon(m: ModelFields, d: DataFields, world: int, t: int, before: int) -> int:
    """Tie all trees that change the length of a tendon to each other, and to the tree ``before``; returns the last of
    them.
    """
    # dofs of a tree lie side by side: comparing with the last tree is enough
    last = before
    span = tendon_entries(m, t)
    for e in range(span[0], span[1]):
        tree = m.dof_treeid[entry_dof(m, e)]
        if d.ten_J[world, tendon_row(m, t), e] != 0.0 and tree != last:
            link(d, world, last, tree)
            last = tree

    # a tendon on one tree acts on it all the same
    if last >= 0:
        link(d, world, last, last)
    return last


@wp.func
def link_equality(m: ModelFields, d: DataFields, world: int, k: int):
    """Tie what an equality that holds ties."""
    kind = m.eq_type[k]
    trees = m.eq_tree[k]
    if m.ntendon > 0 and kind == MjtEq.TENDON:
        # tendons: every tree that moves one of them, as far as the polynomial has a slope there
        if tendons_move(m, d, world, k):
            last = link_tendon(m, d, world, m.eq_pair[k][0], -1)
            other = m.eq_pair[k][1]
            if other >= 0:
                if polynomial(m, world, k, scalar_state(m, d, world, k, 1)[0])[1] != 0.0:
                    last = link_tendon(m, d, world, other, last)
    elif kind == MjtEq.JOINT and m.eq_pair[k][1] >= 0:
        # joints: at a slope of 0 the leader has no part in the row, unless dense rows keep their zeros
        if m.keepzero > 0 or polynomial(m, world, k, scalar_state(m, d, world, k, 1)[0])[1] != 0.0:
            link(d, world, trees[0], trees[1])
        else:
            link(d, world, trees[0], trees[0])
    elif kind == MjtEq.FLEX or kind == MjtEq.FLEXSTRAIN:
        if m.nflexlink > 0:
            for i in range(m.eq_linkadr[k], m.eq_linkadr[k + 1]):
                link(d, world, m.eq_link[i][0], m.eq_link[i][1])
    else:  # points and frames tie the trees of their two bodies
        link(d, world, trees[0], trees[1])


@wp.func
def limit_acts(m: ModelFields, d: DataFields, world: int, j: int) -> bool:
    """Whether a joint is within the margin of a limit."""
    # as limit_rows makes rows: the angle of a ball joint, or the coordinate between two bounds
    margin = m.jnt_margin[world, j]
    bounds = m.jnt_range[world, j]
    if m.nball > 0 and m.jnt_type[j] == MjtJoint.BALL:
        turn = quat_to_rotvec(read_quat(m, d, world, m.jnt_qposadr[j]))
        return wp.max(bounds[0], bounds[1]) - wp.length(turn) < margin
    q = d.qpos[world, m.jnt_qposadr[j]]
    return q - bounds[0] < margin or bounds[1] - q < margin


@wp.func
def link_scalars(m: ModelFields, d: DataFields, world: int):
    """Dry friction and limits of joints and tendons."""
    # rows of one tree: dry friction of dofs always, limits where they are near
    if (m.opt_disableflags & MjtDisableBit.FRICTIONLOSS) == 0:
        for k in range(m.nfriction):
            tree = m.dof_treeid[m.friction_dof[k]]
            if not is_tree_asleep(m, d, world, tree):
                link(d, world, tree, tree)
    if (m.opt_disableflags & MjtDisableBit.LIMIT) == 0:
        for k in range(m.nlimit):
            j = m.limit_jnt[k]
            if limit_acts(m, d, world, j):
                tree = m.dof_treeid[m.jnt_dofadr[j]]
                if not is_tree_asleep(m, d, world, tree):
                    link(d, world, tree, tree)

    # rows of tendons, of any number of trees
    for t in range(m.ntendon):
        if tendon_couples(m, d, world, t) and not are_trees_asleep(m, d, world, m.tendon_tree[t]):
            link_tendon(m, d, world, t, -1)


@wp.func
def link_side(m: ModelFields, d: DataFields, world: int, c: int, side: int, before: int) -> int:
    """Tie all trees that a side of a contact of a flex moves with to each other and to the tree ``before``; returns the
    last of them.
    """
    # a flex has the trees of what carries it there, as far as that has a part in it
    last = before
    if is_flex_side(m, d, world, c, side):
        s = flex_at_contact(m, d, world, c, side)
        for i in range(carrier_count(s)):
            points = carrier_points(m, s, i)
            for k in range(points[0], points[1]):
                t = m.body_treeid[point_body(m, s, i, k)]
                if t >= 0 and (s.twist >= 0 or carrier_weight(s, i) != 0.0):
                    link(d, world, last, t)
                    last = t
        return last

    # a geom has that of its body, if it moves at all
    t = m.body_treeid[m.geom_bodyid[d.contact_geom[world, c][side]]]
    if t >= 0:
        link(d, world, last, t)
        last = t
    return last


@wp.func
def link_contacts(m: ModelFields, d: DataFields, world: int):
    """Contacts that have rows."""
    for c in range(d.ncon[world]):
        # a contact without rows ties nothing
        if contact_row_count(m, d, world, c) > 0:
            # a flex is always the second side, and the first one may be another
            if is_flex_side(m, d, world, c, 1):
                link_side(m, d, world, c, 1, link_side(m, d, world, c, 0, -1))
            else:
                geoms = d.contact_geom[world, c]
                link(d, world, m.body_treeid[m.geom_bodyid[geoms[0]]], m.body_treeid[m.geom_bodyid[geoms[1]]])


@wp.func
def link_partners(m: ModelFields, d: DataFields, world: int):
    """Trees of elastic flexes: under the integrator discrete, and where a constraint acts on anything."""
    if m.nflexforce > 0:
        acting = int(wp.where(m.opt_integrator == MjtIntegrator.DISCRETE, 1, 0))
        for t in range(m.ntree):
            if d.tree_root[world, t] >= 0:
                acting += 1
        for t in range(wp.where(acting > 0, m.ntree, 0)):
            other = m.tree_partner[t]
            if other != t and not are_trees_asleep(m, d, world, wp.vec2i(other, t)):
                link(d, world, other, t)


@wp.func
def link_drives(m: ModelFields, d: DataFields, world: int, resting: bool):
    """Trees that tendons and actuators tie in the effective inertia, in a world with constraints; ``resting``: also those that
    sleep.
    """
    for k in range(m.ndrivetree):
        asleep = bool(False)
        if m.nsleep > 0:
            asleep = is_pair_asleep(d, world, m.drive_tree[k])
        if resting or not asleep:
            link(d, world, m.drive_tree[k][0], m.drive_tree[k][1])


@wp.func
def has_islands(m: ModelFields, d: DataFields, world: int) -> bool:
    """Whether any tree is in an island."""
    for t in range(m.ntree):
        if d.tree_root[world, t] >= 0:
            return True
    return False


@wp.func
def link_all(m: ModelFields, d: DataFields, world: int):
    """``tree_root`` of every tree from all constraints. One lane."""
    # no constraint, no island
    for t in range(m.ntree):
        d.tree_root[world, t] = -1

    # the kinds of constraints in the order of their rows, as far as they are enabled
    if (m.opt_disableflags & MjtDisableBit.CONSTRAINT) == 0:
        if (m.opt_disableflags & MjtDisableBit.EQUALITY) == 0:
            for k in range(m.neq):
                if d.eq_active[world, k] != 0 and m.eq_nrow[k] > 0 and not are_trees_asleep(m, d, world, m.eq_tree[k]):
                    link_equality(m, d, world, k)
        link_scalars(m, d, world)
        if (m.opt_disableflags & MjtDisableBit.CONTACT) == 0:
            link_contacts(m, d, world)

    # tendons and actuators that the integrator takes in, where there is a constraint at all
    if m.ndrivetree > 0:
        if has_islands(m, d, world):
            resting = bool(False)
            if m.nsleep > 0:
                resting = d.sleep_fresh[world, 0] != 0
            link_drives(m, d, world, resting)

    # elasticity, also where it makes no rows
    link_partners(m, d, world)
