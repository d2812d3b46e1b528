"""Polygons of a convex hull: coplanar triangles, merged.

Directions are compared by their rounded azimuth and inclination, so which faces of a nearly flat region merge, and with
which corner a polygon begins, depends on that grid and on the order of the triangles.  Contacts depend on it too: those
of MuJoCo are only found with its polygons in its order, which is that of a hash table of the directions.
"""

import math

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.math.quat import cross

STEP = 0.01
"""Width of a cell of directions [rad]."""
UPRIGHT = 1e-7
"""Normals whose z is this close to 1 or -1 have no azimuth."""
"""Twice the area [m^2] below which a triangle has no normal."""
CLOSE = 1e-6
"""Distance of an angle from the border of two cells, in steps, from which NumPy's functions may be rounded."""
GOLDEN = np.uint64(0x9E3779B9)
"""Multiplier that mixes the two halves of a key."""


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
        parts: list[list[tuple[int, int]]] = [[] for _ in range(self.parts)]
        for edge, part in self.edges.items():
            parts[part].append(edge)
        found = []
        for mine in parts:
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


def merge(points, triangles) -> tuple[np.ndarray, np.ndarray]:
    """Polygons of a hull with ``triangles [m, 3]`` of ``points [n, 3]``: corners one after the other, counterclockwise
    seen from outside, and how many each has.
    """
    triangles = np.asarray(triangles, np.int64).reshape(-1, 3)
    cells, there = directions(np.asarray(points, float)[triangles])
    triangles, cells = triangles[there], cells[there]
    if not len(triangles):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)

    # cells in the order of their first triangles, then in that of the hash table: the triangles of each, in their order
    begun = beginnings((cells - cells.min(axis=0)) @ [cells[:, 1].max() - cells[:, 1].min() + 1, 1])
    first = np.flatnonzero(begun == np.arange(len(begun)))
    place = np.searchsorted(first, begun)
    order = hash_order(hash_of(cells[first]))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    triangles = triangles[sorting(rank[place])]
    count = np.bincount(rank[place])
    start = np.cumsum(count) - count

    # a triangle alone in its cell is a polygon, two with a common edge are one; the others are joined one by one
    pairs = np.flatnonzero(count == 2)
    loops, joined = joined_pairs(triangles[start[pairs]], triangles[start[pairs] + 1])
    simple = count == 1
    simple[pairs[joined]] = True
    found = {k: loops_of(triangles[start[k] : start[k] + count[k]]) for k in np.flatnonzero(~simple).tolist()}

    # corners and sizes, cell by cell
    corners_of, loops_in = np.where(count == 1, 3, 4), np.ones(len(count), np.int64)
    for k, paths in found.items():
        corners_of[k], loops_in[k] = sum(map(len, paths)), len(paths)
    at, row = np.cumsum(corners_of) - corners_of, np.cumsum(loops_in) - loops_in
    corners, sizes = np.empty(corners_of.sum(), np.int64), np.empty(loops_in.sum(), np.int64)
    for chosen, polygons in (
        (np.flatnonzero(count == 1), triangles[start[count == 1]]),
        (pairs[joined], loops[joined]),
    ):
        width = polygons.shape[1]
        corners[at[chosen, None] + np.arange(width)] = polygons
        sizes[row[chosen]] = width
    for k, paths in found.items():
        corners[at[k] : at[k] + corners_of[k]] = [corner for path in paths for corner in path]
        sizes[row[k] : row[k] + loops_in[k]] = [len(path) for path in paths]
    return corners, sizes


def polygon_normals(vertices, corners, sizes) -> np.ndarray:
    """Unit normals [m, 3] of polygons, by Newell's sum; x where one has no area."""
    found, first = np.zeros((len(sizes), 3)), np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        points = vertices[corners[first[which][:, None] + np.arange(size)]]
        arms = points - points[:, :1]
        found[which] = np.sum(cross(arms, np.roll(arms, -1, axis=1)), axis=1)
    area = np.linalg.norm(found, axis=1)[:, None]
    return np.where(area > MINVAL, found / np.maximum(area, MINVAL), [1.0, 0.0, 0.0])


