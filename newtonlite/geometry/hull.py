"""Convex hulls of points, by Qhull."""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.errors import ModelError

COPLANAR = 0.999992
"""Cosine of the angle (0.004 rad) between two faces that count as one."""


@dataclass
class Hull:
    """Numbers of the points that are vertices, outward triangles [m, 3] of such numbers, and their unit normals [m, 3]."""

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray

    def edges(self) -> np.ndarray:
        """Both directions of every edge [k, 2], sorted."""
        t = self.triangles
        return np.unique(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=0)

    def polygons(self) -> tuple[list[np.ndarray], np.ndarray]:
        """Faces with coplanar triangles merged: corners, counterclockwise seen from outside, and normals [n, 3]."""
        group = self._coplanar_groups()
        corners, normals = [], []
        for members in group:
            rims = rim(self.triangles[members])
            for loop in rims if len(rims) == 1 else self.triangles[members]:
                corners.append(np.asarray(loop))
                normals.append(self.normals[members[0]])
        return corners, np.array(normals).reshape(-1, 3)

    def _coplanar_groups(self) -> list[np.ndarray]:
        """Triangles that a chain of common edges joins to one whose normal they share, in order of the first of each."""
        owner = {}
        for k, (a, b, c) in enumerate(self.triangles.tolist()):
            owner[a, b] = owner[b, c] = owner[c, a] = k
        free = np.ones(len(self.triangles), bool)
        groups = []
        for first in range(len(self.triangles)):
            if not free[first]:
                continue
            free[first] = False
            found = [first]
            for k in found:
                a, b, c = self.triangles[k].tolist()
                for edge in ((b, a), (c, b), (a, c)):
                    other = owner.get(edge)
                    if other is not None and free[other] and self.normals[other] @ self.normals[first] > COPLANAR:
                        free[other] = False
                        found.append(other)
            groups.append(np.array(found))
        return groups


def rim(triangles: np.ndarray) -> list[list[int]]:
    """The loops around a set of triangles: edges that only one of them has."""
    edges = {(t[i], t[(i + 1) % 3]) for t in triangles.tolist() for i in range(3)}
    after = {a: b for a, b in edges if (b, a) not in edges}
    loops = []
    while after:
        start, at = next(iter(after.items()))
        del after[start]
        loop = [start]
        while at != start and at in after:
            loop.append(at)
            at = after.pop(at)
        loops.append(loop)
    return loops


def find_hull(points, most: int = -1) -> Hull:
    """The convex hull of ``points [n, 3]``, with ``most`` vertices at most (-1: as many as it has).

    Raises ModelError where the points lie in a plane, or are not finite.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = np.asarray(points, float).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ModelError("convex hull: a point is not finite; remove NaN and infinity")
    if len(np.unique(points, axis=0)) < 4:
        raise ModelError("convex hull: fewer than four different points; a hull needs at least four that do not lie in a plane")
    try:
        hull = ConvexHull(points, qhull_options="Qt" if most < 4 else f"Qt Q9 TA{most - 4}")
    except QhullError:
        raise ModelError("convex hull: all points lie in a plane; give the mesh some thickness") from None
    normals = hull.equations[:, :3]
    triangles = hull.simplices.astype(np.int64)
    corners = points[triangles]
    turned = np.einsum("ni,ni->n", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), normals) < 0.0
    triangles[turned] = triangles[turned][:, [1, 0, 2]]
    return Hull(np.unique(triangles), triangles, normals)


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices ``[n, 3]`` and outward triangles ``[m, 3]`` of the convex hull of ``points [k, 3]``; errors as ``find_hull``."""
    points = np.asarray(points, dtype=float)
    hull = find_hull(points)
    flat = np.searchsorted(hull.vertices, hull.triangles)
    return points[hull.vertices], flat.astype(np.int64)
