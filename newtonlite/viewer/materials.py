"""Textures of shapes: the picture that a mesh or a material of an MJCF file names, and where on a surface it lies."""

import numpy as np

from newtonlite.viewer.surfaces import Surface


class Materials:
    """Textures of shapes; read once from a model."""

    def __init__(self, model):
        self.source = model.shape_source

    def of(self, row: int) -> int:
        """A number for the texture of a shape, 0 for none."""
        texture = getattr(self.source[row], "texture", None)
        return id(texture) if isinstance(texture, np.ndarray) and self.source[row].uvs is not None else 0

    def picture(self, number: int) -> np.ndarray | None:
        """The texture [height, width, 3 or 4] uint8 of that number."""
        if not number:
            return None
        return next(
            s.texture for s in self.source if getattr(s, "texture", None) is not None and id(s.texture) == number
        )

    def mapped(self, row: int, surface: Surface) -> Surface:
        """The surface with its texture coordinates, or without where the shape has no texture."""
        return surface if self.of(row) else surface._replace(uvs=None)
