"""The stub of ``field_types``: protocols with every field of the engine, for type checkers. Written from the field tables.

python -m conformance field_types
"""

import warp as wp

from conformance.collection.places import ROOT
from newtonlite.core.field import Field
from newtonlite.solvers.mujoco.fields import DATA, MODEL

STUB = ROOT / "newtonlite" / "solvers" / "mujoco" / "field_types.pyi"
HEAD = '''"""Fields of the views ``m`` and ``d``, with their types. Written by ``python -m conformance field_types``."""

from typing import Any, Protocol

import warp as wp
'''


def main() -> None:
    STUB.write_text(text())


def text() -> str:
    """The stub."""
    return HEAD + protocol("ModelFields", MODEL) + protocol("DataFields", DATA)


def protocol(name: str, table: tuple[Field, ...]) -> str:
    """A protocol with a line for each field of a table."""
    lines = [f"    {field.name}: {kind(field)}" for field in table]
    return "\n".join(["", f"class {name}(Protocol):", *lines, ""])


def kind(field: Field) -> str:
    """Type of a field in a view: a number, or an array whose first dimension are worlds, but for indices."""
    if field.role == "size":
        return "int"
    ndim = len((field.dims or "").split()) + (field.role != "index")
    return f"wp.array{'' if ndim == 1 else f'{ndim}d'}[{element(field.dtype)}]"


def element(dtype) -> str:
    """How kernels call the type of an element; Any where it has no name."""
    if dtype in (int, float):
        return dtype.__name__
    name = getattr(dtype, "__name__", "")
    return f"wp.{name}" if getattr(wp, name, None) is dtype else "Any"
