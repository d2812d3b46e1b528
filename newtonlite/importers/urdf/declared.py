"""Values of custom attributes in URDF: attributes of elements that stand for what a builder has rows for."""

from collections.abc import Iterator
from typing import Any

from newtonlite.core.enums import AttributeFrequency
from newtonlite.core.errors import ParseError
from newtonlite.importers.mjcf.read import Node
from newtonlite.sim.builder.custom import CustomAttribute
from newtonlite.utils.parse import string_to_warp

HOLDERS = {
    "robot": AttributeFrequency.ARTICULATION,
    "link": AttributeFrequency.BODY,
    "joint": AttributeFrequency.JOINT,
    "geometry": AttributeFrequency.SHAPE,
}
"""Elements whose attributes a builder's own are read from, and what each stands for."""


def declared_for(builder, node: Node) -> Iterator[tuple[str, CustomAttribute]]:
    """The custom attributes to which an element gives values, after their names in the element."""
    holder = HOLDERS.get(node.tag)
    if holder is not None:
        for attribute in builder.get_custom_attributes_by_frequency([holder]):
            name = attribute.urdf_attribute_name or attribute.name
            if name in node.attrs:
                yield name, attribute


def declared_values(builder, node: Node | None) -> dict[str, Any]:
    """Custom attributes of a builder that an element gives values to, by key; ParseError for what is no such value."""
    values: dict[str, Any] = {}
    if node is None:
        return values
    for name, attribute in declared_for(builder, node):
        try:
            if attribute.urdf_value_transformer is not None:
                value = attribute.urdf_value_transformer(node.attrs[name], None)
            else:
                value = string_to_warp(node.attrs[name], attribute.dtype, attribute.default)
        except ParseError as problem:
            raise node.error(str(problem), name) from None
        if value is not None:
            values[attribute.key] = value
    return values
