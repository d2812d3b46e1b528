"""What a picture shows."""

import numpy as np
import pytest

from newtonlite.core.enums import GeoType
from newtonlite.viewer import Camera, Stage, render
from newtonlite.viewer.surfaces import shape_surface

RED, FLOOR = [0.8, 0.05, 0.05], [0.5, 0.5, 0.5]
CAMERA = Camera(position=(0.0, -4.0, 1.0), target=(0.0, 0.0, 1.0), fov=40.0)


def stage(device, shapes):
    """A Stage of (type, scale, position, colour) tuples without rotation."""
    kind, scale, position, color = zip(*shapes)
    return Stage(kind, scale, [[*p, 0, 0, 0, 1] for p in position], color, device=device)


def reddish(image):
    """[height, width] bool: pixels with far more red than blue."""
    return image[..., 0].astype(int) > image[..., 2].astype(int) + 60


def test_a_ball_covers_the_part_of_the_picture_it_should(device):
    image = render(stage(device, [(GeoType.SPHERE, [0.5, 0, 0], [0, 0, 1], RED)]), CAMERA, 240, 240, 2)
    apparent = np.tan(np.arcsin(0.5 / 4.0)) / np.tan(np.radians(20.0)) * 120
    assert abs(reddish(image).sum() - np.pi * apparent**2) < 2 * apparent  # within a fraction of a pixel along the edge
    assert reddish(image)[120, 120] and not reddish(image)[4, 4]


def test_what_stands_in_front_hides_what_is_behind(device):
    blue = [0.05, 0.05, 0.8]
    shapes = [(GeoType.BOX, [1, 0.1, 1], [0, 0, 1], RED), (GeoType.BOX, [1, 0.1, 1], [0, -1, 1], blue)]
    assert not reddish(render(stage(device, shapes), CAMERA, 40, 40, 1)).any()


def test_a_body_throws_a_shadow_on_the_floor(device):
    floor = (GeoType.PLANE, [0, 0, 0], [0, 0, 0], FLOOR)
    ball = (GeoType.SPHERE, [0.4, 0, 0], [0, 0, 0.8], RED)
    above = Camera(position=(0.0, -5.0, 6.0), target=(0.5, 0.5, 0.0), fov=30.0)
    alone, with_ball = (
        render(stage(device, shapes), above, 120, 120, 2).astype(int) for shapes in ([floor], [floor, ball])
    )
    dark = (alone - with_ball).min(axis=2) > 25
    assert 200 < dark.sum() < 4000


def test_the_same_scene_gives_the_same_bits(device):
    shapes = [(GeoType.PLANE, [0, 0, 0], [0, 0, 0], FLOOR), (GeoType.CAPSULE, [0.3, 0.5, 0], [0, 0, 1], RED)]
    assert (render(stage(device, shapes), CAMERA, 60, 40) == render(stage(device, shapes), CAMERA, 60, 40)).all()


def test_an_empty_scene_is_all_sky(device):
    image = render(Stage([], np.zeros((0, 3)), np.zeros((0, 7)), np.zeros((0, 3)), device=device), CAMERA, 20, 20, 1)
    assert (image[..., 2] > 100).all()


def test_wrong_arrays_are_named(device):
    with pytest.raises(ValueError, match=r"shape_transform has shape \[1, 4\], expected \[1, 7\]"):
        Stage([GeoType.BOX], [[1, 1, 1]], [[0, 0, 0, 1]], [RED], device=device)
    with pytest.raises(ValueError, match="shape_scale is not finite in row 0"):
        Stage([GeoType.BOX], [[1, np.nan, 1]], [[0, 0, 0, 0, 0, 0, 1]], [RED], device=device)


def test_a_camera_needs_a_direction_off_the_vertical():
    with pytest.raises(ValueError, match="vertical"):
        Camera(position=(0, 0, 3), target=(0, 0, 0)).axes()


def test_triangles_look_like_the_shape_they_stand_for(device):
    scale, place = [0.5, 0, 0], [[0, 0, 1, 0, 0, 0, 1]]
    exact = render(Stage([GeoType.SPHERE], [scale], place, [RED], device=device), CAMERA, 120, 120, 2)
    ball = shape_surface(GeoType.SPHERE, scale)
    drawn = render(Stage([GeoType.MESH], [scale], place, [RED], device=device, surfaces=[ball]), CAMERA, 120, 120, 2)
    assert np.mean(reddish(exact) != reddish(drawn)) < 0.005
    inside = reddish(exact) & reddish(drawn)
    assert np.abs(exact.astype(int) - drawn.astype(int))[inside].mean() < 6  # smooth normals, not those of triangles
