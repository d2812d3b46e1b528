"""Rows of the ``mujoco`` namespace: numbers are checked, then added by one call of the builder."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError, RangeError
from newtonlite.core.mujoco import MjtLimited
from newtonlite.solvers.mujoco.attributes import register

SWITCH = {"auto": MjtLimited.AUTO, "true": 1, "false": 0, 0: 0, 1: 1, MjtLimited.AUTO: MjtLimited.AUTO}


def add_row(builder: Any, kind: str, values: dict[str, Any], custom: dict[str, Any] | None = None) -> int:
    """Add a row to ``mujoco:<kind>``; ``values`` by attribute name without the namespace. Returns the row's number."""
    keys = {f"mujoco:{name}": value for name, value in values.items() if value is not None} | dict(custom or {})
    declare(builder)
    missing = [key for key in keys if not builder.has_custom_attribute(key)]
    if missing:
        raise ModelError(
            f"{kind}: {missing[0]!r} is not declared; call SolverMuJoCo.register_custom_attributes(builder) first"
        )
    row = builder.custom_frequency_counts[f"mujoco:{kind}"]
    builder.add_custom_values(**keys)
    return row


def declare(builder: Any) -> None:
    """Declare the namespace on a builder that does not have it yet."""
    if not builder.has_custom_attribute("mujoco:actuator_trnid"):
        register(builder)


def same_world(builder: Any, world: int, what: str, index: int, where: str) -> None:
    """ModelError for what belongs to another world than the one that is open."""
    if world not in (-1, builder.current_world):
        raise ModelError(
            f"{where}: {what} {index} belongs to world {world}, and world {builder.current_world} is open; refer to things of one world"
        )


def finite_numbers(values: Sequence[float], count: int, where: str, default: Sequence[float] = ()) -> tuple[float, ...]:
    """Up to ``count`` finite numbers, the rest taken from ``default``, then zero. One number alone stands for itself."""
    given = np.atleast_1d(np.asarray(values, float)).tolist()
    if len(given) > count or not np.isfinite(given).all():
        raise ModelError(f"{where}: {given}; give up to {count} finite numbers")
    rest = [*default[len(given) :], *[0.0] * count][: count - len(given)]
    return tuple(given + rest)


def switch(value: Any, where: str) -> int:
    """0, 1 or 2 (auto) of ``limited``-like arguments."""
    key = value.lower() if isinstance(value, str) else value
    if key not in SWITCH:
        raise ModelError(f"{where}: {value!r}; give True, False or 'auto'")
    return SWITCH[key]


def entity(builder: Any, index: int, count: int, what: str, where: str, least: int = 0) -> int:
    """An index of something the builder has; ModelError otherwise."""
    if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not least <= index < count:
        raise RangeError(f"{where}: {what} {index!r} does not exist; there are {count}")
    return int(index)


def word(value: int | str, words: Sequence[str], where: str) -> int:
    """A keyword given by name or by number."""
    if isinstance(value, str):
        if value.lower() not in words:
            raise ModelError(f"{where}: {value!r} is unknown; use one of {', '.join(words)}")
        return list(words).index(value.lower())
    if not 0 <= int(value) < len(words):
        raise ModelError(
            f"{where}: {value!r} is unknown; use a number below {len(words)}, or one of {', '.join(words)}"
        )
    return int(value)
