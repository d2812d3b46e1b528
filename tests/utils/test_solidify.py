"""Solids of surfaces: closed wedges with the volume of twice the thickness."""

import numpy as np
import pytest

from newtonlite import Mesh, ModelError
from newtonlite.utils import solidify_mesh

TRIANGLE = [[0, 1, 2]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_a_triangle_becomes_a_closed_wedge():
    faces, vertices = solidify_mesh(*TRIANGLE, 0.1)
    assert faces.shape == (8, 3) and vertices.shape == (6, 3)
    solid = Mesh(vertices, faces.ravel())
    assert solid.is_watertight
    assert solid.mass == pytest.approx(0.5 * 0.2, rel=1e-5)
    np.testing.assert_allclose(vertices[::2] - vertices[1::2], [[0, 0, 0.2]] * 3, atol=1e-7)


def test_thickness_may_differ_by_vertex():
    _, vertices = solidify_mesh(*TRIANGLE, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(vertices[::2, 2], [0.1, 0.2, 0.3], atol=1e-7)


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
