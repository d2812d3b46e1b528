"""Kinematics kernels between joint coordinates and body poses."""

import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.articulation_struct import ArticulationStruct, base_of, com_of, floats, left_out, velocity_at
from newtonlite.sim.euler_angles import axis_angle, refined_angles, three_angles, turn_rates, twist_angle, two_angles

kernel_module(__name__)


@wp.struct
class Motion:
    """Pose and velocity of a child joint frame in the parent joint frame: pose, linear and angular velocity."""

    pose: wp.transform
    linear: wp.vec3
    angular: wp.vec3


@wp.func
def slide_and_turn(
    q: wp.array[float],
    qd: wp.array[float],
    axes: wp.array[wp.vec3],
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
def joint_motion(t: ArticulationStruct, q: wp.array[float], qd: wp.array[float], joint: int) -> Motion:
    """The motion of any joint from its coordinates and velocities."""
    kind = t.joint_type[joint]
    q_at = t.joint_q_start[joint]
    qd_at = t.joint_qd_start[joint]
    out = Motion()
    out.pose = wp.transform_identity()
    if kind == JointType.PRISMATIC or kind == JointType.REVOLUTE or kind == JointType.D6:
        out = slide_and_turn(q, qd, t.joint_axis, q_at, qd_at, t.joint_dof_dim[joint, 0], t.joint_dof_dim[joint, 1])
    elif kind == JointType.BALL:
        out.pose = wp.transform(wp.vec3(), wp.quat(q[q_at], q[q_at + 1], q[q_at + 2], q[q_at + 3]))
        out.angular = wp.vec3(qd[qd_at], qd[qd_at + 1], qd[qd_at + 2])
    elif floats(kind):
        out.pose = wp.transform(
            wp.vec3(q[q_at], q[q_at + 1], q[q_at + 2]), wp.quat(q[q_at + 3], q[q_at + 4], q[q_at + 5], q[q_at + 6])
        )
        out.linear = wp.vec3(qd[qd_at], qd[qd_at + 1], qd[qd_at + 2])
        out.angular = wp.vec3(qd[qd_at + 3], qd[qd_at + 4], qd[qd_at + 5])
    return out


@wp.kernel
def mark_rows(indices: wp.array[int], chosen: wp.array[wp.bool]):
    """Mark the rows of a list; those that do not exist are passed over."""
    row = indices[wp.tid()]
    if row >= 0 and row < chosen.shape[0]:
        chosen[row] = True


@wp.kernel
def forward_kernel(
    t: ArticulationStruct,
    articulations: wp.array[int],
    mask: wp.array[wp.bool],
    joint_mask: wp.array[wp.bool],
    flag_filter: int,
    joint_q: wp.array[float],
    joint_qd: wp.array[float],
    body_q: wp.array[wp.transform],
    body_qd: wp.array[wp.spatial_vector],
):
    """An articulation per thread: poses and velocities of its bodies, from the root outwards."""
    i = wp.tid()
    articulation = i
    if articulations:
        articulation = articulations[i]
    if articulation < 0 or articulation >= t.articulation_end.shape[0] or left_out(mask, articulation):
        return
    for joint in range(t.articulation_start[articulation], t.articulation_end[articulation]):
        child = t.joint_child[joint]
        wanted = bool((t.body_flags[child] & flag_filter) != 0)
        if joint_mask:
            wanted = wanted and joint_mask[joint]
        if wanted:
            base = base_of(t, body_q, body_qd, joint)
            motion = joint_motion(t, joint_q, joint_qd, joint)
            anchor = base.frame * motion.pose
            body_q[child] = anchor * wp.transform_inverse(t.joint_X_c[joint])
            com = com_of(t, body_q, child)
            angular = wp.spatial_bottom(base.qd) + wp.transform_vector(base.frame, motion.angular)
            linear = wp.transform_vector(base.frame, motion.linear)
            if floats(t.joint_type[joint]):
                linear += velocity_at(base.qd, base.com, com)
            else:
                point = wp.transform_get_translation(anchor)
                linear += velocity_at(base.qd, base.com, point) + wp.cross(angular, com - point)
            body_qd[child] = wp.spatial_vector(linear, angular)


@wp.func
def write_first(values: wp.array[float], at: int, count: int, numbers: wp.vec3):
    """Write the first of three numbers."""
    for k in range(count):
        values[at + k] = numbers[k]


@wp.func
def write_turn(joint_q: wp.array[float], at: int, turn: wp.quat):
    """Write a quaternion (x, y, z, w)."""
    for k in range(4):
        joint_q[at + k] = turn[k]


@wp.func
def slides_of(
    axes: wp.array[wp.vec3],
    count: int,
    q_at: int,
    qd_at: int,
    p: wp.vec3,
    v: wp.vec3,
    joint_q: wp.array[float],
    joint_qd: wp.array[float],
):
    """Coordinates and velocities along the linear axes of a joint, from where its frame stands and how fast that moves."""
    if count == 1:
        joint_q[q_at] = wp.dot(axes[qd_at], p)
        joint_qd[qd_at] = wp.dot(axes[qd_at], v)
    elif count > 1:
        s0 = axes[qd_at]
        s1 = axes[qd_at + 1]
        s2 = wp.cross(s0, s1)
        if count == 3:
            s2 = axes[qd_at + 2]
        write_first(joint_q, q_at, count, turn_rates(p, s0, s1, s2))
        write_first(joint_qd, qd_at, count, turn_rates(v, s0, s1, s2))


@wp.func
def turns_of(
    axes: wp.array[wp.vec3],
    count: int,
    q_at: int,
    qd_at: int,
    turn: wp.quat,
    angular: wp.vec3,
    joint_q: wp.array[float],
    joint_qd: wp.array[float],
):
    """Angles and rates about the angular axes of a joint, from how its frame is turned and turns."""
    if count == 1:
        joint_q[q_at] = twist_angle(turn, axes[qd_at])
        joint_qd[qd_at] = wp.dot(axes[qd_at], angular)
    elif count > 1:
        a0 = axes[qd_at]
        a1 = axes[qd_at + 1]
        a2 = wp.normalize(wp.cross(a0, a1))
        if count == 3:
            a2 = axes[qd_at + 2]
        angles = two_angles(turn, a0, a1, a2)
        if count == 3:
            angles = three_angles(turn, a0, a1, a2)
        skew = wp.max(wp.abs(wp.dot(a0, a1)), wp.max(wp.abs(wp.dot(a1, a2)), wp.abs(wp.dot(a0, a2))))
        if skew > 1.0e-5:
            angles = refined_angles(turn, a0, a1, a2, angles)
        r0 = axis_angle(a0, angles[0])
        r1 = r0 * axis_angle(a1, angles[1])
        write_first(joint_q, q_at, count, angles)
        b1 = wp.quat_rotate(r0, a1)
        b2 = wp.cross(a0, b1)  # two axes hide none: what is across both is the third
        if count == 3:
            b2 = wp.quat_rotate(r1, a2)
        write_first(joint_qd, qd_at, count, turn_rates(angular, a0, b1, b2))


@wp.kernel
def inverse_kernel(
    t: ArticulationStruct,
    mask: wp.array[wp.bool],
    chosen: wp.array[wp.bool],
    flag_filter: int,
    body_q: wp.array[wp.transform],
    body_qd: wp.array[wp.spatial_vector],
    joint_q: wp.array[float],
    joint_qd: wp.array[float],
):
    """A joint per thread: its coordinates and velocities, from the bodies it connects."""
    joint = wp.tid()
    articulation = t.joint_articulation[joint]
    child = t.joint_child[joint]
    if left_out(mask, articulation) or left_out(chosen, articulation) or (t.body_flags[child] & flag_filter) == 0:
        return

    base = base_of(t, body_q, body_qd, joint)
    anchor = body_q[child] * t.joint_X_c[joint]
    com = com_of(t, body_q, child)
    pose = wp.transform_inverse(base.frame) * anchor
    p = wp.transform_get_translation(pose)
    turn = wp.transform_get_rotation(pose)
    unturn = wp.quat_inverse(wp.transform_get_rotation(base.frame))
    angular = wp.quat_rotate(unturn, wp.spatial_bottom(body_qd[child]) - wp.spatial_bottom(base.qd))

    q_at = t.joint_q_start[joint]
    qd_at = t.joint_qd_start[joint]
    if floats(t.joint_type[joint]):
        write_first(joint_q, q_at, 3, p)
        write_turn(joint_q, q_at + 3, turn)
        write_first(
            joint_qd,
            qd_at,
            3,
            wp.quat_rotate(unturn, wp.spatial_top(body_qd[child]) - velocity_at(base.qd, base.com, com)),
        )
        write_first(joint_qd, qd_at + 3, 3, angular)
    elif t.joint_type[joint] == JointType.BALL:
        write_turn(joint_q, q_at, turn)
        write_first(joint_qd, qd_at, 3, angular)
    else:
        point = wp.transform_get_translation(anchor)
        v = wp.quat_rotate(unturn, velocity_at(body_qd[child], com, point) - velocity_at(base.qd, base.com, point))
        n = t.joint_dof_dim[joint, 0]
        slides_of(t.joint_axis, n, q_at, qd_at, p, v, joint_q, joint_qd)
        turns_of(t.joint_axis, t.joint_dof_dim[joint, 1], q_at + n, qd_at + n, turn, angular, joint_q, joint_qd)
