"""Joints and dofs: anchors, springs, limits, friction, damping, armature. Values of a joint are those of its first dof."""

import numpy as np
import warp as wp

from newtonlite.core.enums import SolrefMode
from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.bindings.actuator import shared
from newtonlite.solvers.mujoco.bindings.arrays import per_world, words_of
from newtonlite.solvers.mujoco.bindings.flags import ANCHOR, DOF, FRAME, INERTIA, LIMIT, REFERENCE
from newtonlite.solvers.mujoco.bindings.table import (
    Bind,
    Derived,
    Watch,
    component,
    copied,
    copy_words,
    derived,
    formula,
    named,
    sized,
)
from newtonlite.solvers.mujoco.derive.passive import plastic_springs
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import DEFAULT_TIME, force_space
from newtonlite.solvers.mujoco.kernels.state_io.model_update import write
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import BELOW_MINVAL, FINITE, NONZERO, POSITIVE


def first_dofs(m) -> np.ndarray:
    """The scene's dof that is the first of each joint."""
    return np.asarray(m.newton_dof[m.jnt_dofadr] if m.njnt else np.zeros(0), int)


def first_coords(m) -> np.ndarray:
    """The scene's coordinate that is the first of each joint."""
    return np.asarray(m.newton_coord[m.jnt_qposadr] if m.njnt else np.zeros(0), int)


# anchors and axes


@formula("jnt_pos jnt_axis", ANCHOR, lambda m: dict(joint=m.newton_joint, first=first_dofs(m)))
def anchors(m, s, mjc, t, j):
    """Anchors of joints, their own where one was authored, and axes of hinges and slides, in the body's frame."""
    X = s.joint_X_c[t.joint[j]]
    own = mjc.dof_pos[t.first[j]]
    pos = wp.transform_get_translation(X) if wp.isnan(own[0]) else own
    axis = wp.normalize(quat_rotate(rotation_of(X), s.joint_axis[t.first[j]]))
    kind = m.jnt_type[j]
    zero, up = wp.vec3(0.0, 0.0, 0.0), wp.vec3(0.0, 0.0, 1.0)
    return zero if kind == MjtJoint.FREE else pos, sized(axis if kind > MjtJoint.BALL else up, 1.0)


# springs


def spring_tables(m) -> dict:
    """Joints whose stiffness is given: no time constant is."""
    to = np.flatnonzero(m.jnt_tuned == 0)
    return dict(to=to, first=first_dofs(m)[to])


@formula("jnt_stiffness", REFERENCE | FRAME, spring_tables)
def stiffness(m, s, mjc, t, k):
    """Stiffness of a joint's spring."""
    return s.joint_stiffness[t.first[k]]


def rest_tables(m) -> dict:
    """Coordinates of slides and hinges."""
    scalar = np.flatnonzero(m.jnt_type > MjtJoint.BALL)
    return dict(to=m.jnt_qposadr[scalar], first=first_dofs(m)[scalar], coord=first_coords(m)[scalar])


@formula("qpos0 qpos_spring", REFERENCE | FRAME, rest_tables)
def rests(m, s, mjc, t, k):
    """Reference and spring coordinates."""
    zero = mjc.dof_ref[t.first[k]]
    rest = zero + s.joint_rest_q[t.coord[k]]
    return zero, sized(rest, wp.abs(zero) + wp.abs(rest))


def ball_rest_tables(m) -> dict:
    """Numbers of the coordinates of balls, each with the quaternion (w, x, y, z) that picks it."""
    ball = np.repeat(np.flatnonzero(m.jnt_type == MjtJoint.BALL), 4)
    part = np.arange(len(ball)) % 4
    joint, coord = m.newton_joint[ball], first_coords(m)[ball]
    return dict(to=m.jnt_qposadr[ball] + part, joint=joint, coord=coord, pick=np.eye(4)[part])


@formula("qpos_spring", REFERENCE | FRAME, ball_rest_tables, pick=wp.quat)
def ball_rests(m, s, mjc, t, k):
    """Spring coordinates of balls: orientations of the child's frame, seen by the body."""
    i = t.coord[k]
    rest = wp.quat(s.joint_rest_q[i + 3], s.joint_rest_q[i], s.joint_rest_q[i + 1], s.joint_rest_q[i + 2])
    child = rotation_of(s.joint_X_c[t.joint[k]])
    return wp.dot(quat_mul(quat_mul(child, rest), quat_conj(child)), t.pick[k])


