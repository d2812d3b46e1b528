"""Transforms of copies: how a transform of a builder's copy moves its contents.

Every function takes the values of all copies ``[copies, n, ...]``, the transforms ``X [copies, 7]``, and the snapshot
they come from.  A copy moves with its root bodies: bodies and static shapes outright, a root that floats through its
joint coordinates, any other root through the parent frame of its joint.
"""

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.math.transform import inverse, multiply, quat_inverse, quat_multiply, quat_rotate


def pose(values, X, source):
    """``X q``: poses in the world."""
    return multiply(X[:, None], values.astype(float))


def rotate_pair(values, X, source):
    """Linear and angular velocities in the world, turned."""
    q = X[:, None, 3:]
    return np.concatenate([quat_rotate(q, values[..., :3]), quat_rotate(q, values[..., 3:])], axis=-1)


def static_pose(values, X, source):
    """Shapes fixed in the world move; those on bodies stay where they are on them."""
    return np.where((source.shape_body < 0)[:, None], pose(values, X, source), values)


def root_pose(values, X, source):
    """Parent frames of joints to the world move, unless the joint floats."""
    roots = (source.joint_parent < 0) & (source.joint_type != JointType.FREE)
    return np.where(roots[:, None], pose(values, X, source), values)


def free_coordinates(values, X, source):
    """``X_p^-1 X X_p q`` for the joints that float in the world."""
    out = values.astype(float)
    for joint in _floating(source):
        frame = source.joint_X_p[joint].astype(float)
        at = source.joint_q_start[joint]
        seen = multiply(multiply(inverse(frame), X), frame)
        out[:, at : at + 7] = multiply(seen, out[:, at : at + 7])
    return out


def free_velocities(values, X, source):
    """Velocities of the joints that float in the world, turned in the joint's parent frame."""
    out = values.astype(float)
    for joint in _floating(source):
        turn = source.joint_X_p[joint, 3:].astype(float)
        at = source.joint_qd_start[joint]
        q = quat_multiply(quat_multiply(quat_inverse(turn), X[:, 3:]), turn)
        out[:, at : at + 3] = quat_rotate(q, out[:, at : at + 3])
        out[:, at + 3 : at + 6] = quat_rotate(q, out[:, at + 3 : at + 6])
    return out


def _floating(source) -> np.ndarray:
    return np.flatnonzero((source.joint_parent < 0) & (source.joint_type == JointType.FREE))
