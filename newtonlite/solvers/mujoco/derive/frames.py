"""Frames of geoms and sites that are their body's, or its inertial one, but for rounding: made exactly those, as MuJoCo's ``sameframe`` does."""

import numpy as np

NEAR = 1e-6
"""Difference below which each component of a position or quaternion is the same, in MuJoCo 4.0."""


def derive(mj) -> dict:
    """Positions and quaternions of geoms and sites in their bodies."""
    found = {}
    for kind in ("geom", "site"):
        body = np.asarray(getattr(mj, f"{kind}_bodyid"), int)
        pos, quat = snapped(getattr(mj, f"{kind}_pos"), getattr(mj, f"{kind}_quat"), np.asarray(mj.body_ipos)[body], np.asarray(mj.body_iquat)[body])
        found |= {f"{kind}_pos": pos, f"{kind}_quat": quat}
    return found


def snapped(pos, quat, ipos, iquat) -> tuple[np.ndarray, np.ndarray]:
    """Frames [n, 3] and [n, 4] in bodies whose inertial frames are ``ipos`` and ``iquat``.

    The body's frame goes first, then the inertial one, then the body's axes, and then the axes of inertia.
    """
    pos, quat = np.array(pos, float).reshape(-1, 3), np.array(quat, float).reshape(-1, 4)
    own = np.zeros(pos.shape), np.tile([1.0, 0.0, 0.0, 0.0], (len(quat), 1))
    inertial = np.reshape(ipos, pos.shape), np.reshape(iquat, quat.shape)
    for frame in (inertial, own):  # the last one wins
        turned = same_turn(quat, frame[1])
        quat = np.where(turned, frame[1], quat)
    for frame in (inertial, own):
        here = (np.abs(pos - frame[0]) < NEAR).all(axis=1, keepdims=True) & same_turn(quat, frame[1])
        pos, quat = np.where(here, frame[0], pos), np.where(here, frame[1], quat)
    return pos, quat


def same_turn(one, two) -> np.ndarray:
    """Whether quaternions [n, 4] are the same rotation but for rounding, [n, 1]."""
    return np.minimum(np.abs(one - two).max(axis=1, initial=0.0), np.abs(one + two).max(axis=1, initial=0.0))[:, None] < NEAR
