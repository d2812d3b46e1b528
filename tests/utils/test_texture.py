"""Textures and heights: files as arrays, types and channels, meshes over a grid."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.utils import load_texture, normalize_texture, rasterize_mesh_to_heightfield
from newtonlite.viewer.png import write_png

IMAGE = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


def test_files_become_colours_with_opacity(tmp_path):
    path = tmp_path / "a b.png"
    write_png(path, IMAGE)
    want = np.concatenate([IMAGE, np.full((2, 4, 1), 255, np.uint8)], axis=-1)
    for texture in (path, str(path), path.as_uri()):
        np.testing.assert_array_equal(load_texture(texture), want)
    assert load_texture(None) is None
    np.testing.assert_array_equal(load_texture(IMAGE[::-1]), IMAGE[::-1])
    with pytest.warns(NewtonWarning, match="Failed to load texture image '.*none.png'"):
        assert load_texture(tmp_path / "none.png") is None


def test_images_become_bytes():
    assert normalize_texture(None) is None
    np.testing.assert_array_equal(normalize_texture(IMAGE, flip_vertical=True), IMAGE[::-1])
    np.testing.assert_array_equal(normalize_texture(IMAGE / 255.0), IMAGE)
    np.testing.assert_array_equal(normalize_texture([[0.5, 300.0]], scale_unit_range=False), [[0, 255]])
    assert normalize_texture(IMAGE[..., 0], require_channels=True).shape == (2, 4, 3)
    for shape in ((0, 4, 3), (2, 4, 3, 1), (2, 4, 2)):
        with pytest.raises(ModelError, match="normalize_texture: "):
            normalize_texture(np.zeros(shape, np.uint8), require_channels=True)


def test_heights_of_a_slope():
    points = np.array([[0, 0, 1], [2, 0, 3], [2, 1, 3], [0, 1, 1]], np.float32)
    mesh = wp.Mesh(wp.array(points, dtype=wp.vec3, device="cpu"), wp.array([0, 1, 2, 0, 2, 3], dtype=int, device="cpu"))
    heights, bounds = rasterize_mesh_to_heightfield(mesh, 0.5)
    assert (heights.shape, bounds) == ((3, 5), (0.0, 0.0, 2.0, 1.0))
    np.testing.assert_array_equal(np.round(heights, 3), np.tile([1.0, 1.5, 2.0, 2.5, 3.0], (3, 1)))
