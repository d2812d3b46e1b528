"""Solids of surfaces: closed wedges with the volume of twice the thickness."""

import pytest

from newtonlite import Mesh, ModelError
from newtonlite.utils import solidify_mesh
from tests.tolerance import assert_close

TRIANGLE = [[0, 1, 2]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_a_triangle_becomes_a_closed_wedge():
    faces, vertices = solidify_mesh(*TRIANGLE, 0.1)
    assert faces.shape == (8, 3) and vertices.shape == (6, 3)
    solid = Mesh(vertices, faces.ravel())
    assert solid.is_watertight
    assert_close([solid.mass], [0.5 * 0.2], "compiled")
    assert_close(vertices[::2] - vertices[1::2], [[0, 0, 0.2]] * 3, "parameter")


def test_thickness_may_differ_by_vertex():
    _, vertices = solidify_mesh(*TRIANGLE, [0.1, 0.2, 0.3])
    assert_close(vertices[::2, 2], [0.1, 0.2, 0.3], "parameter")


@pytest.mark.parametrize(
    ("faces", "vertices", "thickness", "text"),
    [
        ([0, 1, 2], TRIANGLE[1], 0.1, "faces"),
        ([[0, 1, 3]], TRIANGLE[1], 0.1, "up to 3"),
        (*TRIANGLE, [0.1, 0.2], "thickness"),
    ],
)
def test_arrays_of_other_shapes_are_refused(faces, vertices, thickness, text):
    with pytest.raises(ModelError, match=text):
        solidify_mesh(faces, vertices, thickness)
