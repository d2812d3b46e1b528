"""Tiled pictures: those of many worlds or cameras in one, for people to look at."""

from collections.abc import Sequence

import numpy as np


def tiled(pictures: Sequence[np.ndarray] | np.ndarray, columns: int | None = None, gap: int = 2) -> np.ndarray:
    """One picture [h, w, 3] of bytes with pictures of one size, row by row, on white; ``columns`` makes about a square.

    Pictures [height, width, 3] are bytes or numbers from 0 to 1; others [height, width] become greys, from the smallest
    to the largest of each.
    """
    shown = [_bytes(np.asarray(one)) for one in pictures]
    if not shown or len({one.shape for one in shown}) != 1:
        raise ValueError("tiled: expected pictures of one size, at least one")
    columns = columns or int(np.ceil(np.sqrt(len(shown))))
    height, width = shown[0].shape[0] + gap, shown[0].shape[1] + gap
    rows = -(-len(shown) // columns)
    out = np.full((rows * height - gap, columns * width - gap, 3), 255, np.uint8)
    for i, one in enumerate(shown):
        y, x = height * (i // columns), width * (i % columns)
        out[y : y + one.shape[0], x : x + one.shape[1]] = one
    return out


def _bytes(picture: np.ndarray) -> np.ndarray:
    """A picture as bytes of three colours."""
    if picture.ndim == 2:
        low, high = float(picture.min()), float(picture.max())
        picture = np.repeat(((picture - low) / max(high - low, 1e-12))[..., None], 3, axis=2)
    return picture if picture.dtype == np.uint8 else np.rint(255.0 * np.clip(picture, 0.0, 1.0)).astype(np.uint8)
