"""Euler angles about given axes that make up a rotation, and their rates."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.func
def axis_angle(axis: wp.vec3, angle: float) -> wp.quat:
    """Rotation by ``angle`` [rad] about unit ``axis``."""
    return wp.quat_from_axis_angle(axis, angle)


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

    In the axes' own basis the rotation matrix is ``R_x(t0) R_y(t1) R_z(t2)``; axes that are left-handed turn the other
    way.
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
def two_angles(turn: wp.quat, a0: wp.vec3, a1: wp.vec3, a2: wp.vec3) -> wp.vec3:
    """Angles in (-pi, pi] about two orthogonal axes, the second carried by the first, whose turns in order make
    ``turn``, and 0 about the third, ``a0 x a1``.
    """
    b1 = wp.quat_rotate(turn, a1)
    t0 = wp.atan2(wp.dot(a2, b1), wp.dot(a1, b1))
    t1 = wp.atan2(wp.dot(a0, wp.quat_rotate(turn, a2)), wp.dot(a0, wp.quat_rotate(turn, a0)))
    return wp.vec3(t0, t1, 0.0)


@wp.func
def refined_angles(turn: wp.quat, a0: wp.vec3, a1: wp.vec3, a2: wp.vec3, start: wp.vec3) -> wp.vec3:
    """Newton steps from ``start`` for axes that are not orthogonal."""
    t = start
    for _step in range(8):
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
