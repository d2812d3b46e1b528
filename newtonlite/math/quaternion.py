"""Unit quaternions in MuJoCo's order (w, x, y, z), held in ``wp.quat`` components 0..3.

Warp's own quaternion functions expect (x, y, z, w) and must not be used on these.
"""

import warp as wp

from newtonlite.core.constants import MINVAL


@wp.func
def quat_mul(a: wp.quat, b: wp.quat) -> wp.quat:
    """Hamilton product ``a b``."""
    return wp.quat(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@wp.func
def quat_conj(q: wp.quat) -> wp.quat:
    """Conjugate, the inverse of a unit quaternion."""
    return wp.quat(q[0], -q[1], -q[2], -q[3])


@wp.func
def quat_rotate(q: wp.quat, v: wp.vec3) -> wp.vec3:
    """Vector ``v`` turned by unit quaternion ``q``: ``v + 2 u x (u x v + w v)``."""
    u = wp.vec3(q[1], q[2], q[3])
    return v + 2.0 * wp.cross(u, wp.cross(u, v) + q[0] * v)


@wp.func
def quat_to_mat(q: wp.quat) -> wp.mat33:
    """Rotation matrix of a unit quaternion; its columns are the turned axes."""
    w = q[0]
    x = q[1]
    y = q[2]
    z = q[3]
    x2 = x + x
    y2 = y + y
    z2 = z + z
    return wp.mat33(
        1.0 - y * y2 - z * z2,
        x * y2 - w * z2,
        x * z2 + w * y2,
        x * y2 + w * z2,
        1.0 - x * x2 - z * z2,
        y * z2 - w * x2,
        x * z2 - w * y2,
        y * z2 + w * x2,
        1.0 - x * x2 - y * y2,
    )


@wp.func
def quat_normalize(q: wp.quat) -> wp.quat:
    """Unit quaternion along ``q``; the identity where ``q`` vanishes."""
    n = wp.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    s = wp.where(n < MINVAL, 0.0, 1.0 / n)
    return wp.quat(wp.where(n < MINVAL, 1.0, q[0] * s), q[1] * s, q[2] * s, q[3] * s)


@wp.func
def quat_trim(q: wp.quat) -> wp.quat:
    """``q``, of unit length but for rounding, with the rounding taken out: one step of Newton's iteration for ``1 /
    |q|`` from 1.
    """
    s = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return wp.quat(q[0] * s, q[1] * s, q[2] * s, q[3] * s)


@wp.func
def axis_angle_to_quat(axis: wp.vec3, angle: float) -> wp.quat:
    """Rotation by ``angle`` [rad] about unit ``axis``."""
    s = wp.sin(0.5 * angle)
    return wp.quat(wp.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


@wp.func
def rotvec_to_quat(v: wp.vec3) -> wp.quat:
    """Rotation by the length [rad] of a vector, about it."""
    angle = wp.length(v)
    if angle < MINVAL:
        return wp.quat(1.0, 0.0, 0.0, 0.0)
    return axis_angle_to_quat(v / angle, angle)


@wp.func
def quat_to_rotvec(q: wp.quat) -> wp.vec3:
    """Rotation vector (axis times angle in (-pi, pi]) of a unit quaternion."""
    v = wp.vec3(q[1], q[2], q[3])
    n = wp.length(v)
    angle = 2.0 * wp.atan2(n, q[0])
    if angle > wp.PI:
        angle -= 2.0 * wp.PI
    return v * wp.where(n < MINVAL, 0.0, angle / n)


@wp.func
def quat_integrate(q: wp.quat, omega: wp.vec3, dt: float) -> wp.quat:
    """``q exp(omega dt / 2)`` for a body-local angular velocity [rad/s]."""
    unit = quat_normalize(q)
    speed = wp.length(omega)
    if speed * dt < MINVAL:
        return unit
    return quat_normalize(quat_mul(unit, axis_angle_to_quat(omega / speed, speed * dt)))
