"""Enumeration members as attributes of their class: Python before 3.12 looks each up by a function, at every use."""

from collections.abc import Mapping
from enum import EnumMeta
from typing import Any


def bind_members(names: Mapping[str, Any]) -> None:
    """Have the members of all enumerations among a module's ``names`` be plain attributes."""
    for kind in [value for value in names.values() if isinstance(value, EnumMeta)]:
        for name, member in kind.__members__.items():
            type.__setattr__(kind, name, member)
