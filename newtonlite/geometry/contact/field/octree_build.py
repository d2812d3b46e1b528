"""Octree construction: cells that meet the surface of a mesh are split, and those beside much smaller ones.

MuJoCo's octrees have the same cells (measured): a cell is split where its box meets a triangle (Akenine-Moeller, Fast 3D
triangle-box overlap testing, 2001), down to a depth; then where a neighbour across a face would be less than half as large,
so that levels of neighbours differ by one at most (a balanced octree: Moore, The cost of balancing generalized quadtrees, 1995).
"""

import numpy as np

from newtonlite.geometry.contact.field.mesh_distance import signed_distances

DEPTH = 6
PADDING = 1.1
"""Root box, in half-sizes of the mesh."""
CORNERS = np.array([[(k >> i) & 1 for i in range(3)] for k in range(8)])
FACES = np.concatenate([np.eye(3, dtype=int), -np.eye(3, dtype=int), np.zeros((1, 3), int)])
"""Steps to the neighbours of a cell across its faces, and to itself."""
MANY = 20_000
"""Pairs of cells and triangles that are looked at together."""


def build_octree(vertices: np.ndarray, faces: np.ndarray) -> dict[str, np.ndarray]:
    """Nodes of the octree of a closed mesh, level by level: ``child`` [n, 8] (-1: leaf), ``box`` [n, 2, 3] (centre and
    half-sizes [m]) and ``corner`` [n, 8], the distances at the corners [m], negative inside.
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    half, middle = np.maximum(0.5 * PADDING * (high - low), 1.0e-9), 0.5 * (low + high)
    splits = balanced(touched(vertices, faces, middle, half))
    children, boxes, corners, places, count = [], [], [], [], 1
    cells = np.zeros((1, 3), int)
    for level in range(DEPTH + 1):
        # distances at the corners of the level's cells, each point once
        size = half / 2**level
        centres = centre(cells, level, middle, half)
        points = centres[:, None] + (2 * CORNERS - 1) * size
        corners.append(distances(points.reshape(-1, 3), vertices, faces).reshape(-1, 8))
        places.append((cells[:, None] + CORNERS) << (DEPTH - level))
        boxes.append(np.stack([centres, np.broadcast_to(size, centres.shape)], axis=1))

        # children follow all cells of their level
        split = np.isin(cell_code(cells), cell_code(splits[level])) if level < DEPTH else np.zeros(len(cells), bool)
        own = np.full((len(cells), 8), -1)
        own[split] = count + np.arange(8 * split.sum()).reshape(-1, 8)
        children.append(own)
        count += 8 * int(split.sum())
        cells = (2 * cells[split][:, None] + CORNERS).reshape(-1, 3)
        if not len(cells):
            break
    found = {"child": np.concatenate(children).astype(np.int32), "box": np.concatenate(boxes)}
    return found | {"corner": continuous(found["child"], np.concatenate(places), np.concatenate(corners))}


def continuous(child: np.ndarray, places: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """Distances at the corners [n, 8] of nodes, of which ``places`` [n, 8, 3] counts the deepest cells along each axis: where
    a corner lies on a face or an edge of a larger leaf, what that is there.
    """
    points, first, back = np.unique(cell_code(places.reshape(-1, 3), DEPTH + 1), return_index=True, return_inverse=True)
    points, values = places.reshape(-1, 3)[first], corner.reshape(-1)[first]
    back = back.reshape(corner.shape)
    size = places[:, 7, 0] - places[:, 0, 0]
    leaf = largest_leaf(child, places, size, points)
    for width in 2 ** np.arange(DEPTH, 0, -1):  # larger ones first: their corners are then final
        at = np.flatnonzero(size[leaf] == width)
        part = (points[at] - places[leaf[at], 0]) / width
        inner = (np.minimum(part, 1.0 - part) > 0.0).any(axis=1)
        at, part = at[inner], part[inner]
        weights = np.prod(np.where(CORNERS == 1, part[:, None], 1.0 - part[:, None]), axis=-1)
        values[at] = (weights * values[back[leaf[at]]]).sum(axis=-1)
    return values[back]


def largest_leaf(child: np.ndarray, places: np.ndarray, size: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The largest leaf [n] on which each point [n, 3] lies."""
    found = np.full(len(points), -1)
    for side in CORNERS - 1:  # the deepest cell on each side of it
        cell = points + side
        at = np.flatnonzero(((cell >= 0) & (cell < 2**DEPTH)).all(axis=1))
        node = np.zeros(len(at), int)
        while (inner := np.flatnonzero(child[node, 0] >= 0)).size:
            high = cell[at[inner]] >= places[node[inner], 0] + size[node[inner], None] // 2
            node[inner] = child[node[inner], high @ (1, 2, 4)]
        better = (found[at] < 0) | (size[node] > size[found[at]])
        found[at[better]] = node[better]
    return found


