"""Field types: what ``m`` and ``d`` of a stage are to a type checker; Warp gives them the struct that a kernel needs.

The stub beside this file has every field with its type; ``python -m conformance field_types`` writes it from the tables
in ``fields``.
"""

from typing import Any

ModelFields = Any
"""Fields that are constant in a step, read by name."""
DataFields = Any
"""Fields that stages read and write by name."""
