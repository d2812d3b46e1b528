"""Colours against the standard's values."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.utils import ColorSpace, bourke_color_map, color_linear_to_srgb, color_srgb_to_linear
from tests.tolerance import assert_close


def test_srgb():
    assert_close(color_srgb_to_linear((0.5, 1.0, -1.0)), (0.2140411, 1.0, 0.0), "authored")
    assert_close(color_srgb_to_linear((0.04, 0.04, 0.04)), [0.04 / 12.92] * 3, "authored")
    for color in np.random.default_rng(0).random((20, 3)):
        assert_close(color_linear_to_srgb(color_srgb_to_linear(color)), color, "authored")
    with pytest.raises(ModelError, match="has 2 numbers"):
        color_linear_to_srgb([1, 2])
    assert [*ColorSpace] == [0, 1]


def test_the_ramp_goes_from_blue_over_green_to_red():
    found = [bourke_color_map(-1, 3, v) for v in (-9, 0, 1, 2, 3, 9)]
    assert found == [[0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0]]
    assert bourke_color_map(0, 1, 0.125) == [0, 0.5, 1]
