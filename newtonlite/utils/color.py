"""Colours: the sRGB transfer function (IEC 61966-2-1) and a ramp for drawing numbers."""

from collections.abc import Sequence

import numpy as np

from newtonlite.core.enums import ColorSpace
from newtonlite.core.errors import ModelError

__all__ = ["ColorSpace", "bourke_color_map", "color_linear_to_srgb", "color_srgb_to_linear"]

RAMP = np.array([[0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 0]], float)
"""Blue, cyan, green, yellow, red."""


def color_srgb_to_linear(color: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Linear Rec. 709 of an sRGB colour; negative parts count as 0."""
    x = _rgb(color)
    return _three(np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4))


def color_linear_to_srgb(color: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """sRGB of a linear Rec. 709 colour; negative parts count as 0."""
    x = _rgb(color)
    return _three(np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055))


def bourke_color_map(low: float, high: float, v: float) -> list[float]:
    """Red, green and blue from 0 to 1 of a number between two: blue, cyan, green, yellow, red."""
    share = (np.clip(v, low, high) - low) / (high - low) if high > low else 1.0
    return [float(np.interp(share, np.linspace(0.0, 1.0, len(RAMP)), RAMP[:, c])) for c in range(3)]


def _rgb(color: Sequence[float] | np.ndarray) -> np.ndarray:
    found = np.asarray(color, np.float32).ravel()[:3]
    if len(found) < 3:
        raise ModelError(f"colour {color!r}: has {len(found)} numbers; give red, green and blue")
    return np.maximum(found, 0.0)


def _three(values: np.ndarray) -> tuple[float, float, float]:
    r, g, b = values.tolist()
    return r, g, b
