"""Declaring the ``mujoco`` namespace on a builder, from the rows of the schema and ``newtonlite.schema.namespace``."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment, AttributeFrequency, TrnType
from newtonlite.core.mujoco import MjtObj
from newtonlite.core.table import Attr, Element
from newtonlite.core.types import vec5, vec10
from newtonlite.schema import MUJOCO
from newtonlite.schema.namespace import COLUMNS, FREQUENCIES, PER_WORLD, Column
from newtonlite.schema.owners import RESOLVERS

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


def attribute(kind, column: Column):
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
    )


def filled(move: Callable, default: Any) -> Callable:
    """A transformer of arrays, made to take what a builder has: the default stands where no value was given."""
    return lambda values, context: move(np.asarray([default if v is None else v for v in values]), context)


@cache
def columns() -> dict[str, Column]:
    """All attributes of the namespace by name: those written out, and those of the schema's rows. Not to be changed."""
    found = {c.name: c for c in COLUMNS}
    for _, element in MUJOCO.walk():
        if element.frequency:
            for attr in element.attrs:
                for column in from_row(element, attr):
                    found.setdefault(column.name, column)
    return found


def from_row(element: Element, attr: Attr) -> Iterator[Column]:
    """The attributes that a row of the schema binds."""
    for name in attr.custom():
        frequency = "world" if name in PER_WORLD else element.frequency
        yield Column(name, frequency, dtype_of(attr), attr.default, doc=attr.doc, mjcf=attr.name, usd=attr.usd)


def dtype_of(attr: Attr) -> str:
    """Name of the element type that holds an attribute's value."""
    kind = attr.kind
    if kind.words:
        return "bool" if all(isinstance(v, bool) for v in kind.words.values()) else "int"
    if kind.base in ("name", "reference", "text") or kind.high is None:
        return "str"
    number = "int" if kind.base == "integer" else "float"
    if kind.scalar:
        return number
    return "vec2i" if (number, kind.high) == ("int", 2) else f"vec{kind.high}"


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


def table() -> str:
    """The namespace as text, one attribute a line."""
    lines = [f"{'name':36} {'frequency':28} {'type':10} meaning"]
    lines += [
        f"{c.name:36} {c.frequency:28} {c.dtype:10} {c.doc}"
        for c in sorted(columns().values(), key=lambda c: (c.frequency, c.name))
    ]
    return "\n".join(lines)
