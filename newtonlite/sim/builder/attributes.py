"""Custom attribute methods of the builder."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError, UndeclaredError, WrongTypeError
from newtonlite.sim.builder.custom import REFERENCES, CustomAttribute, CustomFrequency
from newtonlite.sim.model_table import value_shape

Rows = dict[Any, tuple[int, int]]
"""For each frequency, the first row that an ``add_*`` call makes, and how many it makes."""


OF_JOINTS = (F.JOINT_DOF, F.JOINT_COORD, F.JOINT_CONSTRAINT)
"""Frequencies of which a joint has several rows."""


class AttributeMethods:
    """Declaring custom attributes, and giving them values."""

    def add_custom_frequency(self, frequency: CustomFrequency) -> None:
        """Declare a new kind of row; declaring the same one again changes nothing."""
        known = self.custom_frequencies.get(frequency.key)
        if known is None:
            self.custom_frequencies[frequency.key] = frequency
            self.custom_frequency_counts.setdefault(frequency.key, 0)
        elif known != frequency:
            raise ModelError(
                f"custom frequency {frequency.key!r}: already exists, declared differently; declare it once"
            )

    def add_custom_attribute(self, attribute: CustomAttribute) -> None:
        """Declare a custom attribute; declaring the same one again changes nothing, and one may serve many builders.

        Raises ModelError where the name is taken, by another declaration or by an attribute of the model, or where its
        frequency is not known. What it references may be declared later, but before rows of it are copied or finalized.
        """
        key = attribute.key
        where = f"custom attribute {key!r}"
        known = self.custom_attributes.get(key)
        if known is not None:
            if not known.same_as(attribute):
                what = known.difference(attribute)
                raise ModelError(
                    f"{where}: already exists with an incompatible spec ({what} mismatch); use another name or the same declaration"
                )
            return
        if attribute.namespace is None and self._names_core(attribute.name):
            raise ModelError(f"{where}: the model has an attribute of that name; put yours in a namespace")
        if isinstance(attribute.frequency, str) and attribute.frequency not in self.custom_frequencies:
            raise ModelError(
                f"{where}: frequency {attribute.frequency!r} is unknown; declare it with add_custom_frequency first"
            )
        if attribute.usd_attribute_name == "*" and attribute.usd_value_transformer is None:
            raise ModelError(
                f"{where}: usd_attribute_name='*' is any attribute; give a usd_value_transformer, which chooses"
            )
        if not attribute.is_custom_frequency and attribute.frequency not in (*REFERENCES.values(), F.ONCE):
            raise ModelError(
                f"{where}: frequency {attribute.frequency.name} is not supported; use one of {', '.join(REFERENCES)}, once"
            )
        self.custom_attributes[key] = attribute.adopted(self.clock)
        self.clock.now += 1

    def _check_references(self) -> None:
        """ModelError where rows reference what no frequency is."""
        for key, attribute in self.custom_attributes.items():
            name = attribute.references
            rows = self.custom_frequency_counts[attribute.frequency] if attribute.is_custom_frequency else 1
            if isinstance(name, str) and rows and name not in REFERENCES and name not in self.custom_frequencies:
                raise ModelError(
                    f"custom attribute {key!r}: Unknown references value {name!r}; give one of {', '.join(REFERENCES)}, or "
                    "declare it with add_custom_frequency"
                )

    def has_custom_attribute(self, key: str) -> bool:
        """Whether an attribute with this key, ``namespace:name``, is declared."""
        return key in self.custom_attributes

    def get_custom_attributes_by_frequency(self, frequencies: Sequence[F | str]) -> list[CustomAttribute]:
        """The attributes of any of these frequencies, in the order they were declared."""
        return [a for a in self.custom_attributes.values() if a.frequency in frequencies]

    def get_custom_frequency_keys(self) -> set[str]:
        """The keys of all custom frequencies."""
        return set(self.custom_frequencies)

    def add_custom_values(self, **kwargs: Any) -> dict[str, int]:
        """Add one row to a custom frequency, with a value for some of its attributes.

        Keys are attribute keys, ``**{"mujoco:pair_geom1": 3}``.  Attributes that reference ``"world"`` get the current
        world where none is given; what is left out has its default.  Returns the row each value went to.
        """
        return self.add_custom_values_batch([kwargs])[0]

    def add_custom_values_batch(self, entries: Sequence[dict[str, Any]]) -> list[dict[str, int]]:
        """``add_custom_values`` for every entry, after all of them have been checked."""
        blocks = []  # entries in a row with the same keys are added column by column
        for keys, group in groupby(entries, key=tuple):
            run = [entry.values() for entry in group]
            blocks.append((dict(zip(keys, zip(*run, strict=True), strict=True)), len(run)))
        first = add_custom_columns(self, blocks)
        return [
            {key: start + i for key, start in starts.items()}
            for starts, (_, count) in zip(first, blocks)
            for i in range(count)
        ]

    def add_empty_row(self, frequency: str) -> None:
        """Add a row with defaults to a custom frequency."""
        self._add_custom_rows({}, (frequency,), self._of_worlds((frequency,)), 1)

    def _of_worlds(self, frequencies: Sequence[F | str]) -> list[str]:
        """Attributes of these frequencies that name a world."""
        return [a.key for a in self.get_custom_attributes_by_frequency(frequencies) if a.refers == F.WORLD]

    def _check_custom_values(self, columns: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
        """The custom frequencies that columns of values are for."""
        frequencies: dict[str, None] = {}
        for key, values in columns.items():
            attribute = self._declared(key)
            if not attribute.is_custom_frequency:
                kind = attribute.frequency.name
                text = f"custom attribute {key!r}: has frequency {kind}, not a custom frequency; give it to the add_* call of what it describes"
                raise WrongTypeError(text)
            if not attribute.all_plain(values):
                for value in values:
                    attribute.check(value, f"custom attribute {key!r}")
            frequencies[attribute.frequency] = None
        return tuple(frequencies)

    def _add_custom_rows(
        self, columns: Mapping[str, Sequence[Any]], frequencies: tuple[str, ...], worlds: list[str], count: int
    ) -> dict[str, int]:
        """Add ``count`` rows, attributes ``worlds`` get the current world where they have no value; returns the row that
        the first value of each attribute went to.
        """
        columns = dict(columns)
        for key in worlds:
            given = columns.get(key) or (None,) * count
            columns[key] = [self.current_world if value is None else value for value in given]
        first = {}
        for key, values in columns.items():
            attribute = self.custom_attributes[key]
            first[key] = self.custom_frequency_counts[attribute.frequency]
            self._fill(attribute)
            attribute.values.put_all(values)
        for frequency in frequencies:
            self.custom_frequency_counts[frequency] += count
        self.clock.now += 1
        return first

    def _fill(self, attribute: CustomAttribute) -> None:
        """Extend a custom frequency's attribute to the length of its frequency, with rows that say nothing."""
        while len(attribute.values) < self.custom_frequency_counts[attribute.frequency]:
            attribute.values.add(None)

    def _declared(self, key: str) -> CustomAttribute:
        try:
            return self.custom_attributes[key]
        except KeyError:
            known = (
                ", ".join(sorted(k for k in self.custom_attributes if not k.startswith("mujoco:equality"))) or "none"
            )
            raise UndeclaredError(
                f"custom attribute {key!r}: not declared (known: {known}); call add_custom_attribute first"
            ) from None

    def _check_custom(self, values: dict[str, Any] | None, rows: Rows, where: str) -> dict[tuple[str, int], Any]:
        """Custom values of an ``add_*`` call as {(key, row): value}; ModelError before anything is stored.

        A thing with several rows of a frequency (the degrees of freedom of a joint) takes a list with one value each, a
        dictionary by position, or one value for all.
        """
        cells = {}
        for key, value in (values or {}).items():
            attribute = self._declared(key)
            if attribute.frequency not in rows:
                place = f"{where} custom attribute {key!r}"
                got = attribute.frequency if attribute.is_custom_frequency else attribute.frequency.name
                raise ModelError(
                    f"{place}: has frequency {got}; here values of {', '.join(f.name for f in rows)} can be given"
                )
            first, count = rows[attribute.frequency]
            single = attribute.frequency not in OF_JOINTS
            if single and attribute.is_plain(value):
                cells[key, first] = value
                continue
            place = f"{where} custom attribute {key!r}"
            for i, one in {0: value}.items() if single else _each(value, count, attribute, place):
                attribute.check(one, place)
                cells[key, first + i] = one
        return cells

    def _check_custom_columns(
        self, frequency: F, first: int, given: Sequence[dict[str, Any] | None], where: Callable[[int], str]
    ) -> dict[str, dict[int, Any]]:
        """``_check_custom`` of things that have one row each, from row ``first`` on: values by key and row."""
        columns: dict[str, dict[int, Any]] = {}
        for row, values in enumerate(given, first):
            for key, value in (values or {}).items():
                columns.setdefault(key, {})[row] = value
        for key, column in columns.items():
            attribute = self._declared(key)
            if attribute.frequency != frequency or not attribute.all_plain(column.values()):
                for row, value in column.items():
                    self._check_custom({key: value}, {frequency: (row, 1)}, where(row))
        return columns

    def _store_custom(self, cells: dict[tuple[str, int], Any]) -> None:
        for (key, row), value in cells.items():
            dict.__setitem__(self.custom_attributes[key].values, row, value)
        self.clock.now += 1


