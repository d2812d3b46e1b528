"""Axes and the small vectors."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis, cell_shape, quat_between_axes, scalar_type, vec5, vec10
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


@pytest.mark.parametrize(
    "dtype, shape, scalar",
    [
        (float, (), float),
        (wp.int32, (), wp.int32),
        (wp.vec3, (3,), wp.float32),
        (wp.vec2i, (2,), wp.int32),
        (wp.mat33, (3, 3), wp.float32),
        (wp.types.matrix((2, 5), wp.float64), (2, 5), wp.float64),
        (wp.quat, (4,), wp.float32),
        (wp.transform, (7,), wp.float32),
        (str, (), str),
    ],
)
def test_elements_of_arrays_have_a_shape_and_a_type_of_number(dtype, shape, scalar):
    assert (cell_shape(dtype), scalar_type(dtype)) == (shape, scalar)


@pytest.mark.parametrize("same", [Axis.Y, "y", "Y", 1, np.int64(1)])
def test_an_axis_equals_its_letter_and_its_number(same):
    assert Axis.Y == same and same == Axis.Y
    assert Axis.X != same and Axis.Z != "w"
    assert str(Axis.Y) == "Y" and {Axis.Y: 1}[1] == 1
