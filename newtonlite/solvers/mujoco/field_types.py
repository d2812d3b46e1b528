"""Field types: what ``m`` and ``d`` are to a type checker. Warp gives a stage the struct that its kernel needs.

The stub beside this file has every field with its type; ``python -m conformance field_types`` writes it from the tables
of fields.
"""

from typing import Any

ModelFields = Any
"""Of a stage's ``m``: fields that are constant in a step."""
DataFields = Any
"""Of a stage's ``d``: fields that stages read and write."""


class EngineModelFields:
    """Of ``EngineModel``, on the host: the same as those of ``m``."""


class EngineDataFields:
    """Of ``EngineData``, on the host: the same as those of ``d``."""


class CompiledFields:
    """Of ``CompiledModel``: NumPy arrays and numbers."""
