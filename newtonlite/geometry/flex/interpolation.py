"""Interpolation in cells: products of polynomials of order 1 or 2 along each axis, and points of Gauss to integrate them."""

import math
from functools import reduce

import numpy as np


def basis(s: np.ndarray, order: int) -> np.ndarray:
    """Weights [..., order + 1] of the nodes of one axis at places from 0 to 1."""
    if order == 1:
        return np.stack([1.0 - s, s], -1)
    return np.stack([1.0 - 3.0 * s + 2.0 * s * s, 4.0 * (s - s * s), 2.0 * s * s - s], -1)


def shares(points: np.ndarray, order: int) -> np.ndarray:
    """Weights [n, nodes] by which the volume at points [n, axes] of a cell belongs to its nodes; none is negative.

    Of order 2 the weights along an axis are those of Bernstein with half of either end given to the middle; over a whole cell
    their integrals are those of the nodes' polynomials.
    """
    if order == 1:
        return weights(points, order)
    along = [np.stack([0.5 * (1.0 - s) ** 2, 0.5 + s - s * s, 0.5 * s * s], -1) for s in points.T]
    return product(along)


def slopes(s: np.ndarray, order: int) -> np.ndarray:
    """Derivatives [..., order + 1] of these weights."""
    if order == 1:
        return np.stack([-np.ones_like(s), np.ones_like(s)], -1)
    return np.stack([4.0 * s - 3.0, 4.0 - 8.0 * s, 4.0 * s - 1.0], -1)


def weights(points: np.ndarray, order: int) -> np.ndarray:
    """Weights [n, nodes] of all nodes of a cell at points [n, axes] of it, the last axis fastest."""
    return product([basis(points[:, k], order) for k in range(points.shape[1])])


def gradients(points: np.ndarray, order: int) -> np.ndarray:
    """Derivatives [n, nodes, axes] of these weights along the axes of the cell."""
    axes = range(points.shape[1])
    along = [product([(slopes if k == j else basis)(points[:, k], order) for k in axes]) for j in axes]
    return np.stack(along, -1)


def product(factors: list[np.ndarray]) -> np.ndarray:
    """Products [n, a b c] of the weights of several axes."""
    return reduce(lambda a, b: (a[:, :, None] * b[:, None, :]).reshape(len(a), -1), factors)


GAUSS = {
    2: ((-1.0 / math.sqrt(3.0), 1.0 / math.sqrt(3.0)), (1.0, 1.0)),
    3: ((0.0, -math.sqrt(0.6), math.sqrt(0.6)), (8.0 / 9.0, 5.0 / 9.0, 5.0 / 9.0)),
}
"""Points and weights from -1 to 1, by their number, in the order in which MuJoCo adds their terms."""


def gauss(count: int, axes: int) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, axes] and weights [n] that integrate polynomials up to order ``2 count - 1`` over a cell of volume 1."""
    x, w = GAUSS[count] if count in GAUSS else np.polynomial.legendre.leggauss(count)
    x, w = 0.5 * np.asarray(x) + 0.5, 0.5 * np.asarray(w)
    points = np.stack(np.meshgrid(*[x] * axes, indexing="ij"), -1).reshape(-1, axes)
    return points, product([w[None]] * axes)[0]