def store_custom_columns(builder, columns: dict[str, dict[int, Any]]) -> None:
    """Store values by key and row, which have been checked."""
    for key, column in columns.items():
        dict.update(builder.custom_attributes[key].values, column)
    builder.clock.now += 1


def add_custom_columns(builder, blocks: Sequence[tuple[Mapping[str, Sequence[Any]], int]]) -> list[dict[str, int]]:
    """Add rows to custom frequencies, block by block, after all of them have been checked.

    A block is the values of some attributes, None where a row has none to give, and the number of its rows.  Returns,
    for each block, the row that the first value of each attribute went to.
    """
    checked = [builder._check_custom_values(columns) for columns, _ in blocks]
    worlds = {frequencies: builder._of_worlds(frequencies) for frequencies in set(checked)}
    return [
        builder._add_custom_rows(columns, frequencies, worlds[frequencies], count)
        for (columns, count), frequencies in zip(blocks, checked)
    ]


def _each(value: Any, count: int, attribute: CustomAttribute, where: str):
    """(position, value) of each of ``count`` rows."""
    if isinstance(value, dict):
        outside = [i for i in value if not 0 <= i < count]
        if outside:
            raise ModelError(f"{where}: position {outside[0]} of {count}; count from 0")
        return value.items()
    depth = len(value_shape(attribute.dtype)) + 1
    listed = isinstance(value, (list, tuple)) if attribute.dtype is str else _depth(value) == depth
    if not listed:
        return [(i, value) for i in range(count)]
    if len(value) != count:
        raise ModelError(
            f"{where}: {len(value)} values; this joint has {count} rows of {attribute.frequency.name}, give one value each"
        )
    return enumerate(value)


def _depth(value: Any) -> int:
    """Nesting depth of lists."""
    depth = 0
    while hasattr(value, "__len__") and not isinstance(value, str) and len(value):
        value = value[0]
        depth += 1
    return depth
