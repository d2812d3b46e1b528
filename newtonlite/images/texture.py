"""Texture pixels: from a pattern, an image file, a grid of cube sides in one file, or a file for each side."""

from collections.abc import Callable

import numpy as np

from newtonlite.images.pattern import colour, pattern
from newtonlite.images.png import read_png

KTX = b"\xabKTX"
LETTERS = "RLUDFB"
SIDES = ("right", "left", "up", "down", "front", "back")


def pixels(values: dict, read: Callable[[str], bytes]) -> np.ndarray:
    """Bytes of a texture with these attributes, row by row; ``read`` gives the file of an attribute such as ``file`` or
    ``fileup``.

    ValueError says what is wrong with a file.
    """
    if values["builtin"]:
        return pattern(values).ravel()
    count, flips = values["nchannel"], (values["hflip"], values["vflip"])
    if "file" in values:
        data = read("file")
        if values.get("raw"):
            return np.frombuffer(data, np.uint8)
        image = flipped(picture(data, count), flips)
        rows, columns = values["gridsize"]
        if values["type"] == 0 or rows == columns == 1:
            return image.ravel()
        size = image.shape[1] // columns
        faces = cut(image, values, rows, columns, size)
    else:
        faces = {
            side: flipped(picture(read(f"file{word}"), count), flips)
            for side, word in enumerate(SIDES)
            if f"file{word}" in values
        }
        size = next(iter(faces.values())).shape[1] if faces else 0
    plain = np.broadcast_to(colour(values["rgb1"]), (size, size, 3))
    return np.concatenate([faces.get(side, plain) for side in range(6)]).ravel()


def cut(image: np.ndarray, values: dict, rows: int, columns: int, size: int) -> dict[int, np.ndarray]:
    """The sides of a cube in the tiles of an image, by the letters of its layout."""
    faces = {}
    for k, letter in enumerate(values["gridlayout"][: rows * columns]):
        if letter in LETTERS:
            y, x = divmod(k, columns)
            faces[LETTERS.index(letter)] = image[y * size : (y + 1) * size, x * size : (x + 1) * size]
    return faces


def flipped(image: np.ndarray, flips: tuple[bool, bool]) -> np.ndarray:
    """An image mirrored left and right, or upside down."""
    image = image[:, ::-1] if flips[0] else image
    return image[::-1] if flips[1] else image


def picture(data: bytes, count: int) -> np.ndarray:
    """Pixels [height, width, count] of a PNG file."""
    samples = read_png(data)
    grey = samples.shape[2] < 3
    colours, opacity = (samples[..., :1], samples[..., 1:]) if grey else (samples[..., :3], samples[..., 3:])
    if count == 1:
        return colours[..., :1]
    if grey:
        colours = np.repeat(colours, 3, axis=2)
    if count == 3:
        return colours
    return np.concatenate(
        [colours, opacity if opacity.size else np.full((*samples.shape[:2], 1), 255, np.uint8)], axis=2
    )
