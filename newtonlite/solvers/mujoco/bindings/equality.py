"""Equality constraints: authored ones, mimic joints and constraints, and joints that close loops.

``eq_source`` [neq, 2] says what each is: the kind (``AUTHORED``, ``MIMIC``, ``FOLLOWER``, ``LOOP``) and the row or
joint in the world.
"""

import numpy as np
import warp as wp

from newtonlite.core.mujoco import MjtEq, MjtObj
from newtonlite.math.quat import normalized, to_wxyz
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_normalize, quat_rotate
from newtonlite.solvers.mujoco.bindings.arrays import per_world, where
from newtonlite.solvers.mujoco.bindings.flags import ANCHOR, EQUALITY
from newtonlite.solvers.mujoco.bindings.table import Bind, component, derived, formula, named, sized
from newtonlite.solvers.mujoco.derive.equality import AUTHORED, FOLLOWER, LOOP, MIMIC
from newtonlite.solvers.mujoco.kernels.state_io.model_update import write
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of

E = "mujoco:equality_constraint_"
NUMBERS = 12
FROM_POSE = wp.constant(11)
"""Place among a constraint's numbers that says: the relative pose is that of the reference coordinates."""
ARM = wp.constant(0.1)
"""Distance [m] of the two points of a hinge's axis that closes a loop."""


def of_kind(kind: int):
    """The scene's row of each constraint that was made from a kind; -1 for the others."""
    return lambda m: where(m.eq_source[:, 1], m.eq_source[:, 0] == kind)


authored, mimic, follower, loop = map(of_kind, (AUTHORED, MIMIC, FOLLOWER, LOOP))


# poses of welds


def weld_tables(m) -> dict:
    """Welds of bodies that were authored."""
    tie = np.flatnonzero((authored(m) >= 0) & (m.eq_type == MjtEq.WELD) & (m.eq_objtype == MjtObj.BODY))
    return dict(tie=tie, row=authored(m)[tie])


def welds_np(m, w) -> dict:
    """Relative poses of welds where they were authored; the others are marked, and come with the constants."""
    data, (tie, row) = m.eq_data, weld_tables(m).values()
    if len(tie):
        pose = np.asarray(w.get(E + "relpose")[..., row, :], float)
        data = per_world(data, pose.shape[:-2], 2)
        given = pose[..., 3:].any(-1)[..., None]
        data[..., tie, 3:6] = np.where(given, pose[..., :3], data[..., tie, 3:6])
        data[..., tie, 6:10] = np.where(given, normalized(to_wxyz(pose[..., 3:])), data[..., tie, 6:10])
        data[..., tie, FROM_POSE] = ~given[..., 0]
    return {"eq_data": data}


@derived("eq_data", EQUALITY, welds_np, weld_tables)
def welds(m, mjc, t, changed):
    """Relative poses of welds where they were authored; the others are marked."""
    world, k = wp.tid()
    X = mjc.equality_constraint_relpose[world, t.row[k]]
    q = rotation_of(X)
    e = t.tie[k]
    m.eq_data[world, e, FROM_POSE] = 1.0
    if q[0] != 0.0 or q[1] != 0.0 or q[2] != 0.0 or q[3] != 0.0:
        m.eq_data[world, e, FROM_POSE] = 0.0
        write(m.eq_data, world, e, 3, wp.transform_get_translation(X), 0.0, changed)
        write(m.eq_data, world, e, 6, quat_normalize(q), 0.0, changed)


# joints that close loops


def loop_tables(hinge: bool):
    """Constraints of loops and their joints: the two points of hinges, which have an axis, or all others."""

    def tables(m) -> dict:
        tie = np.flatnonzero(loop(m) >= 0)
        joint = loop(m)[tie]
        count = np.array([np.count_nonzero(joint == j) for j in joint], int)
        tie, joint = tie[(count == 2) == hinge], joint[(count == 2) == hinge]
        second = np.array([j in joint[:k] for k, j in enumerate(joint)], int)
        return dict(to=tie, joint=joint, dof=m.eq_loopdof[tie], second=second)

    return tables


@formula("eq_data:0 eq_data:3 eq_data:6", ANCHOR, loop_tables(hinge=False))
def loops(m, s, t, k):
    """A weld of the joint's two frames: its anchor in the child, its place in the parent, their relative orientation; or
    the joint's place in parent and child.
    """
    X_p, X_c = s.joint_X_p[t.joint[k]], s.joint_X_c[t.joint[k]]
    parent, child = wp.transform_get_translation(X_p), wp.transform_get_translation(X_c)
    weld, zero = m.eq_type[t.to[k]] == MjtEq.WELD, wp.quat(0.0, 0.0, 0.0, 0.0)
    turn = quat_mul(rotation_of(X_p), quat_conj(rotation_of(X_c)))
    return child if weld else parent, parent if weld else child, turn if weld else zero


@formula("eq_data:0 eq_data:3", ANCHOR, loop_tables(hinge=True))
def hinge_points(m, s, t, k):
    """The two points of a hinge, ``ARM`` apart on its axis on both sides of its place, in parent and child."""
    X_p, X_c = s.joint_X_p[t.joint[k]], s.joint_X_c[t.joint[k]]
    half, second = 0.5 * ARM * wp.normalize(s.joint_axis[t.dof[k]]), t.second[k] == 1
    shift = half if second else -half
    here = wp.transform_get_translation(X_p) + quat_rotate(rotation_of(X_p), shift)
    there = wp.transform_get_translation(X_c) + quat_rotate(rotation_of(X_c), shift)
    return sized(here, ARM + wp.length(here)), sized(there, ARM + wp.length(there))


# the table


def polynomial(m) -> np.ndarray:
    """Constraints of joints or tendons."""
    return (m.eq_type == MjtEq.JOINT) | (m.eq_type == MjtEq.TENDON)


def strained(m) -> np.ndarray:
    """Constraints of cells."""
    return m.eq_type == MjtEq.FLEXSTRAIN


def anchored(m) -> np.ndarray:
    """Connects and welds of bodies; those of sites have poses of their own."""
    return (m.eq_type <= MjtEq.WELD) & (m.eq_objtype == MjtObj.BODY)


def welded(m) -> np.ndarray:
    """Welds."""
    return m.eq_type == MjtEq.WELD


def switches(field: str) -> tuple:
    """Bindings of the flags that enable constraints."""
    return (Bind(field, E + "enabled", authored, EQUALITY), Bind(field, "constraint_mimic_enabled", mimic, EQUALITY))


BINDS = (
    *named("solref solimp", authored, EQUALITY, "eq_", "mujoco:eq_"),
    Bind("eq_data", E + "polycoef", authored, EQUALITY, mask=polynomial),
    Bind("eq_data", E + "anchor", authored, EQUALITY, mask=anchored),
    Bind("eq_data", E + "cell", authored, EQUALITY, mask=strained),
    Bind("eq_data", E + "torquescale", authored, EQUALITY, component(10), mask=welded),
    Bind("eq_data", "constraint_mimic_coef0", mimic, EQUALITY, component(0)),
    Bind("eq_data", "constraint_mimic_coef1", mimic, EQUALITY, component(1)),
    Bind("eq_data", "joint_mimic_coeffs", follower, EQUALITY),
    *switches("eq_active0"),
)
LIVE = switches("eq_active")
"""Followed by the device alone: what holds now."""
DERIVED = (welds, loops, hinge_points)
