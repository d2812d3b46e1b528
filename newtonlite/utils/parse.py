"""Values in text: numbers, switches, vectors, matrices and quaternions as in the attributes of XML files."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ParseError
from newtonlite.core.numerals import real, whole
from newtonlite.core.types import scalar_type
from newtonlite.sim.model_table import value_shape

TRUE, FALSE = {"1", "true", "t", "yes", "y"}, {"0", "false", "f", "no", "n"}


def string_to_warp(value: str, warp_dtype: Any, default: Any = None) -> Any:
    """A value of a Warp type from text; vectors that are too short take the rest from ``default``.

    Raises ParseError for text that is no such value.
    """
    words = value.split()
    try:
        if warp_dtype in (wp.bool, bool):
            return _switch(value)
        if warp_dtype is str:
            return value
        shape = value_shape(warp_dtype)
        number = whole if wp.types.type_is_int(scalar_type(warp_dtype)) else real
        if not shape:
            return warp_dtype(number(value))
        return warp_dtype(*_padded([number(word) for word in words], int(np.prod(shape)), default))
    except (ValueError, IndexError, TypeError) as error:
        if isinstance(error, ParseError):
            raise
        raise ParseError(f"{value!r}: is no {getattr(warp_dtype, '__name__', warp_dtype)}; {error}") from None


def _switch(value: str) -> bool:
    word = value.strip().lower()
    return word in TRUE or (word not in FALSE and bool(real(word)))


def _padded(found: list, count: int, default: Any) -> list:
    """As many numbers as the type has: one alone fills all, missing ones are the default's."""
    if len(found) == 1 and default is None:
        return found * count
    if len(found) < count and default is not None:
        rest = np.full(count, default) if np.ndim(default) == 0 else np.ravel(default)
        found = found + [type(found[0])(x) if found else float(x) for x in rest[len(found) : count]]
    if len(found) != count:
        raise ParseError(f"{len(found)} numbers where {count} belong")
    return found
