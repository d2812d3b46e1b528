"""Twists and wrenches of Newton's layout (linear, angular), and quaternions (x, y, z, w), for use in kernels."""

import warp as wp

PARALLEL = 1.0e-8


@wp.func
def velocity_at_point(qd: wp.spatial_vector, r: wp.vec3) -> wp.vec3:
    """Velocity ``v + omega x r`` [m/s] of a point of a rigid body; ``qd`` is (v, omega), ``r`` [m] from its origin."""
    return wp.spatial_top(qd) + wp.cross(wp.spatial_bottom(qd), r)


@wp.func
def transform_twist(t: wp.transform, x: wp.spatial_vector) -> wp.spatial_vector:
    """A twist (v, omega) in the frame that ``t`` leads to: both turned, and ``p x omega`` added to v."""
    q = wp.transform_get_rotation(t)
    omega = wp.quat_rotate(q, wp.spatial_bottom(x))
    return wp.spatial_vector(
        wp.quat_rotate(q, wp.spatial_top(x)) + wp.cross(wp.transform_get_translation(t), omega), omega
    )


@wp.func
def transform_wrench(t: wp.transform, x: wp.spatial_vector) -> wp.spatial_vector:
    """A wrench (force, torque) in the frame that ``t`` leads to: both turned, and ``p x force`` added to the torque."""
    q = wp.transform_get_rotation(t)
    force = wp.quat_rotate(q, wp.spatial_top(x))
    return wp.spatial_vector(
        force, wp.quat_rotate(q, wp.spatial_bottom(x)) + wp.cross(wp.transform_get_translation(t), force)
    )


@wp.func
def quat_between_vectors_robust(from_vec: wp.vec3, to_vec: wp.vec3, eps: float = PARALLEL) -> wp.quat:
    """The shortest rotation of one unit vector onto another; of opposite ones, half a turn about an axis across.

    Vectors whose cosine is within ``eps`` of 1 or -1 count as equal or opposite.
    """
    if wp.length_sq(from_vec - to_vec) <= 2.0 * eps:
        return wp.quat_identity()
    if wp.length_sq(from_vec + to_vec) <= 2.0 * eps:
        across = wp.cross(from_vec, (wp.vec3(1.0, 0.0, 0.0) if wp.abs(from_vec[0]) < 0.9 else wp.vec3(0.0, 1.0, 0.0)))
        axis = wp.normalize(across) if wp.length_sq(across) > eps * eps else wp.vec3(1.0, 0.0, 0.0)
        return wp.quat(axis[0], axis[1], axis[2], 0.0)
    return wp.quat_between_vectors(from_vec, to_vec)


@wp.func
def quat_decompose(q: wp.quat) -> wp.vec3:
    """Angles (x, y, z) [rad], within [-pi, pi), of turns about a body's own x, then y, then z axis."""
    angles = wp.quat_to_euler(q, 2, 1, 0)
    turns = wp.vec3(
        wp.floor((angles[0] + wp.pi) / (2.0 * wp.pi)),
        wp.floor((angles[1] + wp.pi) / (2.0 * wp.pi)),
        wp.floor((angles[2] + wp.pi) / (2.0 * wp.pi)),
    )
    return angles - 2.0 * wp.pi * turns


@wp.func
def quat_velocity(q_now: wp.quat, q_prev: wp.quat, dt: float) -> wp.vec3:
    """Angular velocity [rad/s], in world axes, of the shorter turn from one orientation to the next in ``dt`` [s]."""
    turn = wp.normalize(q_now) * wp.quat_inverse(wp.normalize(q_prev))
    shorter = -1.0 if turn[3] < 0.0 else 1.0
    sine = wp.vec3(turn[0], turn[1], turn[2]) * shorter
    length = wp.length(sine)
    angle = 2.0 * wp.atan2(length, wp.abs(turn[3]))
    return sine * ((angle / length if length > 0.0 else 2.0) / dt)
