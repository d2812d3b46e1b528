"""Polygons of a convex hull: coplanar triangles, merged.

Directions are compared by their rounded azimuth and inclination, so which faces of a nearly flat region merge, and with
which corner a polygon begins, depends on that grid and on the order of the triangles.  Contacts depend on it too: those
of MuJoCo are only found with its polygons in its order, which is that of a hash table of the directions.
"""

import math
import struct

import numpy as np

from newtonlite.core.constants import MINVAL

STEP = 0.01
"""Width of a cell of directions [rad]."""
UPRIGHT = 1e-7
"""Normals whose z is this close to 1 or -1 have no azimuth."""
GOLDEN, WORD = 0x9E3779B9, 2**64 - 1
"""Multiplier that mixes the two halves of a key, and the largest hash."""


class Polygon:
    """The directed edges around a set of triangles, each with the number of the connected part it belongs to."""

    def __init__(self):
        self.edges: dict[tuple[int, int], int] = {}
        self.parts = 0

    def add(self, triangle) -> None:
        """Take in a triangle: edges that it shares with those here vanish, and the parts that it touches become one."""
        a, b, c = triangle
        part, new = -1, []
        for u, v in ((a, b), (b, c), (c, a)):
            other = self.edges.pop((v, u), None)
            if other is None:
                new.append((u, v))
            elif part < 0 or other == part:
                part = other
            else:
                part = self._join(*sorted((part, other)))
        if part < 0:
            part, self.parts = self.parts, self.parts + 1
        self.edges.update((edge, part) for edge in new)

    def _join(self, low: int, high: int) -> int:
        """Let part ``high`` be ``low``, and close the gap in the numbers."""
        self.parts -= 1
        for edge, part in self.edges.items():
            self.edges[edge] = low if part == high else part - (part > high)
        return low

    def loops(self) -> list[list[int]]:
        """Corners of each part, along its first edge and on; parts without a closed rim are left out."""
        edges = list(self.edges)
        found = []
        for part in range(self.parts):
            mine = [e for e in edges if self.edges[e] == part]
            if not mine:
                continue
            after: dict[int, int] = {}
            for u, v in mine:
                after.setdefault(u, v)
            path = list(mine[0])
            while len(path) <= len(mine) and after.get(path[-1], path[0]) != path[0]:
                path.append(after[path[-1]])
            if after.get(path[-1]) == path[0] and len(path) > 2:
                found.append(path)
        return found


def merge(points, triangles) -> list[list[int]]:
    """Corners of each polygon of a hull with ``triangles [m, 3]`` of ``points [n, 3]``, counterclockwise seen from
    outside.
    """
    points = np.asarray(points, float).tolist()
    cells: dict[tuple[float, float], Polygon] = {}
    for triangle in np.asarray(triangles).tolist():
        key = direction(*(points[i] for i in triangle))
        if key is not None:
            cells.setdefault(key, Polygon()).add(triangle)
    return [loop for key in hash_order(list(cells)) for loop in cells[key].loops()]


def direction(a, b, c) -> tuple[float, float] | None:
    """Azimuth and inclination of the normal of a triangle, in steps; None where it has no area."""
    u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    x, y, z = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
    size = math.sqrt(x * x + y * y + z * z)
    if size < MINVAL:
        return None
    x, y, z = x / size + 0.0, y / size + 0.0, z / size + 0.0
    if abs(z) > 1.0 - UPRIGHT:
        return 0.0, nearest(math.pi / STEP) if z < 0 else 0.0
    return nearest(math.atan2(y, x) / STEP), nearest(math.acos(z) / STEP)


def nearest(x: float) -> float:
    """The nearest whole number; halves away from zero."""
    return math.copysign(math.floor(abs(x) + 0.5), x)


def hash_order(keys: list) -> list:
    """``keys``, given in the order of insertion, in the order in which a hash table of LLVM's C++ library runs through
    them.

    A bucket that gets its first key comes before all others, and a key before those that were in its bucket.
    """
    hashes = {key: hash_of(*key) for key in keys}
    size, buckets = 0, []
    place: dict[int, list] = {}
    for count, key in enumerate(keys):
        if count == size:
            size = next_prime(2 * size + 1)
            buckets, place = rehashed([k for bucket in reversed(buckets) for k in reversed(bucket)], hashes, size)
        number = hashes[key] % size
        if number not in place:
            place[number] = []
            buckets.append(place[number])
        place[number].append(key)
    return [k for bucket in reversed(buckets) for k in reversed(bucket)]


def rehashed(order: list, hashes: dict, size: int) -> tuple[list, dict]:
    """Buckets, last one first, and each by its number, of keys that move into ``size`` buckets; their keys are last one
    first too.

    Keys stay where they are unless their bucket was begun earlier; those go to its front.
    """
    place: dict[int, list] = {}
    last = None
    for key in order:
        number = hashes[key] % size
        if number == last:
            place[number].insert(0, key)
        elif number in place:
            place[number].append(key)
        else:
            place[number], last = [key], number
    return list(reversed(place.values())), place


def hash_of(azimuth: float, inclination: float) -> int:
    """The bits of both numbers, mixed as Boost's ``hash_combine`` does."""
    first, second = (struct.unpack("<Q", struct.pack("<d", x + 0.0))[0] for x in (azimuth, inclination))
    return first ^ (second + GOLDEN + (first << 6) + (first >> 2)) & WORD


def next_prime(n: int) -> int:
    """The least prime that is not below ``n``, and 2 for 1."""
    n = max(n, 2)
    while any(n % k == 0 for k in range(2, math.isqrt(n) + 1)):
        n += 1
    return n
