"""First view of a model: how large a world is, and the direction from which it is seen."""

from itertools import product

import numpy as np

from newtonlite.math import transform as tf
from newtonlite.viewer.batches import Appearance, InstanceBatch
from newtonlite.viewer.soft import SoftMesh

AWAY = np.array([0.80, -1.0, 0.55]) / np.linalg.norm([0.80, -1.0, 0.55])  # from the middle to the eye
FAR = 2.7  # distance of the eye, in radii of what is to be seen


def two_digits(length: float) -> float:
    """A length [m] with two digits."""
    return float(f"{length:.2g}")


def bounds(batch: InstanceBatch, body_q: np.ndarray) -> np.ndarray:
    """[2, 3] lowest and highest corners of the bounding boxes of a batch in the first of its worlds [m]."""
    low, high = batch.surface.vertices.min(axis=0), batch.surface.vertices.max(axis=0)
    if batch.bodies[0] < 0:
        return np.stack([low, high])
    pose = body_q[batch.bodies[batch.worlds == batch.worlds[0]]].astype(float)
    corners = np.array(list(product(*zip(low, high, strict=True))))
    placed = np.concatenate([tf.apply(one, corners) for one in pose])
    return np.stack([placed.min(axis=0), placed.max(axis=0)])


def soft_bounds(mesh: SoftMesh, body_q: np.ndarray) -> np.ndarray:
    """[2, 3] lowest and highest corners of a flex or skin in the first of its worlds [m]."""
    vertices = mesh.vertices(body_q, 0)
    return np.stack([vertices.min(axis=0), vertices.max(axis=0)])


def size_of_world(what: Appearance, body_q: np.ndarray) -> tuple[np.ndarray, float]:
    """(middle [3], radius [m]) of the bodies of the first world, bodies being at ``body_q`` [body_count, 7]; of what is
    fixed where nothing moves. Planes do not count.
    """
    moving = [batch for batch in what.batches if batch.bodies[0] >= 0 and not batch.layer.site]
    corners = [corner for batch in moving for corner in bounds(batch, body_q)]
    corners += [corner for mesh in what.soft for corner in soft_bounds(mesh, body_q)]
    if not corners:
        solid = [batch for batch in what.batches if not batch.flat and not batch.layer.site]
        corners = [corner for batch in solid for corner in bounds(batch, body_q)]
    if not corners:
        return np.zeros(3), 1.0
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    return (low + high) / 2, float(max(np.linalg.norm(high - low) / 2, 0.05))
