"""Same frames: geom and site frames equal to their body's up to rounding are made equal, as MuJoCo's ``sameframe``
does.
"""

import numpy as np

NEAR = 1e-6
"""Difference below which each component of a position or quaternion is the same, in MuJoCo 4.0."""


def derive(mj) -> dict:
    """Positions and quaternions of geoms and sites in their bodies; with a world dimension where the fields that decide
    have one.
    """
    found = {}
    for kind in ("geom", "site"):
        body = np.asarray(getattr(mj, f"{kind}_bodyid"), int)
        names = (f"{kind}_pos", f"{kind}_quat")
        frame = [np.asarray(getattr(mj, name), float) for name in names]
        inertial = [np.asarray(values, float)[..., body, :] for values in (mj.body_ipos, mj.body_iquat)]
        found |= dict(zip(names, snapped(*frame, *inertial), strict=True))
    return found


def snapped(pos, quat, ipos, iquat) -> tuple[np.ndarray, np.ndarray]:
    """Frames [..., n, 3] and [..., n, 4] in bodies whose inertial frames are ``ipos`` and ``iquat``.

    The body's frame goes first, then the inertial one, then the body's axes, and then the axes of inertia.
    """
    own = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    inertial = ipos, iquat
    for frame in (inertial, own):  # the last one wins
        quat = np.where(same_turn(quat, frame[1]), frame[1], quat)
    for frame in (inertial, own):
        here = (np.abs(pos - frame[0]) < NEAR).all(axis=-1, keepdims=True) & same_turn(quat, frame[1])
        pos, quat = np.where(here, frame[0], pos), np.where(here, frame[1], quat)
    return pos, quat


def same_turn(one, two) -> np.ndarray:
    """Whether quaternions [..., 4] are the same rotation but for rounding, [..., 1]."""
    return (
        np.minimum(np.abs(one - two).max(axis=-1, initial=0.0), np.abs(one + two).max(axis=-1, initial=0.0))[..., None]
        < NEAR
    )
