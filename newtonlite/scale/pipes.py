"""Frames on a pipe: a few parts of bytes, each with its length before it."""

import struct

from newtonlite.core.errors import StateError
from newtonlite.core.limits import most

COUNT, LENGTH = struct.Struct("<I"), struct.Struct("<Q")
MOST_PARTS = 10_000


def send(file, parts) -> None:
    """Write a frame."""
    views = [memoryview(part).cast("B") for part in parts]
    file.write(COUNT.pack(len(views)))
    for view in views:
        file.write(LENGTH.pack(len(view)))
        file.write(view)
    file.flush()


def receive(file) -> list[bytes] | None:
    """The parts of the next frame; None at the end of the pipe, within a frame too. StateError for what is none."""
    head = _exactly(file, COUNT.size)
    if head is None:
        return None
    parts, (count,) = [], COUNT.unpack(head)
    if count > MOST_PARTS:
        raise StateError("a pipe between two processes of a job has something else in it")
    for _ in range(count):
        head = _exactly(file, LENGTH.size)
        if head is None:
            return None
        (length,) = LENGTH.unpack(head)
        if length > most("checkpoint"):
            raise StateError("a pipe between two processes of a job has something else in it")
        part = _exactly(file, length)
        if part is None:
            return None
        parts.append(part)
    return parts


def _exactly(file, count: int) -> bytes | None:
    """So many bytes; None where the pipe ends before."""
    try:
        data = file.read(count)
    except (OSError, ValueError):  # closed
        return None
    return data if len(data) == count else None
