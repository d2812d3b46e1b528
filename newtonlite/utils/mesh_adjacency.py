"""Neighbourhood in a mesh of triangles: its edges with the triangles beside them, and what each vertex belongs to."""

import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, NewtonWarning, external

KINDS = ("tris", "edges", "springs", "tets")


@wp.struct
class MeshAdjacencyData:
    """The tables of a ``MeshAdjacency`` on a device, for kernels."""

    edge_tri_indices: wp.array2d[wp.int32]
    tri_edge_indices: wp.array2d[wp.int32]
    v_adj_tris: wp.array[wp.int32]
    v_adj_tris_offsets: wp.array[wp.int32]
    v_adj_edges: wp.array[wp.int32]
    v_adj_edges_offsets: wp.array[wp.int32]
    v_adj_springs: wp.array[wp.int32]
    v_adj_springs_offsets: wp.array[wp.int32]
    v_adj_tets: wp.array[wp.int32]
    v_adj_tets_offsets: wp.array[wp.int32]


class MeshAdjacency:
    """Edges of a mesh of triangles, triangles beside edges, and elements around vertices, as NumPy arrays of int32.

    ``edge_indices [n, 4]`` has of each edge the vertices opposite of it in its two triangles (-1: none), then its own two,
    ``edge_tri_indices [n, 2]`` these triangles, ``tri_edge_indices [m, 3]`` of each triangle the edges from corner k to the
    next (-1: no edge of the list). Edges are numbered as triangles come to them, unless ``edge_indices`` gives them.
    ``v_adj_edges``, ``v_adj_tris`` and ``v_adj_tets`` list pairs of an element around a vertex and the vertex's place in it,
    ``v_adj_springs`` the springs; those of vertex i are from ``..._offsets[i]`` to ``[i + 1]``. They are None before
    ``init_vertex_adjacency``. ``indices``, ``spring_indices`` and ``tet_indices`` are copies of what was given.
    """

    def __init__(
        self, tri_indices: Any = None, edge_indices: Any = None, spring_indices: Any = None, tet_indices: Any = None
    ):
        given = (tri_indices, spring_indices, tet_indices)
        self.indices, self.spring_indices, self.tet_indices = (None if x is None else _numbers(x) for x in given)
        triangles = _rows(tri_indices, 3)
        sides = _Sides(triangles)
        self.edge_indices = sides.edges() if edge_indices is None else _rows(edge_indices, 4)
        self.edge_tri_indices, self.tri_edge_indices = sides.maps(self.edge_indices, chosen=edge_indices is not None)
        for kind in KINDS:
            setattr(self, f"v_adj_{kind}", None)
            setattr(self, f"v_adj_{kind}_offsets", None)
        self.vertex_adjacency_initialized = False

    @staticmethod
    def compute_vertex_adjacency(
        particle_count: int,
        *,
        edge_indices: Any = None,
        tri_indices: Any = None,
        spring_indices: Any = None,
        tet_indices: Any = None,
    ) -> "MeshAdjacency":
        """The neighbourhood in a mesh, with the elements around each vertex."""
        made = MeshAdjacency(tri_indices, edge_indices, spring_indices, tet_indices)
        return made.init_vertex_adjacency(particle_count)

    def init_vertex_adjacency(self, particle_count: int) -> "MeshAdjacency":
        """List the elements around each of ``particle_count`` vertices, unless that is done; returns itself.

        ModelError where an element has another vertex.
        """
        if self.vertex_adjacency_initialized:
            return self
        tables = {
            "tris": (_rows(self.indices, 3), (0, 1, 2), True),
            "edges": (self.edge_indices, (2, 3, 0, 1), True),
            "springs": (_rows(self.spring_indices, 2), (0, 1), False),
            "tets": (_rows(self.tet_indices, 4), (0, 1, 2, 3), True),
        }
        for kind, (table, order, placed) in tables.items():
            if table.size and table.max() >= particle_count:
                raise ModelError(f"MeshAdjacency {kind}: vertex {table.max()} of {particle_count}; count from 0")
            records, offsets = _around(table[:, order], np.array(order), particle_count)
            setattr(self, f"v_adj_{kind}", np.ascontiguousarray(records if placed else records[:, :1]).ravel())
            setattr(self, f"v_adj_{kind}_offsets", offsets * (2 if placed else 1))
        self.vertex_adjacency_initialized = True
        return self

    def to(self, device: Any) -> MeshAdjacencyData:
        """The tables on a device; those of vertices only where they have been made, with a warning where not."""
        names = ["edge_tri_indices", "tri_edge_indices"]
        if self.vertex_adjacency_initialized:
            names += [f"v_adj_{kind}{part}" for kind in KINDS for part in ("", "_offsets")]
        else:
            text = "MeshAdjacency.to: elements around vertices are left out; call init_vertex_adjacency before"
            warnings.warn(text, NewtonWarning, stacklevel=external())
        data = MeshAdjacencyData()
        for name in names:
            setattr(data, name, wp.array(getattr(self, name), dtype=wp.int32, device=device))
        return data


