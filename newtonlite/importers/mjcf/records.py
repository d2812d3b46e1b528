"""What a model keeps beside its physics: materials, textures, custom data, settings of the picture, sizes.

Each is a ``mujoco:record`` row: kind, name, and its values as JSON.
"""

import json
from collections.abc import Iterator

from .defaults import complete
from .document import Document
from .spec import Place, Spec
from .textures import texture_values


def records(spec: Spec) -> Iterator[dict]:
    """The rows, in the model's order: those of the file first, then those of attached models."""
    places = [(spec.document, Place(spec.document)), *first_copies(spec)]
    for document, place in places:
        for name, node in document.assets["texture"].items():
            yield row("texture", place.full(name), texture_values(node, document))
    for document, place in places:
        for name, node in document.assets["material"].items():
            values = complete(node.element, {**document.classes.of(node, "main"), **node.values})
            layers = {child.values["role"]: child.values.get("texture", "") for child in node.children if child.tag == "layer"}
            yield row("material", place.full(name), values | {"layers": layers, "prefix": place.prefix})
    for item in spec.customs:
        values = dict(item.node.values)
        if item.node.tag == "tuple":
            values["elements"] = [complete(child.element, child.values) for child in item.node.children]
            values["prefix"] = item.place.prefix
        yield row(item.node.tag, item.name, values)
    for section in ("visual", "size"):
        values = {}
        for node in spec.document.sections[section]:
            parts = node.children if section == "visual" else [node]
            for part in parts:
                values.setdefault(part.tag, {}).update(part.values)
        yield row(section, "", values)


def first_copies(spec: Spec) -> list[tuple[Document, Place]]:
    """Attached documents and their places, each once however often it was replicated."""
    found: dict[tuple[int, str], tuple[Document, Place]] = {}
    for document, place in spec.attached:
        found.setdefault((id(document), place.prefix), (document, Place(document, place.prefix)))
    return list(found.values())


def row(kind: str, name: str, values: dict) -> dict:
    """One record."""
    kept = {key: value for key, value in values.items() if key not in ("name", "class")}
    return {"mujoco:record_kind": kind, "mujoco:record_label": name, "mujoco:record_values": json.dumps(kept)}
