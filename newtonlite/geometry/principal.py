"""Principal axes of an inertia tensor, in MuJoCo's order and orientation.

Jacobi's method, its rotations gathered in one quaternion; then quarter turns bring the moments into falling order.
Axes are only defined up to half turns, and not at all where moments are equal, so a model that is to equal MuJoCo's
needs its choices: start without rotation, always turn away the largest product of inertia, swap moments only where they
differ.
"""

import math
from functools import lru_cache

import numpy as np
import warp as wp

from newtonlite.math.quat import matrix, product

NEAR, NEAR_OF_MESHES = 1e-12, 1e-7
"""Products of inertia that no longer count, and differences of moments, relative to the largest number."""
ROUNDS = 500
PLANES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))
"""The two axes of each plane, and the one it turns about."""


def principal(tensor, near: float = NEAR) -> tuple[np.ndarray, np.ndarray]:
    """Moments [3] in falling order and the quaternion (w, x, y, z) of their axes, of a symmetric tensor [3, 3].

    ``near``: what no longer counts; MuJoCo stops sooner for meshes (``NEAR_OF_MESHES``).
    """
    moments, quat = _principal(np.ascontiguousarray(tensor, float).tobytes(), near)
    return np.array(moments), np.array(quat)


@lru_cache(4096)
def _principal(numbers: bytes, near: float) -> tuple[tuple, tuple]:
    """``principal`` of the nine numbers of a tensor; what an importer and the compiler ask for is found once."""
    tensor = np.frombuffer(numbers).reshape(3, 3)
    quat, size = np.array([1.0, 0.0, 0.0, 0.0]), np.abs(tensor).max()
    for _ in range(ROUNDS):
        axes = matrix(tuple(quat.tolist()))
        D = axes.T @ tensor @ axes
        a, b, c = abs(D[0, 1]), abs(D[0, 2]), abs(D[1, 2])
        i, j, about = PLANES[0 if a > b and a > c else 1 if b > c else 2]
        if abs(D[i, j]) <= near * size:
            break
        ratio = (D[j, j] - D[i, i]) / (2.0 * D[i, j])
        tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.hypot(1.0, ratio)) if ratio else 1.0
        half = 0.5 * math.atan(tangent)
        sine = math.sin(half if about == 1 else -half)
        step = np.zeros(4)
        step[0], step[1 + about] = math.cos(half), sine
        quat = unit_quat(product(quat, step))
    moments, quat = falling(np.diagonal(D).copy(), quat, near * size)
    return tuple(moments.tolist()), tuple(quat.tolist())


def falling(moments: np.ndarray, quat: np.ndarray, near: float) -> tuple[np.ndarray, np.ndarray]:
    """Moments in falling order, and their axes; those that differ by ``near`` or less stay."""
    for first in (0, 1, 0):
        if moments[first] + near < moments[first + 1]:
            moments[[first, first + 1]] = moments[[first + 1, first]]
            step = np.zeros(4)
            step[0] = step[(first + 2) % 3 + 1] = math.sqrt(0.5)
            quat = unit_quat(product(quat, step))
    return moments, quat


def unit_quat(quat: np.ndarray) -> np.ndarray:
    """A quaternion at length one."""
    return quat / math.sqrt(float(quat @ quat))


@wp.func
def principal_double(tensor: wp.mat33d):
    """Moments in falling order and the quaternion (w, x, y, z) of their axes, as ``principal`` gives them, on the
    device.
    """
    quat = wp.vec4d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    D = tensor
    size = wp.float64(0.0)
    for i in range(3):
        size = wp.max(size, wp.max(wp.abs(tensor[i])))
    near = wp.float64(wp.static(NEAR)) * size
    for _ in range(wp.static(ROUNDS)):
        axes = matrix_double(quat)
        D = wp.transpose(axes) * tensor * axes
        a, b, c = wp.abs(D[0, 1]), wp.abs(D[0, 2]), wp.abs(D[1, 2])
        i, j, about = int(0), int(2), int(1)
        if a > b and a > c:
            j, about = 1, 2
        elif b <= c:
            i, about = 1, 0
        if wp.abs(D[i, j]) <= near:
            break
        ratio = (D[j, j] - D[i, i]) / (wp.float64(2.0) * D[i, j])
        tangent = wp.float64(1.0)
        if ratio != wp.float64(0.0):
            tangent = wp.sign(ratio) / (wp.abs(ratio) + wp.sqrt(wp.float64(1.0) + ratio * ratio))
        half = wp.float64(0.5) * wp.atan(tangent)
        if about != 1:
            half = -half
        quat = wp.normalize(turned_double(quat, about, wp.cos(half), wp.sin(half)))
    moments = wp.get_diag(D)
    quarter = wp.sqrt(wp.float64(0.5))
    for swap in range(3):
        i = swap % 2
        if moments[i] + near < moments[i + 1]:
            larger = moments[i + 1]
            moments[i + 1] = moments[i]
            moments[i] = larger
            quat = wp.normalize(turned_double(quat, (i + 2) % 3, quarter, quarter))
    return moments, quat


@wp.func
def turned_double(q: wp.vec4d, about: int, cosine: wp.float64, sine: wp.float64) -> wp.vec4d:
    """Rotation ``q`` (w, x, y, z) after one about an axis, by the cosine and sine of half its angle."""
    turn = wp.vec3d()
    turn[about] = sine
    v = wp.vec3d(q[1], q[2], q[3])
    turned = q[0] * turn + cosine * v + wp.cross(v, turn)
    return wp.vec4d(q[0] * cosine - wp.dot(v, turn), turned[0], turned[1], turned[2])


@wp.func
def matrix_double(q: wp.vec4d) -> wp.mat33d:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    one, two = wp.float64(1.0), wp.float64(2.0)
    return wp.mat33d(
        one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y),
        two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x),
        two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y),
    )  # fmt: skip
