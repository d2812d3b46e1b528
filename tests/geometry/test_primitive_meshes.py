"""Arrows, height maps and terrain as meshes; meshes as height fields; the hash of a texture."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.mesh import Mesh
from tests.tolerance import assert_close


def test_an_arrow_is_a_cylinder_and_a_cone():
    arrow = Mesh.create_arrow(0.1, 1.0, up_axis="x", segments=64)
    polygon = 32 * np.sin(2 * np.pi / 64)
    assert arrow.is_watertight
    assert_close([arrow.mass], [polygon * (0.1**2 * 1.0 + 0.18**2 * 0.18 / 3)], "compiled")
    assert_close(
        [[arrow.vertices.min(axis=0), arrow.vertices.max(axis=0)]],
        [[[0, -0.18, -0.18], [1.18, 0.18, 0.18]]],
        "parameter",
    )


def test_an_arrow_as_wide_as_its_cone_is_closed():
    arrow = Mesh.create_arrow(0.1, 1.0, cap_radius=0.1, cap_height=0.3)
    assert arrow.is_watertight and np.ptp(arrow.vertices[:, 1]) == np.float32(1.3)


def test_a_sloped_height_map_has_the_volume_of_a_wedge():
    x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1.5, 1.5, 4), indexing="ij")
    mesh = Mesh.create_heightfield(1.0 + 0.25 * x - 0.1 * y, 2.0, 3.0, center_x=4.0, center_y=5.0, ground_z=-0.5)
    assert mesh.is_watertight
    assert_close([mesh.mass], [1.5 * 2 * 3], "compiled")
    offset = [0.25 * 2**2 / 12 / 1.5, -0.1 * 3**2 / 12 / 1.5]
    assert_close([np.array(mesh.com)[:2]], [[4 + offset[0], 5 + offset[1]]], "compiled")
    assert_close(
        [[mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)]], [[[3, 3.5, -0.5], [5, 6.5, 1.4]]], "parameter"
    )
    assert mesh.vertices[:20, 2].argmax() == 16, "the first index runs along x"


def test_the_ground_is_no_higher_than_the_lowest_height():
    heights = np.array([[-0.5, 0.2], [0.3, -0.1]])
    with pytest.warns(NewtonWarning, match="height -0.5 is below ground_z 0; the ground is put there"):
        mesh = Mesh.create_heightfield(heights, 1.0, 1.0)
    assert_close([mesh.vertices[:, 2]], [[*heights.ravel(), *[-0.5] * 4]], "parameter")


@pytest.mark.parametrize(
    ("heights", "options", "problem"),
    [
        (np.zeros(4), {}, "2D array .nx, ny. of at least 2x2"),
        (np.zeros((1, 4)), {}, "2D array .nx, ny. of at least 2x2"),
        (np.full((2, 2), np.nan), {}, "not finite"),
        (np.ones((2, 2)), {"extent_y": 0.0}, "positive and finite"),
        (np.ones((2, 2)), {"compute_uvs": True}, "compute_uvs"),
    ],
)
def test_a_height_map_that_is_none_is_refused(heights, options, problem):
    with pytest.raises(ModelError, match=problem):
        Mesh.create_heightfield(heights, **{"extent_x": 1.0, "extent_y": 1.0} | options)


BLOCKS = {
    "pyramid_stairs": ({}, 0.1 * (25 + 9 + 7 * 2 + 5 * 3 + 3 * 4 + 6), (-0.1, 0.6)),
    "random_grid": ({"grid_height_range": (0.2, 0.2)}, 25 * 1.2, (-1, 0.2)),
    "box": ({"box_height": 0.4}, 25 + 1.5**2 * 0.4, (-1, 0.4)),
    "gap": ({}, 25 - 2.8**2 + 1.2**2, (-1, 0)),
    "heightfield": ({"heightfield": np.full((3, 4), 0.7), "ground_z": -0.3}, 25.0, (-0.3, 0.7)),
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_block_of_terrain_is_closed_and_has_the_volume_of_its_parts(kind):
    given, volume, heights = BLOCKS[kind]
    mesh = Mesh.create_terrain((1, 1), terrain_types=kind, terrain_params={kind: given})
    _, same = np.unique(mesh.vertices, axis=0, return_inverse=True)
    ends = same.reshape(-1)[mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)]
    there, back = (np.unique(e, axis=0, return_counts=True) for e in (ends, ends[:, ::-1]))
    assert all(map(np.array_equal, there, back)), "every edge is run along as often one way as the other"
    assert_close([mesh.mass], [volume], "compiled")
    assert_close(
        [[mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)]],
        [[[0, 0, heights[0]], [5, 5, heights[1]]]],
        "parameter",
    )


def test_waves_are_sines_and_flat_ground_is_level():
    waves = Mesh.create_terrain((1, 1), (2.0, 3.0), "wave", {"wave": {"resolution": 21}}, compute_normals=True)
    x, y, z = waves.vertices.T.astype(float)
    assert_close([z], [0.3 * np.sin(np.pi * x) * np.sin(2 * np.pi * y / 3)], "authored")
    assert waves.normals[:, 2].min() > 0.0
    level = Mesh.create_terrain((1, 1), (2.0, 3.0), "flat", {"flat": {"height": 0.5}})
    assert (level.vertices[:, 2] == 0.5).all() and np.ptp(level.vertices, axis=0).tolist() == [2, 3, 0]


def test_types_of_terrain_are_taken_in_turn_row_by_row():
    kinds = [
        *(lambda size, z=z: (np.array([[0, 0, z], [size[0], 0, z], [0, size[1], z]]), [0, 1, 2]) for z in range(3))
    ]
    mesh = Mesh.create_terrain((2, 2), (2.0, 3.0), kinds, compute_inertia=False)
    assert mesh.vertices[::3].tolist() == [[0, 0, 0], [2, 0, 1], [0, 3, 2], [2, 3, 0]]


def test_a_seed_repeats_random_terrain_and_its_blocks_differ():
    first, again, other = (
        Mesh.create_terrain((1, 2), terrain_types="random_grid", seed=seed).vertices for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    left, right = np.split(first[:, 2], 2)
    assert not np.array_equal(left, right) and np.abs(first[first[:, 2] > -1][:, 2]).max() <= 0.15


def test_all_types_but_height_maps_are_the_default():
    assert Mesh.create_terrain((1, 6), seed=1).vertices[:, 0].max() == 30.0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"terrain_types": "hill"}, "known are flat"),
        ({"terrain_params": {"hill": {}}}, "known are flat"),
        ({"terrain_types": "box", "terrain_params": {"box": {"width": 1}}}, "no argument width"),
        ({"terrain_types": "box", "terrain_params": {"box": {"platform_width": 6}}}, "do not fit"),
        ({"terrain_types": "gap", "terrain_params": {"gap": {"gap_width": 2}}}, "do not fit"),
        ({"terrain_types": "gap", "terrain_params": {"gap": {"gap_width": -1}}}, "gap_width"),
        ({"grid_size": (0, 2)}, "rows"),
        ({"block_size": (1.0, -1.0)}, "positive and finite"),
    ],
)
def test_terrain_that_cannot_be_made_is_refused(options, problem):
    with pytest.raises(ModelError, match=problem):
        Mesh.create_terrain(**options)


def test_a_height_field_comes_back_from_its_mesh():
    heights = np.random.default_rng(5).uniform(0.2, 1.0, (7, 5))
    solid = Mesh.create_heightfield(heights, 3.0, 2.0, center_x=4.0, center_y=-1.0)
    mesh = wp.Mesh(
        wp.array(solid.vertices, dtype=wp.vec3, device="cpu"), wp.array(solid.indices, dtype=int, device="cpu")
    )
    field, pose = Heightfield.create_from_mesh(mesh, 0.5)
    assert (field.nrow, field.ncol, field.hx, field.hy) == (5, 7, 1.5, 1.0)
    assert_close([list(pose)], [[4, -1, 0, 0, 0, 0, 1]], "parameter")
    assert_close([field.min_z + field.data * (field.max_z - field.min_z)], [heights.T], "hit_position")
    coarse, _ = Heightfield.create_from_mesh(mesh, 0.01, max_cells_per_axis=4)
    assert (coarse.nrow, coarse.ncol) == (4, 4)
    with pytest.raises(ModelError, match="resolution"):
        Heightfield.create_from_mesh(mesh, 0.0)


def test_what_a_mesh_does_not_cover_is_low():
    points = wp.array([[0, 0, 1], [2, 0, 1], [0, 2, 3]], dtype=wp.vec3, device="cpu")
    triangle = wp.Mesh(points, wp.array([0, 1, 2], dtype=int, device="cpu"))
    field, _ = Heightfield.create_from_mesh(triangle, 2.0)
    assert_close([field.min_z + field.data * (field.max_z - field.min_z)], [[[1, 1], [3, 1]]], "hit_position")


def test_a_texture_is_known_by_its_contents():
    def hashed(texture) -> int:
        return Mesh(np.eye(3), [0, 1, 2], texture=texture).texture_hash

    grid = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert hashed(grid) == hashed(grid.copy()) != hashed(grid + 1)
    assert len({hashed(t) for t in (None, "a.png", "b.png", grid, grid.reshape(4, 1, 3), grid.astype(np.int8))}) == 6


def test_a_barrel_has_the_volume_of_its_profile():
    """The more sides the nearer: pi times the integral of the squared radius along the axis."""
    radius, half, profile = 0.3, 0.4, 0.8
    z = np.linspace(-half, half, 20001)
    r = radius + np.sqrt(profile**2 - z**2) - np.sqrt(profile**2 - half**2)
    want = np.pi * np.sum(np.diff(z) * 0.5 * (r[1:] ** 2 + r[:-1] ** 2))  # np.trapezoid is of NumPy 2
    mesh = Mesh.create_cylinder(radius, half, barrel_radius=profile, up_axis="z", segments=256)
    assert mesh.is_watertight
    assert_close(mesh.mass, want, "drawn_volume")
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    assert_close([high, -low], [[r.max(), r.max(), half]] * 2, "authored")
    for options in ({"barrel_radius": 0.3}, {"barrel_radius": 0.8, "top_radius": 0.1}):
        with pytest.raises(ModelError, match="zero or at least half_height 0.4, without top_radius"):
            Mesh.create_cylinder(radius, half, **options)
