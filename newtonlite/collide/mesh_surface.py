"""Mesh surface features: outward normals of vertices and edges, and the triangle that represents each."""

from dataclasses import dataclass

import numpy as np

SHARP = np.cos(np.radians(1.0))
"""Edges bent by less are flat."""


@dataclass
class MeshSurface:
    """Triangles [m, 3] of vertices [n, 3]; ``own`` [m] bits of corners (0 to 2) and edges (3 to 5) that a triangle
    answers for; ``away`` [m, 3, 3] directions into the triangle beyond each edge, 0 at a border; outward directions at
    corners and edges [m, 3, 3].
    """

    vertices: np.ndarray
    triangles: np.ndarray
    own: np.ndarray
    away: np.ndarray
    corner_normal: np.ndarray
    edge_normal: np.ndarray
    closed: bool


def surface_of(vertices: np.ndarray, triangles: np.ndarray) -> MeshSurface:
    """The surface of a mesh; vertices at one place count as one. Edges that are flat or bent inward, and their like,
    belong to no triangle.
    """
    _, weld = np.unique(vertices, axis=0, return_inverse=True)
    corner = np.asarray(weld).reshape(-1)[triangles]
    p = vertices[triangles].astype(float)
    cross = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    normal = unit_vectors(cross)
    start, end = corner.ravel(), np.roll(corner, -1, axis=1).ravel()
    beyond = partners(start, end)
    inner = beyond >= 0
    far = beyond // 3
    direction = unit_vectors(np.roll(p, -1, axis=1) - p).reshape(-1, 3)
    own_normal = np.repeat(normal, 3, axis=0)
    away = np.zeros((len(start), 3))
    away[inner] = np.cross(direction[inner], normal[far[inner]])
    bend = np.einsum("ij,ij->i", own_normal, np.where(inner[:, None], normal[far], own_normal))
    outwards = np.einsum("ij,ij->i", away, own_normal) < 0.0
    sharp = ~inner | (outwards & (bend < SHARP))
    mine = ~inner | (np.arange(len(start)) < beyond)
    _, first = np.unique(start, return_index=True)
    answers = np.zeros(len(start), bool)
    answers[first] = True
    own = (answers.reshape(-1, 3) << np.arange(3)).sum(axis=1) + ((sharp & mine).reshape(-1, 3) << np.arange(3, 6)).sum(
        axis=1
    )
    summed = np.zeros((corner.max() + 1, 3))
    np.add.at(summed, start, angles(p).reshape(-1, 1) * own_normal)
    edge = own_normal + np.where(inner[:, None], normal[far], 0.0)
    shape = (-1, 3, 3)
    closed = bool(inner.all())
    return MeshSurface(
        vertices,
        triangles,
        own,
        away.reshape(shape),
        unit_vectors(summed)[start].reshape(shape),
        unit_vectors(edge).reshape(shape),
        closed,
    )


def partners(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """For each directed edge the one that runs back along it; -1 where there is none, or more than one pair."""
    count = int(max(start.max(), end.max())) + 1
    key = np.minimum(start, end).astype(np.int64) * count + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    head = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    begin = np.flatnonzero(head)
    size = np.diff(np.append(begin, len(ranked)))
    one, two = order[begin[size == 2]], order[begin[size == 2] + 1]
    back = (start[one] == end[two]) & (start[one] != end[one])
    found = np.full(len(start), -1)
    found[one[back]], found[two[back]] = two[back], one[back]
    return found


def angles(p: np.ndarray) -> np.ndarray:
    """Angles [m, 3] of triangles at their corners."""
    ahead, behind = unit_vectors(np.roll(p, -1, axis=1) - p), unit_vectors(np.roll(p, 1, axis=1) - p)
    return np.arccos(np.clip(np.einsum("nij,nij->ni", ahead, behind), -1.0, 1.0))


def unit_vectors(v: np.ndarray) -> np.ndarray:
    """Vectors of length one along the last axis; zero stays zero."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 0.0, length, 1.0)


def outward_normals(field, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A height field [m] as a closed mesh, solid below as deep as it is wide."""
    rows, columns = field.nrow, field.ncol
    x, y = np.meshgrid(np.linspace(-field.hx, field.hx, columns), np.linspace(-field.hy, field.hy, rows))
    z = field.min_z + field.data * (field.max_z - field.min_z)
    top = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    bottom = top.copy()
    bottom[:, 2] = field.min_z - max(field.hx, field.hy)
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (n.ravel() for n in (number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]))
    up = np.concatenate([np.stack([c, a, d], 1), np.stack([b, d, a], 1)])
    rim = np.concatenate([number[0, :], number[1:, -1], number[-1, -2::-1], number[-2:0:-1, 0]])
    low = rim + rows * columns
    ahead, low_ahead = np.roll(rim, -1), np.roll(low, -1)
    sides = np.concatenate([np.stack([rim, low, low_ahead], 1), np.stack([rim, low_ahead, ahead], 1)])
    vertices = np.concatenate([top, bottom]) * scale
    return vertices, np.concatenate([up, up[:, ::-1] + rows * columns, sides])
