"""Lossless compression of poses over time: differences of neighbouring frames, bytes of equal weight side by side,
deflated.

Floats of a moving body agree with those of the frame before in sign, exponent and leading digits; the exclusive or of
the two has zeros there, and with the bytes sorted by weight the zeros lie together.
"""

import zlib

import numpy as np


def packed(values: np.ndarray, level: int = 6) -> np.ndarray:
    """[n] uint8 from float32 [frames, ...], deflated at a level."""
    bits = np.ascontiguousarray(values, np.float32).reshape(len(values), -1).view(np.uint32)
    change = bits.copy()
    change[1:] ^= bits[:-1]
    planes = np.ascontiguousarray(change.view(np.uint8).reshape(*change.shape, 4).transpose(2, 1, 0))
    return np.frombuffer(zlib.compress(planes.tobytes(), level), np.uint8)


def unpacked(data: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """float32 of that shape, bit by bit what was packed; ValueError where the data are not such."""
    count = int(np.prod(shape[1:]))
    try:
        decoder = zlib.decompressobj()
        size = shape[0] * count * 4
        raw = decoder.decompress(data.tobytes(), size + 1)
    except zlib.error as problem:
        raise ValueError(f"poses are damaged ({problem})") from None
    if len(raw) != size:
        raise ValueError(f"poses are damaged: {len(raw)} bytes of {size}")
    planes = np.frombuffer(raw, np.uint8).reshape(4, count, shape[0])
    change = np.ascontiguousarray(planes.transpose(2, 1, 0)).view(np.uint32).reshape(shape[0], count)
    return np.bitwise_xor.accumulate(change, axis=0).view(np.float32).reshape(shape)
