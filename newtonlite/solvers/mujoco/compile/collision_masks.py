"""Collision masks: 32-bit ``contype`` and ``conaffinity`` that reproduce a list of filtered pairs, by graph colouring.

Shapes that collide with the same others have one colour. A colour's bit stands in the ``contype`` of its shapes and in the
``conaffinity`` of all shapes they collide with; an edge needs the bit of one of its ends only, so a vertex cover of the
colours' graph gets bits.
"""

import numpy as np

BITS = 32


def masks(meet) -> tuple[np.ndarray, np.ndarray]:
    """(contype, conaffinity) int64 [n] for a symmetric relation ``meet`` bool [n, n].

    Exact where 32 bits suffice; else colours beyond the 31st share a bit that lets them collide with all.
    """
    meet = np.array(meet, bool)
    np.fill_diagonal(meet, False)
    colour = colours(meet)
    first = np.unique(colour, return_index=True)[1]
    graph = meet[np.ix_(first, first)]
    own = np.zeros(len(first), bool)
    own[np.unique(colour[np.nonzero((meet & (colour[:, None] == colour)).any(axis=1))[0]])] = True
    graph |= np.diag(own)
    cover = vertex_cover(graph)
    contype, conaffinity = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    shared = cover[BITS - 1 :] if len(cover) > BITS else []
    for k, c in enumerate(cover[: len(cover) - len(shared)]):
        bit = 1 << (k + bool(len(shared)))
        contype[c] = bit
        conaffinity[graph[c]] |= bit
    if len(shared):
        contype[shared] = 1
        conaffinity |= 1
    return contype[colour], conaffinity[colour]


def colours(meet) -> np.ndarray:
    """Colour of each shape, int [n]: one for shapes that collide with the same others, and with all or none of their own."""
    closed = np.unique(meet | np.eye(len(meet), dtype=bool), axis=0, return_inverse=True)[1].reshape(-1)
    opened = np.unique(meet, axis=0, return_inverse=True)[1].reshape(-1)
    several = np.bincount(closed, minlength=len(meet))[closed] > 1
    key = np.where(several, closed, len(meet) + opened)
    return np.unique(key, return_inverse=True)[1].reshape(-1)


def vertex_cover(graph) -> list[int]:
    """Vertices that touch every edge, loops included: those with loops, then greedily the one with most edges left."""
    left = graph.copy()
    cover = np.flatnonzero(np.diag(left)).tolist()
    left[cover], left[:, cover] = False, False
    while left.any():
        most = int(left.sum(axis=1).argmax())
        cover.append(most)
        left[most], left[:, most] = False, False
    return cover
