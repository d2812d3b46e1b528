"""Wire format of messages, checkpoints and trajectories: a page of JSON and arrays of numbers, which run no code when
they are read.

A message is ``MAGIC``, the length of the page, the page, the bytes of the arrays, and a SHA-256 of all before it. What
is read is checked against its declared sizes before memory is taken, and may come from anybody.
"""

import hashlib
import json
import math
import struct
import zlib

import numpy as np

from newtonlite.core.errors import StateError
from newtonlite.core.limits import most

MAGIC = b"nlscale1"
LENGTH = struct.Struct("<QQ")
"""Lengths of the page and of the arrays as they are stored."""
START = len(MAGIC) + LENGTH.size
KINDS = "biuf"
"""Kinds of the numbers of arrays."""
ALIGN = 64
"""Bytes at a multiple of which an array begins."""
UNCHECKED = bytes(hashlib.sha256().digest_size)
LONGEST_PAGE = 16 << 20
MOST_DIMENSIONS = 8


def pack(head: dict, arrays: dict | None = None, *, compress: bool = False, checksum: bool = True) -> bytes:
    """A message of a table of plain values and arrays by name. ``compress`` for what is kept, not for what is sent;
    without a ``checksum`` for what goes from one process of a job to another.
    """
    parts, entries, at = [], [], 0
    for name, value in (arrays or {}).items():
        array = np.ascontiguousarray(value)
        entries.append([name, array.dtype.str, list(np.shape(value))])
        gap = -array.nbytes % ALIGN
        parts += [array.tobytes(), b"\0" * gap]
        at += array.nbytes + gap
    body = b"".join(parts)
    page = {"head": head, "arrays": entries, "size": at, "packed": compress}
    text = json.dumps(page, allow_nan=True).encode()
    text += b" " * (-(START + len(text)) % ALIGN)
    if compress:
        body = zlib.compress(body, 1)
    whole = b"".join((MAGIC, LENGTH.pack(len(text), len(body)), text, body))
    return whole + (hashlib.sha256(whole).digest() if checksum else UNCHECKED)


def unpack(data, what: str = "message", *, check: bool = True) -> tuple[dict, dict[str, np.ndarray]]:
    """(table, arrays by name) of a message; the arrays are views of it where it is not compressed.

    StateError, which begins with ``what``, for anything else. ``check`` compares the checksum, which a message between
    two processes of one job does without.
    """
    data = memoryview(data).cast("B")
    try:
        return _unpack(data, check)
    except StateError as problem:
        raise StateError(f"{what}: {problem}") from None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, struct.error, zlib.error) as problem:
        raise StateError(f"{what}: is damaged ({type(problem).__name__})") from None


def _unpack(data: memoryview, check: bool) -> tuple[dict, dict]:
    if len(data) < START or data[: len(MAGIC)] != MAGIC:
        raise StateError("is none of newtonlite.scale, or of another version")
    length, stored = LENGTH.unpack(data[len(MAGIC) : START])
    end = START + length + stored
    if length > LONGEST_PAGE or len(data) != end + hashlib.sha256().digest_size:
        raise StateError("is damaged (its length does not fit)")
    if check and hashlib.sha256(data[:end]).digest() != data[end:]:
        raise StateError("is damaged (its checksum does not fit)")
    page = json.loads(bytes(data[START : START + length]))
    body = data[START + length : end]
    size = page["size"]
    if type(size) is not int or not 0 <= size <= most("checkpoint"):
        raise StateError(f"declares {size} bytes; at most {most('checkpoint')} are read")
    if page["packed"]:
        unpacking = zlib.decompressobj()
        body = memoryview(unpacking.decompress(body, size + 1))
    if len(body) != size:
        raise StateError("is damaged (its arrays have another length than it says)")
    return dict(page["head"]), dict(_arrays(page["arrays"], body))


def _arrays(entries: list, body: memoryview):
    """Names and arrays, one after the other in a body."""
    at = 0
    for name, kind, shape in entries:
        dtype = np.dtype(kind)
        if dtype.kind not in KINDS or len(shape) > MOST_DIMENSIONS or any(type(n) is not int or n < 0 for n in shape):
            raise StateError(f"holds an array of {str(kind)[:20]}, not of numbers")
        count = math.prod(shape) * dtype.itemsize
        if at + count > len(body):
            raise StateError("is damaged (an array is longer than what is there)")
        yield str(name), np.frombuffer(body[at : at + count], dtype).reshape(shape)
        at += count + -count % ALIGN
