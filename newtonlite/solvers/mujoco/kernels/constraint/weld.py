"""Weld constraint: a frame of one body stays at a frame of another."""

import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_mul, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.equality_row import (
    add_point_jacobian,
    anchor,
    clear_body_rows,
    finish_equality_row,
)
from newtonlite.solvers.mujoco.kernels.constraint.least_regularization import min_regularization
from newtonlite.solvers.mujoco.kernels.constraint.row_store import place_of_body, put
from newtonlite.solvers.mujoco.kernels.primitives.point import point_bias, point_velocity
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

TORQUE_SCALE = wp.constant(10)
"""Place in ``eq_data`` of what rotations are multiplied by [m]."""


@wp.func
def welded_frame(m: ModelFields, d: DataFields, world: int, k: int, side: int) -> wp.quat:
    """Orientation that a weld compares: a site's, or a body's, the first turned as the second should be."""
    b = m.eq_body[k][side]
    s = m.eq_pair[k][side]
    if s >= 0:
        return quat_mul(d.xquat[world, b], m.site_quat[world, s])
    if side == 1:
        return d.xquat[world, b]
    turn = wp.quat(m.eq_data[world, k, 6], m.eq_data[world, k, 7], m.eq_data[world, k, 8], m.eq_data[world, k, 9])
    return quat_mul(d.xquat[world, b], turn)


@wp.func
def quat_error_rate(error: wp.quat, omega: wp.vec3) -> wp.vec3:
    """Rate of the vector part of ``error`` for the relative angular velocity ``omega``, both in the second frame."""
    v = wp.vec3(error[1], error[2], error[3])
    return 0.5 * (error[0] * omega + wp.cross(omega, v))


@wp.func
def add_rotation_jacobian(
    m: ModelFields,
    d: DataFields,
    world: int,
    row: int,
    b: int,
    error: wp.quat,
    back: wp.quat,
    scale: float,
    sign: float,
    lane: int,
    nlane: int,
):
    """Add to three rows how the dofs of body ``b`` change the error, times ``sign``."""
    first = place_of_body(m, d, world, row, b, sign)
    for c in range(m.chain_adr[b] + lane, m.chain_adr[b + 1], nlane):
        i = m.chain_dof[c]
        omega = wp.spatial_top(d.cdof[world, i] * sign)
        rot = scale * quat_error_rate(error, quat_rotate(back, omega))
        for r in range(3):
            put(m, d, world, row + r, first + c, i, rot[r])
    sync()


@wp.func
def weld_rows(m: ModelFields, d: DataFields, world: int, k: int, row: int, lane: int, nlane: int):
    """Six rows, ``p1 - p2`` [m] and the vector part of ``q2^-1 q1`` times the torque scale [m]; their reference includes
    ``dJ/dt qvel``.
    """
    # error: difference of the anchors in the world frame, and of the orientations in the second frame
    b1 = m.eq_body[k][0]
    b2 = m.eq_body[k][1]
    p1 = anchor(m, d, world, k, 0)
    p2 = anchor(m, d, world, k, 1)
    pos = p1 - p2
    scale = m.eq_data[world, k, TORQUE_SCALE]
    back = quat_conj(welded_frame(m, d, world, k, 1))
    error = quat_mul(back, welded_frame(m, d, world, k, 0))
    vector = wp.vec3(error[1], error[2], error[3])
    rot = scale * vector
    pos_norm = wp.sqrt(wp.length_sq(pos) + wp.length_sq(rot))

    # Jacobian: first body minus second
    clear_body_rows(m, d, world, row, 6, m.eq_body[k], lane, nlane)
    add_point_jacobian(m, d, world, row, b1, p1, 1.0, lane, nlane)
    add_point_jacobian(m, d, world, row, b2, p2, -1.0, lane, nlane)
    add_rotation_jacobian(m, d, world, row + 3, b1, error, back, scale, 1.0, lane, nlane)
    add_rotation_jacobian(m, d, world, row + 3, b2, error, back, scale, -1.0, lane, nlane)
    vel = point_velocity(m, d, world, b1, p1) - point_velocity(m, d, world, b2, p2)
    bias = point_bias(m, d, world, b1, p1) - point_bias(m, d, world, b2, p2)
    w1 = wp.spatial_top(d.cvel[world, b1])
    w2 = wp.spatial_top(d.cvel[world, b2])
    change = wp.spatial_top(d.cacc[world, b1]) - wp.spatial_top(d.cacc[world, b2]) + 0.5 * wp.cross(w1 - w2, w1 + w2)
    rot_vel = scale * quat_error_rate(error, quat_rotate(back, w1 - w2))
    rot_bias = scale * (quat_error_rate(error, quat_rotate(back, change)) - 0.25 * wp.length_sq(w1 - w2) * vector)

    # weight: inverses of the translational and rotational inertia of the two bodies
    weight = m.body_invweight0[world, b1] + m.body_invweight0[world, b2]
    least = min_regularization(m, d, world, row, 3)
    rot_least = min_regularization(m, d, world, row + 3, 3)
    for r in range(3):
        if lane == r % nlane:
            finish_equality_row(m, d, world, k, row + r, pos[r], pos_norm, weight[0], vel[r], bias[r], least)
        if lane == (r + 3) % nlane:
            finish_equality_row(
                m, d, world, k, row + 3 + r, rot[r], pos_norm, weight[1], rot_vel[r], rot_bias[r], rot_least
            )
