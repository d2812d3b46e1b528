"""Patterns of rays: where they begin and where they go."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.geometry.ray.pattern import grid_pattern, pinhole_pattern, ring_pattern, spinning_pattern
from tests.tolerance import tolerance


def test_a_grid_has_parallel_rays_in_rows_along_x():
    rays = grid_pattern((1.6, 1.0), 0.1)
    assert rays.start.shape == (17 * 11, 3) and (rays.way == [0, 0, -1]).all()
    np.testing.assert_allclose(rays.start[:2], [[-0.8, -0.5, 0], [-0.7, -0.5, 0]], atol=tolerance("parameter"))


def test_a_ring_goes_round_from_x():
    rays = ring_pattern(4, elevation=30.0, radius=0.5)
    np.testing.assert_allclose(
        rays.start, 0.5 * np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]), atol=tolerance("unit")
    )
    np.testing.assert_allclose(rays.way[1], [0, np.cos(np.pi / 6), 0.5], atol=tolerance("parameter"))


def test_a_pinhole_has_the_rays_of_a_cameras_pixels():
    rays = pinhole_pattern(4, 2, 90.0).way.reshape(2, 4, 3)
    np.testing.assert_allclose(rays[0, 0] / rays[0, 0, 0], [1, 1.5, 0.5], rtol=tolerance("authored"))
    np.testing.assert_allclose(rays[0, 0] * [1, -1, -1], rays[1, 3], rtol=tolerance("authored"))


def test_a_lidar_spins_by_angle_and_then_channel():
    rays = spinning_pattern(3, 8, (-10.0, 10.0)).way.reshape(8, 3, 3)
    np.testing.assert_allclose(np.arcsin(rays[0, :, 2]), np.radians([-10, 0, 10]), atol=tolerance("parameter"))
    np.testing.assert_allclose(rays[2, 1], [0, 1, 0], atol=tolerance("parameter"))
    np.testing.assert_allclose(np.linalg.norm(rays, axis=-1), 1.0, rtol=tolerance("authored"))


@pytest.mark.parametrize(
    "make", [lambda: ring_pattern(0), lambda: grid_pattern((1, 1), 0.0), lambda: grid_pattern((1, 1), 0.5, (0, 0, 0))]
)
def test_patterns_without_rays_are_refused(make):
    with pytest.raises(ModelError):
        make()
