"""Equality constraints: authored ones, mimic joints and constraints, and joints that close loops.

``eq_source`` [neq, 2] says what each is: the kind (``AUTHORED``, ``MIMIC``, ``FOLLOWER``, ``LOOP``) and the row or
joint in the world.
"""

import numpy as np
import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_mul, quat_normalize, quat_rotate
from newtonlite.math.rotation import conjugate, normalized, product, rotate, to_wxyz
from newtonlite.solvers.mujoco.bindings.table import ANCHOR, EQUALITY, Bind, component, derived, named, per_world, where
from newtonlite.solvers.mujoco.enums import EQ_CONNECT, EQ_JOINT, EQ_WELD, OBJ_BODY
from newtonlite.solvers.mujoco.kernels.state_io.model_update import update_quat, update_vec3
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of

AUTHORED, MIMIC, FOLLOWER, LOOP = range(4)
E = "mujoco:equality_constraint_"
NUMBERS = 12
FROM_POSE = wp.constant(11)
"""Place among a constraint's numbers that says: the relative pose is that of the reference coordinates."""
ARM = 0.1
"""Distance [m] of the two points of a hinge's axis that closes a loop."""


def of_kind(kind: int):
    """The scene's row of each constraint that was made from a kind; -1 for the others."""
    return lambda m: where(m.eq_source[:, 1], m.eq_source[:, 0] == kind)


authored, mimic, follower, loop = map(of_kind, (AUTHORED, MIMIC, FOLLOWER, LOOP))


# poses of welds


def weld_tables(m) -> dict:
    """Welds of bodies that were authored."""
    tie = np.flatnonzero((authored(m) >= 0) & (m.eq_type == EQ_WELD) & (m.eq_objtype == OBJ_BODY))
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
        write_point(m.eq_data, world, e, 3, wp.transform_get_translation(X), 0.0, changed)
        write_rotation(m.eq_data, world, e, quat_normalize(q), changed)


@wp.func
def write_point(
    data: wp.array3d(dtype=float), world: int, e: int, at: int, v: wp.vec3, scale: float, changed: wp.array(dtype=int)
):
    """Three numbers of a constraint, kept where they differ by no more than rounding."""
    old = wp.vec3(data[world, e, at], data[world, e, at + 1], data[world, e, at + 2])
    new = update_vec3(old, v, scale, world, changed)
    for c in range(3):
        data[world, e, at + c] = new[c]


@wp.func
def write_rotation(data: wp.array3d(dtype=float), world: int, e: int, q: wp.quat, changed: wp.array(dtype=int)):
    """The relative orientation of a constraint, likewise."""
    old = wp.quat(data[world, e, 6], data[world, e, 7], data[world, e, 8], data[world, e, 9])
    new = update_quat(old, q, world, changed)
    for c in range(4):
        data[world, e, 6 + c] = new[c]


# joints that close loops


def loop_tables(m) -> dict:
    """Constraints of loops, their joints and axes, and how far along the axis the second point of a hinge is."""
    tie = np.flatnonzero(loop(m) >= 0)
    second = [m.eq_type[k] == EQ_CONNECT and k > 0 and (m.eq_source[k] == m.eq_source[k - 1]).all() for k in tie]
    return dict(tie=tie, joint=loop(m)[tie], dof=m.eq_loopdof[tie], arm=np.where(second, ARM, 0.0))


def loops_np(m, w) -> dict:
    """A weld of the joint's two frames: its anchor in the child, its place in the parent, their relative orientation; or
    a point of the joint's frame, in parent and child.
    """
    data, (tie, joint, dof, arm) = m.eq_data, loop_tables(m).values()
    if len(tie):
        X_p, X_c = w.get("joint_X_p")[..., joint, :], w.get("joint_X_c")[..., joint, :]
        weld, offset = (m.eq_type[tie] == EQ_WELD)[:, None], np.zeros((len(tie), 3))
        if arm.any():
            axis = w.get("joint_axis")[..., dof[arm > 0], :]
            offset = np.zeros((*axis.shape[:-2], len(tie), 3))
            offset[..., arm > 0, :] = ARM * (axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-15))
        turn_p, turn_c = to_wxyz(X_p[..., 3:]), to_wxyz(X_c[..., 3:])
        here, there = X_p[..., :3] + rotate(turn_p, offset), X_c[..., :3] + rotate(turn_c, offset)
        turn = product(turn_p, conjugate(turn_c))
        data = per_world(data, np.broadcast_shapes(here.shape[:-2], there.shape[:-2]), 2)
        data[..., tie, 0:3] = np.where(weld, X_c[..., :3], here)
        data[..., tie, 3:6] = np.where(weld, X_p[..., :3], there)
        data[..., tie, 6:10] = np.where(weld, turn, 0.0)
    return {"eq_data": data}


@derived("eq_data", ANCHOR, loops_np, loop_tables, arm=float)
def loops(m, s, t, changed):
    """A weld of the two frames of a joint, or a point of both, ``arm`` along the axis."""
    world, k = wp.tid()
    e = t.tie[k]
    X_p = s.joint_X_p[world, t.joint[k]]
    X_c = s.joint_X_c[world, t.joint[k]]
    parent = wp.transform_get_translation(X_p)
    child = wp.transform_get_translation(X_c)
    if m.eq_type[e] == EQ_WELD:
        write_point(m.eq_data, world, e, 0, child, 0.0, changed)
        write_point(m.eq_data, world, e, 3, parent, 0.0, changed)
        write_rotation(m.eq_data, world, e, quat_mul(rotation_of(X_p), quat_conj(rotation_of(X_c))), changed)
        return
    arm = t.arm[k]
    shift = wp.vec3(0.0, 0.0, 0.0)
    if arm > 0.0:
        shift = arm * wp.normalize(s.joint_axis[world, t.dof[k]])
    here = parent + quat_rotate(rotation_of(X_p), shift)
    there = child + quat_rotate(rotation_of(X_c), shift)
    write_point(m.eq_data, world, e, 0, here, arm + wp.length(parent), changed)
    write_point(m.eq_data, world, e, 3, there, arm + wp.length(child), changed)


# the table


def polynomial(m) -> np.ndarray:
    """Constraints of joints or tendons."""
    return m.eq_type >= EQ_JOINT


def anchored(m) -> np.ndarray:
    """Connects and welds of bodies; those of sites have poses of their own."""
    return (m.eq_type <= EQ_WELD) & (m.eq_objtype == OBJ_BODY)


def welded(m) -> np.ndarray:
    """Welds."""
    return m.eq_type == EQ_WELD


def switches(field: str) -> tuple:
    """Bindings of the flags that enable constraints."""
    return (Bind(field, E + "enabled", authored, EQUALITY), Bind(field, "constraint_mimic_enabled", mimic, EQUALITY))


BINDS = (
    *named("solref solimp", authored, EQUALITY, "eq_", "mujoco:eq_"),
    Bind("eq_data", E + "polycoef", authored, EQUALITY, mask=polynomial),
    Bind("eq_data", E + "anchor", authored, EQUALITY, mask=anchored),
    Bind("eq_data", E + "torquescale", authored, EQUALITY, component(10), mask=welded),
    Bind("eq_data", "constraint_mimic_coef0", mimic, EQUALITY, component(0)),
    Bind("eq_data", "constraint_mimic_coef1", mimic, EQUALITY, component(1)),
    Bind("eq_data", "joint_mimic_coeffs", follower, EQUALITY),
    *switches("eq_active0"),
)
LIVE = switches("eq_active")
"""Followed by the device alone: what holds now."""
DERIVED = (welds, loops)
