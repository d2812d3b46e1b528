"""Rotations in float64 NumPy, quaternions as (w, x, y, z), any number of leading dimensions."""

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.math.transform import LAST, NEXT, cross


def to_wxyz(q) -> np.ndarray:
    """MuJoCo's order from Newton's (x, y, z, w); shape [..., 4]."""
    return np.asarray(q, float)[..., [3, 0, 1, 2]]


def to_xyzw(q) -> np.ndarray:
    """Newton's order from MuJoCo's (w, x, y, z); shape [..., 4]."""
    return np.asarray(q, float)[..., [1, 2, 3, 0]]


def normalized(q) -> np.ndarray:
    """Unit quaternions; a vanishing one becomes the identity."""
    q = np.asarray(q, float)
    size = np.sqrt((q * q).sum(-1, keepdims=True))
    if (size > MINVAL).all():
        return q / size
    return np.where(size > MINVAL, q / np.maximum(size, MINVAL), [1.0, 0.0, 0.0, 0.0])


FACTOR = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
"""``FACTOR[j, i]``: the part of the right factor that multiplies part ``j`` of the left one in part ``i`` of a product."""
SIGN = np.array([[1, 1, 1, 1], [-1, 1, -1, 1], [-1, 1, 1, -1], [-1, -1, 1, 1]], float)


def product(a, b) -> np.ndarray:
    """Hamilton product ``a b``."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return (a[..., None] * (b.take(FACTOR, -1) * SIGN)).sum(-2)


def conjugate(q) -> np.ndarray:
    """The inverse of unit quaternions."""
    return np.asarray(q, float) * [1.0, -1.0, -1.0, -1.0]


def rotate(q, v) -> np.ndarray:
    """Vectors ``v`` [..., 3] turned by unit quaternions ``q`` [..., 4]."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    u = q[..., 1:]
    return v + 2.0 * cross(u, cross(u, v) + q[..., :1] * v)


SQUARES = np.zeros((16, 9))
"""Entries of a rotation matrix as sums of products of two parts of its quaternion: ``wi`` and ``vi vj``."""
for i in range(3):
    SQUARES[[0, 5 * (i + 1)], 4 * i] = 1.0
    SQUARES[[5 * (NEXT[i] + 1), 5 * (LAST[i] + 1)], 4 * i] = -1.0
    for j, k, turn in ((NEXT[i], LAST[i], -2.0), (LAST[i], NEXT[i], 2.0)):
        SQUARES[4 * (i + 1) + j + 1, 3 * i + j], SQUARES[k + 1, 3 * i + j] = 2.0, turn


def matrix(q) -> np.ndarray:
    """Rotation matrices [..., 3, 3] of unit quaternions; columns are the turned axes."""
    q = np.asarray(q, float)
    products = (q[..., :, None] * q[..., None, :]).reshape(*q.shape[:-1], 16)
    return (products @ SQUARES).reshape(*q.shape[:-1], 3, 3)


def about(axis, angle) -> np.ndarray:
    """Quaternions for turning by ``angle`` [...] rad about unit ``axis`` [..., 3]."""
    half = 0.5 * np.asarray(angle, float)[..., None]
    axis = np.asarray(axis, float)
    return np.concatenate([np.cos(half) + 0.0 * axis[..., :1], np.sin(half) * axis], axis=-1)


def rotation_vector(q) -> np.ndarray:
    """Axis times angle, angle in (-pi, pi], of unit quaternions."""
    q = np.asarray(q, float)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, q[..., :1])
    angle = np.where(angle > np.pi, angle - 2.0 * np.pi, angle)
    return q[..., 1:] * np.where(size > MINVAL, angle / np.maximum(size, MINVAL), 2.0)


def from_matrix(mat) -> np.ndarray:
    """Unit quaternions [..., 4], w >= 0, of rotation matrices [..., 3, 3].

    The eigenvector, for the largest eigenvalue, of the symmetric matrix of Bar-Itzhack: well conditioned everywhere.
    """
    m = np.asarray(mat, float)
    trace = np.trace(m, axis1=-2, axis2=-1)
    turn = np.stack([m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], axis=-1)
    K = np.zeros(m.shape[:-2] + (4, 4))
    K[..., 0, 0] = trace
    K[..., 1:, 0] = K[..., 0, 1:] = turn
    K[..., 1:, 1:] = m + np.swapaxes(m, -1, -2) - trace[..., None, None] * np.eye(3)
    q = np.linalg.eigh(K)[1][..., -1]
    return np.where(q[..., :1] < 0, -q, q)
