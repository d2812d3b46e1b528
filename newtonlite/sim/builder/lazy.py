"""Lazy lists: labels and other Python values of many rows, made when they are read."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np

from newtonlite.sim.builder.column import Column, packed
from newtonlite.sim.builder.copies import Copies


class LazyList(Sequence):
    """Lazy list of the text or Python objects that a column held when the model was finalized; reads like a list.

    Values of copies are kept once, and put together with the copy's prefix on access.
    """

    __slots__ = ("_chunks", "_ends", "_row")

    def __init__(self, column: Column, frozen: dict[int, Copies]):
        self._row = column.row
        self._chunks = [list(c) if isinstance(c, list) else frozen.setdefault(id(c), c.frozen()) for c in column.chunks]
        self._ends = list(
            accumulate(len(c) if isinstance(c, list) else c.rows(self._row.frequency) for c in self._chunks)
        )

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index):
        if isinstance(index, slice):
            return list(self)[index]
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"{self._row.name}: row {index} does not exist; there are {n}")
        index %= n
        i = bisect_right(self._ends, index) if len(self._ends) > 1 else 0
        local = index - (self._ends[i - 1] if i else 0)
        chunk = self._chunks[i]
        return chunk[local] if isinstance(chunk, list) else chunk.item(self._row, local)

    def __iter__(self):
        return chain.from_iterable(c if isinstance(c, list) else c.items(self._row) for c in self._chunks)

    def array(self) -> np.ndarray:
        """All values, ``[n, ...]``."""
        parts = [packed(c, self._row) if isinstance(c, list) else c.array(self._row) for c in self._chunks]
        return np.concatenate(parts) if parts else packed([], self._row)

    def __eq__(self, other: Any) -> bool:
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    __hash__ = None

    def __add__(self, other: Any) -> list:
        return [*self, *other]

    def __repr__(self) -> str:
        return (
            repr(list(self)) if len(self) <= 20 else f"<{len(self)} values: {self[0]!r}, {self[1]!r}, ... {self[-1]!r}>"
        )