def centre(cells: np.ndarray, level: int, middle: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Centres [n, 3] of cells, which are numbered along each axis."""
    return middle - half + (2 * cells + 1) * (half / 2**level)


def cell_code(cells: np.ndarray, bits: int = DEPTH) -> np.ndarray:
    """One number for each cell of a level, or for each place of so many bits along an axis."""
    return cells @ (1 << (bits * np.arange(3)))


def touched(vertices: np.ndarray, faces: np.ndarray, middle: np.ndarray, half: np.ndarray) -> list[np.ndarray]:
    """Cells [n, 3] of each level above the deepest that triangles meet. Pairs of a cell and a triangle are followed down a
    part at a time, so that memory does not grow with what large triangles meet.
    """
    met = [np.zeros((2**level,) * 3, bool) for level in range(DEPTH)]
    met[0][:] = True
    waiting = [(0, np.zeros((len(faces), 3), int), np.arange(len(faces)))]
    while waiting:
        level, cells, which = waiting.pop()
        if len(cells) > MANY:
            waiting.append((level, cells[MANY:], which[MANY:]))
        inner, triangle = (2 * cells[:MANY, None] + CORNERS).reshape(-1, 3), np.repeat(which[:MANY], 8)
        level += 1
        if level == DEPTH - 1:  # cells that are met already need no other triangle
            fresh = ~met[level][tuple(inner.T)]
            inner, triangle = inner[fresh], triangle[fresh]
        meets = overlap(centre(inner, level, middle, half), half / 2**level, vertices[faces[triangle]])
        met[level][tuple(inner[meets].T)] = True
        if level < DEPTH - 1 and meets.any():
            waiting.append((level, inner[meets], triangle[meets]))
    return [np.argwhere(cells) for cells in met]


def overlap(centres: np.ndarray, half: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Whether boxes of one size meet triangles [n, 3, 3], each its own: no axis separates them."""
    corners = triangles.astype(float) - centres[:, None]
    edges = np.roll(corners, -1, axis=1) - corners
    meets = (corners.min(axis=1) <= half).all(axis=1) & (corners.max(axis=1) >= -half).all(axis=1)
    normal = np.cross(edges[:, 0], edges[:, 1])
    meets &= np.abs((corners[:, 0] * normal).sum(axis=1)) <= np.abs(normal) @ half
    for k in range(3):
        for side in np.eye(3):
            axis = np.cross(side, edges[:, k])
            places, reach = np.einsum("nij,nj->ni", corners, axis), np.abs(axis) @ half
            meets &= (places.min(axis=1) <= reach) & (places.max(axis=1) >= -reach)
    return meets


def balanced(splits: list[np.ndarray]) -> list[np.ndarray]:
    """The same cells of each level, and those that have to be split for their neighbours across faces."""
    found = list(splits)
    for level in range(len(splits) - 1, 0, -1):
        near = (found[level][:, None] + FACES).reshape(-1, 3)
        near = near[((near >= 0) & (near < 2**level)).all(axis=1)]
        found[level - 1] = np.unique(np.concatenate([found[level - 1], near // 2]), axis=0)
    return found


def distances(points: np.ndarray, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Signed distances of points, those that occur several times found once."""
    scale = 1.0e-9 * max(1.0, float(np.ptp(vertices)))
    _, first, back = np.unique(
        np.round(points / scale).astype(np.int64), axis=0, return_index=True, return_inverse=True
    )
    return signed_distances(points[first], vertices, faces)[back.reshape(-1)]
