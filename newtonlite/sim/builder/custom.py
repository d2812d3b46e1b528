"""Custom attributes and frequencies: arrays that a solver or a user adds to the scene."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment
from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder.check import narrowed
from newtonlite.sim.builder.column import ChangeCount, Column, are_plain, put_plain
from newtonlite.sim.builder.copies import Copies
from newtonlite.sim.builder.custom_values import as_array, is_nested, zero
from newtonlite.sim.builder.sparse import Sparse
from newtonlite.sim.model_table import COUNTED, ArrayRow, host_type, numpy_type, value_shape

REFERENCES: dict[str, F] = {f.name.lower(): f for f in (*COUNTED, F.WORLD) if isinstance(f, F)}
"""Objects that an attribute's ``references`` may name, besides custom frequencies."""
_TYPES = {float: wp.float32, int: wp.int32, bool: wp.bool}
NUMBERS = frozenset((float, int, bool))
_SCALARS = (
    wp.bool,
    wp.int8,
    wp.uint8,
    wp.int16,
    wp.uint16,
    wp.int32,
    wp.uint32,
    wp.int64,
    wp.uint64,
    wp.float16,
    wp.float32,
    wp.float64,
)


@dataclass
class CustomFrequency:
    """A new kind of row, for things the builder has no word for; its key is ``namespace:name``.

    ``usd_*`` and ``articulation_owner_*`` say how importers and views find rows; ``label_attribute`` names the
    attribute that holds the rows' labels.
    """

    name: str
    namespace: str | None = None
    usd_prim_filter: Callable | None = None
    usd_entry_expander: Callable | None = None
    articulation_owner_attribute: str | None = None
    articulation_owner_resolver: Callable | None = None
    label_attribute: str | None = None

    def __post_init__(self):
        where = f"custom frequency {self.key!r}"
        for part in (self.name, *([] if self.namespace is None else [self.namespace])):
            if not part or ":" in part:
                raise ModelError(f"{where}: {part!r} is no name; give one without a colon")
        if self.usd_entry_expander is not None and self.usd_prim_filter is None:
            raise ModelError(f"{where}: usd_entry_expander needs a usd_prim_filter; give both")
        if self.articulation_owner_resolver is not None and self.articulation_owner_attribute is None:
            raise ModelError(f"{where}: articulation_owner_resolver needs an articulation_owner_attribute; give both")
        for name, ending in (("articulation_owner_attribute", "articulation"), ("label_attribute", "label")):
            given = getattr(self, name)
            if given is not None and given != f"{self.key}_{ending}":
                raise ModelError(f"{where} {name}: must be '{self.key}_{ending}', not {given!r}")

    @property
    def key(self) -> str:
        """``namespace:name``, or the name alone."""
        return f"{self.namespace}:{self.name}" if self.namespace else self.name


