"""Packed arrays come back; damaged ones, and those that unpack to too much, are refused."""

import zlib
from base64 import b64encode

import numpy as np
import pytest

from newtonlite.core import archive
from newtonlite.core.packed_array import pack_array, unpack_array


def test_arrays_come_back():
    values = np.arange(12.0).reshape(4, 3)
    assert np.array_equal(unpack_array(pack_array(values), float, (-1, 3)), values)
    assert unpack_array(pack_array(values[:0]), float, (-1, 3)).shape == (0, 3)


@pytest.mark.parametrize(
    "text", ["not base64!", "AAAA", pack_array(np.zeros(5))[:8], b64encode(zlib.compress(b"12345")).decode()]
)
def test_damaged_text_is_refused(text):
    with pytest.raises(ValueError):
        unpack_array(text, float, (-1, 3))


def test_what_unpacks_to_too_much_is_refused_before_it_is_there(monkeypatch):
    monkeypatch.setattr(archive, "most", lambda name: {"ratio": 100}.get(name, 1000))
    with pytest.raises(ValueError, match="unpack to more than 1000"):
        unpack_array(b64encode(zlib.compress(bytes(10**7), 9)).decode(), float, (-1,))
