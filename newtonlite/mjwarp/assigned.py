"""Assigned values: what may take the place of a field's numbers, checked before anything reads them."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import Error, ModelError
from newtonlite.core.types import cell_shape, scalar_type
from newtonlite.mjwarp.host_fields import host_array


def numbers(where: str, value: Any, dtype: type, error: type[Error] = ModelError) -> np.ndarray:
    """Numbers on the host of something assigned to a field of an element type. ``error`` for what is none, and for Warp
    arrays of another type of numbers.
    """
    if isinstance(value, wp.array):
        given, own = (scalar_type(t) for t in (value.dtype, dtype))
        if given is not own:
            raise error(f"{where}: expected numbers of type {own.__name__}, got {given.__name__}; convert the array")
        return value.numpy()
    try:
        found = np.asarray(value)
    except ValueError as problem:
        raise error(f"{where}: expected numbers in rows of equal length ({problem})") from None
    if found.dtype.kind not in "biuf":
        raise error(f"{where}: expected numbers, got {value!r:.80}")
    return found


def host_numbers(m, name: str, value: Any, old: wp.array) -> wp.array:
    """A value of a field that the engine does not read, ``[nworld, ...]`` as ``old``. ModelError for another shape."""
    if isinstance(value, wp.array) and value.dtype == old.dtype and value.device == old.device:
        made = value
    else:
        found = numbers(f"model.{name}", value, old.dtype)
        cell = cell_shape(old.dtype)
        shape = (*old.shape[1:], *cell)
        if found.shape not in (shape, (*found.shape[:1], *shape)):
            raise ModelError(f"model.{name}: expected shape {shape} or (nworld, *{shape}), got {found.shape}")
        made = host_array(m, found, name)
    if made.shape[1:] != old.shape[1:] or made.ndim != old.ndim or not made.shape[0]:
        raise ModelError(f"model.{name}: expected shape [nworld, *{list(old.shape[1:])}], got {list(made.shape)}")
    return made
