"""Joints and dofs: anchors, springs, limits, friction, damping, armature. Values of a joint are those of its first dof."""

import numpy as np
import warp as wp

from newtonlite.core.types import vec5
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
    Derived,
    Watch,
    component,
    named,
)
from newtonlite.solvers.mujoco.derive.passive import plastic_springs
from newtonlite.solvers.mujoco.enums import BALL, FREE, HINGE, SLIDE
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import force_space
from newtonlite.solvers.mujoco.kernels.state_io.model_update import move_words, update_value, update_vec3, write_pair
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


@wp.kernel(enable_backward=False)
def anchors_kernel(
    joint: wp.array(dtype=int),
    first: wp.array(dtype=int),
    jnt_type: wp.array(dtype=int),
    X_c: wp.array2d(dtype=wp.transformf),
    axis: wp.array2d(dtype=wp.vec3),
    own: wp.array2d(dtype=wp.vec3),
    changed: wp.array(dtype=int),
    jnt_pos: wp.array2d(dtype=wp.vec3),
    jnt_axis: wp.array2d(dtype=wp.vec3),
):
    """Anchors of joints, their own where one was authored, and axes of hinges and slides, in the body's frame."""
    world, j = wp.tid()
    if jnt_type[j] == FREE:
        return
    pos = own[world, first[j]]
    if wp.isnan(pos[0]):
        pos = wp.transform_get_translation(X_c[world, joint[j]])
    jnt_pos[world, j] = update_vec3(jnt_pos[world, j], pos, 0.0, world, changed)
    if jnt_type[j] > BALL:
        turned = wp.normalize(quat_rotate(rotation_of(X_c[world, joint[j]]), axis[world, first[j]]))
        jnt_axis[world, j] = update_vec3(jnt_axis[world, j], turned, 1.0, world, changed)


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


@wp.kernel(enable_backward=False)
def springs_kernel(
    first: wp.array(dtype=int),
    coord: wp.array(dtype=int),
    tuned: wp.array(dtype=int),
    jnt_type: wp.array(dtype=int),
    jnt_qposadr: wp.array(dtype=int),
    jnt_bodyid: wp.array(dtype=int),
    ref: wp.array2d(dtype=float),
    stiffness: wp.array2d(dtype=float),
    rest: wp.array2d(dtype=float),
    raw: wp.array2d(dtype=float),
    raw_rest: wp.array2d(dtype=float),
    body_pos: wp.array2d(dtype=wp.vec3),
    body_quat: wp.array2d(dtype=wp.quat),
    changed: wp.array(dtype=int),
    jnt_stiffness: wp.array2d(dtype=float),
    qpos0: wp.array2d(dtype=float),
    qpos_spring: wp.array2d(dtype=float),
):
    """Reference and spring coordinates, and stiffness where no time constant is asked for (``tuned``)."""
    world, j = wp.tid()
    i = first[j]
    total = stiffness[world, i] + raw[world, i]
    if tuned[j] == 0:
        jnt_stiffness[world, j] = update_value(jnt_stiffness[world, j], total, 0.0, world, changed)
    adr = jnt_qposadr[j]
    if jnt_type[j] == FREE:
        for k in range(7):
            value = float(0.0)
            if k < 3:
                value = body_pos[world, jnt_bodyid[j]][k]
            else:
                value = body_quat[world, jnt_bodyid[j]][k - 3]
            qpos0[world, adr + k] = update_value(qpos0[world, adr + k], value, 0.0, world, changed)
            qpos_spring[world, adr + k] = update_value(qpos_spring[world, adr + k], value, 0.0, world, changed)
    elif jnt_type[j] > BALL:
        zero = ref[world, i]
        at = zero + rest[world, coord[j]]
        if stiffness[world, i] > 0.0:
            at = (stiffness[world, i] * at + raw[world, i] * raw_rest[world, i]) / total
        elif raw[world, i] > 0.0 or raw_rest[world, i] != 0.0:
            at = raw_rest[world, i]
        scale = wp.abs(zero) + wp.abs(rest[world, coord[j]]) + wp.abs(raw_rest[world, i])
        qpos0[world, adr] = update_value(qpos0[world, adr], zero, 0.0, world, changed)
        qpos_spring[world, adr] = update_value(qpos_spring[world, adr], at, scale, world, changed)