def joined_pairs(one: np.ndarray, two: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners [n, 4] of the polygon of each two triangles [n, 3] that share one edge, from the first edge that is not
    shared and on; and which do, among them none that share more.
    """
    # [n, i, j]: edge i of the first runs along edge j of the second, the other way round
    shared = (one[:, :, None] == np.roll(two, -1, axis=1)[:, None]) & (
        np.roll(one, -1, axis=1)[:, :, None] == two[:, None]
    )
    single = shared.sum(axis=(1, 2)) == 1
    edge, other = shared.any(axis=2).argmax(axis=1), shared.any(axis=1).argmax(axis=1)
    rows = np.arange(len(one))
    beside = two[rows, (other + 2) % 3]  # the corner of the second that the edge does not have
    single &= (one != beside[:, None]).all(axis=1)
    begin = np.where(edge == 0, 1, 0)
    loops = np.stack([one[rows, (begin + k) % 3] for k in range(3)], axis=1)
    place = (edge - begin) % 3 + 1  # where the other corner stands, behind the edge's first
    wide = np.empty((len(one), 4), np.int64)
    for k in range(4):
        wide[:, k] = np.where(k == place, beside, loops[rows, np.minimum(np.where(k > place, k - 1, k), 2)])
    return wide, single


def loops_of(triangles: np.ndarray) -> list[list[int]]:
    """Corners of the polygons of triangles [m, 3] that have one direction."""
    whole = Polygon()
    for triangle in triangles.tolist():
        whole.add(triangle)
    return whole.loops()


def directions(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Azimuth and inclination [m, 2] of the normals of triangles with ``corners [m, 3, 3]``, in whole steps; and which
    have an area, others have no normal.
    """
    a, b, c = np.moveaxis(corners, 1, 0)
    (ux, uy, uz), (vx, vy, vz) = (b - a).T, (c - a).T
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = np.sqrt(x * x + y * y + z * z)
    there = size >= MINVAL
    size[~there] = 1.0
    x, y, z = x / size + 0.0, y / size + 0.0, z / size + 0.0
    upright = np.abs(z) > 1.0 - UPRIGHT
    azimuth = nearest(np.arctan2(y, x) / STEP, lambda k: math.atan2(y[k], x[k]) / STEP)
    inclination = nearest(np.arccos(np.clip(z, -1.0, 1.0)) / STEP, lambda k: math.acos(z[k]) / STEP)
    azimuth[upright] = 0
    inclination[upright] = np.where(z[upright] < 0, round(math.pi / STEP), 0)
    return np.stack([azimuth, inclination], axis=1), there


def nearest(x: np.ndarray, exact) -> np.ndarray:
    """The nearest whole numbers, halves away from zero; ``exact(k)`` is the k-th number as the C library has it, for
    those that the last digit decides.
    """
    for k in np.flatnonzero(np.abs(np.abs(x) % 1.0 - 0.5) < CLOSE):
        x[k] = exact(k)
    return np.copysign(np.floor(np.abs(x) + 0.5), x).astype(np.int64)


def hash_order(hashes: np.ndarray) -> np.ndarray:
    """Numbers of keys, given by their hashes in the order of insertion, in the order in which a hash table of LLVM's
    C++ library runs through them.

    A bucket that gets its first key comes before all others, and a key before those that were in its bucket.
    """
    size, order = 0, np.zeros(0, np.int64)  # the order so far, the first one first
    while len(order) < len(hashes):
        filled, size = len(order), next_prime(2 * size + 1)
        order = rehashed(order, hashes[order] % np.uint64(size))
        inserted = np.concatenate([order[::-1], np.arange(filled, min(size, len(hashes)))])
        began = beginnings(hashes[inserted] % np.uint64(size))
        order = inserted[sorting(began)[::-1]]
    return order


def rehashed(order: np.ndarray, buckets: np.ndarray) -> np.ndarray:
    """Keys in the order that they have once they moved into ``buckets``.

    Keys stay where they are unless their bucket was begun earlier; those go to its front.
    """
    began = beginnings(buckets)
    stays = began == np.maximum.accumulate(began)
    moved = np.concatenate([np.flatnonzero(~stays)[::-1], np.flatnonzero(stays)])
    return order[moved[sorting(began[moved])]]


def sorting(keys: np.ndarray) -> np.ndarray:
    """Numbers [n] that sort whole numbers from 0 to n; equal ones keep their order. Short ones are sorted by digits."""
    return np.argsort(keys.astype(np.uint16) if len(keys) < 1 << 16 else keys, kind="stable")


def beginnings(buckets: np.ndarray) -> np.ndarray:
    """Index [n] of the first key in the bucket of each key."""
    first = np.empty(int(buckets.max(initial=0)) + 1, np.int64)
    first[buckets[::-1]] = np.arange(len(buckets))[::-1]  # of equal ones the last written stays
    return first[buckets]


def hash_of(keys: np.ndarray) -> np.ndarray:
    """The bits of both numbers of keys [n, 2], mixed as Boost's ``hash_combine`` does."""
    first, second = (keys.astype(float) + 0.0).view(np.uint64).reshape(-1, 2).T
    return first ^ (second + GOLDEN + (first << np.uint64(6)) + (first >> np.uint64(2)))


def next_prime(n: int) -> int:
    """The least prime that is not below ``n``, and 2 for 1."""
    n = max(n, 2)
    while any(n % k == 0 for k in range(2, math.isqrt(n) + 1)):
        n += 1
    return n
