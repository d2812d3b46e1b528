"""Field: one row of a table of engine arrays, with name, element type, shape and meaning."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Field:
    """A named array (or scalar, when ``dims`` is None) of the engine.

    ``dims`` names the sizes after the world dimension, e.g. ``"nv nvp"``; sizes are looked up by name when the
    array is allocated.  ``role`` says how it is stored and is explained where the table is kept.
    """

    name: str
    dtype: Any
    dims: str | None
    doc: str
    role: str = ""

    def shape(self, sizes: dict) -> tuple:
        """Sizes of the array after the world dimension."""
        return tuple(d if isinstance(d, int) else sizes[d] for d in map(_dim, (self.dims or "").split()))


def _dim(word: str):
    return int(word) if word.isdigit() else word
