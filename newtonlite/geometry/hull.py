"""Convex hulls of points."""

import numpy as np

from newtonlite.core.errors import ModelError


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices ``[n, 3]`` and outward triangles ``[m, 3]`` of the convex hull of ``points [k, 3]``.

    Incremental: start from a tetrahedron, and for every point outside replace the faces it sees by a cone over their rim.
    Raises ModelError where the points lie in a plane.
    """
    points = np.unique(np.asarray(points, dtype=float), axis=0)
    faces = _first_faces(points)
    inside = points[np.unique(faces)].mean(axis=0)
    faces = [_outward(points, face, inside) for face in faces]
    tolerance = 1.0e-9 * np.ptp(points, axis=0).max()
    for p in range(len(points)):
        faces = _grown(points, faces, p, tolerance)
    used, flat = np.unique(np.array(faces), return_inverse=True)
    return points[used], np.asarray(flat).reshape(-1, 3)


def _first_faces(points: np.ndarray) -> np.ndarray:
    """The four faces of a tetrahedron that is not flat."""
    if len(points) < 4:
        raise ModelError(f"convex hull: {len(points)} different points; a hull needs at least four that do not lie in a plane")
    size = np.ptp(points, axis=0).max()
    a = int(np.argmin(points[:, np.argmax(np.ptp(points, axis=0))]))
    b = int(np.argmax(np.linalg.norm(points - points[a], axis=1)))
    along = (points[b] - points[a]) / np.linalg.norm(points[b] - points[a])
    away = np.linalg.norm(np.cross(points - points[a], along), axis=1)
    c = int(np.argmax(away))
    normal = np.cross(along, points[c] - points[a])
    height = np.abs((points - points[a]) @ normal) / max(np.linalg.norm(normal), 1.0e-300)
    d = int(np.argmax(height))
    if away[c] < 1.0e-9 * size or height[d] < 1.0e-9 * size:
        raise ModelError("convex hull: all points lie in a plane; give the mesh some thickness")
    return np.array([[a, b, c], [a, b, d], [a, c, d], [b, c, d]])


def _outward(points: np.ndarray, face, inside: np.ndarray) -> tuple[int, int, int]:
    a, b, c = (int(i) for i in face)
    normal = np.cross(points[b] - points[a], points[c] - points[a])
    return (a, b, c) if normal @ (points[a] - inside) > 0.0 else (a, c, b)


def _grown(points: np.ndarray, faces: list, p: int, tolerance: float) -> list:
    """The faces of the hull after point ``p`` has been taken in."""
    corners = points[np.array(faces)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1.0e-300)
    seen = np.einsum("fi,fi->f", normals, points[p] - corners[:, 0]) > tolerance
    if not seen.any():
        return faces
    edges = {(f[i], f[(i + 1) % 3]) for f, s in zip(faces, seen) if s for i in range(3)}
    rim = [(a, b) for a, b in edges if (b, a) not in edges]
    return [f for f, s in zip(faces, seen) if not s] + [(a, b, p) for a, b in sorted(rim)]
