"""Neighbourhood in a mesh of triangles: edges, triangles beside them, elements around vertices."""

import warnings

import numpy as np
import pytest

from newtonlite import ModelError
from newtonlite.core.errors import NewtonWarning
from newtonlite.utils import MeshAdjacency

# a square of two triangles, and a third one on its right side
STRIP = [[0, 1, 2], [0, 2, 3], [1, 4, 2]]


def test_edges_are_numbered_as_triangles_come_to_them():
    found = MeshAdjacency(STRIP)
    assert found.edge_indices[:, 2:].tolist() == [[0, 1], [1, 2], [2, 0], [2, 3], [3, 0], [1, 4], [4, 2]]
    assert found.edge_indices[:, :2].tolist() == [[2, -1], [0, 4], [1, 3], [0, -1], [2, -1], [2, -1], [1, -1]]
    assert found.edge_tri_indices.tolist() == [[0, -1], [0, 2], [0, 1], [1, -1], [1, -1], [2, -1], [2, -1]]
    assert found.tri_edge_indices.tolist() == [[0, 1, 2], [2, 3, 4], [5, 6, 1]]
    assert found.edge_indices.dtype == np.int32 and MeshAdjacency().edge_indices.shape == (0, 4)


def test_edges_of_ones_own_keep_their_numbers():
    """In any order and direction; triangles are known by their vertex opposite, and edges that are left out have none."""
    derived, order = MeshAdjacency(STRIP), [2, 6, 1]
    own = derived.edge_indices[order][:, [0, 1, 3, 2]]
    own[0, :2] = own[0, :2][::-1]
    found = MeshAdjacency(STRIP, edge_indices=own)
    assert found.edge_indices.tolist() == own.tolist()
    assert found.edge_tri_indices.tolist() == [[1, 0], [2, -1], [0, 2]]
    assert found.tri_edge_indices.tolist() == [[-1, 2, 0], [0, -1, -1], [-1, 1, 2]]


def test_an_edge_of_three_triangles_is_said():
    with pytest.warns(NewtonWarning, match="non-manifold, 3 triangles"):
        found = MeshAdjacency([[0, 1, 2], [0, 1, 3], [1, 0, 4]])
    assert found.edge_tri_indices[0].tolist() == [0, 1] and found.tri_edge_indices[:, 0].tolist() == [0, 0, 0]


def test_elements_around_vertices_are_pairs_of_element_and_place():
    given = {"tri_indices": STRIP, "spring_indices": [0, 4, 4, 1], "tet_indices": [[0, 1, 2, 4]]}
    found = MeshAdjacency.compute_vertex_adjacency(6, **given)

    def around(kind: str, vertex: int) -> list:
        first, last = getattr(found, f"v_adj_{kind}_offsets")[vertex : vertex + 2]
        return getattr(found, f"v_adj_{kind}")[first:last].tolist()

    assert around("tris", 2) == [0, 2, 1, 1, 2, 2] and around("tris", 5) == []
    assert around("edges", 4) == [1, 1, 5, 3, 6, 2]
    assert around("springs", 4) == [0, 1] and around("tets", 4) == [0, 3]
    for e, row in enumerate(found.edge_indices.tolist()):
        for place, vertex in enumerate(row):
            pairs = np.reshape(around("edges", vertex), (-1, 2)).tolist() if vertex >= 0 else [[e, place]]
            assert [e, place] in pairs
    assert found.init_vertex_adjacency(6) is found
    with pytest.raises(ModelError, match="vertex 4 of 4"):
        MeshAdjacency(STRIP).init_vertex_adjacency(4)


def test_kernels_get_the_tables(device):
    made = MeshAdjacency(STRIP)
    with pytest.warns(NewtonWarning, match="init_vertex_adjacency"):
        assert made.to(device).v_adj_tris is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = made.init_vertex_adjacency(5).to(device)
    assert data.tri_edge_indices.numpy().tolist() == made.tri_edge_indices.tolist()
    assert data.v_adj_edges.numpy().tolist() == made.v_adj_edges.tolist()


def test_what_was_given_is_copied():
    triangles = np.array(STRIP)
    made = MeshAdjacency(triangles)
    triangles[:] = 9
    assert made.indices.tolist() == STRIP