def free_pose(field: str, part: str, at: int, width: int) -> Derived:
    """Reference coordinates of free bodies: their poses in the parent."""

    def words(m) -> tuple:
        free = m.jnt_type == MjtJoint.FREE
        address = m.jnt_qposadr[free, None] + at + np.arange(width)
        return address.ravel(), words_of(m.jnt_bodyid[free], width)

    source = f"body_{part}"
    return copied(field, source, REFERENCE | FRAME, words, lambda m, w: copy_words(m, field, source, words), late=False)


# springs by time constant and damping ratio


def tuned_np(m, w) -> dict:
    """Stiffness and damping of joints that ask for a time constant and a damping ratio; needs ``dof_invweight0``.

    With the inertia ``I`` that the joint feels, ``k = I / (timeconst dampratio)^2`` and ``b = 2 I / timeconst``.
    """
    asked, worlds = w.read("mujoco:jnt_springdamper")[..., first_dofs(m), :], np.shape(m.dof_invweight0)[:-1]
    worlds = np.broadcast_shapes(worlds, asked.shape[:-2]) if m.jnt_tuned.any() else ()
    stiffness, damping = (per_world(x, worlds, 1) for x in (m.jnt_stiffness, m.dof_damping))
    for j in np.flatnonzero(m.jnt_tuned):
        span = slice(m.jnt_dofadr[j], m.jnt_dofadr[j] + np.count_nonzero(m.dof_jntid == j))
        inertia = 1.0 / np.asarray(m.dof_invweight0)[..., span].mean(-1)
        time, ratio = asked[..., j, 0], asked[..., j, 1]
        stiffness[..., j] = inertia / (time * ratio) ** 2
        damping[..., span] = (2.0 * inertia / time)[..., None]
    return {"jnt_stiffness": stiffness, "dof_damping": damping}


def tuned_tables(m) -> dict:
    """Joints whose springs are tuned."""
    joint = np.flatnonzero(m.jnt_tuned)
    return dict(joint=joint, first=first_dofs(m)[joint], count=np.bincount(m.dof_jntid, minlength=m.njnt)[joint])


@derived("jnt_stiffness dof_damping", LIMIT, tuned_np, tuned_tables, late=True)
def tuned(m, mjc, t, changed):
    """Springs by time constant and damping ratio, for the inertia felt."""
    world, k = wp.tid()
    j = t.joint[k]
    first = m.jnt_dofadr[j]
    mean = float(0.0)
    for i in range(first, first + t.count[k]):
        mean += m.dof_invweight0[world, i] / float(t.count[k])
    asked = mjc.jnt_springdamper[world, t.first[k]]
    write(m.jnt_stiffness, world, j, 1.0 / (mean * asked[0] * asked[1] * asked[0] * asked[1]), 0.0, changed)
    for i in range(first, first + t.count[k]):
        write(m.dof_damping, world, i, 2.0 / (mean * asked[0]), 0.0, changed)


# limits


@formula("jnt_solref", LIMIT, lambda m: dict(first=first_dofs(m)), late=True)
def limits(m, s, mjc, t, j):
    """References of limits: gains in force space, the author's own numbers, or the default of files that say nothing, until
    someone changes the gains.
    """
    i = t.first[j]
    ke, kd, mode = s.joint_limit_ke[i], s.joint_limit_kd[i], mjc.solreflimit_mode[i]
    baseline = mjc.solreflimit_gain_baseline[i]
    gains = force_space(ke, kd, m.dof_invweight0[m.jnt_dofadr[j]] * (1.0 - m.jnt_solimp[j][1]))
    untouched = ke == baseline[0] and kd == baseline[1]
    found = wp.vec2(DEFAULT_TIME, 1.0) if mode == SolrefMode.MJCF_DEFAULT and untouched else gains
    return mjc.solreflimit[i] if mode == SolrefMode.RAW else found


# the force of all actuators on a joint


