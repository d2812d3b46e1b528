"""Custom attributes and frequencies of a builder, from USD: declarations on the scene, values on prims, rows of custom
frequencies.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from newtonlite.core.enums import AttributeAssignment
from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.query import type_to_warp, value_to_warp
from newtonlite.importers.usd.resolvers import authored
from newtonlite.importers.usd.spec import UsdJoint, UsdSpec
from newtonlite.sim.builder.custom import CustomAttribute, CustomFrequency

OURS = "mujoco"
"""The namespace that the importer fills by itself."""
WORDS = {"model": 0, "state": 1, "control": 2, "contact": 3}


def declarations(prim: Any, report: Any = None) -> dict[str, CustomAttribute]:
    """Custom attributes that the ``newton:`` attributes of a ``Usd.Prim`` declare, by ``namespace:name``."""
    found = {}
    for attr in prim.GetAuthoredAttributes():
        parts = attr.GetName().split(":")
        data = attr.GetMetadata("customData") or {}
        if parts[0] != "newton" or "assignment" not in data or "frequency" not in data:
            continue
        if not 2 <= len(parts) <= 3:
            if report is not None:
                report.ignore(prim, "is no declaration: give newton:name or newton:namespace:name", attr.GetName())
            continue
        value = attr.Get()
        declared = CustomAttribute(
            name=parts[-1],
            namespace=parts[1] if len(parts) == 3 else None,
            dtype=type_to_warp(value),
            default=value_to_warp(value),
            frequency=F[str(data["frequency"]).upper()],
            assignment=AttributeAssignment(WORDS[str(data["assignment"]).lower()]),
        )
        found[declared.key] = declared
    return found


def values(prim: Any, attributes: Iterable[CustomAttribute], context: dict[str, Any] | None = None) -> dict[str, Any]:
    """Values of custom attributes on a ``Usd.Prim``, by key, as their transformers have them."""
    found = {}
    for attribute in attributes:
        arguments = dict(context or {}) | {"prim": prim, "attr": attribute}
        if attribute.usd_attribute_name == "*":
            if attribute.usd_value_transformer is None:
                raise ModelError(
                    f"custom attribute {attribute.key!r}: usd_attribute_name '*' needs a usd_value_transformer"
                )
            value = attribute.usd_value_transformer(None, arguments)
        else:
            value = authored(prim, attribute.usd_attribute_name)
            if value is not None and attribute.usd_value_transformer is not None:
                value = attribute.usd_value_transformer(value, arguments)
            elif value is not None:
                value = value_to_warp(value, attribute.dtype)
        if value is not None:
            found[attribute.key] = value
    return found


def declare(builder, spec: UsdSpec) -> None:
    """Add what the scene declares to the builder."""
    if spec.scene.prim is not None:
        for attribute in declarations(spec.scene.prim.usd, None).values():
            if attribute.key not in builder.custom_attributes:
                builder.add_custom_attribute(attribute)


def fill_values(builder, spec: UsdSpec, result: dict[str, Any]) -> None:
    """Set the values that prims author; those of joints hold for all their dofs."""
    kinds: dict[Any, list[CustomAttribute]] = {}
    for attribute in builder.custom_attributes.values():
        if attribute.namespace != OURS:
            kinds.setdefault(attribute.frequency, []).append(attribute)
    if not kinds:
        return
    context = {
        "builder": builder,
        "result": result,
        "physics_scene_prim": None if spec.scene.prim is None else spec.scene.prim.usd,
    }
    for frequency, prim, rows in places(builder, spec):
        for key, value in values(prim.usd, kinds.get(frequency, ()), context).items():
            attribute = builder.custom_attributes[key]
            try:
                attribute.check(value, f"custom attribute {key!r}")
            except ModelError as problem:
                raise prim.error(str(problem), attribute.usd_attribute_name) from None
            for row in rows:
                attribute.values[row] = value


def places(builder, spec: UsdSpec) -> Iterator[tuple[F, Prim, Iterable[int]]]:
    """(frequency, prim, rows) of everything that was added."""
    if spec.scene.prim is not None:
        yield F.ONCE, spec.scene.prim, (0,)
        yield F.WORLD, spec.scene.prim, (max(builder.current_world, 0),)
    for body in spec.bodies:
        yield F.BODY, body.prim, (body.index,)
    for shape in spec.shapes:
        yield F.SHAPE, shape.prim, (shape.index,)
    for joint in spec.joint_at.values():
        if joint.place >= 0:
            yield F.JOINT, joint.prim, (joint.place,)
            yield F.JOINT_DOF, joint.prim, [dof.index for dof in joint.dofs]
            yield F.JOINT_COORD, joint.prim, coordinates(builder, joint)
    for tree in spec.trees:
        if tree.prim is not None and tree.joints:
            row = builder.joint_articulation[tree.joints[0].index]
            for prim in (tree.prim.parent, tree.prim):
                if prim is not None and row >= 0:
                    yield F.ARTICULATION, prim, (row,)


def coordinates(builder, joint: UsdJoint) -> list[int]:
    """The coordinates of a joint."""
    start = builder.joint_q_start[joint.place]
    if joint.owner is None:
        end = (
            builder.joint_q_start[joint.place + 1]
            if joint.place + 1 < builder.joint_count
            else builder.joint_coord_count
        )
        return list(range(start, end))
    return [start + dof.index - builder.joint_qd_start[joint.place] for dof in joint.dofs]


def add_frequencies(builder, spec: UsdSpec, result: dict[str, Any]) -> None:
    """Rows of custom frequencies that look at prims, in one walk, frequencies in the order they were registered."""
    kinds = [f for f in builder.custom_frequencies.values() if f.usd_prim_filter is not None]
    own: dict[str, list[CustomAttribute]] = {}
    for attribute in builder.custom_attributes.values():
        if isinstance(attribute.frequency, str):
            own.setdefault(attribute.frequency, []).append(attribute)
    for prim in spec.walk.prims if kinds else ():
        for kind in kinds:
            context = {"prim": prim.usd, "builder": builder, "result": result}
            if call(kind, prim, kind.usd_prim_filter, context):
                rows = [values(prim.usd, own.get(kind.key, ()), {"builder": builder, "result": result})]
                if kind.usd_entry_expander is not None:
                    expanded = call(kind, prim, kind.usd_entry_expander, context)
                    rows = [rows[0] | dict(row) for row in expanded or ()]
                for row in rows:
                    if row:
                        builder.add_custom_values(**row)
                    else:
                        builder.add_empty_row(kind.key)


def call(kind: CustomFrequency, prim: Prim, function: Any, context: dict[str, Any]) -> Any:
    """Result of a frequency's callback for a prim; RuntimeError with both named where it fails."""
    try:
        return function(prim.usd, context)
    except Exception as problem:
        raise RuntimeError(
            f"custom frequency {kind.key!r}, prim <{prim.path}>: {type(problem).__name__}: {problem}"
        ) from problem
