"""Tiled pictures: places, greys and the space between."""

import numpy as np
import pytest

from newtonlite.images.tiled import tiled


def test_pictures_stand_in_rows_on_white():
    pictures = [np.full((2, 3, 3), k, np.uint8) for k in range(3)]
    out = tiled(pictures, columns=2, gap=1)
    assert out.shape == (5, 7, 3) and (out[3:, 4:] == 255).all() and (out[2] == 255).all()
    assert (out[:2, 4:] == 1).all() and (out[3:, :3] == 2).all()


def test_numbers_become_greys_and_fractions_bytes():
    assert tiled([np.array([[1.0, 3.0]])]).tolist() == [[[0] * 3, [255] * 3]]
    assert tiled([np.full((1, 1, 3), 0.5)]).tolist() == [[[128] * 3]]


def test_pictures_of_several_sizes_are_refused():
    with pytest.raises(ValueError, match="one size"):
        tiled([np.zeros((1, 1)), np.zeros((1, 2))])
