"""Points and elements of soft grids: lines, circles, sheets, discs and blocks, in the order that MuJoCo gives them."""

import math

import numpy as np

BLOCK = np.array([[0, 3, 1, 7], [0, 1, 4, 7], [1, 3, 2, 7], [1, 2, 6, 7], [1, 5, 4, 7], [1, 6, 5, 7]])
"""Six tetrahedra of a cube, whose corners are those of its lower square and then of its upper one."""
SQUARE = ((0, 1, 2), (0, 2, 3))
FLIPPED = ((0, 1, 3), (1, 2, 3))
"""Two triangles of a square with corners (0, 0), (1, 0), (1, 1), (0, 1), by either diagonal."""


def lattice(count, spacing) -> np.ndarray:
    """Points [n, 3] of a regular grid about the origin [m], the last axis fastest."""
    axes = [step * (np.arange(n) - (n - 1) / 2) for n, step in zip(count, spacing, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(count))


def grid(dim: int, count, spacing) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] and elements [m, dim + 1] of a line, a sheet or a block; axes beyond ``dim`` have one point."""
    points = np.zeros((math.prod(count[:dim]), 3))
    points[:, :dim] = lattice(count[:dim], spacing[:dim])
    if dim == 1:
        first = np.arange(max(count[0] - 1, 0))
        return points, np.stack([first, first + 1], -1)
    if dim == 2:
        return points, triangles(squares(count[0], count[1]), SQUARE)
    nx, ny, nz = count
    lower = squares(nx, ny, nz)
    corners = np.concatenate([lower, lower + 1], -1)[:, None] + np.arange(nz - 1)[:, None]
    return points, corners.reshape(-1, 8)[:, BLOCK].reshape(-1, 4)


def squares(nx: int, ny: int, stride: int = 1) -> np.ndarray:
    """Corners [m, 4] of the squares of a sheet of points that lie ``stride`` apart."""
    x, y = np.meshgrid(np.arange(nx - 1), np.arange(ny - 1), indexing="ij")
    first = x.ravel() * ny + y.ravel()
    return stride * (first[:, None] + np.array([0, ny, ny + 1, 1]))


def triangles(corners: np.ndarray, cut) -> np.ndarray:
    """Two triangles of each square."""
    return corners[:, np.array(cut)].reshape(-1, 3)


def circle(count: int, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Points and elements of a closed line of ``count - 1`` segments of one length, in the xy plane."""
    n = count - 1
    radius = spacing / (2.0 * math.sin(math.pi / n))
    angle = 2.0 * math.pi * np.arange(n) / n
    first = np.arange(n)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(n)], -1)
    return points, np.stack([first, (first + 1) % n], -1)


def disc(count, spacing) -> tuple[np.ndarray, np.ndarray]:
    """A sheet whose squares are drawn into ellipses; the diagonals of all run outwards.

    A point keeps its direction p/|p| and gets the radius size max(|x|, |y|), where MuJoCo takes x and y in metres, so
    that the radius grows with the square of the spacing.
    """
    points, _ = grid(2, count, spacing)
    size = 0.5 * np.array(spacing[:2]) * (np.array(count[:2]) - 1)
    flat = points[:, :2]
    far = np.linalg.norm(flat, axis=-1)
    away = flat / np.where(far > 0, far, 1.0)[:, None]
    points[:, :2] = away * size * np.abs(flat).max(-1, initial=0.0)[:, None]
    corners = squares(count[0], count[1])
    x, y = np.meshgrid(np.arange(count[0] - 1), np.arange(count[1] - 1), indexing="ij")
    across = (2 * x < count[0] - 1) != (2 * y < count[1] - 1)
    both = np.where(across.reshape(-1, 1, 1), corners[:, np.array(FLIPPED)], corners[:, np.array(SQUARE)])
    return points, both.reshape(-1, 3)


def grid_texcoords(count, dim: int) -> np.ndarray:
    """Texture coordinates [n, 2] of the points of a sheet or block: x and y from 0 to 1."""
    index = np.stack(np.meshgrid(*map(np.arange, count[:dim]), indexing="ij"), -1).reshape(-1, dim)
    return index[:, :2] / np.maximum(np.array(count[:2]) - 1, 1)
