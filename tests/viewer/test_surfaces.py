"""Triangles of shapes: the right volume, smooth where they are round, sharp where they have edges."""

import numpy as np
import pytest

from newtonlite import Heightfield, Mesh
from newtonlite.core.enums import GeoType
from newtonlite.viewer.surfaces import creased, join_surfaces, shape_surface
from tests.tolerance import tolerance

PI = np.pi
VOLUMES = {
    GeoType.SPHERE: ((0.3, 0, 0), 4 / 3 * PI * 0.3**3),
    GeoType.ELLIPSOID: ((0.3, 0.2, 0.1), 4 / 3 * PI * 0.3 * 0.2 * 0.1),
    GeoType.CAPSULE: ((0.1, 0.4, 0), PI * 0.01 * 0.8 + 4 / 3 * PI * 0.001),
    GeoType.CYLINDER: ((0.2, 0.5, 0), PI * 0.04 * 1.0),
    GeoType.CONE: ((0.2, 0.5, 0), PI * 0.04 * 1.0 / 3),
    GeoType.BOX: ((0.1, 0.2, 0.3), 8 * 0.1 * 0.2 * 0.3),
}


@pytest.mark.parametrize("kind", VOLUMES, ids=lambda kind: kind.name)
def test_a_shape_has_its_volume(kind):
    scale, volume = VOLUMES[kind]
    assert shape_surface(kind, scale).volume == pytest.approx(volume, rel=tolerance("drawn_volume"))


@pytest.mark.parametrize("factors", [(1, 1, 1), (2, 1, 0.5), (-1, 1, 1)])
def test_a_mesh_has_its_volume_even_mirrored(factors):
    box = Mesh.create_box(0.1, 0.2, 0.3, duplicate_vertices=False)
    assert shape_surface(GeoType.MESH, factors, box).volume == pytest.approx(
        8 * 0.006 * abs(np.prod(factors)), rel=tolerance("drawn_volume")
    )


def test_a_height_field_has_its_heights():
    heights = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    ground = shape_surface(GeoType.HFIELD, (1, 1, 1), Heightfield(heights, 2, 3, hx=2.0, hy=1.0))
    corners = {tuple(row) for row in ground.vertices.round(5).tolist()}
    assert {(-2.0, -1.0, 0.0), (2.0, -1.0, 2.0), (-2.0, 1.0, 3.0), (2.0, 1.0, 5.0)} <= corners


def test_edges_of_a_box_are_sharp_and_a_ball_is_smooth():
    box, ball = Mesh.create_box(1.0, duplicate_vertices=False), Mesh.create_sphere(1.0)
    assert len(creased(box.vertices, box.triangles).vertices) == 24
    # poles of a ball have faces of many directions, which the crease may split
    assert len(creased(ball.vertices, ball.triangles).vertices) <= len(ball.vertices) + 64


def test_creasing_keeps_every_triangle_in_place():
    ball = Mesh.create_sphere(1.0, num_latitudes=6, num_longitudes=7)
    split = creased(ball.vertices, ball.triangles)
    assert np.array_equal(split.vertices[split.faces], ball.vertices[ball.triangles])


def test_surfaces_are_joined_and_placed():
    box = shape_surface(GeoType.BOX, (0.1, 0.1, 0.1))
    moved = box.placed([1.0, 2.0, 3.0, 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])
    both = join_surfaces([box, moved])
    assert both.volume == pytest.approx(2 * box.volume, rel=tolerance("drawn_volume"))
    assert np.allclose(moved.vertices.mean(axis=0), [1, 2, 3], atol=tolerance("drawn_corner"))


def test_what_has_no_surface_is_refused_by_name():
    with pytest.raises(ValueError, match="NONE"):
        shape_surface(GeoType.NONE, (1, 1, 1))
