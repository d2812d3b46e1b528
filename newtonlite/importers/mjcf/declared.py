"""Values of custom attributes in MJCF: attributes of elements, and of their default classes, that a builder knows by
``mjcf_attribute_name``.
"""

from typing import Any

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ParseError
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import Item
from newtonlite.sim.builder.custom import CustomAttribute
from newtonlite.utils.parse import string_to_warp

HOLDERS = {
    "body": (F.BODY,),
    "geom": (F.SHAPE,),
    "joint": (F.JOINT, F.JOINT_DOF),
    "freejoint": (F.JOINT, F.JOINT_DOF),
    "option": (F.ONCE, F.WORLD),
}
"""Elements whose attributes a builder's own are read from, and what each stands for."""
OWN = "mujoco"
"""Namespace of the attributes that rows of the schema read."""


Declared = list[tuple[str, CustomAttribute]]
"""Custom attributes of a frequency that a caller declared, after their names in MJCF."""


def declared_attributes(builder) -> dict[F, Declared]:
    """The custom attributes that elements may give values to, by frequency."""
    found: dict[F, Declared] = {frequency: [] for kinds in HOLDERS.values() for frequency in kinds}
    for attribute in builder.custom_attributes.values():
        if attribute.namespace != OWN and attribute.frequency in found:
            found[attribute.frequency].append((attribute.mjcf_attribute_name or attribute.name, attribute))
    return found


def declared_names(builder) -> dict[str, frozenset[str]]:
    """Names of attributes that elements may have beside those of the schema, by tag."""
    found = declared_attributes(builder)
    return {
        tag: frozenset(name for frequency in kinds for name, _ in found[frequency]) for tag, kinds in HOLDERS.items()
    }


def declared_values(declared: Declared, node: Node, merged: dict | None = None, context: Any = None) -> dict:
    """Custom attributes to which an element gives values, by key; ParseError for what is no such value.

    ``merged`` are its values with those of its default classes. ``context`` goes to ``mjcf_value_transformer``.
    """
    found: dict[str, Any] = {}
    for name, attribute in declared:
        text = node.attrs.get(name)
        if text is None and merged and node.element is not None and node.element.attr(name) is None:
            text = merged.get(name)  # of a default class
        if text is None:
            continue
        try:
            if attribute.mjcf_value_transformer is not None:
                value = attribute.mjcf_value_transformer(text, context)
            else:
                value = string_to_warp(text, attribute.dtype, attribute.default)
        except ParseError as problem:
            raise node.error(str(problem), name) from None
        if value is not None:
            found[attribute.key] = value
    return found


def declared_of_joint(declared: dict[F, Declared], order: list[Item], width: int) -> dict[str, Any]:
    """Custom attributes of a joint made of these, each of ``width`` dofs: the first value of the joint, by dof those of dofs."""
    found: dict[str, Any] = {}
    if not (declared[F.JOINT] or declared[F.JOINT_DOF]):
        return found
    for k, item in enumerate(order):
        words = {"joint_type": item.node.attrs.get("type", "free" if item.node.tag == "freejoint" else "hinge")}
        words |= {"use_degrees": bool(item.place.document.compiler["angle"])}
        for key, value in declared_values(declared[F.JOINT], item.node, item.values, words).items():
            found.setdefault(key, value)
        for key, value in declared_values(declared[F.JOINT_DOF], item.node, item.values, words).items():
            found.setdefault(key, {}).update(dict.fromkeys(range(k, k + width), value))
    return found


def put_declared_settings(builder, declared: dict[F, Declared], sections: list[Node]) -> None:
    """Write what the sections ``option`` give, once for all or for the open world; the last one counts."""
    for node in sections:
        for frequency, row in ((F.ONCE, 0), (F.WORLD, max(builder.current_world, 0))):
            for key, value in declared_values(declared[frequency], node).items():
                builder.custom_attributes[key].values[row] = value
