"""All or nothing: what a builder was before an import, put back where the import fails."""

from copy import copy
from typing import Any

from newtonlite.sim.builder.column import Column


class Undo:
    """``with Undo(builder): ...`` leaves the builder as it was where the body raises."""

    def __init__(self, builder):
        self.builder = builder

    def __enter__(self) -> "Undo":
        state = self.builder.__dict__
        self.state = {name: kept(value) for name, value in state.items() if name != "columns"}
        self.columns = {name: column_state(column) for name, column in self.builder.columns.items()}
        self.values = {key: values_of(attribute.values) for key, attribute in self.builder.custom_attributes.items()}
        return self

    def __exit__(self, kind, problem, trace) -> None:
        if kind is None:
            return
        builder = self.builder
        for name in set(builder.__dict__) - set(self.state) - {"columns"}:
            del builder.__dict__[name]
        builder.__dict__.update(self.state)
        for name, state in self.columns.items():
            restore(builder.columns[name], state)
        for key, values in self.values.items():
            attribute = builder.custom_attributes[key]
            if isinstance(attribute.values, Column):
                restore(attribute.values, values)
            else:
                dict.clear(attribute.values)
                dict.update(attribute.values, values)
        builder.clock.now += 1


def kept(value: Any) -> Any:
    """A copy of what an import may change in place."""
    if isinstance(value, dict):
        return {key: list(item) if isinstance(item, list) else item for key, item in value.items()}
    return copy(value) if isinstance(value, (list, set)) else value


def column_state(column: Column) -> tuple[list, int]:
    """The chunks of a column, plain ones copied, and its length."""
    return [list(chunk) if isinstance(chunk, list) else chunk for chunk in column.chunks], len(column)


def restore(column: Column, state: tuple[list, int]) -> None:
    """Put a column's chunks back."""
    column.chunks, column._length = state
    column.clock.now += 1


def values_of(values: Any) -> Any:
    """The values of a custom attribute."""
    return column_state(values) if isinstance(values, Column) else dict(values)
