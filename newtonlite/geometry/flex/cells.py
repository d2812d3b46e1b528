"""Cells of interpolation: a regular grid about a soft body, whose nodes move it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class CellGrid:
    """A grid of cells [cx, cy, cz] over a box, with nodes of order 1 (corners) or 2 (corners, edges, faces, middles)."""

    low: np.ndarray
    size: np.ndarray
    cells: tuple[int, int, int]
    order: int

    @classmethod
    def around(cls, points: np.ndarray, cells, order: int) -> "CellGrid":
        """The grid over the bounding box of points."""
        low = points.min(0)
        return cls(low, points.max(0) - low, tuple(cells), order)

    @property
    def count(self) -> tuple[int, int, int]:
        """Nodes along each axis."""
        return tuple(self.order * n + 1 for n in self.cells)

    def nodes(self) -> np.ndarray:
        """Places of the nodes [n, 3], the last axis fastest."""
        axes = [
            low + size * (np.arange(n) / (n - 1)) for low, size, n in zip(self.low, self.size, self.count, strict=True)
        ]
        return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)

    def cell_nodes(self) -> np.ndarray:
        """Nodes of each cell [ncell, (order + 1)^3], cells and nodes with the last axis fastest."""
        starts = np.stack(np.meshgrid(*map(np.arange, self.cells), indexing="ij"), -1).reshape(-1, 1, 3) * self.order
        inner = np.stack(np.meshgrid(*[np.arange(self.order + 1)] * 3, indexing="ij"), -1).reshape(1, -1, 3)
        return np.ravel_multi_index(tuple(np.moveaxis(starts + inner, -1, 0)), self.count)


def shell_nodes(count) -> np.ndarray:
    """Mask of the nodes on the surface of the grid: bool [n]."""
    index = np.stack(np.meshgrid(*map(np.arange, count), indexing="ij"), -1).reshape(-1, 3)
    return ((index == 0) | (index == np.array(count) - 1)).any(-1)


SHARES = {1: np.array([1.0, 1.0]) / 2.0, 2: np.array([1.0, 4.0, 1.0]) / 6.0}
"""Integrals of the interpolation along one axis of a cell of length 1, by order."""


def whole_cell_shares(order: int) -> np.ndarray:
    """Shares [nodes] of the nodes of one cell in its volume."""
    axis = SHARES[order]
    return np.einsum("i,j,k->ijk", axis, axis, axis).ravel()


def whole_masses(grid: CellGrid, chosen: np.ndarray | None = None) -> np.ndarray:
    """Shares [n] of the nodes in the mass of a box that fills the grid, or the chosen cells (bool [ncell]): integrals of
    their interpolation.
    """
    out, cells = np.zeros(int(np.prod(grid.count))), grid.cell_nodes()
    for nodes in cells if chosen is None else cells[chosen]:
        out[nodes] += whole_cell_shares(grid.order) / np.prod(grid.cells)
    return out
