"""Rigid transforms in NumPy: rows ``(px, py, pz, qx, qy, qz, qw)``, any number of them at once.

Transforms on the host, as Warp's ``wp.transform``, in the precision of their input; leading dimensions broadcast.
"""

import numpy as np

from newtonlite.math import quat
from newtonlite.math.quat import cross

IDENTITY = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
TO, FROM = np.array([3, 0, 1, 2]), np.array([1, 2, 3, 0])
"""Parts of (x, y, z, w) in the order (w, x, y, z), and back."""


def quat_multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Hamilton product of quaternions ``[..., 4]``, (x, y, z, w)."""
    return quat.hamilton(a.take(TO, -1), b.take(TO, -1)).take(FROM, -1)


def quat_inverse(q: np.ndarray) -> np.ndarray:
    """Conjugate of unit quaternions ``[..., 4]``."""
    return q * np.array([-1.0, -1.0, -1.0, 1.0], dtype=q.dtype)


def quat_rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors ``[..., 3]`` turned by unit quaternions ``[..., 4]``."""
    return quat.rotate_vectors(q[..., :3], q[..., 3:], v)


def quat_to_matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrices ``[..., 3, 3]`` of unit quaternions; their columns are the turned axes."""
    return np.stack([quat_rotate(q, np.eye(3)[i]) for i in range(3)], axis=-1)


def quat_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest rotation that carries unit vector ``a`` onto unit vector ``b``."""
    w = 1.0 + float(a @ b)
    if w < 1.0e-12:
        side = cross(a, np.eye(3)[np.argmin(np.abs(a))])
        return np.append(side / np.linalg.norm(side), 0.0)
    q = np.append(cross(a, b), w)
    return q / np.linalg.norm(q)


def transform(p=(0.0, 0.0, 0.0), q=(0.0, 0.0, 0.0, 1.0)) -> np.ndarray:
    """A transform from its position and its rotation."""
    return np.concatenate([np.asarray(p, dtype=float), np.asarray(q, dtype=float)])


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Transforms ``[..., 7]`` that apply ``b`` first, then ``a``."""
    if a.ndim == 1 and b.ndim == 1 and a.dtype == b.dtype == float:
        return np.array(product(a.tolist(), b.tolist()))
    p = a[..., :3] + quat_rotate(a[..., 3:], b[..., :3])
    q = quat_multiply(a[..., 3:], b[..., 3:])
    return np.concatenate([p, q], axis=-1)


def product(a: list[float], b: list[float]) -> list[float]:
    """One transform times another, as ``multiply`` has it to the last bit; quicker than NumPy is with so few numbers."""
    p, q = tuple(a[:3]), (a[6], *a[3:6])
    x, y, z = quat.rotate(q, tuple(b[:3]))
    w, i, j, k = quat.product(q, (b[6], *b[3:6]))
    return [p[0] + x, p[1] + y, p[2] + z, i, j, k, w]


def inverse(a: np.ndarray) -> np.ndarray:
    """Transforms ``[..., 7]`` that undo ``a``."""
    q = quat_inverse(a[..., 3:])
    return np.concatenate([-quat_rotate(q, a[..., :3]), q], axis=-1)


def apply(a: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points ``[..., 3]`` carried by transforms ``[..., 7]``."""
    return a[..., :3] + quat_rotate(a[..., 3:], points)
