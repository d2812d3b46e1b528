"""Skinned vertices: surfaces that follow the bodies of each world, computed when they are asked for.

Nothing of a step needs them. Vertices are sums in single precision, bone after bone, as MuJoCo's pictures have them.
"""

from typing import Any

import numpy as np

from newtonlite.math.quat import conjugate


def skinned(mj: Any, xpos: np.ndarray, xquat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and unit normals of all skins, each [nworld, nskinvert, 3] in single precision, from poses of bodies:
    positions [nworld, nbody, 3] [m] and orientations [nworld, nbody, 4] (w, x, y, z).
    """
    points = np.zeros((len(xpos), int(mj.nskinvert), 3), np.float32)
    normals = np.zeros_like(points)
    for s in range(int(mj.nskin)):
        rows = slice(int(mj.skin_vertadr[s]), int(mj.skin_vertadr[s]) + int(mj.skin_vertnum[s]))
        first = int(mj.skin_faceadr[s])
        faces = np.asarray(mj.skin_face, int)[first : first + int(mj.skin_facenum[s])]
        points[:, rows] = carried_points(mj, s, np.asarray(xpos, np.float32), np.asarray(xquat, np.float32))
        normals[:, rows] = vertex_normals(points[:, rows], faces)
        points[:, rows] += np.float32(mj.skin_inflate[s]) * normals[:, rows]
    return points, normals


def carried_points(mj: Any, s: int, xpos: np.ndarray, xquat: np.ndarray) -> np.ndarray:
    """Vertices of a skin where its bones carry them: ``sum w (xpos + Q (v - bindpos))`` with ``Q`` the turn since."""
    first = int(mj.skin_vertadr[s])
    rest = np.asarray(mj.skin_vert, np.float32)[first : first + int(mj.skin_vertnum[s])]
    found = np.zeros((len(xpos), len(rest), 3), np.float32)
    for b in range(int(mj.skin_boneadr[s]), int(mj.skin_boneadr[s]) + int(mj.skin_bonenum[s])):
        # the vertices and weights of one bone
        held = slice(int(mj.skin_bonevertadr[b]), int(mj.skin_bonevertadr[b]) + int(mj.skin_bonevertnum[b]))
        vertices = np.asarray(mj.skin_bonevertid, int)[held]
        weights = np.asarray(mj.skin_bonevertweight, np.float32)[held]

        # they move as its body has since they were bound
        body = int(mj.skin_bonebodyid[b])
        bound = np.array(conjugate(tuple(map(float, mj.skin_bonebindquat[b]))), np.float32)
        turn = rotation_matrices(right_products(xquat[:, body], bound))
        arm = rest[vertices] - np.asarray(mj.skin_bonebindpos[b], np.float32)
        moved = np.einsum("wij,vj->wvi", turn, arm) + xpos[:, body, None]
        np.add.at(found, (slice(None), vertices), weights[:, None] * moved)
    return found


def vertex_normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Unit normals of vertices [n, m, 3]: sums of those of their faces, by area."""
    corners = points[:, faces]
    across = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    total = np.zeros_like(points)
    for k in range(3):
        np.add.at(total, (slice(None), faces[:, k]), across)
    return total / np.maximum(np.linalg.norm(total, axis=-1, keepdims=True), np.float32(1e-15))


def right_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternions ``a`` [n, 4] times one ``b`` [4] (w, x, y, z)."""
    w, v = a[:, :1], a[:, 1:]
    return np.concatenate([w * b[0] - v @ b[1:, None], w * b[1:] + v * b[0] + np.cross(v, b[1:])], axis=1)


def rotation_matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices [n, 3, 3] of unit quaternions [n, 4]."""
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
