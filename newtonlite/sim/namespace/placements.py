"""Placements of what stands on the world: how transforms of a builder's copies act on attributes of the ``mujoco``
namespace.

Every function takes the values of all copies ``[copies, n, ...]``, the transforms ``X [copies, 7]``, and the snapshot they
come from, as those of ``sim/builder/transform_copies``.
"""

from collections.abc import Callable

import numpy as np

from newtonlite.math.transform import multiply, quat_multiply, quat_rotate

WORLD = -1


def everywhere(values, X, source):
    """Poses of worlds."""
    return multiply(X[:, None], values.astype(float))


def on_world(owner: str, move: Callable) -> Callable:
    """Move of what an attribute says that the world owns."""

    def moved(values, X, source):
        here = source.values(f"mujoco:{owner}") == WORLD
        return np.where(here[:, None], move(X[:, None], values.astype(float)), values)

    return moved


def point(X, values):
    """Positions."""
    return X[..., :3] + quat_rotate(X[..., 3:], values)


def axis_direction(X, values):
    """Directions."""
    return quat_rotate(X[..., 3:], values)


def turn(X, values):
    """Orientations (w, x, y, z)."""
    return np.roll(quat_multiply(X[..., 3:], np.roll(values, -1, axis=-1)), 1, axis=-1)


PLACED = {
    "key_xform": everywhere,
    "camera_pos": on_world("camera_body", point),
    "camera_quat": on_world("camera_body", turn),
    "light_pos": on_world("light_body", point),
    "light_dir": on_world("light_body", axis_direction),
    "flex_vert_pos": on_world("flex_vert_body", point),
    "flex_node_pos": on_world("flex_node_body", point),
}
"""Functions by attribute; ties have theirs in ``sim/builder/equality``. All else stands on bodies or sites, which move with
their roots.
"""
