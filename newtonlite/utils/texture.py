"""Textures as arrays: from image files and from arrays of other types."""

import os
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from newtonlite.core.errors import FileError, ModelError, NewtonWarning, external
from newtonlite.images.picture import read_picture

MOST = 255.0


def load_texture(texture: Any) -> np.ndarray | None:
    """Pixels of a texture: those of a file (a path or ``file:`` URI) as uint8 [height, width, 4], an array as it is.

    PNG files are read here, others by Pillow where it is installed. None, with a NewtonWarning, where a file cannot be
    read; None for None.
    """
    if texture is None:
        return None
    if not isinstance(texture, str | os.PathLike):
        return np.ascontiguousarray(np.asarray(texture))
    where = os.fspath(texture)
    path = Path(unquote(urlsplit(where).path) if where.startswith("file:") else where)
    try:
        return np.ascontiguousarray(with_opacity(read_picture(path)))
    except FileError as problem:
        text = f"load_texture: Failed to load texture image '{where}': {problem}"
        warnings.warn(text, NewtonWarning, stacklevel=external())
        return None


def with_opacity(image: np.ndarray) -> np.ndarray:
    """Grey, grey with opacity, colours or colours with opacity, as the last."""
    image = image[..., None] if image.ndim == 2 else image
    channels = image.shape[-1]
    colours = np.repeat(image[..., :1], 3, axis=-1) if channels < 3 else image[..., :3]
    opacity = image[..., -1:] if channels in (2, 4) else np.full_like(image[..., :1], int(MOST))
    return np.concatenate([colours, opacity], axis=-1)


def normalize_texture(
    texture_image: np.ndarray | None,
    *,
    flip_vertical: bool = False,
    require_channels: bool = False,
    scale_unit_range: bool = True,
) -> np.ndarray | None:
    """An image as uint8, contiguous; None for None.

    Other types are cut to 0 to 255, with ``scale_unit_range`` multiplied by 255 where nothing is over 1.
    ``require_channels`` gives grey images three channels; ModelError where there are then not 3 or 4, or no pixels.
    ``flip_vertical`` turns the rows round.
    """
    if texture_image is None:
        return None
    image = np.asarray(texture_image)
    if image.dtype != np.uint8:
        image = np.clip(image, 0.0, MOST)
        unit = scale_unit_range and image.size and image.max() <= 1.0
        image = (image * MOST if unit else image).astype(np.uint8)
    if require_channels:
        image = np.repeat(image[..., None], 3, axis=-1) if image.ndim == 2 else image
        if image.ndim != 3 or 0 in image.shape[:2]:
            raise ModelError(
                f"normalize_texture: Texture image has invalid dimensions {image.shape}; give [height, width, channels]"
            )
        if image.shape[2] not in (3, 4):
            raise ModelError(f"normalize_texture: Unsupported texture channels: {image.shape[2]}; give 3 or 4")
    return np.ascontiguousarray(image[::-1] if flip_vertical else image)
