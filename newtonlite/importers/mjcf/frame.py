"""Poses in MuJoCo's convention: position and unit quaternion (w, x, y, z), as tuples of floats."""

import math

from newtonlite.core.types import Axis

Vec = tuple[float, ...]
ZERO, ONE = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
TINY = 1e-14


def dot(a: Vec, b: Vec) -> float:
    """Scalar product."""
    return sum(x * y for x, y in zip(a, b))


def cross(a: Vec, b: Vec) -> Vec:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(v: Vec) -> Vec | None:
    """The vector at length one; None where it has no direction."""
    length = math.sqrt(dot(v, v))
    return tuple(x / length for x in v) if length > TINY else None


def turn(axis: Vec, angle: float) -> Vec:
    """Rotation about a unit axis by an angle in rad."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


def product(p: Vec, q: Vec) -> Vec:
    """Rotation q, then p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def conjugate(q: Vec) -> Vec:
    """The inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def rotate(q: Vec, v: Vec) -> Vec:
    """A vector, turned."""
    if q == ONE:
        return v
    w, u = q[0], q[1:]
    t = cross(u, v)
    t = (2 * t[0], 2 * t[1], 2 * t[2])
    s = cross(u, t)
    return (v[0] + w * t[0] + s[0], v[1] + w * t[1] + s[1], v[2] + w * t[2] + s[2])


def chain(pos: Vec, quat: Vec, inner_pos: Vec, inner_quat: Vec) -> tuple[Vec, Vec]:
    """A pose given in another one, in the frame of that other one."""
    moved = rotate(quat, inner_pos)
    return (pos[0] + moved[0], pos[1] + moved[1], pos[2] + moved[2]), inner_quat if quat == ONE else product(
        quat, inner_quat
    )


def from_z(axis: Vec) -> Vec:
    """The shortest rotation that brings z onto a unit axis; the half turn about x onto -z."""
    normal = cross((0.0, 0.0, 1.0), axis)
    s = math.sqrt(dot(normal, normal))
    about = (1.0, 0.0, 0.0) if s < 1e-10 else tuple(x / s for x in normal)
    return turn(about, math.atan2(s, axis[2]))


def from_axes(x: Vec, y: Vec, z: Vec) -> Vec:
    """The rotation whose columns are three orthonormal axes, with the sign that MuJoCo gives it."""
    trace = x[0] + y[1] + z[2]
    candidates = (
        (trace, lambda s: (s / 2, (y[2] - z[1]) / (2 * s), (z[0] - x[2]) / (2 * s), (x[1] - y[0]) / (2 * s))),
        (
            x[0] - y[1] - z[2],
            lambda s: ((y[2] - z[1]) / (2 * s), s / 2, (y[0] + x[1]) / (2 * s), (z[0] + x[2]) / (2 * s)),
        ),
        (
            y[1] - x[0] - z[2],
            lambda s: ((z[0] - x[2]) / (2 * s), (y[0] + x[1]) / (2 * s), s / 2, (z[1] + y[2]) / (2 * s)),
        ),
        (
            z[2] - x[0] - y[1],
            lambda s: ((x[1] - y[0]) / (2 * s), (z[0] + x[2]) / (2 * s), (z[1] + y[2]) / (2 * s), s / 2),
        ),
    )
    largest, build = candidates[0] if trace > 0 else max(candidates[1:], key=lambda c: c[0])
    return build(math.sqrt(1.0 + largest))


def up_turn(up: Axis, target: Axis) -> Vec:
    """The rotation that brings a file's up axis onto the builder's."""
    x, y, z, w = (float(c) for c in up.quat_between_axes(target))
    return ONE if up == target else (w, x, y, z)
