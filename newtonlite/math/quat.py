"""Quaternions on the host, (w, x, y, z): tuples of floats, which are quicker for one, and float64 arrays with any number of
leading dimensions.

``newtonlite.math.transform`` has the same functions in Newton's order (x, y, z, w), by these.
"""

import math

import numpy as np

from newtonlite.core.constants import MINVAL

Vec = tuple[float, ...]
ZERO, ONE = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
TINY = 1e-14
NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
"""After x comes y, and before it z."""


def cross(a, b):
    """Vector product of ``[..., 3]`` and ``[..., 3]``; NumPy's own spends most of its time on preparing."""
    if type(a) is tuple:
        return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return a.take(NEXT, -1) * b.take(LAST, -1) - a.take(LAST, -1) * b.take(NEXT, -1)


def dot(a: Vec, b: Vec) -> float:
    """Scalar product of tuples."""
    return sum(x * y for x, y in zip(a, b))


def unit_tuple(v: Vec) -> Vec | None:
    """A tuple at length one; None where it has no direction."""
    length = math.sqrt(dot(v, v))
    return tuple(x / length for x in v) if length > TINY else None


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


def product(a, b):
    """Hamilton product ``a b``: rotation b, then a."""
    if type(a) is tuple:
        return (
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        )
    return hamilton(np.asarray(a, float), np.asarray(b, float))


def hamilton(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``product`` of arrays in the precision that they have."""
    return (a[..., None] * (b.take(FACTOR, -1) * SIGN.astype(b.dtype))).sum(-2)


def conjugate(q):
    """The inverse of unit quaternions."""
    if type(q) is tuple:
        return (q[0], -q[1], -q[2], -q[3])
    return np.asarray(q, float) * [1.0, -1.0, -1.0, -1.0]


def rotate(q, v):
    """Vectors ``v`` [..., 3] turned by unit quaternions ``q`` [..., 4]."""
    if type(q) is tuple:
        if q == ONE:
            return v
        w, u = q[0], q[1:]
        t = tuple(2 * x for x in cross(u, v))
        s = cross(u, t)
        return (v[0] + w * t[0] + s[0], v[1] + w * t[1] + s[1], v[2] + w * t[2] + s[2])
    q = np.asarray(q, float)
    return rotate_vectors(q[..., 1:], q[..., :1], np.asarray(v, float))


def rotate_vectors(u: np.ndarray, w: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors ``v`` turned by the quaternions of vector part ``u`` and scalar part ``w``, in the precision that they have."""
    t = 2.0 * cross(u, v)
    return v + w * t + cross(u, t)


SQUARES = np.zeros((16, 9))
"""Entries of a rotation matrix as sums of products of two parts of its quaternion: ``wi`` and ``vi vj``."""
for i in range(3):
    SQUARES[[0, 5 * (i + 1)], 4 * i] = 1.0
    SQUARES[[5 * (NEXT[i] + 1), 5 * (LAST[i] + 1)], 4 * i] = -1.0
    for j, k, turn in ((NEXT[i], LAST[i], -2.0), (LAST[i], NEXT[i], 2.0)):
        SQUARES[4 * (i + 1) + j + 1, 3 * i + j], SQUARES[k + 1, 3 * i + j] = 2.0, turn


def matrix(q) -> np.ndarray:
    """Rotation matrices [..., 3, 3] of unit quaternions; columns are the turned axes."""
    if type(q) is tuple:
        w, x, y, z = q
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    q = np.asarray(q, float)
    products = (q[..., :, None] * q[..., None, :]).reshape(*q.shape[:-1], 16)
    return (products @ SQUARES).reshape(*q.shape[:-1], 3, 3)


def about(axis, angle):
    """Quaternions for turning by ``angle`` [...] rad about unit ``axis`` [..., 3]."""
    if type(axis) is tuple:
        s = math.sin(0.5 * angle)
        return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)
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
