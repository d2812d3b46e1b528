"""Copies of a builder inside another: its columns once, and offsets of each copy."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.math.transform import IDENTITY
from newtonlite.sim.builder import transform_copies
from newtonlite.sim.model_table import ArrayRow

_NAMES = {frequency.name.lower(): frequency for frequency in F}


class Snapshot:
    """The columns and custom attributes of a builder at one moment; never changed afterwards.

    ``counts`` has the rows of every frequency, ``columns`` the values as arrays, ``custom`` those of custom attributes
    by their keys, ``gravity`` [3] the gravity of the builder, ``labels`` the keys of custom attributes that name their
    rows, ``given`` the values, None where none was given, of attributes that remap their references themselves.
    """

    def __init__(
        self,
        counts: dict,
        columns: dict[str, np.ndarray],
        custom: dict[str, np.ndarray],
        gravity,
        labels: frozenset[str] = frozenset(),
        given: dict[str, list] | None = None,
    ):
        self.labels = labels
        self.given = given or {}
        self.counts = counts
        self.columns = columns
        self.custom = custom
        self.gravity = gravity

    @property
    def custom_attributes(self) -> dict[str, SimpleNamespace]:
        """Custom attributes by their keys, each with its ``values``, one per row."""
        return {key: SimpleNamespace(values=values) for key, values in self.custom.items()}

    def values(self, name: str) -> np.ndarray:
        """The array of a column or, by its key, of a custom attribute."""
        return self.columns[name] if name in self.columns else self.custom[name]

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self.__dict__["columns"][name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(eq=False)
class Copies:
    """``len(worlds)`` copies of a snapshot, one after another.

    ``base`` has the rows of every frequency that come before the first copy.
    """

    source: Snapshot
    base: dict
    worlds: list[int] = field(default_factory=list)
    xforms: list[np.ndarray | None] = field(default_factory=list)
    prefixes: list[str | None] = field(default_factory=list)

    def add(self, world: int, xform: np.ndarray | None, prefix: str | None) -> None:
        """One more copy, in ``world``, moved by ``xform`` [7], its labels led by ``prefix``."""
        self.worlds.append(world)
        self.xforms.append(xform)
        self.prefixes.append(prefix)

    def rows(self, frequency) -> int:
        """Number of rows of a frequency in all copies together."""
        return len(self.worlds) * self.source.counts.get(frequency, 0)

    def offset(self, frequency, copy: int) -> int:
        """Rows of a frequency that come before one of the copies."""
        return self.base.get(frequency, 0) + copy * self.source.counts.get(frequency, 0)

    def array(self, row: ArrayRow) -> np.ndarray:
        """The values of a row of the table for all copies, ``[copies * n, *value shape]``."""
        return self.spread(self.source.values(row.name), row.dtype, row.refers, row.placed)

    def spread(self, values: np.ndarray, dtype: Any, refers=None, placed: str | Callable = "") -> np.ndarray:
        """Values of one copy, repeated, with references shifted and poses moved."""
        k, n = len(self.worlds), len(values)
        if dtype is str:
            return np.array([label for i in range(k) for label in self._labels(values, i)], object)
        out = np.broadcast_to(values, (k, *values.shape))
        if refers == F.WORLD:
            out = np.broadcast_to(np.array(self.worlds, values.dtype).reshape(k, *[1] * values.ndim), out.shape)
        elif refers is not None:
            shift = self.base.get(refers, 0) + self.source.counts.get(refers, 0) * np.arange(k, dtype=values.dtype)
            out = np.where(out < 0, out, out + shift.reshape(k, *[1] * values.ndim))
        elif placed and any(x is not None for x in self.xforms):
            move = placed if callable(placed) else getattr(transform_copies, placed)
            out = move(out, self.moves(), self.source).astype(values.dtype, copy=False)
        return out.reshape(k * n, *values.shape[1:])

    def items(self, row: ArrayRow) -> Iterable:
        """The values of all copies as the builder hands them out."""
        return elements(self.array(row), row)

    def item(self, row: ArrayRow, index: int):
        """One value of all copies, by its row among them."""
        copy, local = divmod(index, self.source.counts[row.frequency])
        return elements(self.only(copy).array(row)[local : local + 1], row)[0]

    def only(self, copy: int) -> "Copies":
        """One of the copies, alone."""
        base = {key: self.offset(key, copy) for key in {*self.base, *self.source.counts}}
        return Copies(self.source, base, [self.worlds[copy]], [self.xforms[copy]], [self.prefixes[copy]])

    def context(self, frequency, copy: int) -> dict:
        """Context of one copy for the remapping of references of a custom attribute."""
        return {
            "builder": self.source,
            "world": self.worlds[copy],
            "entity_offsets": Offsets(self, copy, _NAMES),
            "custom_frequency_offsets": Offsets(self, copy),
            "row_indices": range(self.source.counts.get(frequency, 0)),
        }

    def frozen(self) -> "Copies":
        """The same copies, which will not grow with the builder."""
        return Copies(self.source, self.base, list(self.worlds), list(self.xforms), list(self.prefixes))

    def moves(self) -> np.ndarray:
        """The transforms of the copies, ``[copies, 7]``."""
        return np.array([IDENTITY if x is None else x for x in self.xforms])

    def _labels(self, values: np.ndarray, copy: int) -> Iterable[str]:
        prefix = self.prefixes[copy]
        return values if not prefix else [f"{prefix}/{label}" if label else label for label in values]


class Offsets(Mapping):
    """Rows before one copy, of each frequency by its name; its number for ``"world"``."""

    __slots__ = ("_copies", "_copy", "_names")

    def __init__(self, copies: Copies, copy: int, names: dict | None = None):
        self._copies, self._copy, self._names = copies, copy, names

    def __getitem__(self, name: str) -> int:
        if name == "world":
            return self._copies.worlds[self._copy]
        return self._copies.offset(name if self._names is None else self._names[name], self._copy)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names or [key for key in self._copies.source.counts if isinstance(key, str)])

    def __len__(self) -> int:
        return sum(1 for _ in self)


def elements(array: np.ndarray, row: ArrayRow) -> list:
    """Rows of an array as the elements of a column."""
    if not row.shape:
        return array.tolist()
    return [row.element(v) for v in array.reshape(len(array), -1).tolist()]
