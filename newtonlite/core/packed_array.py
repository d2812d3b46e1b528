"""Packed arrays: numbers as text in a row of a model, deflated; what they unpack to is bounded."""

import zlib
from base64 import b64decode, b64encode

import numpy as np

from newtonlite.core.archive import room


def pack_array(array: np.ndarray) -> str:
    """The numbers of an array as text; type and shape are kept elsewhere."""
    return b64encode(zlib.compress(array.tobytes())).decode()


def unpack_array(text: str, kind: type, shape: tuple[int, ...]) -> np.ndarray:
    """The array [*shape], one part of which may be -1, of packed numbers of a kind. ValueError for damaged text, and for
    text that unpacks to more than a file may (``LIMITS``).
    """
    try:
        data = b64decode(text, validate=True)
        most = room(len(data), "asset")
        found = zlib.decompressobj().decompress(data, most + 1)
    except (zlib.error, TypeError) as problem:
        raise ValueError(f"packed numbers are damaged ({problem})") from None
    if len(found) > most:
        raise ValueError(f"{len(data)} packed bytes unpack to more than {most}")
    return np.frombuffer(found, kind).reshape(shape)
