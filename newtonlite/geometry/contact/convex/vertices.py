"""Vertices of hulls in groups of eight, for vector units.

Every hull begins a group; the last one of a hull is filled up with its first vertex.
"""

import numpy as np
import warp as wp

from newtonlite.core.native import header
from newtonlite.geometry.contact.convex.number import real, vec

native = header(__file__)

GROUP = 8


@wp.func_native(native("vertex_at"))
def vertex_at(vert: wp.array[float], i: int) -> vec:
    """Vertex ``i`` of all."""
    ...


@wp.func_native(native("few_vertices"))
def few_vertices() -> int:
    """Most vertices of a hull that is searched all through, where that takes less time than a climb from neighbour to
    neighbour.
    """
    ...


@wp.func_native(native("farthest_vertex"))
def farthest_vertex(vert: wp.array[float], first: int, count: int, toward: vec, reach: real) -> int:
    """Farthest along the unit vector ``toward`` of ``count`` vertices from ``first`` on; of equally far ones the first.

    All vertices are within ``reach`` of the origin of their frame, 0 where that is not known. It saves time.
    """
    ...


@wp.func_native(native("climb"))
def climb(
    vert: wp.array[float], nbr_adr: wp.array[int], nbr: wp.array[int], first: int, start: int, toward: vec
) -> int:
    """Top of a climb along ``toward`` from neighbour to neighbour, in the hull whose vertices are from ``first`` on; of
    equally high neighbours the first.
    """
    ...


def filled(vertices: np.ndarray) -> np.ndarray:
    """Vertices of a hull [n, 3] with as many copies of the first one as fill the last group."""
    return np.concatenate([vertices, np.repeat(vertices[:1], -len(vertices) % GROUP, axis=0)])


def grouped(vertices: np.ndarray) -> np.ndarray:
    """Vertices [n, 3] of whole groups as they are stored, [3 n]."""
    return np.ascontiguousarray(np.reshape(vertices, (-1, GROUP, 3)).swapaxes(1, 2)).ravel()
