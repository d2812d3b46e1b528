"""Poses, velocities and Jacobians of tools: errors between poses, and moving from one frame to another."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.func
def rotate_spatial(turn: wp.quat, v: wp.spatial_vector) -> wp.spatial_vector:
    """Both halves of a spatial vector turned."""
    return wp.spatial_vector(wp.quat_rotate(turn, wp.spatial_top(v)), wp.quat_rotate(turn, wp.spatial_bottom(v)))


@wp.func
def rotation_vector(q: wp.quat) -> wp.vec3:
    """The shorter rotation of a quaternion as axis times angle; exact to first order where there is hardly any."""
    short = q
    if q[3] < 0.0:
        short = -q
    v = wp.vec3(short[0], short[1], short[2])
    size = wp.length(v)
    scale = float(2.0)
    if size > 1.0e-8:
        scale = 2.0 * wp.atan2(size, short[3]) / size
    return scale * v


@wp.kernel
def pose_error(pose: wp.array[wp.transform], desired: wp.array[wp.transform], error: wp.array[wp.spatial_vector]):
    """Desired minus current: the way to go, and the rotation vector that turns the current orientation into the desired
    one.
    """
    i = wp.tid()
    way = wp.transform_get_translation(desired[i]) - wp.transform_get_translation(pose[i])
    turn = wp.transform_get_rotation(desired[i]) * wp.quat_inverse(wp.transform_get_rotation(pose[i]))
    error[i] = wp.spatial_vector(way, rotation_vector(turn))


@wp.kernel
def into_frame(
    frame: wp.array[wp.transform],
    pose: wp.array[wp.transform],
    twist: wp.array[wp.spatial_vector],
    pose_in_frame: wp.array[wp.transform],
    twist_in_frame: wp.array[wp.spatial_vector],
):
    """A pose and a velocity of the world seen from a frame that is taken to stand still."""
    i = wp.tid()
    back = wp.transform_inverse(frame[i])
    pose_in_frame[i] = back * pose[i]
    twist_in_frame[i] = rotate_spatial(wp.transform_get_rotation(back), twist[i])


@wp.kernel
def vector_into_frame(
    frame: wp.array[wp.transform], vector: wp.array[wp.spatial_vector], out: wp.array[wp.spatial_vector]
):
    """A spatial vector of the world in the axes of a frame."""
    i = wp.tid()
    out[i] = rotate_spatial(wp.quat_inverse(wp.transform_get_rotation(frame[i])), vector[i])


@wp.kernel
def jacobian_into_frame(frame: wp.array[wp.transform], jacobian: wp.array3d[float], out: wp.array3d[float]):
    """The columns of a Jacobian in the axes of a frame."""
    robot, j = wp.tid()
    column = wp.spatial_vector()
    for k in range(6):
        column[k] = jacobian[robot, k, j]
    column = rotate_spatial(wp.quat_inverse(wp.transform_get_rotation(frame[robot])), column)
    for k in range(6):
        out[robot, k, j] = column[k]


@wp.kernel
def tool_motion(
    body_q: wp.array[wp.transform],
    body_qd: wp.array[wp.spatial_vector],
    body_com: wp.array[wp.vec3],
    body: wp.array[int],
    offset: wp.array[wp.transform],
    pose: wp.array[wp.transform],
    twist: wp.array[wp.spatial_vector],
):
    """World poses and velocities of tools that are fixed to bodies."""
    i = wp.tid()
    b = body[i]
    pose[i] = body_q[b] * offset[i]
    arm = wp.transform_get_translation(pose[i]) - wp.transform_point(body_q[b], body_com[b])
    turning = wp.spatial_bottom(body_qd[b])
    twist[i] = wp.spatial_vector(wp.spatial_top(body_qd[b]) + wp.cross(turning, arm), turning)


@wp.kernel
def tool_jacobian(
    jacobian: wp.array3d[float],
    body_q: wp.array[wp.transform],
    body_com: wp.array[wp.vec3],
    body: wp.array[int],
    pose: wp.array[wp.transform],
    articulation: wp.array[int],
    link: wp.array[int],
    column: wp.array2d[int],
    count: wp.array[int],
    out: wp.array3d[float],
):
    """Columns of the controlled dofs, from the centre of mass of the tool's link to the tool."""
    robot, j = wp.tid()
    if j < count[robot]:
        a = articulation[robot]
        row = 6 * link[robot]
        c = column[robot, j]
        b = body[robot]
        arm = wp.transform_get_translation(pose[robot]) - wp.transform_point(body_q[b], body_com[b])
        linear = wp.vec3(jacobian[a, row, c], jacobian[a, row + 1, c], jacobian[a, row + 2, c])
        angular = wp.vec3(jacobian[a, row + 3, c], jacobian[a, row + 4, c], jacobian[a, row + 5, c])
        linear += wp.cross(angular, arm)
        for k in range(3):
            out[robot, k, j] = linear[k]
            out[robot, 3 + k, j] = angular[k]


@wp.kernel
def controlled_mass(
    mass: wp.array3d[float],
    articulation: wp.array[int],
    column: wp.array2d[int],
    count: wp.array[int],
    out: wp.array3d[float],
):
    """Rows and columns of the controlled dofs of the joint-space inertia."""
    robot, i, j = wp.tid()
    if i < count[robot] and j < count[robot]:
        out[robot, i, j] = mass[articulation[robot], column[robot, i], column[robot, j]]
