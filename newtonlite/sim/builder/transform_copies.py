"""Transforms of copies: how a transform of a builder's copy moves its contents.

Every function takes the values of all copies ``[copies, n, ...]``, the transforms ``X [copies, 7]``, and the snapshot
they come from.  A copy moves with its root bodies: bodies and static shapes outright, a root that floats through its
joint coordinates, any other root through the parent frame of its joint.
"""

import numpy as np

from newtonlite.core.enums import EqType, JointType
from newtonlite.math.transform import inverse, multiply, quat_inverse, quat_multiply, quat_rotate

E = "mujoco:equality_constraint_"
SITE = f"{E}site1"


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


def tie_anchor(values, X, source):
    """Anchors of ties that are given on the world: on the first body of a connect, on the second of a weld."""
    kind, one, two = (source.values(E + name) for name in ("type", "body1", "body2"))
    here = _bodily(source) & (((kind == EqType.CONNECT) & (one < 0)) | ((kind == EqType.WELD) & (two < 0)))
    moved = X[:, None, :3] + quat_rotate(X[:, None, 3:], values.astype(float))
    return np.where(here[:, None], moved, values)


def tie_pose(values, X, source):
    """Relative poses of bodies that are welded to the world, where one is given: where the anchor of the second is on the
    first, and how the second is turned in it.
    """
    kind, one, two = (source.values(E + name) for name in ("type", "body1", "body2"))
    given = _bodily(source) & (kind == EqType.WELD) & values[0, :, 3:].any(-1)
    values, X = values.astype(float), X[:, None]
    out = np.where((given & (one < 0))[:, None], multiply(X, values), values)
    turn = quat_multiply(values[..., 3:], quat_inverse(np.broadcast_to(X[..., 3:], values[..., 3:].shape)))
    turned = np.concatenate([values[..., :3], turn], axis=-1)  # where the anchor is on the first body stays
    return np.where((given & (two < 0))[:, None], turned, out)


def _bodily(source) -> np.ndarray:
    """Ties of bodies; those of sites have no frames of their own."""
    return source.values(SITE) < 0 if SITE in source.custom else np.True_
