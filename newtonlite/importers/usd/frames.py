"""Transforms of prims: a matrix split into a rigid pose and what is left, scale, mirroring and shear."""

import numpy as np

SHEAR = 1e-6
"""Largest cosine between axes that counts as a right angle."""
TINY = 1e-12
"""Scale below which a prim has no extent."""


def pose_and_rest(matrix: np.ndarray, signs=(-1.0, -1.0, -1.0)) -> tuple[np.ndarray, np.ndarray] | None:
    """The pose [7] (position, x, y, z, w) and the rest [3, 3] of a 4x4 matrix acting on columns; None for one without
    extent.

    ``matrix = pose rest``.  Without shear the rest is diagonal: the scale.  Where the matrix mirrors, ``signs`` say
    along which axes; with shear the rotation is the nearest one (polar decomposition).
    """
    linear = matrix[:3, :3]
    lengths = np.sqrt((linear * linear).sum(axis=0))
    if not lengths.min() > TINY:
        return None
    turn = linear / lengths
    overlap = turn.T @ turn
    if abs(overlap[0, 1]) < SHEAR and abs(overlap[0, 2]) < SHEAR and abs(overlap[1, 2]) < SHEAR:
        if np.linalg.det(turn) < 0.0:
            turn, lengths = turn * signs, lengths * signs
        return np.concatenate([matrix[:3, 3], quaternion(turn)]), np.diag(lengths)
    left, values, right = np.linalg.svd(linear)
    if values[-1] <= TINY:
        return None
    turn = left @ right
    if np.linalg.det(turn) < 0.0:
        turn = -turn
    return np.concatenate([matrix[:3, 3], quaternion(turn)]), turn.T @ linear


def sheared(rest: np.ndarray) -> bool:
    """Whether what is left of a matrix is more than a scale along its axes."""
    return bool(np.abs(rest - np.diag(np.diagonal(rest))).max() > SHEAR * np.abs(rest).max())


def quaternion(turn: np.ndarray) -> np.ndarray:
    """(x, y, z, w) of a rotation matrix, w not negative."""
    m = turn
    squares = np.array(
        [
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
            1 + m[0, 0] + m[1, 1] + m[2, 2],
        ]
    )
    largest = int(np.argmax(squares))
    q = np.array(
        [
            [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
        ]
    )[largest]
    q = q / np.linalg.norm(q)
    return -q if q[3] < 0 else q


def xyzw(quat) -> tuple[float, float, float, float]:
    """A ``Gf`` quaternion in Warp's order."""
    return (*(float(x) for x in quat.GetImaginary()), float(quat.GetReal()))