@formula("jnt_actfrcrange", DOF, lambda m: dict(first=first_dofs(m), limited=m.jnt_actfrclimited))
def force_range(m, s, mjc, t, j):
    """The author's own range, else plus and minus the effort limit where that clamps."""
    own, effort = mjc.jnt_actfrcrange[t.first[j]], s.joint_effort_limit[t.first[j]]
    clamped = t.limited[j] != 0 and own[0] == 0.0 and own[1] == 0.0
    return wp.vec2(-effort, effort) if clamped else own


# rests of springs that yield


def plastic_words(m) -> tuple:
    """Places in ``plastic0``, the rest poses that a reset restores, and in ``qpos_spring``."""
    adr = plastic_springs(m)["jnt_plasticadr"]
    here = np.flatnonzero(adr >= 0)
    width = np.where(m.jnt_type[here] == MjtJoint.BALL, 4, 1)
    step = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
    return tuple(np.repeat(x[here], width) + step for x in (adr, m.jnt_qposadr))


def plastic_np(m, w) -> dict:
    """Rest poses and lengths of springs that yield."""
    return {"plastic0": plastic_springs(m)["plastic0"]}


# the table


def damped_elsewhere(m) -> np.ndarray:
    """Dofs to whose damping actuators add, or whose springs are tuned."""
    return shared("dof_damping")(m) | m.jnt_tuned.astype(bool)[m.dof_jntid]


def unlimited_words(m, w) -> np.ndarray:
    """Dofs without limits that could have some."""
    return first_dofs(m)[(m.jnt_limited == 0) & (m.jnt_type != MjtJoint.FREE)]


def free_effort_words(m, w) -> np.ndarray:
    """Dofs whose effort limit clamps nothing, and no range of the author's does."""
    own = w.read("mujoco:jnt_actfrcrange")[..., first_dofs(m), :].any(-1)
    authored = own.any(axis=tuple(range(own.ndim - 1)))
    return first_dofs(m)[(m.jnt_actfrclimited == 0) & np.isin(m.jnt_type, (MjtJoint.SLIDE, MjtJoint.HINGE)) & ~authored]


BINDS = (
    Bind("dof_armature", "joint_armature", "newton_dof", INERTIA, mask="dof_counted", unless=shared("dof_armature")),
    Bind("dof_damping", "joint_damping", "newton_dof", DOF, unless=damped_elsewhere),
    Bind("dof_dampingpoly", "mujoco:dof_dampingpoly", "newton_dof", DOF, unless=shared("dof_dampingpoly")),
    Bind("dof_frictionloss", "joint_friction", "newton_dof", DOF),
    Bind("dof_solref", "mujoco:solreffriction", "newton_dof", DOF),
    Bind("dof_solimp", "mujoco:solimpfriction", "newton_dof", DOF),
    Bind("jnt_solimp", "mujoco:solimplimit", first_dofs, DOF),
    Bind("jnt_margin", "mujoco:limit_margin", first_dofs, DOF),
    *named("stiffnesspoly springyield", first_dofs, DOF, "jnt_", "mujoco:jnt_"),
    Bind("jnt_range", "joint_limit_lower", first_dofs, REFERENCE, component(0), "jnt_limited", plus="mujoco:dof_ref"),
    Bind("jnt_range", "joint_limit_upper", first_dofs, REFERENCE, component(1), "jnt_limited", plus="mujoco:dof_ref"),
)
PLASTIC = copied("plastic0", "qpos_spring", REFERENCE | FRAME, plastic_words, plastic_np)
FREE_POSES = tuple(
    free_pose(field, *part) for field in ("qpos0", "qpos_spring") for part in (("pos", 0, 3), ("quat", 3, 4))
)
DERIVED = (anchors, stiffness, rests, ball_rests, *FREE_POSES, force_range, limits, tuned, PLASTIC)
WATCHES = (
    Watch("joint_friction", POSITIVE, flags=DOF),
    Watch("mujoco:jnt_springyield", POSITIVE),
    Watch("mujoco:jnt_actfrcrange", NONZERO),
    Watch("mujoco:jnt_stiffnesspoly", NONZERO, one=True),
    Watch("mujoco:dof_dampingpoly", NONZERO, one=True),
    Watch("mujoco:jnt_springdamper", NONZERO),
    Watch("joint_limit_lower", FINITE, unlimited_words),
    Watch("joint_limit_upper", FINITE, unlimited_words),
    Watch("joint_effort_limit", BELOW_MINVAL, free_effort_words),
)
