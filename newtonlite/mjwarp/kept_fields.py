"""Intermediate results that data with shared scratch keeps per world all the same."""

import difflib
from collections.abc import Iterable

from newtonlite.core.errors import StateError
from newtonlite.mjwarp.island_lists import LISTS
from newtonlite.mjwarp.islands import FIELDS as ISLANDS
from newtonlite.mjwarp.layout import FRAMES, LAYOUTS
from newtonlite.solvers.mujoco.data import FIELDS, PRIVATE

GROUPS = {name: tuple(f for f in FIELDS if f.startswith(f"{name}_")) for name in ("contact", "efc")}
"""Fields of ``d.contact`` and ``d.efc``, which have one name."""


def engine_fields(names: Iterable[str]) -> tuple[str, ...]:
    """Fields of the engine by the names that ``make_data(kept_fields=...)`` has.

    StateError for what is no field, and for what is computed when it is read: that needs all intermediate results.
    """
    if isinstance(names, str):
        raise StateError(f"kept_fields: expected several names, got one string; write kept_fields=({names!r},)")
    kept: list[str] = []
    for name in names:
        if name in GROUPS:
            kept += [field for field in GROUPS[name] if field not in (*PRIVATE, *ISLANDS)]
        elif name in LAYOUTS or name in LISTS or name in ISLANDS or name in FRAMES or name in PRIVATE:
            raise StateError(
                f"kept_fields: {name!r} is made from other results when it is read; use scratch='per_world', which keeps all"
            )
        elif name in FIELDS:
            kept.append(name)
        else:
            near = difflib.get_close_matches(str(name), [*FIELDS, *GROUPS], 1)
            raise StateError(f"kept_fields: no field {name!r}" + (f"; is it {near[0]!r}?" if near else ""))
    return tuple(dict.fromkeys(kept))
