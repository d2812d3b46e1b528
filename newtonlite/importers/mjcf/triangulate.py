"""Triangulation of the polygons of OBJ files, in the order in which MuJoCo's reader cuts them.

A polygon that is flat and convex weighs the same however it is cut; others do not.  All is in float32, as there: of two
diagonals of nearly one length rounding chooses.
"""

import warnings

import numpy as np

from newtonlite.core.errors import NewtonWarning

EPS = np.finfo(np.float32).eps
MAX_CORNERS = 100
"""Most corners of a polygon; MuJoCo's reader passes over larger ones."""


def triangulate(vertices: np.ndarray, polygons: list[list[int]]) -> np.ndarray:
    """Triangles [m, 3] of polygons, which are lists of indices of ``vertices`` [n, 3]; those of fewer than three corners,
    or of more than MAX_CORNERS, have none, the latter with a warning. IndexError where a corner does not exist.
    """
    named = [corner for polygon in polygons for corner in polygon]
    if named and not 0 <= min(named) <= max(named) < len(vertices):
        worst = max(named) if max(named) >= len(vertices) else min(named)
        raise IndexError(f"a face names vertex {worst + 1}; there are {len(vertices)}")
    large = [len(polygon) for polygon in polygons if len(polygon) > MAX_CORNERS]
    if large:
        warnings.warn(
            f"{len(large)} faces of an OBJ file have more than {MAX_CORNERS} corners, one of them {max(large)}; they are left"
            " out, as MuJoCo leaves them out: cut them into triangles to have them",
            NewtonWarning,
            stacklevel=2,
        )
    return np.array([t for piece in cuts(vertices, polygons) for t in piece], np.int64).reshape(-1, 3)


def cuts(vertices: np.ndarray, polygons: list[list[int]]) -> list[list[list[int]]]:
    """Triangles of each polygon, as ``triangulate`` has them."""
    points = np.asarray(vertices, np.float32)
    counts = np.array([len(p) for p in polygons], np.int64)
    pieces: list[list] = [[p] if len(p) == 3 else [] for p in polygons]
    quads = np.flatnonzero(counts == 4)
    for k, pair in zip(quads, split_quads(points, np.array([polygons[k] for k in quads], np.int64).reshape(-1, 4))):
        pieces[k] = pair
    for k in np.flatnonzero((counts > 4) & (counts <= MAX_CORNERS)):
        pieces[k] = clip_ears(points, polygons[k])
    return pieces


def split_quads(points: np.ndarray, quads: np.ndarray) -> list[list[list[int]]]:
    """Two triangles of each of ``quads`` [n, 4], along the shorter diagonal, or along the second of two equal ones."""
    corners = points[quads]
    first, second = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    shorter = _squared(first) < _squared(second)
    cut = np.where(shorter[:, None], quads[:, [0, 1, 2, 0, 2, 3]], quads[:, [0, 1, 3, 1, 2, 3]])
    return cut.reshape(-1, 2, 3).tolist()


def _squared(edges: np.ndarray) -> np.ndarray:
    """Squared lengths of vectors [n, 3], from left to right."""
    return edges[:, 0] * edges[:, 0] + edges[:, 1] * edges[:, 1] + edges[:, 2] * edges[:, 2]


def clip_ears(points: np.ndarray, polygon: list[int]) -> list[list[int]]:
    """Triangles of a polygon of more than four corners by ear clipping, seen along the axis to which its first corner
    that is not straight is most nearly normal; what is left when no corner can be cut has none, nor what is left when the
    last corner is the first that can.
    """
    flat = points[:, list(plane_axes(points[polygon]))]
    left, found = list(polygon), []
    start, patience = 0, len(left)
    while len(left) > 3 and patience > 0:
        count = len(left)
        start %= count
        patience -= 1
        ear = [left[(start + k) % count] for k in range(3)]
        rest = [left[(start + k) % count] for k in range(3, count)]
        if not is_ear(flat[ear], flat[rest]):
            start += 1
            continue
        found.append(ear)
        del left[(start + 1) % count]
        patience = len(left) + 1 if patience else 0
    return [*found, left] if len(left) == 3 else found


def plane_axes(corners: np.ndarray) -> tuple[int, int]:
    """The two axes of the plane in which a polygon with ``corners`` [n, 3] is looked at."""
    for k in range(len(corners)):
        a, b, c = (corners[(k + i) % len(corners)] for i in range(3))
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > EPS:
            return (1, 2) if x > y and x > z else (0, 1) if z > x and z > y else (0, 2)
    return 1, 2


def is_ear(ear: np.ndarray, rest: np.ndarray) -> bool:
    """Whether a corner, the middle one of ``ear`` [3, 2], turns as its first edge turns about the origin, with none of
    the points ``rest`` [n, 2] within the triangle.
    """
    a, b, c = ear
    turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    area = (a[0] * b[1] - a[1] * b[0]) * np.float32(0.5)
    return turn * area >= 0.0 and not within(ear, rest).any()


def within(triangle: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Mask of the points [n, 2] that lie in a triangle [3, 2], by the parity of edges that a ray along the first axis crosses."""
    inside = np.zeros(len(points), bool)
    for k in range(3):
        p, q = triangle[k], triangle[k - 1]
        between = (p[1] > points[:, 1]) != (q[1] > points[:, 1])
        if between.any():
            inside ^= between & (points[:, 0] < (q[0] - p[0]) * (points[:, 1] - p[1]) / (q[1] - p[1]) + p[0])
    return inside
