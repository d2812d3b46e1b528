"""Messages hold numbers alone, and what is none, or damaged, is refused before memory is taken."""

import json

import numpy as np
import pytest

from newtonlite.core.errors import StateError
from newtonlite.scale import wire
from newtonlite.scale.wire import pack, unpack

ARRAYS = {
    "a": np.arange(7, dtype=np.float32),
    "empty": np.zeros((0, 3), np.int64),
    "flags": np.array([[True, False]]),
    "scalar": np.array(5),
    "turned": np.arange(6.0).reshape(2, 3).T,
}


@pytest.mark.parametrize("compress", [False, True])
def test_a_message_comes_back_bit_by_bit(compress):
    head, arrays = unpack(pack({"x": [1, None, "ü"]}, ARRAYS, compress=compress))
    assert head == {"x": [1, None, "ü"]} and list(arrays) == list(ARRAYS)
    for name, value in ARRAYS.items():
        assert arrays[name].dtype == value.dtype and arrays[name].shape == value.shape
        assert arrays[name].tobytes() == np.ascontiguousarray(value).tobytes()


def test_arrays_of_a_message_are_views_at_aligned_places():
    data = np.frombuffer(pack({}, ARRAYS), np.uint8)
    _, arrays = unpack(data)
    for value in arrays.values():
        assert not value.size or np.shares_memory(value, data)
    assert (arrays["flags"].ctypes.data - arrays["a"].ctypes.data) % wire.ALIGN == 0


def test_a_flipped_bit_anywhere_is_found():
    data = bytearray(pack({"x": 1}, {"a": np.arange(4)}))
    for at in range(0, len(data), 7):
        data[at] ^= 4
        with pytest.raises(StateError, match="file.ck: "):
            unpack(bytes(data), "file.ck")
        data[at] ^= 4


def forged(page, body=b"", stored=None):
    """A message with a right checksum and any content."""
    import hashlib

    text = json.dumps(page).encode()
    whole = wire.MAGIC + wire.LENGTH.pack(len(text), len(body) if stored is None else stored) + text + body
    return whole + hashlib.sha256(whole).digest()


PAGE = {"head": {}, "arrays": [], "size": 0, "packed": False}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nlscale1",
        pack({})[:-1],
        pack({}) + b"x",
        forged([]),
        forged({**PAGE, "head": 3}),
        forged({**PAGE, "size": 10**15}),
        forged({**PAGE, "size": -1}),
        forged({**PAGE, "size": "x"}),
        forged({**PAGE, "arrays": [["a", "<f4", [10**9]]]}),
        forged({**PAGE, "arrays": [["a", "<f4", [-1]]]}),
        forged({**PAGE, "arrays": [["a", "<f4", [0] * 40]]}),
        forged({**PAGE, "arrays": [["a", "|O", [1]]]}, b"12345678"),
        forged({**PAGE, "arrays": [["a", "[('x','<f4')]", [1]]]}),
        forged({**PAGE, "arrays": 7}),
        forged({**PAGE, "packed": True, "size": 10}, b"not zlib"),
        forged(PAGE, stored=2**62),
    ],
)
def test_what_is_no_message_is_refused(data):
    with pytest.raises(StateError, match="peer: "):
        unpack(data, "peer")


def test_what_unpacks_to_more_than_it_declares_is_not_unpacked():
    import zlib

    with pytest.raises(StateError, match="another length"):
        unpack(forged({**PAGE, "packed": True, "size": 10}, zlib.compress(bytes(10**7))), "peer")
