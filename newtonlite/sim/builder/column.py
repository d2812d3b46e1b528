"""Column: the values of one attribute in a builder, with repetitions kept once."""

from collections.abc import Collection, Iterable, Iterator, MutableSequence, Sequence
from enum import IntEnum
from itertools import chain
from types import NoneType
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.sim.builder.copies import Copies
from newtonlite.sim.model_table import ArrayRow, host_type, numpy_type

_PYTHON = {"f": float, "i": int, "u": int, "b": bool}
_NUMBERS = frozenset(_PYTHON.values())


class ChangeCount:
    """Counts the changes of a builder, so that a snapshot knows when it has become old."""

    __slots__ = ("now",)

    def __init__(self):
        self.now = 0


class Seen:
    """A vector that was handed out as a Warp value, which the caller may have changed in place."""

    __slots__ = ("given", "value")

    def __init__(self, given: tuple, value: Any):
        self.given = given
        self.value = value

    def numbers(self) -> tuple:
        """The numbers as given, all digits, unless the value has been changed since."""
        now = flat_numbers(self.value)
        return self.given if now == tuple(np.float32(self.given).tolist()) else now


class Column(MutableSequence):
    """A list of values, in chunks: plain lists of what was added one by one, and ``Copies`` of other builders.

    Vectors are kept as tuples of the numbers given and become Warp values when they are read.  Reads, slices,
    ``append``, ``extend``, ``insert`` and ``del`` work as on a list.  Writing to a copied value, or inserting and
    deleting, turns the copies of this one column into a plain list first.
    """

    __slots__ = ("_length", "chunks", "clock", "row")

    def __init__(self, row: ArrayRow, clock: ChangeCount | None = None):
        self.row = row
        self.clock = clock or ChangeCount()
        self.chunks: list[list | Copies] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(map(self._items, self.chunks))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return list(self)[index]
        index = self._checked(index)
        if self.row.shape:
            self.clock.now += 1  # a vector handed out may be changed in place
        for chunk in self.chunks:
            n = self._size(chunk)
            if index < n:
                return self._shown(chunk, index) if isinstance(chunk, list) else chunk.item(self.row, index)
            index -= n
        raise IndexError(f"{self.row.name}: row {index} of {self._length}")

    def __setitem__(self, index, value) -> None:
        values = self._flat()
        if isinstance(index, slice):
            values[index] = [self.element(v) for v in value]
        else:
            values[self._checked(index)] = self.element(value)
        self._changed(len(values))

    def __delitem__(self, index) -> None:
        values = self._flat()
        del values[index]
        self._changed(len(values))

    def __eq__(self, other) -> bool:
        return len(self) == len(other) and all(np.array_equal(a, b) for a, b in zip(self, other))

    __hash__ = None

    def __repr__(self) -> str:
        return f"{self.row.name}{list(self)!r}"

    def __add__(self, other: Iterable) -> list:
        return [*self, *other]

    def __radd__(self, other: Iterable) -> list:
        return [*other, *self]

    def copy(self) -> list:
        """The values as a list of their own."""
        return list(self)

    def __array__(self, dtype=None, copy=None):
        return self.array().astype(dtype or numpy_type(self.row.dtype))

    def insert(self, index: int, value) -> None:
        """Put a value before row ``index``."""
        values = self._flat()
        values.insert(index, self.element(value))
        self._changed(len(values))

    def append(self, value) -> None:
        """Add a value at the end, as the row's element type."""
        self.add(self.element(value))

    def add(self, value) -> None:
        """Add a value that already is of the element type."""
        self.put(value)
        self.clock.now += 1

    def put(self, value) -> None:
        """``add`` for callers that move the clock themselves."""
        if self.chunks and type(self.chunks[-1]) is list:
            self.chunks[-1].append(value)
        else:
            self.chunks.append([value])
        self._length += 1

    def put_all(self, values: Sequence) -> None:
        """``put`` for each of several values."""
        if self.chunks and type(self.chunks[-1]) is list:
            self.chunks[-1].extend(values)
        elif values:
            self.chunks.append(list(values))
        self._length += len(values)

    def add_copies(self, copies: Copies, rows: int) -> None:
        """Take in ``rows`` more rows from ``copies``, which may be the last chunk, grown."""
        if rows and not (self.chunks and self.chunks[-1] is copies):
            self.chunks.append(copies)
        self._length += rows
        self.clock.now += 1

    def replace(self, values: Iterable) -> None:
        """Become the list ``values``."""
        flat = [self.element(v) for v in values]
        self.chunks = [flat]
        self._changed(len(flat))

    def numbers(self, index: int) -> tuple:
        """The numbers of one vector, with the digits they were given in."""
        index = self._checked(index)
        for chunk in self.chunks:
            n = self._size(chunk)
            if index < n and isinstance(chunk, list):
                return tuple(packed(chunk[index : index + 1], self.row).ravel().tolist())
            if index < n:
                return tuple(np.ravel(chunk.item(self.row, index)).tolist())
            index -= n
        raise IndexError(f"{self.row.name}: row {index} does not exist")

    def frozen(self) -> "Column":
        """The same values, which will not change with this one."""
        copy = Column(self.row)
        copy.chunks = [list(c) if isinstance(c, list) else c.frozen() for c in self.chunks]
        copy._length = self._length
        return copy

    def ends_with(self, copies: Copies) -> bool:
        """Whether these copies were the last thing added, as far as they have rows of this frequency."""
        if not copies.rows(self.row.frequency):
            return True
        return bool(self.chunks) and self.chunks[-1] is copies

    def array(self) -> np.ndarray:
        """All values, ``[n, *value shape]``; reals in float64, with the digits they were given in."""
        if len(self.chunks) == 1:
            return self._array(self.chunks[0])
        empty = np.empty((0, *self.row.shape), host_type(self.row.dtype))
        return np.concatenate([empty, *map(self._array, self.chunks)])

    def given(self) -> bool:
        """Whether any value is not None; copies of a builder are looked at once."""
        chunks = (c if isinstance(c, list) else c.source.values(self.row.name) for c in self.chunks)
        return any(value is not None for chunk in chunks for value in chunk)

    def element(self, value):
        """The value as an element of this column; ModelError where it is not one."""
        row = self.row
        if row.dtype is str or row.dtype is object:
            return value
        try:
            if row.shape:
                return value if isinstance(value, row.dtype) else self._vector(value)
            return _PYTHON[numpy_type(row.dtype).kind](value) if not isinstance(value, (int, float)) else value
        except (TypeError, ValueError, RuntimeError) as problem:
            raise ModelError(
                f"{row.name}: {value!r} is no {row.dtype.__name__} ({problem}); give {row.shape or 'one'} numbers"
            ) from None

    def _vector(self, value):
        array = np.asarray(value, host_type(self.row.dtype))
        if array.size != np.prod(self.row.shape):
            raise ValueError(f"it has {array.size} numbers")
        return tuple(array.reshape(-1).tolist())

    def _items(self, chunk) -> Iterable:
        if not isinstance(chunk, list):
            return chunk.items(self.row)
        return (self._shown(chunk, i) for i in range(len(chunk))) if self.row.is_vector else chunk

    def _shown(self, chunk: list, index: int):
        """A value as callers see it."""
        value = chunk[index]
        if not self.row.is_vector:
            return value
        if type(value) is tuple:
            value = chunk[index] = Seen(value, self.row.dtype(*value))
        return value.value if type(value) is Seen else value

    def _size(self, chunk) -> int:
        return len(chunk) if isinstance(chunk, list) else chunk.rows(self.row.frequency)

    def _array(self, chunk) -> np.ndarray:
        if not isinstance(chunk, list):
            return chunk.array(self.row)
        return packed(chunk, self.row)

    def _flat(self) -> list:
        """The column as one plain list, its only chunk."""
        if len(self.chunks) != 1 or not isinstance(self.chunks[0], list):
            self.chunks = [list(self)]
        return self.chunks[0]

    def _checked(self, index) -> int:
        n = self._length
        if not -n <= index < n:
            raise IndexError(f"{self.row.name}: row {index} does not exist; there are {n}")
        return int(index) % n

    def _changed(self, length: int) -> None:
        self._length = length
        self.clock.now += 1


