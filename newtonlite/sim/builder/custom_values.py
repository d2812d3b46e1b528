"""Values of custom attributes: what one that says none is, and one value as an array of its type."""

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonlite.sim.model_table import host_type, value_shape


def zero(dtype: Any) -> Any:
    """The value of an attribute that says none: zero, the identity for rotations and transforms, empty text."""
    if dtype is str:
        return ""
    shape = value_shape(dtype)
    if not shape:
        return False if dtype is wp.bool else dtype(0)
    if dtype in (wp.quatf, wp.quatd, wp.transformf, wp.transformd):
        return dtype(*[0.0] * (shape[0] - 1), 1.0)
    return dtype(0)


def as_array(value: Any, dtype: Any) -> Any:
    """One value as an array of its type and shape; a single number fills a vector."""
    if dtype is str:
        return value
    shape = value_shape(dtype)
    array = np.asarray(getattr(value, "value", value) if not shape else value, dtype=host_type(dtype))
    return array if array.shape == shape else np.broadcast_to(array, shape) if array.size == 1 else array.reshape(shape)


def is_nested(value: Any, dtype: Any) -> bool:
    """Whether a value is a list where the type is one number."""
    return isinstance(value, (list, tuple)) and dtype is not str and not value_shape(dtype)


def moved(value: Any, move: Callable[[int], int]) -> Any:
    """A nested value whose references are moved; what is negative refers to nothing."""
    if isinstance(value, (list, tuple)):
        return type(value)(moved(one, move) for one in value)
    number = getattr(value, "value", value)
    return move(number) if number >= 0 else number
