"""Assigned values: what may take the place of a field's numbers, checked before anything reads them."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import Error, ModelError
from newtonlite.core.limits import SINGLE, beyond
from newtonlite.core.types import scalar_type


def host_numbers(where: str, value: Any, dtype: type, error: type[Error] = ModelError) -> np.ndarray:
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


def parameter(where: str, value: Any, dtype: type) -> np.ndarray:
    """``host_numbers`` of a parameter of the model; ModelError for what single precision does not hold. Warp arrays are taken
    as they are: they may be on another device, and change later.
    """
    found = host_numbers(where, value, dtype)
    if found.dtype.kind == "f" and not isinstance(value, wp.array) and not (np.abs(found) <= SINGLE).all():
        strange = found[~(np.abs(found) <= SINGLE)]
        raise ModelError(f"{where}: {strange[0]:g} {beyond(strange)}")
    return found
