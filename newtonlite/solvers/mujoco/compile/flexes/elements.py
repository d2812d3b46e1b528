"""Elements of flexes: their orientation, edges, layers from the outside, and outer faces."""

import numpy as np

LOCAL_EDGES = {1: ((0, 1),), 2: ((1, 2), (2, 0), (0, 1)), 3: ((0, 1), (1, 2), (2, 0), (2, 3), (0, 3), (1, 3))}
"""Pairs of an element's vertices that are its edges, by dimension, in MuJoCo's order."""
FACES = {1: ((0,), (1,)), 2: ((0, 1), (1, 2), (2, 0)), 3: ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2))}
"""Outer sides of an element, by dimension."""


def oriented(elements: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Tetrahedra with the orientation that MuJoCo gives them: seen from the last vertex the others run clockwise. The
    second and third vertex of those with the other one are exchanged.
    """
    if elements.shape[1] != 4:
        return elements
    a, b, c, d = (places[elements[:, k]] for k in range(4))
    other = np.einsum("ni,ni->n", np.cross(b - a, c - a), d - a) > 0
    return np.where(other[:, None], elements[:, [0, 2, 1, 3]], elements)


def number_edges(elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges [e, 2] (smaller vertex, larger one) in the order in which elements come upon them, and those of each
    element.
    """
    pairs = np.sort(elements[:, np.array(LOCAL_EDGES[elements.shape[1] - 1])], -1).reshape(-1, 2)
    place, first = first_use(pairs)
    return pairs[first], place.reshape(len(elements), -1)


def first_use(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers [n] of equal rows by their first use, and where each number is used first."""
    _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return number[index.reshape(-1)], first[order]


def edge_flaps(elements: np.ndarray, edges: np.ndarray, elemedge: np.ndarray) -> np.ndarray:
    """Vertices [e, 2] opposite to each edge in the first and the second triangle that has it; -1: there is none."""
    flaps = np.full((len(edges), 2), -1)
    for triangle, own in zip(elements.tolist(), elemedge.tolist(), strict=True):
        for opposite, edge in zip(triangle, own, strict=True):  # edge k is opposite to vertex k
            flaps[edge, 0 if flaps[edge, 0] < 0 else 1] = opposite
    return flaps


def sides(elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m sides, dim] of the sides of all elements, and their numbers: equal for one side of two elements."""
    faces = elements[:, np.array(FACES[elements.shape[1] - 1])]
    flat = faces.reshape(-1, faces.shape[-1])
    return flat, first_use(np.sort(flat, -1))[0]


def outer_faces(elements: np.ndarray) -> np.ndarray:
    """Sides [n, dim] that one element alone has, in the order of their sorted vertices."""
    flat, number = sides(elements)
    found = flat[np.bincount(number)[number] == 1]
    return found[np.lexsort(np.sort(found, -1).T[::-1])]


def layers(elements: np.ndarray) -> np.ndarray:
    """Number of tetrahedra between each one and the outside, over common faces; 0 for elements of fewer dimensions."""
    found = np.zeros(len(elements), np.int64)
    if elements.shape[1] != 4:
        return found
    _, number = sides(elements)
    alone = (np.bincount(number)[number] == 1).reshape(len(elements), -1).any(-1)
    neighbours = adjacency(number.reshape(len(elements), -1))
    found[:] = -1
    found[alone] = 0
    front = np.flatnonzero(alone)
    while len(front):
        near = neighbours[front].ravel()
        near = np.unique(near[near >= 0])
        near = near[found[near] < 0]
        found[near] = found[front[0]] + 1
        front = near
    return np.maximum(found, 0)


def adjacency(faces: np.ndarray) -> np.ndarray:
    """Element on the other side of each face [m, faces]; -1: the outside."""
    flat = faces.ravel()
    order = np.argsort(flat, kind="stable")
    pair = np.flatnonzero(flat[order][1:] == flat[order][:-1])
    out, width = np.full(len(flat), -1), faces.shape[1]
    out[order[pair]], out[order[pair + 1]] = order[pair + 1] // width, order[pair] // width
    return out.reshape(faces.shape)
