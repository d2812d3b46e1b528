"""Mesh simplification by clustering: vertices in the same cube of space become one, with the least quadric error.

The place of the new vertex has the least squared distance from the planes of all triangles around the cluster
(Lindstrom, "Out-of-core simplification of large polygonal models", 2000).
"""

import numpy as np

HALVINGS = 10  # of the interval in which the number of cubes is sought
FLAT = 1e-3  # of the largest singular value: directions along which the planes say nothing


def simplified(vertices, faces, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(vertices [k, 3] float32, faces [m, 3] int32) with at most ``most`` triangles, as many as a grid of cubes gives;
    the mesh as it is where it has no more.
    """
    vertices, faces = np.asarray(vertices, float), np.asarray(faces, np.int64)
    if len(faces) <= most:
        return vertices.astype(np.float32), faces.astype(np.int32)
    low, size = vertices.min(axis=0), max(float(np.ptp(vertices, axis=0).max()), 1e-30)
    fewest, many, best = 1.0, 4.0 * np.sqrt(most) + 4.0, (vertices[:0], faces[:0])
    for _ in range(HALVINGS):
        cells = 0.5 * (fewest + many)  # along the longest side
        found = clustered(vertices, faces, np.floor((vertices - low) * (cells / size)).astype(np.int64), size / cells)
        fewest, many, best = (cells, many, found) if len(found[1]) <= most else (fewest, cells, best)
    return best[0].astype(np.float32), best[1].astype(np.int32)


def clustered(vertices, faces, cells, side: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices of the same cell [n, 3] joined; triangles that lose a corner are dropped, and copies of one. ``side`` [m]
    bounds the way of a vertex from the mean of its cluster.
    """
    _, cluster = np.unique(cells, axis=0, return_inverse=True)
    cluster = np.asarray(cluster).reshape(-1)
    count = cluster.max() + 1
    members = np.bincount(cluster, minlength=count)
    mean = np.stack([np.bincount(cluster, vertices[:, k], count) for k in range(3)], axis=1) / members[:, None]
    corners = cluster[faces]
    places = vertices[faces]
    normal = np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0])
    matrix, right = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for k in range(3):
        height = np.einsum("ij,ij->i", normal, places[:, 0] - mean[corners[:, k]])
        np.add.at(matrix, corners[:, k], normal[:, :, None] * normal[:, None, :])
        np.add.at(right, corners[:, k], normal * height[:, None])
    way = np.einsum("nij,nj->ni", np.linalg.pinv(matrix, rcond=FLAT, hermitian=True), right)
    far = np.linalg.norm(way, axis=1) > side
    kept = (corners != np.roll(corners, 1, axis=1)).all(axis=1)
    turn = np.argmin(corners, axis=1)  # the same triangle begins with the same corner
    corners = np.take_along_axis(corners, (turn[:, None] + np.arange(3)) % 3, axis=1)[kept]
    return mean + np.where(far[:, None], 0.0, way), np.unique(corners, axis=0).reshape(-1, 3)