class _Sides:
    """Sides of triangles, one after the other: their ends, the corner opposite, and the pair of ends as one number."""

    def __init__(self, triangles: np.ndarray):
        self.count = len(triangles)
        self.ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
        self.opposite = np.roll(triangles, -2, axis=1).ravel()
        self.triangle = np.repeat(np.arange(self.count, dtype=np.int32), 3)

    def edges(self) -> np.ndarray:
        """Edges in the order of their first sides, with the corners opposite in the first two triangles."""
        _, first, which = np.unique(_pairs(self.ends), return_index=True, return_inverse=True)
        if not len(first):
            return np.empty((0, 4), np.int32)
        sides = [np.flatnonzero(which == e) for e in np.argsort(first)]
        for around in sides:
            if len(around) > 2:
                text = f"MeshAdjacency: edge {self.ends[around[0]].tolist()} is non-manifold, {len(around)} triangles"
                warnings.warn(f"{text} share it; the first two count", NewtonWarning, stacklevel=external())
        opposite = [(self.opposite[s[0]], self.opposite[s[1]] if len(s) > 1 else -1) for s in sides]
        return np.array([(*o, *self.ends[s[0]]) for o, s in zip(opposite, sides, strict=True)], np.int32)

    def maps(self, edges: np.ndarray, *, chosen: bool) -> tuple[np.ndarray, np.ndarray]:
        """Triangles beside each edge, and edges of each triangle; the two triangles of ``chosen`` edges are those that have
        their opposite vertices.
        """
        number = {pair: e for e, pair in reversed([*enumerate(_pairs(edges[:, 2:]).tolist())])}
        of_side = np.array([number.get(pair, -1) for pair in _pairs(self.ends).tolist()], np.int32)
        beside = np.full((len(edges), 2), -1, np.int32)
        for e, (one, two) in enumerate(edges[:, :2].tolist()):
            around = np.flatnonzero(of_side == e)
            if not chosen or one == two:
                beside[e, : min(2, len(around))] = self.triangle[around[:2]]
                continue
            for k, corner in enumerate((one, two)):
                found = around[self.opposite[around] == corner]
                if corner >= 0 and len(found):
                    beside[e, k] = self.triangle[found[0]]
        return beside, of_side.reshape(self.count, 3)


def _around(table: np.ndarray, place: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(element, place in it) of every vertex of a table's rows, vertex by vertex, and where those of each begin."""
    element, column = np.nonzero(table >= 0)
    vertex = table[element, column]
    order = np.argsort(vertex, kind="stable")
    records = np.stack([element, place[column]], axis=1)[order].astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=count))])
    return records, offsets.astype(np.int32)


def _pairs(ends: np.ndarray) -> np.ndarray:
    """Each pair of vertices, in either order, as one number."""
    low, high = ends.min(axis=1).astype(np.int64), ends.max(axis=1).astype(np.int64)
    return (low << 32) + high


def _numbers(values: Any) -> np.ndarray:
    """A copy as int32."""
    return np.array(values.numpy() if isinstance(values, wp.array) else values, dtype=np.int32)


def _rows(values: Any, width: int) -> np.ndarray:
    """Rows of so many numbers; none of None."""
    return np.empty((0, width), np.int32) if values is None else _numbers(values).reshape(-1, width)
