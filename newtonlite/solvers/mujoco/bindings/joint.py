"""Joints and dofs: anchors, springs, limits, friction, damping, armature. Values of a joint are those of its first dof."""

import numpy as np
import warp as wp

from newtonlite.math.quaternion import quat_rotate
from newtonlite.math.rotation import rotate, to_wxyz
from newtonlite.solvers.mujoco.bindings.actuator import shared
from newtonlite.solvers.mujoco.bindings.gains import DEFAULT_SOLREF, FORCE_SPACE, MJCF_DEFAULT, RAW, solref_from_gains
from newtonlite.solvers.mujoco.bindings.table import (
    ANCHOR,
    DOF,
    FRAME,
    INERTIA,
    LIMIT,
    REFERENCE,
    Bind,
    Watch,
    component,
    copied,
    derived,
    named,
    per_world,
)
from newtonlite.solvers.mujoco.derive.passive import plastic_springs
from newtonlite.solvers.mujoco.enums import BALL, FREE, HINGE, SLIDE
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import force_space
from newtonlite.solvers.mujoco.kernels.state_io.model_update import write_pair, write_value, write_vec3
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import BELOW_MINVAL, FINITE, NONZERO, POSITIVE


def dofs(m) -> np.ndarray:
    """The scene's dof of each dof."""
    return m.newton_dof


def first_dofs(m) -> np.ndarray:
    """The scene's dof that is the first of each joint."""
    return np.asarray(m.newton_dof[m.jnt_dofadr] if m.njnt else np.zeros(0), int)


def first_coords(m) -> np.ndarray:
    """The scene's coordinate that is the first of each joint."""
    return np.asarray(m.newton_coord[m.jnt_qposadr] if m.njnt else np.zeros(0), int)


# anchors and axes


def anchors_np(m, w) -> dict:
    """Anchors and axes in the body's frame; a joint's own anchor (``mujoco:dof_pos``) where one was authored."""
    X_c, own = w.get("joint_X_c")[..., m.newton_joint, :], w.read("mujoco:dof_pos")[..., first_dofs(m), :]
    turned = rotate(to_wxyz(X_c[..., 3:]), w.get("joint_axis")[..., first_dofs(m), :])
    length = np.linalg.norm(turned, axis=-1, keepdims=True)
    axis, pos = turned / np.where(length > 0, length, 1.0), np.where(np.isnan(own), X_c[..., :3], own)
    return {
        "jnt_pos": np.where((m.jnt_type == FREE)[:, None], 0.0, pos),
        "jnt_axis": np.where((m.jnt_type > BALL)[:, None], axis, [0.0, 0.0, 1.0]),
    }


@derived("jnt_pos jnt_axis", ANCHOR, anchors_np, lambda m: dict(joint=m.newton_joint, first=first_dofs(m)))
def anchors(m, s, mjc, t, changed):
    """Anchors of joints, their own where one was authored, and axes of hinges and slides, in the body's frame."""
    world, j = wp.tid()
    if m.jnt_type[j] == FREE:
        return
    X_c = s.joint_X_c[world, t.joint[j]]
    pos = mjc.dof_pos[world, t.first[j]]
    if wp.isnan(pos[0]):
        pos = wp.transform_get_translation(X_c)
    write_vec3(m.jnt_pos, world, j, pos, 0.0, changed)
    if m.jnt_type[j] > BALL:
        turned = wp.normalize(quat_rotate(rotation_of(X_c), s.joint_axis[world, t.first[j]]))
        write_vec3(m.jnt_axis, world, j, turned, 1.0, changed)


# springs


def springs_np(m, w) -> dict:
    """Reference and spring coordinates, and spring stiffness.

    A Newton joint and MuJoCo's own ``stiffness`` may each have a spring; two springs add up to one between their rests.
    """
    first = first_dofs(m)
    ref = w.read("mujoco:dof_ref")[..., first]
    own, own_rest = w.get("joint_stiffness")[..., first], ref + w.get("joint_rest_q")[..., first_coords(m)]
    raw = w.read("mujoco:dof_passive_stiffness")[..., first]
    raw_rest = w.read("mujoco:dof_springref")[..., first]
    stiffness = own + raw
    blend = (own * own_rest + raw * raw_rest) / np.where(stiffness > 0, stiffness, 1.0)
    rest = np.where(own > 0, blend, np.where((raw > 0) | (raw_rest != 0), raw_rest, own_rest))
    return {"jnt_stiffness": stiffness, "qpos0": coordinates(m, ref), "qpos_spring": coordinates(m, rest)}


