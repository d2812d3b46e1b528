"""Kernels between joint coordinates and the poses of bodies."""

import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.sim.angles import axis_angle, refined_angles, three_angles, turn_rates, twist_angle

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
def slide_and_turn(
    q: wp.array(dtype=float),
    qd: wp.array(dtype=float),
    axes: wp.array(dtype=wp.vec3),
    q_at: int,
    qd_at: int,
    linear_count: int,
    angular_count: int,
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
    """An articulation per thread: poses and velocities of its bodies, from the root outwards."""
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
    """A joint per thread: its coordinates and velocities, from the bodies it connects."""
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
