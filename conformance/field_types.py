"""The stub of ``field_types`` with every field of engine and compiled models, for type checkers. Written from the field tables.

python -m conformance field_types
"""

from collections.abc import Callable

import warp as wp

from conformance.collection.places import ROOT
from newtonlite.core.field import Field
from newtonlite.solvers.mujoco.compile.compiled_fields import FIELDS
from newtonlite.solvers.mujoco.compile.named import KINDS
from newtonlite.solvers.mujoco.fields import DATA, MODEL

STUB = ROOT / "newtonlite" / "solvers" / "mujoco" / "field_types.pyi"
HEAD = '''"""Fields of the views ``m`` and ``d``, with their types. Written by ``python -m conformance field_types``."""

from typing import Any

import numpy as np
import warp as wp
'''
ON_HOST = """
class EngineModelFields(ModelFields): ...
class EngineDataFields(DataFields): ...
"""
PROPERTIES = {"tex_data"}
"""Fields of the compiled model that it computes."""


def main() -> None:
    STUB.write_text(text())


def text() -> str:
    """The stub."""
    views = fields_class("ModelFields", MODEL, kind) + fields_class("DataFields", DATA, kind)
    return HEAD + views + ON_HOST + fields_class("CompiledFields", tuple(FIELDS.values()), host_kind) + names()


def fields_class(name: str, table: tuple[Field, ...], kind: Callable[[Field], str]) -> str:
    """A class with a line for each field of a table."""
    lines = [f"    {field.name}: {kind(field)}" for field in table if field.name not in PROPERTIES]
    return "\n".join(["", f"class {name}:", *lines, ""])


def names() -> str:
    """Lists of names of the compiled model, as the last lines of its class."""
    return "".join(f"    names_{kind}: list[str]\n" for kind in KINDS)


def host_kind(field: Field) -> str:
    """Type of a field of the compiled model."""
    return "np.ndarray" if field.dims is not None or field.role == "param" else "int"


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
