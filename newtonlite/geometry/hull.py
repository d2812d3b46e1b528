"""Convex hull of points, by Qhull."""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.math.transform import cross

FLAT = 1e-7
"""Thickness of points in a plane, in their extent: what float32 leaves of it."""

FEW = "convex hull: fewer than four different points; a hull needs at least four that do not lie in a plane"
PLANE = "convex hull: all points lie in a plane; give the mesh some thickness"
THICK = 1e-3
"""Thickness of points, in their extent, from which squares suffice to tell."""


@dataclass
class MeshHull:
    """Numbers of the points that are vertices, and outward triangles [m, 3] of such numbers, in Qhull's order."""

    vertices: np.ndarray
    triangles: np.ndarray

    def edges(self) -> np.ndarray:
        """Directed edges [k, 2], both directions of each, sorted."""
        t, n = self.triangles, int(self.triangles.max(initial=0)) + 1
        pairs = np.unique(t * n + np.roll(t, -1, axis=1))
        return np.stack([pairs // n, pairs % n], axis=1)


def find_hull(points, most: int = -1) -> MeshHull:
    """The convex hull of ``points [n, 3]``, with ``most`` vertices at most (-1: as many as it has).

    Raises ModelError where the points lie in a plane, or are not finite.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = np.asarray(points, float).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ModelError("convex hull: a point is not finite; remove NaN and infinity")
    try:
        hull = ConvexHull(points, qhull_options="Qt" if most < 4 else f"Qt Q9 TA{most - 4}")
    except (QhullError, ValueError):  # ValueError: no points at all
        few = len(np.unique(points, axis=0)) < 4
        raise ModelError(FEW if few else PLANE) from None
    normals = hull.equations[:, :3]
    triangles = hull.simplices.astype(np.int64)
    corners = points[triangles]
    turned = np.einsum("ni,ni->n", cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), normals) < 0.0
    triangles[turned] = triangles[turned][:, [1, 0, 2]]
    return MeshHull(np.unique(triangles), triangles)


def flat_hull(points: np.ndarray) -> np.ndarray | None:
    """Triangles [m, 3] of both sides of the convex hull of points that lie in a plane; None for points that span a
    volume, or a line.
    """
    from scipy.spatial import ConvexHull

    arms = np.asarray(points, float) - np.mean(points, axis=0)
    spread = np.linalg.eigvalsh(arms.T @ arms)
    if spread[0] > THICK**2 * spread[2]:
        return None
    _, sizes, axes = np.linalg.svd(arms, full_matrices=False)
    if len(sizes) == 3 and sizes[2] > FLAT * sizes[0] or sizes[1] <= FLAT * sizes[0]:
        return None
    rim = ConvexHull(arms @ axes[:2].T).vertices
    fan = np.stack([np.full(len(rim) - 2, rim[0]), rim[1:-1], rim[2:]], axis=1)
    return np.concatenate([fan, fan[:, ::-1]]).astype(np.int64)


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices ``[n, 3]`` and outward triangles ``[m, 3]`` of the convex hull of ``points [k, 3]``; errors as
    ``find_hull``.
    """
    points = np.asarray(points, dtype=float)
    hull = find_hull(points)
    flat = np.searchsorted(hull.vertices, hull.triangles)
    return points[hull.vertices], flat.astype(np.int64)
