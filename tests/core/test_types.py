"""Axes and the small vectors."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis, quat_between_axes, vec5, vec10
from newtonlite.math.transform import quat_rotate
from tests.tolerance import assert_close


@pytest.mark.parametrize("given", [Axis.Y, "y", "Y", 1, np.int64(1)])
def test_an_axis_goes_by_name_letter_or_number(given):
    assert Axis.from_any(given) is Axis.Y


@pytest.mark.parametrize("given", ["w", "", 3, -1, 1.0, None, True])
def test_anything_else_is_no_axis(given):
    with pytest.raises(ModelError, match="unknown; use"):
        Axis.from_any(given)


@pytest.mark.parametrize("first", Axis)
@pytest.mark.parametrize("second", Axis)
def test_the_rotation_between_two_axes_carries_one_onto_the_other(first, second):
    q = np.array(quat_between_axes(first, second))
    assert_close(quat_rotate(q, np.array(first.to_vector()))[None], np.array(second.to_vector())[None], "compiled")


def test_the_small_vectors_have_their_lengths():
    assert vec5()._length_ == 5 and vec10()._length_ == 10