def coordinates(m, scalar) -> np.ndarray:
    """``qpos`` from one number per joint: slides and hinges take it, balls stay upright, free bodies at their pose."""
    world_shape = np.broadcast_shapes(scalar.shape[:-1], m.body_pos.shape[:-2], m.body_quat.shape[:-2])
    qpos = np.zeros(world_shape + (m.nq,))
    for j in range(m.njnt):
        adr, b = m.jnt_qposadr[j], m.jnt_bodyid[j]
        if m.jnt_type[j] == FREE:
            qpos[..., adr : adr + 3] = m.body_pos[..., b, :]
            qpos[..., adr + 3 : adr + 7] = m.body_quat[..., b, :]
        elif m.jnt_type[j] == BALL:
            qpos[..., adr] = 1.0
        else:
            qpos[..., adr] = scalar[..., j]
    return qpos


@derived(
    "jnt_stiffness qpos0 qpos_spring",
    REFERENCE | FRAME,
    springs_np,
    lambda m: dict(first=first_dofs(m), coord=first_coords(m), tuned=m.jnt_tuned),
)
def springs(m, s, mjc, t, changed):
    """Reference and spring coordinates, and stiffness where no time constant is asked for (``tuned``)."""
    world, j = wp.tid()
    i = t.first[j]
    own = s.joint_stiffness[world, i]
    raw = mjc.dof_passive_stiffness[world, i]
    if t.tuned[j] == 0:
        write_value(m.jnt_stiffness, world, j, own + raw, 0.0, changed)
    adr = m.jnt_qposadr[j]
    if m.jnt_type[j] == FREE:
        body = m.jnt_bodyid[j]
        for k in range(7):
            value = float(0.0)
            if k < 3:
                value = m.body_pos[world, body][k]
            else:
                value = m.body_quat[world, body][k - 3]
            write_value(m.qpos0, world, adr + k, value, 0.0, changed)
            write_value(m.qpos_spring, world, adr + k, value, 0.0, changed)
    elif m.jnt_type[j] > BALL:
        zero = mjc.dof_ref[world, i]
        rest = s.joint_rest_q[world, t.coord[j]]
        raw_rest = mjc.dof_springref[world, i]
        at = zero + rest
        if own > 0.0:
            at = (own * at + raw * raw_rest) / (own + raw)
        elif raw > 0.0 or raw_rest != 0.0:
            at = raw_rest
        write_value(m.qpos0, world, adr, zero, 0.0, changed)
        write_value(m.qpos_spring, world, adr, at, wp.abs(zero) + wp.abs(rest) + wp.abs(raw_rest), changed)


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
    write_value(m.jnt_stiffness, world, j, 1.0 / (mean * asked[0] * asked[1] * asked[0] * asked[1]), 0.0, changed)
    for i in range(first, first + t.count[k]):
        write_value(m.dof_damping, world, i, 2.0 / (mean * asked[0]), 0.0, changed)


# limits


def limits_np(m, w) -> dict:
    """``jnt_solref``: gains in force space, the author's own numbers, or the default of files that say nothing, until
    someone changes the gains. Needs ``dof_invweight0``.
    """
    first = first_dofs(m)
    ke, kd = w.get("joint_limit_ke")[..., first], w.get("joint_limit_kd")[..., first]
    mode, raw = w.read("mujoco:solreflimit_mode")[..., first], w.read("mujoco:solreflimit")[..., first, :]
    baseline = w.read("mujoco:solreflimit_gain_baseline")[..., first, :]
    untouched = (ke == baseline[..., 0]) & (kd == baseline[..., 1])
    gains = solref_from_gains(ke, kd, m.dof_invweight0[..., m.jnt_dofadr] * (1.0 - m.jnt_solimp[..., 1]))
    gains = np.where(((mode == MJCF_DEFAULT) & untouched)[..., None], DEFAULT_SOLREF, gains)
    return {"jnt_solref": np.where((mode == RAW)[..., None], raw, gains)}


@derived("jnt_solref", LIMIT, limits_np, lambda m: dict(first=first_dofs(m)), late=True)
def limits(m, s, mjc, t, changed):
    """``jnt_solref``: gains in force space, the author's own numbers, or the default of files that say nothing."""
    world, j = wp.tid()
    i = t.first[j]
    ke = s.joint_limit_ke[world, i]
    kd = s.joint_limit_kd[world, i]
    mode = mjc.solreflimit_mode[world, i]
    baseline = mjc.solreflimit_gain_baseline[world, i]
    found = wp.vec2(0.02, 1.0)
    if mode == RAW:
        found = mjc.solreflimit[world, i]
    elif mode == FORCE_SPACE or ke != baseline[0] or kd != baseline[1]:
        found = force_space(ke, kd, m.dof_invweight0[world, m.jnt_dofadr[j]] * (1.0 - m.jnt_solimp[world, j][1]))
    write_pair(m.jnt_solref, world, j, found, changed)


# the force of all actuators on a joint


