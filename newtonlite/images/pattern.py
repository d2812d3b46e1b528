"""Procedural textures: gradient, checker, flat; with marks on top. Pixels are [height, width, 3] bytes."""

import numpy as np

from newtonlite.core.mujoco import MjtBuiltin, MjtMark
from newtonlite.images.mersenne_twister import uniform

SEED = 42
"""Seed of MuJoCo's random marks."""
DOWN, FRONT, BACK = 3, 4, 5
SIDES = 6


def pattern(values: dict) -> np.ndarray:
    """The pixels of a texture by its attributes; a cube has its six sides below each other: right, left, up, down,
    front, back.
    """
    width, height, cube = values["width"], values["height"], values["type"] != 0
    one, two = (colour(values[name]) for name in ("rgb1", "rgb2"))
    make = {MjtBuiltin.GRADIENT: gradient, MjtBuiltin.CHECKER: checker, MjtBuiltin.FLAT: flat}[values["builtin"]]
    count = SIDES if cube else 1
    size = height // count
    parts = [make(side if cube else None, size, width, values, one, two) for side in range(count)]
    for part in parts:
        mark(part, values)
    pixels = np.concatenate(parts)
    if values["mark"] == MjtMark.RANDOM:
        hit = uniform(SEED, height * width).reshape(height, width) < values["random"]
        pixels[hit] = colour(values["markrgb"])
    return pixels


def colour(rgb) -> np.ndarray:
    """A colour in bytes."""
    return (255.0 * np.asarray(rgb, float)).astype(np.int64).astype(np.uint8)


def flat(side: int | None, height: int, width: int, values: dict, one, two) -> np.ndarray:
    """One colour; the lower side of a cube has the second."""
    return np.broadcast_to(two if side == DOWN else one, (height, width, 3)).copy()


def checker(side: int | None, height: int, width: int, values: dict, one, two) -> np.ndarray:
    """Two by two fields; front and back of a cube are exchanged."""
    rows, columns = np.arange(height)[:, None] < height // 2, np.arange(width) < width // 2
    same = (rows == columns) != (side in (FRONT, BACK))
    return np.where(same[..., None], one, two).astype(np.uint8)


def gradient(side: int | None, height: int, width: int, values: dict, one, two) -> np.ndarray:
    """Gradient from the first colour at the middle, or the top of a cube, to the second at the rim, or the bottom."""
    if min(height, width) == 1:  # without a middle: MuJoCo leaves it black
        return np.zeros((height, width, 3), np.uint8)
    x, y = np.linspace(-1.0, 1.0, width)[None, :], np.linspace(-1.0, 1.0, height)[:, None]
    if side is None:
        place = np.minimum(np.hypot(x, y), 1.0)
    else:
        up = {2: 1.0, 3: -1.0}.get(side, -y)
        place = 0.5 - np.arcsin(up / np.sqrt(1.0 + x**2 + y**2)) / np.pi
    far = 2.0 * place - 1.0
    share = np.clip(0.5 * (1.0 + np.sqrt(2.0) * far / np.sqrt(1.0 + far**2)), 0.0, 1.0)[..., None]
    mixed = 255.0 * ((1.0 - share) * np.asarray(values["rgb1"]) + share * np.asarray(values["rgb2"]))
    return mixed.astype(np.uint8)


def mark(pixels: np.ndarray, values: dict) -> None:
    """Draw the border or a cross of one side."""
    stroke = colour(values["markrgb"])
    height, width = pixels.shape[:2]
    if values["mark"] == MjtMark.EDGE:
        pixels[[0, -1]] = pixels[:, [0, -1]] = stroke
    elif values["mark"] == MjtMark.CROSS:
        pixels[height // 2] = pixels[:, width // 2] = stroke