# springs by time constant and damping ratio


def tuned_np(m, w) -> dict:
    """Stiffness and damping of joints that ask for a time constant and a damping ratio; needs ``dof_invweight0``.

    With the inertia ``I`` that the joint feels, ``k = I / (timeconst dampratio)^2`` and ``b = 2 I / timeconst``.
    """
    asked, stiffness, damping = w.read("mujoco:jnt_springdamper")[..., first_dofs(m), :], m.jnt_stiffness, m.dof_damping
    for j in np.flatnonzero(m.jnt_tuned):
        span = slice(m.jnt_dofadr[j], m.jnt_dofadr[j] + np.count_nonzero(m.dof_jntid == j))
        inertia = 1.0 / np.asarray(m.dof_invweight0)[..., span].mean(-1)
        time, ratio = asked[..., j, 0], asked[..., j, 1]
        stiffness = replaced(stiffness, j, inertia / (time * ratio) ** 2)
        for dof in range(span.start, span.stop):
            damping = replaced(damping, dof, 2.0 * inertia / time)
    return {"jnt_stiffness": stiffness, "dof_damping": damping}


def replaced(values, index: int, value) -> np.ndarray:
    """A field with one number changed, in all worlds or in each."""
    out = np.broadcast_to(values, (*np.shape(value), values.shape[-1])).copy() if np.ndim(value) else np.array(values)
    out[..., index] = value
    return out


def tuned_tables(m) -> dict:
    """Joints whose springs are tuned."""
    joint = np.flatnonzero(m.jnt_tuned)
    return dict(joint=joint, first=first_dofs(m)[joint], count=np.bincount(m.dof_jntid, minlength=m.njnt)[joint])


@wp.kernel(enable_backward=False)
def tuned_kernel(
    joint: wp.array(dtype=int),
    first: wp.array(dtype=int),
    count: wp.array(dtype=int),
    jnt_dofadr: wp.array(dtype=int),
    asked: wp.array2d(dtype=wp.vec2),
    dof_invweight0: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    jnt_stiffness: wp.array2d(dtype=float),
    dof_damping: wp.array2d(dtype=float),
):
    """Springs by time constant and damping ratio, for the inertia felt."""
    world, k = wp.tid()
    j = joint[k]
    mean = float(0.0)
    for i in range(jnt_dofadr[j], jnt_dofadr[j] + count[k]):
        mean += dof_invweight0[world, i] / float(count[k])
    time = asked[world, first[k]][0]
    ratio = asked[world, first[k]][1]
    stiffness = 1.0 / (mean * time * ratio * time * ratio)
    jnt_stiffness[world, j] = update_value(jnt_stiffness[world, j], stiffness, 0.0, world, changed)
    for i in range(jnt_dofadr[j], jnt_dofadr[j] + count[k]):
        dof_damping[world, i] = update_value(dof_damping[world, i], 2.0 / (mean * time), 0.0, world, changed)


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


@wp.kernel(enable_backward=False)
def limits_kernel(
    first: wp.array(dtype=int),
    jnt_dofadr: wp.array(dtype=int),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    mode: wp.array2d(dtype=int),
    raw: wp.array2d(dtype=wp.vec2),
    baseline: wp.array2d(dtype=wp.vec2),
    jnt_solimp: wp.array2d(dtype=vec5),
    dof_invweight0: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    jnt_solref: wp.array2d(dtype=wp.vec2),
):
    """``jnt_solref``: gains in force space, the author's own numbers, or the default of files that say nothing."""
    world, j = wp.tid()
    i = first[j]
    told = mode[world, i]
    untouched = ke[world, i] == baseline[world, i][0] and kd[world, i] == baseline[world, i][1]
    factor = dof_invweight0[world, jnt_dofadr[j]] * (1.0 - jnt_solimp[world, j][1])
    found = wp.vec2(0.02, 1.0)
    if told == RAW:
        found = raw[world, i]
    elif (told == FORCE_SPACE or not untouched) and ke[world, i] > 0.0 and kd[world, i] > 0.0 and factor > 0.0:
        found = force_space(ke[world, i], kd[world, i], factor)
    write_pair(jnt_solref, world, j, found, changed)


# the force of all actuators on a joint


