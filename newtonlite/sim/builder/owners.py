"""Articulations of the rows of custom frequencies: by an attribute of the rows, or by a function of the frequency."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment
from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError
from newtonlite.sim.attributes import find_attribute, place_attribute


def owners_of_rows(builder: Any, model: Any) -> None:
    """Fill ``model.custom_frequency_articulation``, -1 for rows of no articulation. ModelError for owners that do not
    exist.
    """
    for key, frequency in builder.custom_frequencies.items():
        name = frequency.articulation_owner_attribute
        if name is None:
            continue
        check_declared(builder, key, name)
        count = builder.custom_frequency_counts[key]
        if not count and builder.custom_attributes[name].namespace != "mujoco":
            model.custom_frequency_articulation[key] = wp.empty(0, dtype=int, device=model.device)
            continue
        if frequency.articulation_owner_resolver is not None:
            found = resolved(
                frequency.articulation_owner_resolver(builder),
                f"articulation owner resolver of {key!r}",
                count,
                builder.articulation_count,
            )
            place_attribute(
                model, name, wp.array(found, dtype=builder.custom_attributes[name].dtype, device=model.device)
            )
        owners = find_attribute(model, name)
        resolved(owners.numpy(), f"attribute {name!r}", count, builder.articulation_count)
        model.custom_frequency_articulation[key] = owners


def check_declared(builder: Any, key: str, name: str) -> None:
    """ModelError unless the attribute of owners is one of the frequency's, on the model, of integers that refer to
    articulations.
    """
    attribute = builder.custom_attributes.get(name)
    if attribute is None:
        raise ModelError(
            f"custom frequency {key!r}: unknown articulation owner attribute '{name}'; declare it with add_custom_attribute"
        )
    wrong = []
    if attribute.frequency != key:
        wrong.append(f"uses frequency '{attribute.frequency}', expected '{key}'")
    if attribute.assignment != AttributeAssignment.MODEL:
        wrong.append("must be assigned to Model")
    if attribute.refers != F.ARTICULATION:
        wrong.append("must declare references='articulation'")
    if attribute.dtype is str or not wp.types.type_is_int(attribute.dtype):
        wrong.append("must use an integer dtype")
    if wrong:
        raise ModelError(f"Articulation owner attribute '{name}' {'; '.join(wrong)}")


def resolved(owners: Any, where: str, count: int, articulations: int) -> np.ndarray:
    """Owners as int [rows]; ModelError for a wrong number of them, or articulations that do not exist."""
    owners = list(owners)
    if len(owners) != count:
        raise ModelError(f"{where}: returned {len(owners)} values, expected {count}")
    for row, owner in enumerate(owners):
        if isinstance(owner, (bool, np.bool_)) or not isinstance(owner, (int, np.integer)):
            raise ModelError(f"{where}: non-integer value {owner!r} at row {row}; give an articulation, or -1")
        if not -1 <= owner < articulations:
            raise ModelError(
                f"{where}: invalid articulation index {int(owner)} at row {row}; there are {articulations}"
            )
    return np.array(owners, np.int32)