@dataclass
class CustomAttribute:
    """A named array with one value of ``dtype`` per row of ``frequency``.

    ``assignment`` says whether the model, a state or a control carries it; in a namespace it becomes
    ``model.namespace.name``. ``references`` names what integer values point at, so that copies can shift them:
    ``"body"``, ``"shape"``, ``"joint"``, ``"world"``, ... or a custom frequency.  Where that is not enough,
    ``reference_value_transformer(values, context)`` gets the list of values of one copy (None where none was given) and a context with
    ``entity_offsets``, ``custom_frequency_offsets``, ``row_indices``, ``world`` and ``builder`` (what is copied), and
    returns them remapped; ``placed`` moves poses by the transform of a copy (``transform_copies``).  ``values`` are kept by
    row, or as a list for custom frequencies.
    """

    name: str
    dtype: Any
    frequency: F | str
    assignment: AttributeAssignment = AttributeAssignment.MODEL
    namespace: str | None = None
    references: F | str | None = None
    default: Any = None
    values: Any = None
    usd_attribute_name: str | None = None
    mjcf_attribute_name: str | None = None
    urdf_attribute_name: str | None = None
    usd_value_transformer: Callable | None = None
    mjcf_value_transformer: Callable | None = None
    urdf_value_transformer: Callable | None = None
    reference_value_transformer: Callable | None = None
    placed: Callable | None = None
    copies: list[Copies] = field(default_factory=list, repr=False, compare=False)
    clock: ChangeCount = field(default_factory=ChangeCount, repr=False, compare=False)

    def __post_init__(self):
        self.dtype = _TYPES.get(self.dtype, self.dtype)
        where = f"custom attribute {self.key!r}"
        if not self.name.isidentifier() or (self.namespace is not None and not self.namespace.isidentifier()):
            raise ModelError(f"{where}: is no name; use letters, digits and underscores")
        if self.dtype is not str and not value_shape(self.dtype) and self.dtype not in _SCALARS:
            raise ModelError(
                f"{where}: dtype {self.dtype!r} is not supported; use a Warp scalar, vector, matrix, or str"
            )
        if self.references is not None and self.reference_value_transformer is not None:
            raise ModelError(f"{where}: references and reference_value_transformer are mutually exclusive; give one")
        if not isinstance(self.frequency, (F, str)):
            raise ModelError(
                f"{where}: frequency {self.frequency!r} is unknown; use Model.AttributeFrequency or a custom frequency's key"
            )
        self.assignment = AttributeAssignment(self.assignment)
        if self.default is None:
            self.default = zero(self.dtype)
        self.check(self.default, f"{where} default")
        self.usd_attribute_name = self.usd_attribute_name or f"newton:{self.key}"
        self.mjcf_attribute_name = self.mjcf_attribute_name or self.name
        self.urdf_attribute_name = self.urdf_attribute_name or self.name

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "values":
            value = self._store(value)
            if isinstance(value, Sparse):
                value.copied = self.copied_value
            if "clock" in self.__dict__:
                value.clock = self.clock
                self.clock.now += 1
        super().__setattr__(name, value)

    @property
    def key(self) -> str:
        """``namespace:name``, or the name alone."""
        return f"{self.namespace}:{self.name}" if self.namespace else self.name

    @cached_property
    def width(self) -> int:
        """Numbers of a vector; 0 for scalars and text, -1 for matrices."""
        shape = () if self.dtype is str else value_shape(self.dtype)
        return shape[0] if len(shape) == 1 else -1 if shape else 0

    @property
    def is_custom_frequency(self) -> bool:
        """Whether its rows are of a custom frequency."""
        return isinstance(self.frequency, str)

    @property
    def refers(self) -> F | str | None:
        """The frequency its values point at."""
        if isinstance(self.references, str):
            return REFERENCES.get(self.references, self.references)
        return self.references

    @property
    def nested(self) -> bool:
        """Whether its only value is a list where the type is one number: kept, but no array."""
        return self.frequency == F.ONCE and is_nested(self.values.own.get(0), self.dtype)

    def check(self, value: Any, where: str) -> None:
        """Raise ModelError where the value is not one of ``dtype``."""
        if self.is_plain(value):
            return
        if self.dtype is str:
            raise ModelError(f"{where}: {value!r} is not text; give a str")
        try:
            as_array(value, self.dtype)
        except (TypeError, ValueError, OverflowError):
            shape = value_shape(self.dtype)
            wanted = f"numbers of shape {shape}" if shape else "one number"
            raise ModelError(f"{where}: {value!r} is no {self.dtype.__name__}; give {wanted}") from None

    def is_plain(self, value: Any) -> bool:
        """Whether a value is a plain one of ``dtype``, or None; others may still be (``check``)."""
        kind = type(value)
        if value is None or self.dtype is str:
            return value is None or isinstance(value, str)
        if kind is tuple:
            return len(value) == self.width and NUMBERS.issuperset(map(type, value))
        return kind in NUMBERS and self.width == 0 and (kind is not int or abs(value) < 2**31)

    def all_plain(self, values: Collection[Any]) -> bool:
        """``is_plain`` of every value."""
        return are_plain(values, 0 if self.dtype is str else self.width, self.dtype is str)

    def same_as(self, other: "CustomAttribute") -> bool:
        """Whether two declarations mean the same array."""
        return self is other or self._meaning() == other._meaning()

    def difference(self, other: "CustomAttribute") -> str:
        """The first part of a declaration in which two differ."""
        names = ("key", "dtype", "frequency", "assignment", "references", "default")
        pairs = zip(names, self._meaning(), other._meaning(), strict=True)
        return next((name for name, one, two in pairs if one != two), "")

    def _meaning(self) -> tuple:
        default = as_array(self.default, self.dtype)
        return (
            self.key,
            self.dtype,
            self.frequency,
            self.assignment,
            self.refers,
            default if self.dtype is str else default.tobytes(),
        )

    def fresh(self) -> "CustomAttribute":
        """The same declaration without values."""
        return self._twin((), ChangeCount())

    def adopted(self, clock: ChangeCount) -> "CustomAttribute":
        """A builder's own attribute, with the values given here; every change of them moves the builder's clock."""
        return self._twin(self.values, clock)

    def _twin(self, values, clock: ChangeCount) -> "CustomAttribute":
        copy = object.__new__(type(self))
        own = values.own if isinstance(values, Sparse) else values
        kept = self._store(dict(own) if isinstance(own, dict) else list(own))
        kept.clock = clock
        copy.__dict__ |= self.__dict__ | {"copies": [], "clock": clock, "values": kept}
        if isinstance(kept, Sparse):
            kept.copied, kept.brought = copy.copied_value, copy.copied_rows
        return copy

    def copied_value(self, row: int) -> Any:
        """The value of a row that copies brought; KeyError where there is none."""
        for copies in reversed(self.copies):
            place = np.arange(row + 1)[self._place(copies)] if self.frequency != F.WORLD else self._place(copies)
            found = np.flatnonzero(np.atleast_1d(place) == row)
            if len(found):
                value = self._spread(copies)[found[-1]]
                return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
        raise KeyError(row)

    def copied_rows(self) -> dict[int, Any]:
        """Values that copies brought by row, apart from what is the default."""
        default, found = as_array(self.default, self.dtype), {}
        for copies in self.copies:
            place = self._place(copies)
            rows = range(place.start, place.stop) if isinstance(place, slice) else np.atleast_1d(place).tolist()
            found |= dict(zip(rows, self._spread(copies), strict=False))
        kept = {row: value for row, value in found.items() if not np.array_equal(value, default)}
        return {
            row: value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
            for row, value in kept.items()
        }

    def unfold(self, count: int) -> None:
        """Make values of one's own of what copies brought, for ``count`` rows."""
        if self.is_custom_frequency:
            if any(not isinstance(chunk, list) for chunk in self.values.chunks):
                self.values.replace(self._listed())
            return
        if not self.copies:
            return
        default = as_array(self.default, self.dtype)
        rows = self.array(count)
        self.copies.clear()
        for row in range(count):
            if not np.array_equal(rows[row], default) and row not in self.values.own:
                self.values[row] = tuple(rows[row].ravel().tolist()) if np.ndim(rows[row]) else rows[row]

    def _listed(self) -> list:
        """Values of the rows of a custom frequency, None where none was given."""
        parts = [chunk if isinstance(chunk, list) else list(self._spread(chunk)) for chunk in self.values.chunks]
        return [value for part in parts for value in part]

    def given(self, count: int) -> list:
        """Values of ``count`` rows, None where none was given."""
        if self.is_custom_frequency:
            values = self._listed()
            return values + [None] * (count - len(values))
        out = dict.fromkeys(range(count))
        for copies in self.copies:
            out |= dict(zip(np.arange(count)[self._place(copies)].tolist(), self._spread(copies), strict=False))
        out |= {row: value for row, value in self.values.own.items() if 0 <= row < count}
        return list(out.values())

    def array(self, count: int) -> np.ndarray:
        """Its values for ``count`` rows, ``[count, *value shape]``, defaults where none was given; reals in float64."""
        if self.nested:
            self.check(self.values.own[0], f"custom attribute {self.key!r}")
        out = np.empty((count, *value_shape(self.dtype)), host_type(self.dtype))
        out[:] = as_array(self.default, self.dtype)
        if self.is_custom_frequency:
            return self._rows(out)
        for copies in self.copies:
            out[self._place(copies)] = self._spread(copies)
        given = {row: value for row, value in self.values.own.items() if 0 <= row < count}
        rows, values = list(given), list(given.values())
        if rows and NoneType not in set(map(type, values)):
            if put_plain(plain := out[rows], values, self.width):
                out[rows] = plain
                return out
        for row, value in zip(rows, values, strict=True):
            out[row] = as_array(value, self.dtype)
        return out

    def build_array(self, count: int, device: Any = None, requires_grad: bool = False) -> wp.array | list[str]:
        """Its values as a Warp array on a device; a list for text."""
        if not count and self.dtype is not str and not len(self.values):
            return wp.empty(0, dtype=self.dtype, device=device, requires_grad=requires_grad)
        values = self.array(count)
        if self.dtype is str:
            return values.tolist()
        kind = numpy_type(self.dtype)
        narrow = narrowed(values, self.key) if kind == np.float32 else values.astype(kind)
        return wp.array(narrow, dtype=self.dtype, device=device, requires_grad=requires_grad)

    def frozen(self) -> "CustomAttribute":
        """The same values, which will not change with the builder."""
        copy = object.__new__(type(self))
        kept = self.values.frozen() if isinstance(self.values, Column) else Sparse(self.values.own)
        copy.__dict__ |= self.__dict__ | {"copies": [c.frozen() for c in self.copies], "values": kept}
        return copy

    def _rows(self, out: np.ndarray) -> np.ndarray:
        """``out`` with the values of a custom frequency, which may be fewer than its rows but not more."""
        if len(self.values) > len(out):
            found = f"{len(self.values)} values, but {self.frequency!r} has {len(out)} rows"
            raise ModelError(f"custom attribute {self.key!r}: {found}; add rows with add_custom_values")
        at = 0
        for chunk in self.values.chunks:
            if isinstance(chunk, list):
                if not put_plain(out[at : at + len(chunk)], chunk, self.width):
                    for i, value in enumerate(chunk):
                        if value is not None:
                            out[at + i] = as_array(value, self.dtype)
                at += len(chunk)
            else:
                values = self._spread(chunk)
                out[at : at + len(values)] = values
                at += len(values)
        return out

    def _place(self, copies: Copies) -> Any:
        """The rows that copies fill; what is once for all, or for a world, is that of the last copy added."""
        if self.frequency == F.ONCE:
            return slice(0, 1)
        if self.frequency == F.WORLD:
            return np.maximum(copies.worlds, 0)
        return slice(copies.offset(self.frequency, 0), copies.offset(self.frequency, len(copies.worlds)))

    def _spread(self, copies: Copies) -> np.ndarray:
        """The values of all copies, remapped."""
        values = copies.source.custom[self.key]
        if self.reference_value_transformer is None:
            if self.frequency == F.ONCE:
                last = copies.only(len(copies.worlds) - 1)
                return values if self.refers is None else last.spread(values, None, self.refers)
            if self.frequency == F.WORLD:
                return np.repeat(values[:1], len(copies.worlds), axis=0)
            kind = str if self.key in copies.source.labels else None
            return copies.spread(values, kind, self.refers, self.placed or "")
        parts = []
        for i in range(len(copies.worlds)):
            given = list(copies.source.given[self.key])
            moved = self.reference_value_transformer(given, copies.context(self.frequency, i))
            if len(moved) != len(values):
                raise ModelError(
                    f"custom attribute {self.key!r} reference_value_transformer: returned {len(moved)} values for {len(values)}; return one for each"
                )
            if not isinstance(moved, np.ndarray):
                moved = [as_array(self.default if value is None else value, self.dtype) for value in moved]
            parts.append(np.asarray(moved, values.dtype).reshape(values.shape))
        return np.concatenate(parts)

    def _store(self, values: Any):
        if isinstance(self.frequency, str):
            if isinstance(values, Column):
                return values
            column = Column(ArrayRow(self.key, self.frequency, object, refers=self.refers))
            for value in values.values() if isinstance(values, dict) else values or ():
                column.add(value)
            return column
        if values is not None and not isinstance(values, dict):
            values = dict(enumerate(values))
        return Sparse(values or {})