def force_range_np(m, w) -> dict:
    """``jnt_actfrcrange``: the author's own, else plus and minus the effort limit where that clamps."""
    effort = w.get("joint_effort_limit")[..., first_dofs(m)]
    own = w.read("mujoco:jnt_actfrcrange")[..., first_dofs(m), :]
    limits = np.where(own.any(-1, keepdims=True), own, np.stack([-effort, effort], axis=-1))
    return {"jnt_actfrcrange": np.where((m.jnt_actfrclimited != 0)[:, None], limits, own)}


@derived("jnt_actfrcrange", DOF, force_range_np, lambda m: dict(first=first_dofs(m), limited=m.jnt_actfrclimited))
def force_range(m, s, mjc, t, changed):
    """The author's own range, else plus and minus the effort limit where that clamps."""
    world, j = wp.tid()
    found = mjc.jnt_actfrcrange[world, t.first[j]]
    if t.limited[j] != 0 and found[0] == 0.0 and found[1] == 0.0:
        effort = s.joint_effort_limit[world, t.first[j]]
        found = wp.vec2(-effort, effort)
    old = m.jnt_actfrcrange[world, j]
    if found[0] != old[0] or found[1] != old[1]:
        m.jnt_actfrcrange[world, j] = found
        changed[world] = 1


# rests of springs that yield


def plastic_words(m) -> tuple:
    """Places in ``plastic0``, the rest poses that a reset restores, and in ``qpos_spring``."""
    here = np.flatnonzero(np.asarray(m.jnt_plasticadr) >= 0)
    width = np.where(m.jnt_type[here] == BALL, 4, 1)
    step = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
    return tuple(np.repeat(np.asarray(x)[here], width) + step for x in (m.jnt_plasticadr, m.jnt_qposadr))


def plastic_np(m, w) -> dict:
    """Rest poses and lengths of springs that yield."""
    return {"plastic0": plastic_springs(m)["plastic0"]}


# the table


def limited(m) -> np.ndarray:
    """Joints with limits."""
    return m.jnt_limited != 0


def counted(m) -> np.ndarray:
    """Dofs whose armature is the scene's: not those of prescribed bodies."""
    return m.dof_counted


def damped_elsewhere(m) -> np.ndarray:
    """Dofs to whose damping actuators add, or whose springs are tuned."""
    return shared("dof_damping")(m) | m.jnt_tuned.astype(bool)[m.dof_jntid]


def unlimited_words(m, w) -> np.ndarray:
    """Dofs without limits that could have some."""
    return first_dofs(m)[(m.jnt_limited == 0) & (m.jnt_type != FREE)]


def free_effort_words(m, w) -> np.ndarray:
    """Dofs whose effort limit clamps nothing, and no range of the author's does."""
    own = w.read("mujoco:jnt_actfrcrange")[..., first_dofs(m), :].any(-1)
    authored = own.any(axis=tuple(range(own.ndim - 1)))
    return first_dofs(m)[(m.jnt_actfrclimited == 0) & np.isin(m.jnt_type, (SLIDE, HINGE)) & ~authored]


BINDS = (
    Bind("dof_armature", "joint_armature", dofs, INERTIA, mask=counted, unless=shared("dof_armature")),
    Bind("dof_damping", "joint_damping", dofs, DOF, unless=damped_elsewhere),
    Bind("dof_dampingpoly", "mujoco:dof_dampingpoly", dofs, DOF, unless=shared("dof_dampingpoly")),
    Bind("dof_frictionloss", "joint_friction", dofs, DOF),
    Bind("dof_solref", "mujoco:solreffriction", dofs, DOF),
    Bind("dof_solimp", "mujoco:solimpfriction", dofs, DOF),
    Bind("jnt_solimp", "mujoco:solimplimit", first_dofs, DOF),
    Bind("jnt_margin", "mujoco:limit_margin", first_dofs, DOF),
    *named("stiffnesspoly springyield", first_dofs, DOF, "jnt_", "mujoco:jnt_"),
    Bind("jnt_range", "joint_limit_lower", first_dofs, REFERENCE, component(0), limited, plus="mujoco:dof_ref"),
    Bind("jnt_range", "joint_limit_upper", first_dofs, REFERENCE, component(1), limited, plus="mujoco:dof_ref"),
)
PLASTIC = copied("plastic0", "qpos_spring", REFERENCE | FRAME, plastic_words, plastic_np)
DERIVED = (anchors, springs, force_range, limits, tuned, PLASTIC)
WATCHES = (
    Watch("joint_friction", POSITIVE),
    Watch("mujoco:jnt_springyield", POSITIVE),
    Watch("mujoco:jnt_actfrcrange", NONZERO),
    Watch("mujoco:jnt_stiffnesspoly", NONZERO, one=True),
    Watch("mujoco:dof_dampingpoly", NONZERO, one=True),
    Watch("mujoco:jnt_springdamper", NONZERO),
    Watch("joint_limit_lower", FINITE, unlimited_words),
    Watch("joint_limit_upper", FINITE, unlimited_words),
    Watch("joint_effort_limit", BELOW_MINVAL, free_effort_words),
)