def packed(values: list, row: ArrayRow) -> np.ndarray:
    """A list of elements as an array ``[n, *value shape]``."""
    kind = host_type(row.dtype)
    if kind.hasobject:
        array = np.empty(len(values), object)
        array[:] = values
        return array
    if row.is_vector:
        values = [v if type(v) is tuple else v.numbers() if type(v) is Seen else flat_numbers(v) for v in values]
    return np.array(values, dtype=kind).reshape(len(values), *row.shape)


def is_plain(kinds: Iterable[type]) -> bool:
    """Whether these are types of plain numbers."""
    return all(kind in _NUMBERS or issubclass(kind, IntEnum) for kind in kinds)


def are_plain(values: Collection[Any], width: int, text: bool = False) -> bool:
    """Whether values are plain numbers of 32 bits, tuples of ``width`` of them where that is not 0, or texts; or None."""
    kinds, found = set(map(type, values)), values
    if NoneType in kinds:
        found = [value for value in values if value is not None]
        kinds.discard(NoneType)
    if text:
        return kinds <= {str}
    if width and kinds == {tuple}:
        if set(map(len, found)) != {width}:
            return False
        found = list(chain(*found))
        kinds = set(map(type, found))
    elif width:
        return not kinds
    if not is_plain(kinds) or kinds <= {float, bool}:
        return is_plain(kinds)
    whole = [value for value in found if type(value) is not float] if float in kinds else found
    return max(map(abs, whole)) < 2**31


def put_plain(out: np.ndarray, values: list, width: int) -> bool:
    """Write plain numbers, texts, or tuples of ``width`` numbers, all at once, where they are not None; False, and nothing
    written, for what has to be looked at one by one.
    """
    kinds = set(map(type, values))
    if kinds == {NoneType} or not values:
        return True
    given, found = slice(None), values
    if NoneType in kinds:
        given = [k for k, value in enumerate(values) if value is not None]
        found = [values[k] for k in given]
        kinds.discard(NoneType)
    scalars = width == 0 and (kinds == {str} if out.dtype.hasobject else is_plain(kinds))
    tuples = kinds == {tuple} and set(map(len, found)) == {width} and is_plain(set(map(type, chain(*found))))
    if scalars or tuples:
        out[given] = found
    return scalars or tuples


def flat_numbers(value: Any) -> tuple:
    """The numbers of a Warp vector, matrix or transform."""
    return tuple(np.frombuffer(bytes(value), numpy_type(type(value))).tolist())


class ColumnAttribute:
    """A builder attribute that shows a column and takes lists in its place."""

    def __init__(self, row: ArrayRow):
        self.name = row.name
        kind = getattr(row.frequency, "name", row.frequency)
        self.__doc__ = f"Column ``{row.name}``, one row per {kind.lower().replace('_', ' ')}."

    def __get__(self, builder, owner=None):
        return self if builder is None else builder.columns[self.name]

    def __set__(self, builder, values) -> None:
        if values is not builder.columns[self.name]:
            builder.columns[self.name].replace(values)
