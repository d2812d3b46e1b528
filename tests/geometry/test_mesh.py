"""Meshes, hulls and height fields as data."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.hull import convex_hull
from newtonlite.geometry.mesh import Mesh
from tests.tolerance import assert_close, tolerance

TETRAHEDRON = ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
RNG = np.random.default_rng(2)


def volume(vertices, triangles) -> float:
    return float(np.linalg.det(np.asarray(vertices)[np.asarray(triangles).reshape(-1, 3)]).sum() / 6.0)


def test_a_mesh_knows_its_mass_at_density_one():
    mesh = Mesh(*TETRAHEDRON)
    assert_close([mesh.mass], [1 / 6], "compiled")
    assert_close([list(mesh.com)], [[0.25] * 3], "compiled")


@pytest.mark.parametrize(
    ("vertices", "indices", "problem"),
    [
        ([[0, 0, np.nan]] * 3, [0, 1, 2], "vertex 0 is"),
        ([[0, 0, np.inf]] * 3, [0, 1, 2], "vertex 0 is"),
        ([[0, 0]] * 3, [0, 1, 2], "give \\[n, 3\\]"),
        ([], [0, 1, 2], "give \\[n, 3\\]"),
        ([[0, 0, 0]] * 3, [0, 1], "three per triangle"),
        ([[0, 0, 0]] * 3, [], "three per triangle"),
        ([[0, 0, 0]] * 3, [0, 1, 3], "triangle 0 has vertex 3"),
        ([[0, 0, 0]] * 3, [0, -1, 2], "triangle 0 has vertex -1"),
        ([[0, 0, 0]] * 3, [0.0, 1.0, 2.0], "whole numbers"),
    ],
)
def test_a_mesh_that_is_none_is_refused(vertices, indices, problem):
    with pytest.raises(ModelError, match=problem):
        Mesh(vertices, indices)


def test_a_closed_mesh_is_watertight_and_an_open_one_is_not():
    vertices, indices = TETRAHEDRON
    assert Mesh(vertices, indices).is_watertight
    assert not Mesh(vertices, indices[:-3]).is_watertight
    assert not Mesh(vertices, [0, 1, 2, *indices[3:]]).is_watertight


def test_vertices_at_one_place_close_a_mesh():
    vertices, indices = TETRAHEDRON
    split = Mesh(np.array(vertices)[indices], np.arange(12))
    assert split.is_watertight and len(split.edges) == 6


def test_changed_vertices_are_seen():
    mesh = Mesh(*TETRAHEDRON)
    assert mesh.is_watertight
    mesh.indices = TETRAHEDRON[1][:-3]
    assert not mesh.is_watertight


MADE = {
    "box": (Mesh.create_box(0.1, 0.2, 0.3), 0.048, (0.1, 0.2, 0.3)),
    "joined box": (Mesh.create_box(0.5, duplicate_vertices=False), 1.0, (0.5, 0.5, 0.5)),
    "sphere": (Mesh.create_sphere(0.5), np.pi / 6, (0.5, 0.5, 0.5)),
    "ellipsoid": (Mesh.create_ellipsoid(0.1, 0.2, 0.3), 0.008 * np.pi, (0.1, 0.2, 0.3)),
    "capsule": (Mesh.create_capsule(0.1, 0.2), 0.004 * np.pi + 0.004 / 3 * np.pi, (0.1, 0.3, 0.1)),
    "cylinder": (Mesh.create_cylinder(0.1, 0.2, up_axis="x"), 0.004 * np.pi, (0.2, 0.1, 0.1)),
    "frustum": (
        Mesh.create_cylinder(0.1, 0.2, up_axis="z", top_radius=0.05),
        0.4 * np.pi * 0.0175 / 3,
        (0.1, 0.1, 0.2),
    ),
    "cone": (Mesh.create_cone(0.1, 0.3, up_axis="z"), 0.002 * np.pi, (0.1, 0.1, 0.3)),
}


@pytest.mark.parametrize("name", MADE)
def test_made_meshes_are_closed_face_outwards_and_fill_their_shape(name):
    mesh, exact, extent = MADE[name]
    assert mesh.is_watertight
    assert 0.97 * exact < volume(mesh.vertices, mesh.indices) < 1.0001 * exact
    assert_close([np.ptp(mesh.vertices, axis=0) / 2], [extent], "parameter")
    outwards = np.einsum("ni,ni->n", mesh.normals, mesh.vertices)
    assert outwards.min() > 0.0


def test_a_ball_can_be_turned_inside_out():
    assert (
        volume(
            Mesh.create_sphere(0.5, reverse_winding=True).vertices,
            Mesh.create_sphere(0.5, reverse_winding=True).indices,
        )
        < -0.5
    )


def test_a_made_plane_faces_up():
    plane = Mesh.create_plane(2.0, 4.0)
    assert (plane.normals == [0, 0, 1]).all() and np.ptp(plane.vertices, axis=0).tolist() == [2, 4, 0]


@pytest.mark.parametrize(
    "make", [lambda: Mesh.create_box(-1.0), lambda: Mesh.create_cone(1.0, np.nan), lambda: Mesh.create_sphere(0.0)]
)
def test_shapes_without_size_are_not_made(make):
    with pytest.raises(ModelError, match="positive and finite"):
        make()


def test_a_copy_is_on_its_own():
    mesh = Mesh(*TETRAHEDRON)
    copied = mesh.copy()
    copied.vertices[0] = 5.0
    assert (mesh.vertices[0] == 0).all() and copied.mass == mesh.mass


def test_the_hull_of_a_filled_cube_is_the_cube():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    vertices, triangles = convex_hull(np.vstack([corners, RNG.uniform(-0.9, 0.9, (50, 3)), corners]))
    assert len(vertices) == 8 and len(triangles) == 12
    assert_close([volume(vertices, triangles)], [8.0], "compiled")


def test_a_hull_holds_all_points_and_faces_outwards():
    points = RNG.normal(size=(200, 3))
    vertices, triangles = convex_hull(points)
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    heights = np.einsum("fi,fpi->fp", normals, points[None] - a[:, None])
    assert heights.max() <= tolerance("compiled") * np.abs(heights).max()
    assert len(triangles) == 2 * len(vertices) - 4


@pytest.mark.parametrize(
    "points", [np.zeros((5, 3)), RNG.normal(size=(9, 3)) * [1, 1, 0], np.outer(np.arange(5.0), [1, 2, 3])]
)
def test_flat_points_have_no_hull(points):
    with pytest.raises(ModelError, match="plane"):
        convex_hull(points)


def test_a_mesh_becomes_its_hull():
    dented = Mesh([*TETRAHEDRON[0], [0.2, 0.2, 0.2]], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 4, 2, 3, 4, 3, 1, 4])
    assert dented.mass < 1 / 6 - 0.01
    dented.compute_convex_hull(replace=True)
    assert_close([dented.mass], [1 / 6], "compiled")


def test_heights_are_kept_between_zero_and_one():
    field = Heightfield([[1, 2, 3], [3, 4, 5]], nrow=2, ncol=3, hx=2.0, hy=1.0)
    assert (field.min_z, field.max_z) == (1.0, 5.0)
    assert field.data.tolist() == [[0, 0.25, 0.5], [0.5, 0.75, 1]]
    assert [list(corner) for corner in field.bounds()] == [[-2, -1, 1], [2, 1, 5]]


def test_a_level_field_is_zero():
    assert not Heightfield(np.full(4, 7.0), 2, 2).data.any()


@pytest.mark.parametrize(
    "given",
    [
        {"data": [1, 2, 3], "nrow": 2, "ncol": 2},
        {"data": [1], "nrow": 1, "ncol": 1},
        {"data": [1, 2, 3, np.nan], "nrow": 2, "ncol": 2},
        {"data": [1, 2, 3, 4], "nrow": 2, "ncol": 2, "hx": 0.0},
        {"data": [1, 2, 3, 4], "nrow": 2, "ncol": 2, "min_z": 2.0, "max_z": 1.0},
        {"data": [1, 2, 3, 4], "nrow": 2, "ncol": 2, "min_z": np.nan},
        {"data": [1, 2, 3, 4], "nrow": "two", "ncol": 2},
    ],
)
def test_a_height_field_that_is_none_is_refused(given):
    with pytest.raises(ModelError, match="Heightfield"):
        Heightfield(**given)


def test_meshes_of_one_shape_have_one_hash():
    """Looks do not count, places and triangles do, and changes in place once its caches are invalidated."""
    mesh = Mesh(*TETRAHEDRON)
    plain = hash(mesh)
    mesh.texture_transform, mesh.color = ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0)), (1.0, 0.0, 0.0)
    assert hash(mesh) == hash(mesh.copy()) == hash(Mesh(*TETRAHEDRON)) == plain
    assert hash(Mesh(*TETRAHEDRON, is_solid=False)) != plain
    mesh.vertices[0] += 0.5
    mesh.invalidate_cache()
    assert hash(mesh) != plain
