"""From joint coordinates to the poses of bodies, and back."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import BodyFlags, JointType
from newtonlite.core.errors import DeviceError, ModelError, StateError

wp.set_module_options({"enable_backward": False})

PRISMATIC = wp.constant(int(JointType.PRISMATIC))
REVOLUTE = wp.constant(int(JointType.REVOLUTE))
BALL = wp.constant(int(JointType.BALL))
FREE = wp.constant(int(JointType.FREE))
DISTANCE = wp.constant(int(JointType.DISTANCE))
D6 = wp.constant(int(JointType.D6))


@wp.struct
class Motion:
    """How a child joint frame stands and moves in the parent joint frame: pose, linear and angular velocity."""

    pose: wp.transform
    linear: wp.vec3
    angular: wp.vec3


@wp.func
def axis_angle(axis: wp.vec3, angle: float) -> wp.quat:
    """Rotation by ``angle`` [rad] about unit ``axis``."""
    return wp.quat_from_axis_angle(axis, angle)


@wp.func
def slide_and_turn(
    q: wp.array(dtype=float), qd: wp.array(dtype=float), axes: wp.array(dtype=wp.vec3), q_at: int, qd_at: int, linear_count: int, angular_count: int
) -> Motion:
    """Slides along the linear axes, then turns about the angular ones, each carried by those before it."""
    p = wp.vec3()
    v = wp.vec3()
    for i in range(linear_count):
        p += axes[qd_at + i] * q[q_at + i]
        v += axes[qd_at + i] * qd[qd_at + i]
    turn = wp.quat_identity()
    w = wp.vec3()
    for i in range(angular_count):
        axis = axes[qd_at + linear_count + i]
        w += wp.quat_rotate(turn, axis) * qd[qd_at + linear_count + i]
        turn = turn * axis_angle(axis, q[q_at + linear_count + i])
    out = Motion()
    out.pose = wp.transform(p, turn)
    out.linear = v
    out.angular = w
    return out


@wp.func
def joint_motion(
    kind: int,
    q: wp.array(dtype=float),
    qd: wp.array(dtype=float),
    axes: wp.array(dtype=wp.vec3),
    q_at: int,
    qd_at: int,
    linear_count: int,
    angular_count: int,
) -> Motion:
    """The motion of any joint from its coordinates and velocities."""
    out = Motion()
    out.pose = wp.transform_identity()
    if kind == PRISMATIC or kind == REVOLUTE or kind == D6:
        out = slide_and_turn(q, qd, axes, q_at, qd_at, linear_count, angular_count)
    elif kind == BALL:
        out.pose = wp.transform(wp.vec3(), wp.quat(q[q_at], q[q_at + 1], q[q_at + 2], q[q_at + 3]))
        out.angular = wp.vec3(qd[qd_at], qd[qd_at + 1], qd[qd_at + 2])
    elif kind == FREE or kind == DISTANCE:
        out.pose = wp.transform(
            wp.vec3(q[q_at], q[q_at + 1], q[q_at + 2]), wp.quat(q[q_at + 3], q[q_at + 4], q[q_at + 5], q[q_at + 6])
        )
        out.linear = wp.vec3(qd[qd_at], qd[qd_at + 1], qd[qd_at + 2])
        out.angular = wp.vec3(qd[qd_at + 3], qd[qd_at + 4], qd[qd_at + 5])
    return out


@wp.func
def velocity_at(qd: wp.spatial_vector, com: wp.vec3, point: wp.vec3) -> wp.vec3:
    """Velocity of a point that moves with a body whose centre of mass is at ``com``, all in the world."""
    return wp.spatial_top(qd) + wp.cross(wp.spatial_bottom(qd), point - com)


@wp.kernel
def forward_kernel(
    articulations: wp.array(dtype=int),
    mask: wp.array(dtype=wp.bool),
    joint_mask: wp.array(dtype=wp.bool),
    flag_filter: int,
    articulation_start: wp.array(dtype=int),
    articulation_end: wp.array(dtype=int),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_q_start: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array2d(dtype=int),
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
):
    i = wp.tid()
    articulation = i
    if articulations:
        articulation = articulations[i]
    if articulation < 0 or articulation >= articulation_end.shape[0]:
        return
    if mask:
        if not mask[articulation]:
            return
    for joint in range(articulation_start[articulation], articulation_end[articulation]):
        child = joint_child[joint]
        wanted = bool((body_flags[child] & flag_filter) != 0)
        if joint_mask:
            wanted = wanted and joint_mask[joint]
        if wanted:
            parent = joint_parent[joint]
            frame = joint_X_p[joint]
            parent_qd = wp.spatial_vector()
            parent_com = wp.vec3()
            if parent >= 0:
                frame = body_q[parent] * frame
                parent_qd = body_qd[parent]
                parent_com = wp.transform_point(body_q[parent], body_com[parent])
            kind = joint_type[joint]
            motion = joint_motion(
                kind,
                joint_q,
                joint_qd,
                joint_axis,
                joint_q_start[joint],
                joint_qd_start[joint],
                joint_dof_dim[joint, 0],
                joint_dof_dim[joint, 1],
            )
            anchor = frame * motion.pose
            pose = anchor * wp.transform_inverse(joint_X_c[joint])
            com = wp.transform_point(pose, body_com[child])
            angular = wp.spatial_bottom(parent_qd) + wp.transform_vector(frame, motion.angular)
            linear = wp.transform_vector(frame, motion.linear)
            if kind == FREE or kind == DISTANCE:
                linear += velocity_at(parent_qd, parent_com, com)
            else:
                point = wp.transform_get_translation(anchor)
                linear += velocity_at(parent_qd, parent_com, point) + wp.cross(angular, com - point)
            body_q[child] = pose
            body_qd[child] = wp.spatial_vector(linear, angular)


@wp.func
def twist_angle(q: wp.quat, axis: wp.vec3) -> float:
    """Angle in (-pi, pi] of the part of a rotation that turns about ``axis``."""
    angle = 2.0 * wp.atan2(wp.dot(wp.vec3(q[0], q[1], q[2]), axis), q[3])
    if angle > wp.PI:
        angle -= 2.0 * wp.PI
    if angle <= -wp.PI:
        angle += 2.0 * wp.PI
    return angle


@wp.func
def three_angles(turn: wp.quat, a0: wp.vec3, a1: wp.vec3, a2: wp.vec3) -> wp.vec3:
    """Angles about three orthogonal axes, each carried by those before it, whose turns in order make ``turn``.

    In the axes' own basis the rotation matrix is ``R_x(t0) R_y(t1) R_z(t2)``; axes that are left-handed turn the other way.
    """
    hand = float(1.0)
    if wp.dot(wp.cross(a0, a1), a2) < 0.0:
        hand = -1.0
    b0 = wp.quat_rotate(turn, a0)
    b1 = wp.quat_rotate(turn, a1)
    b2 = wp.quat_rotate(turn, a2)
    r02 = wp.dot(a0, b2)
    t1 = wp.asin(wp.clamp(r02, -1.0, 1.0))
    t0 = wp.atan2(-wp.dot(a1, b2), wp.dot(a2, b2))
    t2 = wp.atan2(-wp.dot(a0, b1), wp.dot(a0, b0))
    if wp.abs(r02) > 0.999999:
        # the first and the last axis coincide: the first takes the whole turn
        t0 = wp.atan2(wp.dot(a2, b1), wp.dot(a1, b1))
        t2 = 0.0
    return hand * wp.vec3(t0, t1, t2)


@wp.func
def refined_angles(turn: wp.quat, a0: wp.vec3, a1: wp.vec3, a2: wp.vec3, start: wp.vec3) -> wp.vec3:
    """Newton steps from ``start`` for axes that are not orthogonal."""
    t = start
    for step in range(8):
        r0 = axis_angle(a0, t[0])
        r1 = r0 * axis_angle(a1, t[1])
        made = r1 * axis_angle(a2, t[2])
        miss = turn * wp.quat_inverse(made)
        if miss[3] < 0.0:
            miss = -miss
        away = 2.0 * wp.vec3(miss[0], miss[1], miss[2])
        rates = wp.matrix_from_cols(a0, wp.quat_rotate(r0, a1), wp.quat_rotate(r1, a2))
        if wp.abs(wp.determinant(rates)) > 1.0e-6:
            t += wp.inverse(rates) * away
    return t


@wp.func
def turn_rates(angular: wp.vec3, b0: wp.vec3, b1: wp.vec3, b2: wp.vec3) -> wp.vec3:
    """Rates about three axes that make up an angular velocity; zero about an axis that the others hide."""
    rates = wp.matrix_from_cols(b0, b1, b2)
    if wp.abs(wp.determinant(rates)) < 1.0e-6:
        return wp.vec3(wp.dot(angular, b0), wp.dot(angular, b1), 0.0)
    return wp.inverse(rates) * angular


@wp.kernel
def inverse_kernel(
    mask: wp.array(dtype=wp.bool),
    chosen: wp.array(dtype=wp.bool),
    flag_filter: int,
    joint_articulation: wp.array(dtype=int),
    joint_q_start: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array2d(dtype=int),
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
):
    joint = wp.tid()
    articulation = joint_articulation[joint]
    if mask:
        if articulation < 0:
            return
        if not mask[articulation]:
            return
    if chosen:
        if articulation < 0:
            return
        if not chosen[articulation]:
            return
    child = joint_child[joint]
    if (body_flags[child] & flag_filter) == 0:
        return

    parent = joint_parent[joint]
    frame = joint_X_p[joint]
    parent_qd = wp.spatial_vector()
    parent_com = wp.vec3()
    if parent >= 0:
        frame = body_q[parent] * frame
        parent_qd = body_qd[parent]
        parent_com = wp.transform_point(body_q[parent], body_com[parent])
    anchor = body_q[child] * joint_X_c[joint]
    com = wp.transform_point(body_q[child], body_com[child])
    pose = wp.transform_inverse(frame) * anchor
    p = wp.transform_get_translation(pose)
    turn = wp.transform_get_rotation(pose)
    unturn = wp.quat_inverse(wp.transform_get_rotation(frame))
    angular = wp.quat_rotate(unturn, wp.spatial_bottom(body_qd[child]) - wp.spatial_bottom(parent_qd))

    q_at = joint_q_start[joint]
    qd_at = joint_qd_start[joint]
    kind = joint_type[joint]
    if kind == FREE or kind == DISTANCE:
        linear = wp.quat_rotate(unturn, wp.spatial_top(body_qd[child]) - velocity_at(parent_qd, parent_com, com))
        for k in range(3):
            joint_q[q_at + k] = p[k]
            joint_qd[qd_at + k] = linear[k]
            joint_qd[qd_at + 3 + k] = angular[k]
        for k in range(4):
            joint_q[q_at + 3 + k] = turn[k]
    elif kind == BALL:
        for k in range(4):
            joint_q[q_at + k] = turn[k]
        for k in range(3):
            joint_qd[qd_at + k] = angular[k]
    else:
        point = wp.transform_get_translation(anchor)
        v = velocity_at(body_qd[child], com, point) - velocity_at(parent_qd, parent_com, point)
        v = wp.quat_rotate(unturn, v)
        n = joint_dof_dim[joint, 0]
        if n == 1:
            joint_q[q_at] = wp.dot(joint_axis[qd_at], p)
            joint_qd[qd_at] = wp.dot(joint_axis[qd_at], v)
        elif n > 1:
            s0 = joint_axis[qd_at]
            s1 = joint_axis[qd_at + 1]
            s2 = wp.cross(s0, s1)
            if n == 3:
                s2 = joint_axis[qd_at + 2]
            distance = turn_rates(p, s0, s1, s2)
            speed = turn_rates(v, s0, s1, s2)
            for k in range(n):
                joint_q[q_at + k] = distance[k]
                joint_qd[qd_at + k] = speed[k]
        m = joint_dof_dim[joint, 1]
        q_at += n
        qd_at += n
        if m == 1:
            joint_q[q_at] = twist_angle(turn, joint_axis[qd_at])
            joint_qd[qd_at] = wp.dot(joint_axis[qd_at], angular)
        elif m > 1:
            a0 = joint_axis[qd_at]
            a1 = joint_axis[qd_at + 1]
            a2 = wp.normalize(wp.cross(a0, a1))
            if m == 3:
                a2 = joint_axis[qd_at + 2]
            angles = three_angles(turn, a0, a1, a2)
            skew = wp.max(wp.abs(wp.dot(a0, a1)), wp.max(wp.abs(wp.dot(a1, a2)), wp.abs(wp.dot(a0, a2))))
            if skew > 1.0e-5:
                angles = refined_angles(turn, a0, a1, a2, angles)
            r0 = axis_angle(a0, angles[0])
            r1 = r0 * axis_angle(a1, angles[1])
            rates = turn_rates(angular, a0, wp.quat_rotate(r0, a1), wp.quat_rotate(r1, a2))
            for k in range(m):
                joint_q[q_at + k] = angles[k]
                joint_qd[qd_at + k] = rates[k]


def eval_fk(
    model: Any,
    joint_q: wp.array,
    joint_qd: wp.array,
    state: Any,
    mask: wp.array | None = None,
    indices: wp.array | None = None,
    body_flag_filter: int = BodyFlags.ALL,
    *,
    joint_mask: wp.array | None = None,
) -> None:
    """Write ``state.body_q`` and ``state.body_qd`` of articulated bodies from joint coordinates and velocities.

    ``mask`` [articulation_count] or ``indices`` choose articulations, ``joint_mask`` [joint_count] joints, and
    ``body_flag_filter`` bodies by their flags; bodies not chosen keep their poses, and their children hang from those.
    """
    _check(model, joint_q, joint_qd, state, mask, indices, joint_mask, "eval_fk")
    count = model.articulation_count if indices is None else len(indices)
    if count == 0:
        return
    wp.launch(
        forward_kernel,
        dim=count,
        inputs=[
            indices, mask, joint_mask, int(body_flag_filter), model.articulation_start, model.articulation_end, joint_q, joint_qd,
            model.joint_q_start, model.joint_qd_start, model.joint_type, model.joint_parent, model.joint_child, model.joint_X_p,
            model.joint_X_c, model.joint_axis, model.joint_dof_dim, model.body_com, model.body_flags,
        ],
        outputs=[state.body_q, state.body_qd],
        device=model.device,
    )  # fmt: skip


def eval_ik(
    model: Any,
    state: Any,
    joint_q: wp.array,
    joint_qd: wp.array,
    mask: wp.array | None = None,
    indices: wp.array | None = None,
    body_flag_filter: int = BodyFlags.ALL,
) -> None:
    """Write joint coordinates and velocities from ``state.body_q`` and ``state.body_qd``.

    Angles of single hinges come out in (-pi, pi].  ``mask`` [articulation_count] or ``indices`` choose articulations,
    ``body_flag_filter`` child bodies by their flags; coordinates of joints not chosen stay.
    """
    _check(model, joint_q, joint_qd, state, mask, indices, None, "eval_ik")
    if model.joint_count == 0:
        return
    chosen = None
    if indices is not None:
        rows = np.zeros(model.articulation_count, bool)
        rows[indices.numpy()] = True
        chosen = wp.array(rows, dtype=wp.bool, device=model.device)
    wp.launch(
        inverse_kernel,
        dim=model.joint_count,
        inputs=[
            mask, chosen, int(body_flag_filter), model.joint_articulation, model.joint_q_start, model.joint_qd_start, model.joint_type,
            model.joint_parent, model.joint_child, model.joint_X_p, model.joint_X_c, model.joint_axis, model.joint_dof_dim,
            model.body_com, model.body_flags, state.body_q, state.body_qd,
        ],
        outputs=[joint_q, joint_qd],
        device=model.device,
    )  # fmt: skip


def _check(model: Any, joint_q: Any, joint_qd: Any, state: Any, mask: Any, indices: Any, joint_mask: Any, where: str) -> None:
    """Raise before anything is launched where an array is missing, of another shape or type, or elsewhere."""
    if mask is not None and indices is not None:
        raise ModelError(f"{where}: mask and indices both choose articulations; give one of them")
    wanted = [
        ("joint_q", joint_q, wp.float32, model.joint_coord_count),
        ("joint_qd", joint_qd, wp.float32, model.joint_dof_count),
        ("state.body_q", state.body_q, wp.transformf, model.body_count),
        ("state.body_qd", state.body_qd, wp.spatial_vectorf, model.body_count),
    ]
    wanted += [("mask", mask, wp.bool, model.articulation_count)] if mask is not None else []
    wanted += [("indices", indices, wp.int32, None)] if indices is not None else []
    wanted += [("joint_mask", joint_mask, wp.bool, model.joint_count)] if joint_mask is not None else []
    for name, array, dtype, count in wanted:
        if array is None and not count:
            continue
        if not isinstance(array, wp.array):
            raise StateError(f"{where} {name}: {type(array).__name__}; give a wp.array")
        if not wp.types.types_equal(array.dtype, dtype) or array.ndim != 1 or (count is not None and len(array) != count):
            raise StateError(f"{where} {name}: {array.dtype.__name__}{array.shape}; give {dtype.__name__}({count if count is not None else 'n'},)")
        if array.device != model.device:
            raise DeviceError(f"{where} {name}: on {array.device}, the model on {model.device}; move it there")
