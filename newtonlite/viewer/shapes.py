"""Picture shapes of a simulated model."""

from typing import NamedTuple

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.math import transform as tf
from newtonlite.viewer.dress import undressed


class ShapeArrays(NamedTuple):
    """The four arrays that ``Stage`` takes."""

    type: np.ndarray  # [n]
    scale: np.ndarray  # [n, 3]
    transform: np.ndarray  # [n, 7], in the world
    color: np.ndarray  # [n, 3], linear

    def moved(self, offset) -> "ShapeArrays":
        """The same shapes, ``offset`` [3] metres away."""
        pose = self.transform.copy()
        pose[:, :3] += offset
        return self._replace(transform=pose)

    def painted(self, color) -> "ShapeArrays":
        """The same shapes, the vividly coloured ones in another colour [3]; greys stay."""
        vivid = (np.ptp(self.color, axis=1) > 0.6 * self.color.max(axis=1))[:, None]
        return self._replace(color=np.where(vivid, np.asarray(color, np.float32), self.color))


class ShapeCache:
    """The visible, movable or fixed shapes of one world of a model, read once; ``at`` puts them in a pose. Meshes are
    drawn as the boxes around them.
    """

    def __init__(self, model, world: int = 0):
        kind, flags = model.shape_type.numpy(), model.shape_flags.numpy()
        where = model.shape_world.numpy()
        seen = (flags & int(ShapeFlags.VISIBLE) != 0) | undressed(model, kind != GeoType.PLANE)
        drawn = np.isin(where, (-1, world)) & seen & (kind != GeoType.PLANE)
        self.rows = np.flatnonzero(drawn)
        self.type = kind[self.rows]
        self.scale = model.shape_scale.numpy()[self.rows]
        self.local = model.shape_transform.numpy()[self.rows]
        self.body = model.shape_body.numpy()[self.rows]
        self.color = model.shape_color.numpy()[self.rows] ** 2.2
        for i in np.flatnonzero(np.isin(self.type, (GeoType.MESH, GeoType.CONVEX_MESH))):
            points = np.asarray(model.shape_source[self.rows[i]].vertices) * self.scale[i]
            low, high = points.min(axis=0), points.max(axis=0)
            middle = np.array([*(low + high) / 2, 0, 0, 0, 1], np.float32)
            self.type[i], self.scale[i] = GeoType.BOX, (high - low) / 2
            self.local[i] = tf.multiply(self.local[i : i + 1], middle[None])[0]

    def at(self, body_q: np.ndarray) -> ShapeArrays:
        """Shapes where the bodies are; ``body_q`` [body_count, 7] of the whole model."""
        carrier = np.where((self.body >= 0)[:, None], body_q[self.body], tf.IDENTITY)
        return ShapeArrays(self.type, self.scale, tf.multiply(carrier, self.local).astype(np.float32), self.color)


def floor(height: float = 0.0) -> ShapeArrays:
    """An endless plane."""
    pose = np.array([[0, 0, height, 0, 0, 0, 1]], np.float32)
    return ShapeArrays(
        np.array([int(GeoType.PLANE)]), np.zeros((1, 3), np.float32), pose, np.full((1, 3), 0.5, np.float32)
    )


def join_shapes(parts: list[ShapeArrays]) -> ShapeArrays:
    """Several groups of shapes as one."""
    return ShapeArrays(*(np.concatenate(column) for column in zip(*parts)))
