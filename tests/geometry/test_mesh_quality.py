"""Warnings of bad triangles and tetrahedra, and silence about good ones."""

import warnings

import numpy as np
import pytest

from newtonlite import NewtonWarning
from newtonlite.utils import validate_tet_mesh, validate_triangle_mesh

CORNERS = np.array([[1, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]], float) / 20
EQUAL = np.array([[0, 0, 0], [1, 0, 0], [0.5, 3**0.5 / 2, 0]]) / 10


@pytest.mark.parametrize(
    "points, indices, text",
    [
        (EQUAL / 1000, [[0, 1, 2]], "1 triangle.s. with area < 1e-06"),
        ([[0, 0, 0], [1, 0, 0], [0.5, 1e-3, 0]], [0, 1, 2], "1 sliver.*aspect ratio > 20.0 .worst: 1000.0"),
        ([[0, 0, 0], [1, 0, 0], [0.1, 0.0035, 0]], [0, 1, 2], "minimum angle < 5.0° .smallest: 0.2°"),
        (EQUAL, [0, 1], "not a multiple of 3"),
        (EQUAL, [0, 1, 3], "out of range for 3"),
        (EQUAL, [0, 1, -1], "out of range"),
        (EQUAL, [], "no triangles"),
    ],
)
def test_bad_triangles(points, indices, text):
    with pytest.warns(NewtonWarning, match=text) as caught:
        validate_triangle_mesh(points, indices)
    assert len(caught) == 1 and caught[0].filename == __file__


@pytest.mark.parametrize(
    "points, indices, text",
    [
        (CORNERS, [[0, 1, 3, 2]], "1 inverted"),
        (CORNERS / 100, [[0, 1, 2, 3]], "volume < 1e-09"),
        (CORNERS * [1, 1, 1e-6], [[0, 1, 2, 3]], "sliver.*eta < 0.01"),
        (
            np.vstack([CORNERS, CORNERS[3] * 2, CORNERS[3] * 3]),
            [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]],
            "non-manifold",
        ),
        (CORNERS, [0, 1, 2], "not a multiple of 4"),
        (CORNERS, [0, 1, 2, 9], "out of range"),
    ],
)
def test_bad_tetrahedra(points, indices, text):
    with pytest.warns(NewtonWarning, match=text):
        validate_tet_mesh(points, indices)


def test_good_meshes_are_silent_and_bounds_can_be_set():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        validate_triangle_mesh(EQUAL, [[0, 1, 2]])
        validate_tet_mesh(CORNERS, [[0, 1, 2, 3]], min_eta=0.9999)
    with pytest.warns(NewtonWarning, match=r"warning \[leg\]"):
        validate_triangle_mesh(EQUAL, [[0, 1, 2]], min_area=1.0, label="leg")
    with pytest.warns(NewtonWarning, match="eta < 1.1"):
        validate_tet_mesh(CORNERS, [[0, 1, 2, 3]], min_eta=1.1)
