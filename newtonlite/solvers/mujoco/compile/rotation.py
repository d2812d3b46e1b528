"""Rotations in float64 NumPy, quaternions as (w, x, y, z), any number of leading dimensions."""

import numpy as np


def to_wxyz(q) -> np.ndarray:
    """MuJoCo's order from Newton's (x, y, z, w); shape [..., 4]."""
    return np.asarray(q, float)[..., [3, 0, 1, 2]]


def to_xyzw(q) -> np.ndarray:
    """Newton's order from MuJoCo's (w, x, y, z); shape [..., 4]."""
    return np.asarray(q, float)[..., [1, 2, 3, 0]]


def normalized(q) -> np.ndarray:
    """Unit quaternions; a vanishing one becomes the identity."""
    q = np.asarray(q, float)
    size = np.linalg.norm(q, axis=-1, keepdims=True)
    identity = np.broadcast_to([1.0, 0.0, 0.0, 0.0], q.shape)
    return np.where(size > 1e-15, q / np.maximum(size, 1e-15), identity)


def product(a, b) -> np.ndarray:
    """Hamilton product ``a b``."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    (w, x, y, z), (p, i, j, k) = ((q[..., 0], q[..., 1], q[..., 2], q[..., 3]) for q in (a, b))
    return np.stack(
        [
            w * p - x * i - y * j - z * k,
            w * i + x * p + y * k - z * j,
            w * j - x * k + y * p + z * i,
            w * k + x * j - y * i + z * p,
        ],
        axis=-1,
    )


def conjugate(q) -> np.ndarray:
    """The inverse of unit quaternions."""
    return np.asarray(q, float) * [1.0, -1.0, -1.0, -1.0]


def cross(a, b) -> np.ndarray:
    """Cross product of vectors [..., 3]; NumPy's own spends most of its time on preparing."""
    (x, y, z), (u, v, w) = ((p[..., 0], p[..., 1], p[..., 2]) for p in (a, b))
    first = y * w - z * v
    out = np.empty((*first.shape, 3))
    out[..., 0], out[..., 1], out[..., 2] = first, z * u - x * w, x * v - y * u
    return out


def rotate(q, v) -> np.ndarray:
    """Vectors ``v`` [..., 3] turned by unit quaternions ``q`` [..., 4]."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    u = q[..., 1:]
    return v + 2.0 * cross(u, cross(u, v) + q[..., :1] * v)


def matrix(q) -> np.ndarray:
    """Rotation matrices [..., 3, 3]; columns are the turned axes."""
    columns = [rotate(q, np.broadcast_to(axis, np.shape(q)[:-1] + (3,))) for axis in np.eye(3)]
    return np.stack(columns, axis=-1)


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
    return q[..., 1:] * np.where(size > 1e-15, angle / np.maximum(size, 1e-15), 2.0)


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
