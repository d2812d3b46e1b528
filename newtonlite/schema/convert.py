"""Conversions that rows name: pairs of inverse functions between the value of a file and those of arrays.

``split`` takes the value of a file apart, one part for each array; ``join`` puts it together again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Conversion:
    """Two inverse functions."""

    split: Callable[[Any], tuple]
    join: Callable[..., Any]
    parts: int = 1


def polynomial(value: tuple) -> tuple:
    """A coefficient, and its higher terms."""
    return value[0], tuple(value[1:])


def terms(first: float, higher: Any = None) -> tuple:
    """A coefficient with its higher terms, as many as are needed."""
    found = [float(first), *(() if higher is None else map(float, higher))]
    while len(found) > 1 and found[-1] == 0:
        found.pop()
    return tuple(found)


def text_of(numbers: Any) -> str:
    """Numbers as text that reads back exactly."""
    return " ".join(repr(float(x)) for x in (() if numbers is None else numbers))


def numbers_of(kept: Any) -> tuple:
    """Numbers of a text, or of a row that zeros fill up: none where there is nothing but zeros."""
    found = tuple(map(float, kept.split())) if isinstance(kept, str) else tuple(kept)
    return found if isinstance(kept, str) or any(found) else ()


def bits_of(words: Any) -> int:
    """The bits that the numbers of some words stand for."""
    return sum(1 << bit for bit in set(words))


def words_of(bits: int) -> tuple:
    """The numbers of the bits that are set."""
    return tuple(k for k in range(32) if int(bits) >> k & 1)


PAIRS = {
    "": Conversion(lambda value: (value,), lambda part: part),
    "polynomial": Conversion(polynomial, terms, 2),
    "each": Conversion(tuple, lambda *parts: parts, 3),
    "both": Conversion(lambda value: (value, value), lambda one, _: one, 2),
    "text": Conversion(
        lambda value: (text_of(value),), lambda kept: tuple(map(float, kept.split())) if isinstance(kept, str) else kept
    ),
    "numbers": Conversion(lambda value: (text_of(value),), numbers_of),
    "bits": Conversion(lambda value: (bits_of(value),), words_of),
}
"""Conversions by name; the first, of rows that name none, leaves the value as it is."""
