"""Gmsh files (formats 2.2 and 4.1, as text or binary): the points and the triangles or tetrahedra of one mesh.

Elements name points by their places in the file, from 1, as MuJoCo takes them: tags of points must be so in version 4.1
and are not read in version 2.2.
"""

import re
import struct

import numpy as np

from newtonlite.core.limits import SINGLE, most

WIDTHS = {2: 3, 4: 4}
"""Points of the kinds of elements that are read: triangles and tetrahedra."""


def is_gmsh(data: bytes) -> bool:
    """Whether a file says of itself that it is one."""
    return data[:32].lstrip().startswith(b"$MeshFormat")


def read_gmsh(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] and elements [m, 3] or [m, 4]. ValueError for files that are damaged or hold other elements."""
    head = section(data, b"MeshFormat").split(maxsplit=3)
    if len(head) < 3:
        raise ValueError("its format line is not complete")
    version, binary = float(head[0]), int(head[1]) == 1
    if version not in (2.2, 4.1):
        raise ValueError(f"it is of version {version:g}; versions 2.2 and 4.1 are read")
    if binary and not (len(head) > 3 and head[3][:4] == struct.pack("<i", 1)):
        raise ValueError("its binary numbers are not little-endian")
    cursor = BinaryCursor if binary else TextCursor
    nodes, elements = cursor(section(data, b"Nodes")), cursor(section(data, b"Elements"))
    if version == 2.2:
        points = nodes_22(nodes, binary)
        kind, found = elements_22(elements, binary)
    else:
        points = nodes_41(nodes)
        kind, found = elements_41(elements)
    if not (np.abs(points) <= SINGLE).all():
        raise ValueError("it has a point that is not finite, or beyond single precision")
    if found.min() < 1 or found.max() > len(points):
        raise ValueError(
            f"an element names point {found.min() if found.min() < 1 else found.max()}; there are {len(points)}"
        )
    return points, found.reshape(-1, WIDTHS[kind]).astype(np.int64) - 1


def section(data: bytes, name: bytes) -> bytes:
    """Contents of a section of a name, between the line that opens it and the one that ends it."""
    start = re.search(rb"\$" + name + rb"[ \t]*\r?\n", data)
    end = data.rfind(b"$End" + name)
    if start is None or end < start.end():
        raise ValueError(f"it has no section {name.decode()}")
    return data[start.end() : end]


class TextCursor:
    """Numbers of a section of text, in order."""

    def __init__(self, data: bytes):
        self.words, self.at, self.first = data.split(), 0, data.lstrip().split(b"\n", 1)[0].split()

    def line(self) -> int:
        """The integer that the first line has; ValueError where it has more."""
        if len(self.first) != 1:
            raise ValueError("the first line of its points or elements is not their number alone")
        return self.integers(1)[0]

    def integers(self, count: int) -> list[int]:
        """The next integers."""
        return [int(word) for word in self.take(count)]

    sizes = integers

    def reals(self, count: int) -> np.ndarray:
        """The next reals."""
        return np.array(self.take(count), float)

    def take(self, count: int) -> list[bytes]:
        """The next words; ValueError where there are not so many."""
        found = self.words[self.at : self.at + max(count, 0)]
        if count < 0 or len(found) != count:
            raise ValueError(f"it ends after {len(found)} of {count} numbers")
        self.at += count
        return found


class BinaryCursor:
    """Numbers of a binary section, in order; counts of version 2.2 stand before it as text."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def line(self) -> int:
        """An integer that stands on a line of text."""
        end = self.data.index(b"\n", self.at)
        found = int(self.data[self.at : end])
        self.at = end + 1
        return found

    def integers(self, count: int) -> list[int]:
        """The next integers of 4 bytes."""
        return self.take("<i4", count).tolist()

    def sizes(self, count: int) -> list[int]:
        """The next integers of 8 bytes."""
        return self.take("<i8", count).tolist()

    def reals(self, count: int) -> np.ndarray:
        """The next reals."""
        return self.take("<f8", count)

    def take(self, kind, count: int) -> np.ndarray:
        """The next numbers of a kind; ValueError where there are not so many."""
        size = np.dtype(kind).itemsize * count
        if count < 0 or self.at + size > len(self.data):
            raise ValueError(f"it ends before {count} numbers")
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += size
        return found


def check_count(count: int, what: str) -> int:
    """A number of points or elements that may be; ValueError for others."""
    limit = most("vertices" if what == "points" else "faces")
    if not 0 < count <= limit:
        raise ValueError(f"it declares {count} {what}; between 1 and {limit} are read")
    return count


def nodes_22(cursor, binary: bool) -> np.ndarray:
    """Points [n, 3] of version 2.2."""
    count = check_count(cursor.line(), "points")
    if binary:
        return cursor.take(np.dtype([("tag", "<i4"), ("xyz", "<f8", 3)]), count)["xyz"].astype(float)
    return cursor.reals(4 * count).reshape(-1, 4)[:, 1:]


def elements_22(cursor, binary: bool) -> tuple[int, np.ndarray]:
    """Kind of the elements that are read, and tags of their points, of version 2.2; all others are left out."""
    count = check_count(cursor.line(), "elements")
    found: dict[int, list] = {}
    while count > 0:
        if binary:
            kind, many, ntag = cursor.integers(3)
        else:
            (_, kind, ntag), many = cursor.integers(3), 1
        width = WIDTHS.get(kind)
        if width is None or many < 1 or ntag < 0:
            raise ValueError(f"it has elements of kind {kind}; triangles (2) and tetrahedra (4) are read")
        rows = np.array(cursor.integers(many * (int(binary) + ntag + width))).reshape(many, -1)
        found.setdefault(kind, []).append(rows[:, -width:])
        count -= many
    return one_kind(found)


def nodes_41(cursor) -> np.ndarray:
    """Points [n, 3] of version 4.1, which stand in one block, with tags from 1 on."""
    blocks, count, first, last = cursor.sizes(4)
    check_count(count, "points")
    if blocks != 1:
        raise ValueError(f"its points stand in {blocks} blocks; one is read")
    cursor.integers(3)
    if cursor.sizes(1)[0] != count:
        raise ValueError("its numbers of points do not agree")
    if last != count:
        raise ValueError(f"its largest tag of points is {last}; it must be their number, {count}")
    if first != 1 or not np.array_equal(cursor.sizes(count), np.arange(1, count + 1)):
        raise ValueError("its tags of points do not go from 1 to their number in order")
    return cursor.reals(3 * count).reshape(-1, 3).astype(float)


def elements_41(cursor) -> tuple[int, np.ndarray]:
    """Kind of the elements that are read, and tags of their points, of version 4.1."""
    blocks, count, _, _ = cursor.sizes(4)
    check_count(count, "elements")
    if blocks != 1:
        raise ValueError(f"its elements stand in {blocks} blocks; one is read")
    _, _, kind = cursor.integers(3)
    width = WIDTHS.get(kind)
    if width is None:
        raise ValueError(f"it has elements of kind {kind}; triangles (2) and tetrahedra (4) are read")
    if cursor.sizes(1)[0] != count:
        raise ValueError("its numbers of elements do not agree")
    return kind, np.array(cursor.sizes(count * (1 + width))).reshape(count, -1)[:, 1:]


def one_kind(found: dict[int, list]) -> tuple[int, np.ndarray]:
    """The elements, all of one kind."""
    if len(found) != 1:
        raise ValueError(f"it has {len(found)} kinds of elements; one is read")
    ((kind, rows),) = found.items()
    return kind, np.concatenate(rows)
