"""Surfaces of soft bodies: their holes."""

import numpy as np

PLANAR = 1e-9
"""Part of its size by which a sheet in a plane leaves it at most."""


def open_edges(triangles: np.ndarray) -> np.ndarray:
    """Edges [n, 2] of triangles, in their direction, that no other triangle runs along the other way."""
    edges = triangles[:, np.array([[0, 1], [1, 2], [2, 0]])].reshape(-1, 2)
    base = int(triangles.max(initial=0)) + 1
    return edges[~np.isin(edges[:, 0] * base + edges[:, 1], edges[:, 1] * base + edges[:, 0])]


def is_planar(points: np.ndarray) -> bool:
    """Whether points lie in a plane."""
    sizes = np.linalg.svd(points - points.mean(0), compute_uv=False)
    return bool(sizes[-1] <= PLANAR * sizes[0])
