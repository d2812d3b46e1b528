"""PNG writer, with zlib alone (PNG specification, third edition)."""

import struct
import zlib
from pathlib import Path

import numpy as np

from newtonlite.core.replacing import replace_file

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def write_png(file, image) -> Path:
    """Write ``image`` [height, width, 3] uint8 (sRGB) to ``file``; its folder is made where it is missing."""
    image = np.ascontiguousarray(image)
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or 0 in image.shape:
        raise ValueError(f"write_png takes [height, width, 3] uint8, got {list(image.shape)} {image.dtype}")
    file = Path(file)
    replace_file(file, encode(image))
    return file


def encode(image: np.ndarray) -> bytes:
    """The bytes of the PNG file: header, one block of compressed rows, end."""
    height, width, _ = image.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(filtered(image).tobytes(), 9)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"sRGB", b"\0") + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def chunk(name: bytes, content: bytes) -> bytes:
    """Length, name, content, checksum."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def filtered(image: np.ndarray) -> np.ndarray:
    """[height, 1 + 3 width] uint8: each row as differences from its left (1) or upper (2) neighbours, whichever is
    smaller.
    """
    height, width, _ = image.shape
    left = image.copy()
    left[:, 1:] -= image[:, :-1]
    above = image.copy()
    above[1:] -= image[:-1]
    kinds = np.stack([left, above]).reshape(2, height, 3 * width)
    cost = np.abs(kinds.view(np.int8).astype(np.int16)).sum(axis=2)
    best = cost.argmin(axis=0)
    return np.column_stack([(best + 1).astype(np.uint8), kinds[best, np.arange(height)]])
