"""Open surfaces in cells: a surface with holes bounds no volume, so what is inside is asked at points.

Each cell is halved along its axes, and every part has its points of Gauss; a point is inside where the surface winds around
it by more than a half (Jacobson, Kavan, Sorkine-Hornung 2013, "Robust inside-outside segmentation using generalized winding
numbers").
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from newtonlite.geometry.flex.cells import CellGrid
from newtonlite.geometry.flex.interpolation import gauss

HALVES = 2
"""Parts of a cell along each axis."""
CHUNK = 1 << 18
"""Pairs of a point and a triangle at a time."""


@dataclass
class CellPoints:
    """Points [n, 3] of a cell, from 0 to 1 along its axes, their shares [n] of it, and which are inside: bool [ncell, n].
    ``reached`` [ncell] are the cells that the surface passes through or that have points inside.
    """

    places: np.ndarray
    shares: np.ndarray
    inside: np.ndarray
    reached: np.ndarray

    def volume(self, grid: CellGrid) -> float:
        """Volume inside."""
        return float((self.inside @ self.shares).sum() * (grid.size / np.array(grid.cells)).prod())

    def samples(self, grid: CellGrid, cell: int, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Points [n, 3] of integration inside one cell and their weights [n m^3]; their number along an axis is not ``count``'s."""
        chosen = self.inside[cell]
        if chosen.any():
            yield self.places[chosen], self.shares[chosen] * (grid.size / np.array(grid.cells)).prod()


def cell_points(grid: CellGrid, points: np.ndarray, triangles: np.ndarray, passed: np.ndarray) -> CellPoints:
    """Winding numbers at points of every cell of an open surface; ``passed`` [ncell] are the cells that it passes through."""
    part, share = gauss(grid.order + 1, 3)
    corners = np.stack(np.meshgrid(*[np.arange(HALVES)] * 3, indexing="ij"), -1).reshape(-1, 1, 3)
    places = ((corners + part) / HALVES).reshape(-1, 3)
    first = np.stack(np.meshgrid(*map(np.arange, grid.cells), indexing="ij"), -1).reshape(-1, 1, 3)
    asked = grid.low + (first + places) * (grid.size / np.array(grid.cells))
    inside = np.abs(winding(asked.reshape(-1, 3), points[triangles])).reshape(asked.shape[:2]) > 0.5
    return CellPoints(places, np.tile(share, HALVES**3) / HALVES**3, inside, passed | inside.any(1))


def winding(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Times [n] that triangles [m, 3, 3] wind around points [n, 3]: solid angles (Van Oosterom, Strackee 1983) by that of a
    sphere.
    """
    out = np.empty(len(points))
    step = max(1, CHUNK // max(1, len(corners)))
    for k in range(0, len(points), step):
        a, b, c = (corners[None, :, i] - points[k : k + step, None] for i in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=-1) for side in (a, b, c))
        dot = lambda p, q: np.einsum("nmi,nmi->nm", p, q)
        far = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        out[k : k + step] = np.arctan2(dot(a, np.cross(b, c)), far).sum(1) / (2.0 * np.pi)
    return out
