"""Custom attributes of the ``mujoco`` namespace: what a column is."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Custom:
    """One custom attribute; ``dtype`` by name (``vec2``), ``refers`` names what its integers point at."""

    name: str
    frequency: str
    dtype: str = "int"
    default: Any = None
    refers: str = ""
    doc: str = ""
    mjcf: str = ""
    usd: str = ""
    assignment: str = "model"
