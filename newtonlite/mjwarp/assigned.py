"""Assigned values: what may take the place of a field's numbers, checked before anything reads them."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import Error, ModelError
from newtonlite.core.limits import SINGLE, beyond
from newtonlite.mjwarp.host_fields import host_array


def numbers(where: str, value: Any, dtype: type, error: type[Error] = ModelError) -> np.ndarray:
    """Numbers on the host of something assigned to a field of an element type. ``error`` for what is none, and for Warp
    arrays of another type of numbers.
    """
    if isinstance(value, wp.array):
        given, own = (getattr(t, "_wp_scalar_type_", t) for t in (value.dtype, dtype))
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


def parameter(where: str, value: Any, dtype: type) -> np.ndarray:
    """``numbers`` of a parameter of the model; ModelError for what single precision does not hold. Warp arrays are taken
    as they are: they may be on another device, and change later.
    """
    found = numbers(where, value, dtype)
    if found.dtype.kind == "f" and not isinstance(value, wp.array) and not (np.abs(found) <= SINGLE).all():
        strange = found[~(np.abs(found) <= SINGLE)]
        raise ModelError(f"{where}: {strange[0]:g} {beyond(strange)}")
    return found


def host_numbers(m, name: str, value: Any, old: wp.array) -> wp.array:
    """A value of a field that the engine does not read, ``[nworld, ...]`` as ``old``. ModelError for another shape."""
    if isinstance(value, wp.array) and value.dtype == old.dtype and value.device == old.device:
        made = value
    else:
        found = parameter(f"model.{name}", value, old.dtype)
        cell = getattr(old.dtype, "_shape_", ())
        shape = (*old.shape[1:], *cell)
        if found.shape not in (shape, (*found.shape[:1], *shape)):
            raise ModelError(f"model.{name}: expected shape {shape} or (nworld, *{shape}), got {found.shape}")
        made = host_array(m, found, name)
    if made.shape[1:] != old.shape[1:] or made.ndim != old.ndim or not made.shape[0]:
        raise ModelError(f"model.{name}: expected shape [nworld, *{list(old.shape[1:])}], got {list(made.shape)}")
    return made
