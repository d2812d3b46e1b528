"""Assigned values: what may take the place of a field's numbers, checked before anything reads them."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import Error, ModelError
from newtonlite.core.types import scalar_type


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
