"""A PNG file holds the picture that was written."""

import struct
import zlib

import numpy as np
import pytest

from newtonlite.viewer.png import SIGNATURE, write_png


def read_png(file) -> np.ndarray:
    """The picture of a file made by write_png, by the rules of the format: checksums, filters 1 (left) and 2 (above)."""
    data = file.read_bytes()
    assert data.startswith(SIGNATURE)
    chunks, at = {}, len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + length
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, kind) == (8, 2)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    image = np.zeros((height, width, 3), np.uint8)
    for y, row in enumerate(rows):
        change = row[1:].reshape(width, 3)
        above = image[y - 1] if y else np.zeros_like(change)
        image[y] = {1: np.cumsum(change, axis=0, dtype=np.uint8), 2: above + change}[int(row[0])]
    return image


def test_what_is_written_is_read_again(tmp_path):
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (23, 31, 3), dtype=np.uint8)
    image[5:9] = image[4]  # rows like the one above
    assert (read_png(write_png(tmp_path / "new" / "a.png", image)) == image).all()


@pytest.mark.parametrize(
    "image", [np.zeros((4, 4)), np.zeros((4, 4, 4), np.uint8), np.zeros((0, 4, 3), np.uint8), np.zeros((2, 2, 3))]
)
def test_other_arrays_are_refused(tmp_path, image):
    with pytest.raises(ValueError, match="height, width, 3"):
        write_png(tmp_path / "a.png", image)
