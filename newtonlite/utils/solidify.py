"""Solids of surfaces: every triangle made a wedge with walls to both sides."""

from collections.abc import Sequence

import numpy as np

from newtonlite.core.errors import ModelError

WEDGE = ((0, 2, 4), (2, 5, 4), (2, 3, 5), (2, 1, 3), (2, 0, 1), (3, 1, 5), (1, 0, 4), (1, 4, 5))
"""Triangles of a wedge by its corners: each of the three above the surface, then below."""


def solidify_mesh(
    faces: np.ndarray, vertices: np.ndarray, thickness: float | Sequence[float] | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Triangles ``[8 m, 3]`` and vertices ``[2 n, 3]`` [m] of the wedges over ``faces [m, 3]``.

    Vertex ``2 i`` lies ``thickness`` [m], one for all or one per vertex, above vertex ``i`` along the normal of the last
    triangle that has it, ``2 i + 1`` as far below. Raises ModelError for arrays of other shapes.
    """
    faces, vertices = np.asarray(faces, np.int32), np.asarray(vertices, np.float32)
    if faces.ndim != 2 or faces.shape[1] != 3 or vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ModelError(
            f"solidify_mesh: expected faces [m, 3] and vertices [n, 3], got {faces.shape} and {vertices.shape}"
        )
    if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise ModelError(f"solidify_mesh: faces name vertices up to {faces.max()}, but there are {len(vertices)}")
    walls = np.asarray(thickness, np.float32)
    if walls.shape not in ((), (len(vertices),)):
        raise ModelError(f"solidify_mesh thickness: expected one number or {len(vertices)}, got shape {walls.shape}")

    # outward normals of the triangles; a vertex follows the last one that it is a corner of
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    normals = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0)
    offset = np.zeros_like(vertices)
    for k in range(len(faces)):
        offset[faces[k]] = normals[k]
    offset *= np.broadcast_to(walls, len(vertices))[:, None]

    # vertices above and below side by side, and eight triangles around each wedge
    used = np.zeros((len(vertices), 2, 3), np.float32)
    there = np.unique(faces)
    used[there, 0], used[there, 1] = vertices[there] + offset[there], vertices[there] - offset[there]
    corners = np.stack([2 * faces, 2 * faces + 1], axis=-1).reshape(-1, 6)
    return corners[:, np.array(WEDGE)].reshape(-1, 3), used.reshape(-1, 3)
