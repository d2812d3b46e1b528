"""Archives: zip files of NumPy arrays and other members, read member by member, by their declared sizes.

An archive unpacks to no more than ``unpacked`` bytes, or ``ratio`` times its own size where that is more.  Members
are read only when asked for, and arrays only where their header agrees with the length of the member.
"""

import math
import struct
import tokenize
import zipfile
import zlib
from typing import BinaryIO

import numpy as np

from newtonlite.core.limits import most

BROKEN = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    OverflowError,
    EOFError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,  # of a header, in NumPy's reader
    zlib.error,
    zipfile.BadZipFile,
)
"""Exceptions of damaged archives, in zipfile and NumPy."""
KINDS = "biuf"
"""Kinds of the numbers of arrays."""


class Archive:
    """Zip archive in a file that is open; ``kind`` is the row of ``LIMITS`` that bounds what it unpacks to.

    Raises ValueError for an archive that declares more, or a member twice.
    """

    def __init__(self, file: BinaryIO, kind: str):
        size = file.seek(0, 2)
        self.room = room(size, kind)
        self.zip = zipfile.ZipFile(file)
        entries = self.zip.infolist()
        if len(entries) > most("members") or len({entry.filename for entry in entries}) != len(entries):
            raise ValueError(f"it has {len(entries)} members, too many or some of one name")
        declared = sum(entry.file_size for entry in entries)
        if declared > self.room:
            raise ValueError(f"it has {size} bytes and unpacks to {declared}; at most {self.room} are read")
        self.sizes = {entry.filename: entry.file_size for entry in entries}

    @property
    def names(self) -> set[str]:
        """Names of the members."""
        return set(self.sizes)

    def expect(self, names: set[str]) -> None:
        """ValueError for members of other names."""
        if strange := self.names - names:
            raise ValueError(f"{min(strange)[:80]!r} is no part of one")

    def bytes(self, name: str) -> bytes:
        """A member; KeyError where there is none, ValueError where it has another length than it declares."""
        with self.zip.open(name) as member:
            data = member.read(self.sizes[name] + 1)
        if len(data) != self.sizes[name]:
            raise ValueError(f"{name} has {len(data)} bytes of {self.sizes[name]}")
        return data

    def array(self, name: str) -> np.ndarray:
        """The array of the member ``name.npy``, numbers or switches, whose header agrees with its length."""
        name = f"{name}.npy"
        with self.zip.open(name) as member:
            version = np.lib.format.read_magic(member)
            if version not in ((1, 0), (2, 0)):
                raise ValueError(f"{name} is of an unknown version")
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = read(member)
            size = math.prod(shape) * dtype.itemsize
            if dtype.kind not in KINDS or any(n < 0 for n in shape):
                raise ValueError(f"{name} holds {dtype}, not numbers")
            if size > self.sizes[name]:
                raise ValueError(f"{name} says shape {shape} and has {self.sizes[name]} bytes")
            data = member.read(size + 1)
        if len(data) != size:
            raise ValueError(f"{name} says shape {shape} and has {len(data)} bytes")
        return np.frombuffer(bytearray(data), dtype).reshape(shape, order="F" if fortran else "C")


def room(size: int, kind: str) -> int:
    """Bytes that something of a size may unpack to."""
    return min(most(kind), max(most("unpacked"), most("ratio") * size))