def force_range_np(m, w) -> dict:
    """``jnt_actfrcrange``: the author's own, else plus and minus the effort limit where that clamps."""
    effort, own = (
        w.get("joint_effort_limit")[..., first_dofs(m)],
        w.read("mujoco:jnt_actfrcrange")[..., first_dofs(m), :],
    )
    limits = np.where(own.any(-1, keepdims=True), own, np.stack([-effort, effort], axis=-1))
    return {"jnt_actfrcrange": np.where((m.jnt_actfrclimited != 0)[:, None], limits, own)}


@wp.kernel(enable_backward=False)
def force_range_kernel(
    first: wp.array(dtype=int),
    limited: wp.array(dtype=int),
    effort: wp.array2d(dtype=float),
    own: wp.array2d(dtype=wp.vec2),
    changed: wp.array(dtype=int),
    jnt_actfrcrange: wp.array2d(dtype=wp.vec2),
):
    """The author's own range, else plus and minus the effort limit where that clamps."""
    world, j = wp.tid()
    found = own[world, first[j]]
    if limited[j] != 0 and found[0] == 0.0 and found[1] == 0.0:
        found = wp.vec2(-effort[world, first[j]], effort[world, first[j]])
    old = jnt_actfrcrange[world, j]
    if found[0] != old[0] or found[1] != old[1]:
        jnt_actfrcrange[world, j] = found
        changed[world] = 1


# rests of springs that yield


def plastic_tables(m) -> dict:
    """Words of the rest poses that a reset restores, and of ``qpos_spring``."""
    here = np.flatnonzero(np.asarray(m.jnt_plasticadr) >= 0)
    width = np.where(m.jnt_type[here] == BALL, 4, 1)
    step = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
    to, of = (np.repeat(np.asarray(x)[here], width) + step for x in (m.jnt_plasticadr, m.jnt_qposadr))
    return dict(where=to, first=of, scale=np.ones(len(to)), second=np.full(len(to), -1))


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
    told = own.any(axis=tuple(range(own.ndim - 1)))
    return first_dofs(m)[(m.jnt_actfrclimited == 0) & np.isin(m.jnt_type, (SLIDE, HINGE)) & ~told]


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
DERIVED = (
    Derived(
        "jnt_pos jnt_axis",
        ANCHOR,
        anchors_np,
        anchors_kernel,
        lambda m: dict(joint=m.newton_joint, first=first_dofs(m)),
        dict(X_c="joint_X_c", axis="joint_axis", own="mujoco:dof_pos"),
    ),
    Derived(
        "jnt_stiffness qpos0 qpos_spring",
        REFERENCE | FRAME,
        springs_np,
        springs_kernel,
        lambda m: dict(first=first_dofs(m), coord=first_coords(m), tuned=m.jnt_tuned),
        dict(
            ref="mujoco:dof_ref",
            stiffness="joint_stiffness",
            rest="joint_rest_q",
            raw="mujoco:dof_passive_stiffness",
            raw_rest="mujoco:dof_springref",
        ),
    ),
    Derived(
        "jnt_actfrcrange",
        DOF,
        force_range_np,
        force_range_kernel,
        lambda m: dict(first=first_dofs(m), limited=m.jnt_actfrclimited),
        dict(effort="joint_effort_limit", own="mujoco:jnt_actfrcrange"),
    ),
    Derived(
        "jnt_solref",
        LIMIT,
        limits_np,
        limits_kernel,
        lambda m: dict(first=first_dofs(m)),
        dict(
            ke="joint_limit_ke",
            kd="joint_limit_kd",
            mode="mujoco:solreflimit_mode",
            raw="mujoco:solreflimit",
            baseline="mujoco:solreflimit_gain_baseline",
        ),
        late=True,
    ),
    Derived(
        "jnt_stiffness dof_damping",
        LIMIT,
        tuned_np,
        tuned_kernel,
        tuned_tables,
        dict(asked="mujoco:jnt_springdamper"),
        late=True,
    ),
    Derived(
        "plastic0",
        REFERENCE | FRAME,
        lambda m, w: {"plastic0": plastic_springs(m)["plastic0"]},
        move_words,
        plastic_tables,
        engine={"source": "qpos_spring", "offset": "qpos_spring", "target": "plastic0"},
        late=True,
    ),
)
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
