"""Declaring the ``mujoco`` namespace on a builder, from the rows of the schema and ``newtonlite.schema.namespace``."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment, AttributeFrequency, TrnType
from newtonlite.core.mujoco import MjtObj
from newtonlite.core.types import vec5, vec10
from newtonlite.schema.columns import columns
from newtonlite.schema.namespace import FREQUENCIES, Custom
from newtonlite.sim.namespace.owners import RESOLVERS
from newtonlite.sim.namespace.placements import PLACED

DTYPES = {
    "float": wp.float32,
    "int": wp.int32,
    "int64": wp.int64,
    "bool": wp.bool,
    "str": str,
    "vec2": wp.vec2,
    "vec3": wp.vec3,
    "vec4": wp.vec4,
    "vec5": vec5,
    "vec6": wp.spatial_vector,
    "vec10": vec10,
    "vec2i": wp.vec2i,
    "transform": wp.transform,
}


def register(builder) -> None:
    """Declare the namespace on a builder; doing it again changes nothing."""
    kinds = type(builder)
    for key, options in FREQUENCIES.items():
        builder.add_custom_frequency(
            kinds.CustomFrequency(
                name=key.partition(":")[2],
                namespace="mujoco",
                articulation_owner_resolver=RESOLVERS.get(key),
                **options,
            )
        )
    for declared in attributes(kinds.CustomAttribute):
        builder.add_custom_attribute(declared)


@cache
def attributes(kind) -> tuple:
    """The builder's declarations of all columns, which no builder changes."""
    return tuple(attribute(kind, column) for column in columns().values())


def attribute(kind, column: Custom):
    """The builder's declaration of a column."""
    move = MOVERS.get(column.refers)
    return kind(
        name=column.name,
        dtype=DTYPES[column.dtype],
        frequency=column.frequency if ":" in column.frequency else AttributeFrequency[column.frequency.upper()],
        assignment=AttributeAssignment[column.assignment.upper()],
        namespace="mujoco",
        references=None if move else column.refers or None,
        default=column.default,
        mjcf_attribute_name=column.mjcf or None,
        usd_attribute_name=column.usd or None,
        reference_value_transformer=move and filled(move, column.default),
        placed=PLACED.get(column.name),
    )


def filled(move: Callable, default: Any) -> Callable:
    """A transformer of arrays, made to take what a builder has: the default stands where no value was given."""
    return lambda values, context: move(np.asarray([default if v is None else v for v in values]), context)


def move_targets(values, context) -> np.ndarray:
    """Targets of actuators [n, 2] in a copy: each shifted by what its kind of target is shifted by."""
    kinds = np.asarray(context["builder"].values("mujoco:actuator_trntype"))
    entity, custom = context["entity_offsets"], context["custom_frequency_offsets"]
    shifts = {
        TrnType.TENDON: custom.get("mujoco:tendon", 0),
        TrnType.SITE: entity.get("shape", 0),
        TrnType.SLIDERCRANK: entity.get("shape", 0),
        TrnType.BODY: entity.get("body", 0),
    }
    shift = np.full(len(kinds), entity.get("joint_dof", 0))
    for kind, offset in shifts.items():
        shift[kinds == kind] = offset
    return np.where(values < 0, values, values + shift[:, None])


def move_objects(values, context, kinds: str) -> np.ndarray:
    """Objects of sensors [n] in a copy: each shifted by the offset of its kind of object."""
    entity, custom = context["entity_offsets"], context["custom_frequency_offsets"]
    kinds = np.asarray(context["builder"].values(kinds))
    shift = np.zeros(len(kinds), np.int64)
    for kind, (of, name) in OBJECTS.items():
        shift[kinds == kind] = (custom if of == "custom" else entity).get(name, 0)
    return np.where(values < 0, values, values + shift)


def move_domains(values, context) -> np.ndarray:
    """Numbers of files [n] in a copy: those of other copies are other ones."""
    return np.where(values < 0, values, values + context["entity_offsets"].get("shape", 0))


OBJECTS = {
    MjtObj.BODY: ("entity", "body"),
    MjtObj.XBODY: ("entity", "body"),
    MjtObj.JOINT: ("entity", "joint_dof"),
    MjtObj.GEOM: ("entity", "shape"),
    MjtObj.SITE: ("entity", "shape"),
    MjtObj.CAMERA: ("custom", "mujoco:camera"),
    MjtObj.LIGHT: ("custom", "mujoco:light"),
    MjtObj.TENDON: ("custom", "mujoco:tendon"),
    MjtObj.ACTUATOR: ("custom", "mujoco:actuator"),
}
MOVERS = {
    "mask domain": move_domains,
    "actuator target": move_targets,
    "sensor object": partial(move_objects, kinds="mujoco:sensor_objtype"),
    "sensor reference": partial(move_objects, kinds="mujoco:sensor_reftype"),
}
"""Functions that shift references where a column does not give the shift by itself."""
