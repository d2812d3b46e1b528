"""Poses in MuJoCo's convention: position and unit quaternion (w, x, y, z), as tuples of floats."""

import math

from newtonlite.core.types import Axis
from newtonlite.math.quat import ONE, Vec, about, cross, dot, product, rotate


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
    side = (1.0, 0.0, 0.0) if s < 1e-10 else tuple(x / s for x in normal)
    return about(side, math.atan2(s, axis[2]))


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
    # by the largest element of the diagonal, the last of equal ones, unless the trace is positive
    diagonal = (math.inf if trace > 0 else -math.inf, x[0], y[1], z[2])
    largest, build = candidates[max(reversed(range(4)), key=diagonal.__getitem__)]
    return build(math.sqrt(1.0 + largest))


def up_turn(up: Axis, target: Axis) -> Vec:
    """The rotation that brings a file's up axis onto the builder's."""
    x, y, z, w = (float(c) for c in up.quat_between_axes(target))
    return ONE if up == target else (w, x, y, z)
