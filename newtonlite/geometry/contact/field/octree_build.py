"""Octree construction: cells are split where the distance to a mesh is not linear between their corners.

MuJoCo's octrees have the same root and depth; which of their cells are split differs in detail.
"""

import numpy as np

from newtonlite.geometry.contact.field.mesh_distance import signed_distances

DEPTH = 6
LEAST = 3
"""Levels that are split everywhere."""
PADDING = 1.1
"""Root box, in half-sizes of the mesh."""
ACCURACY = 1.0e-3
"""Of the root's half-diagonal, the error at a cell's centre that is let stand."""
CORNERS = np.array([[(k >> i) & 1 for i in range(3)] for k in range(8)])


def build_octree(vertices: np.ndarray, faces: np.ndarray) -> dict[str, np.ndarray]:
    """Nodes of the octree of a closed mesh, level by level: ``child`` [n, 8] (-1: leaf), ``box`` [n, 2, 3] (centre and
    half-sizes [m]) and ``corner`` [n, 8], the distances at the corners [m], negative inside.
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    half = np.maximum(0.5 * PADDING * (high - low), 1.0e-9)
    centres, error = np.array([0.5 * (low + high)]), ACCURACY * float(np.linalg.norm(half))
    children, boxes, corners, count = [], [], [], 1
    for level in range(DEPTH + 1):
        # distances at the corners of the level's cells, and at their centres, each point once
        size = half / 2**level
        points = centres[:, None] + (2 * CORNERS - 1) * size
        values = distances(points.reshape(-1, 3), vertices, faces).reshape(-1, 8)
        split = np.full(len(centres), level < LEAST)
        if LEAST <= level < DEPTH:
            middle = distances(centres, vertices, faces)
            near = np.abs(middle) <= 2.0 * np.linalg.norm(size)
            split = near & (np.abs(values.mean(axis=1) - middle) > error)

        # children follow all cells of their level
        own = np.full((len(centres), 8), -1)
        own[split] = count + np.arange(8 * split.sum()).reshape(-1, 8)
        children.append(own)
        boxes.append(np.stack([centres, np.broadcast_to(size, centres.shape)], axis=1))
        corners.append(values)
        count += 8 * int(split.sum())
        centres = (centres[split][:, None] + (CORNERS - 0.5) * size).reshape(-1, 3)
        if not len(centres):
            break
    return {
        "child": np.concatenate(children).astype(np.int32),
        "box": np.concatenate(boxes),
        "corner": np.concatenate(corners),
    }


def distances(points: np.ndarray, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Signed distances of points, those that occur several times found once."""
    scale = 1.0e-9 * max(1.0, float(np.ptp(vertices)))
    _, first, back = np.unique(
        np.round(points / scale).astype(np.int64), axis=0, return_index=True, return_inverse=True
    )
    return signed_distances(points[first], vertices, faces)[back.reshape(-1)]
