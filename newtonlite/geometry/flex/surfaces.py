"""Surfaces of soft bodies: their holes, and caps that close them."""

import numpy as np


def open_edges(triangles: np.ndarray) -> np.ndarray:
    """Edges [n, 2] of triangles, in their direction, that no other triangle runs along the other way."""
    edges = triangles[:, np.array([[0, 1], [1, 2], [2, 0]])].reshape(-1, 2)
    base = int(triangles.max(initial=0)) + 1
    return edges[~np.isin(edges[:, 0] * base + edges[:, 1], edges[:, 1] * base + edges[:, 0])]


def loops(edges: np.ndarray) -> np.ndarray:
    """Number [n] of the connected line that each edge belongs to."""
    parent = {int(v): int(v) for v in np.unique(edges)}

    def root(v: int) -> int:
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for a, b in edges.tolist():
        parent[root(a)] = root(b)
    return np.unique([root(a) for a in edges[:, 0].tolist()], return_inverse=True)[1].reshape(-1)


def closed(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Points and triangles with a fan about the middle of each hole, and whether there was one."""
    edges = open_edges(triangles)
    if not len(edges):
        return points, triangles, False
    number = loops(edges)
    count = np.bincount(number)
    middles = np.stack([np.bincount(number, points[edges[:, 0], k]) / count for k in range(3)], -1)
    fans = np.stack([edges[:, 1], edges[:, 0], len(points) + number], -1)
    return np.concatenate([points, middles]), np.concatenate([triangles, fans]), True
