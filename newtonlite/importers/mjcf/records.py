"""Records that a model keeps beside its physics: materials, textures, custom data, visual settings, sizes.

Each is a ``mujoco:record`` row: kind, name, and its values as JSON.
"""

import json
from collections.abc import Iterator

import numpy as np

from newtonlite.core.mujoco import MjtMeshInertia
from newtonlite.core.packed_array import pack_array
from newtonlite.importers.mjcf.defaults import complete, layers
from newtonlite.importers.mjcf.document import Document, asset_name
from newtonlite.importers.mjcf.field_meshes import field_plugin
from newtonlite.importers.mjcf.meshes import MODES
from newtonlite.importers.mjcf.plugins import instances
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import ElementContext, Spec
from newtonlite.importers.mjcf.surfaces import file_of, mesh_values, taxel_tangents


def records(spec: Spec, meshes) -> Iterator[dict]:
    """The rows, in the model's order: those of the file first, then those of attached models."""
    places = [(spec.document, ElementContext(spec.document)), *first_copies(spec)]
    bare = spec.document.compiler["discardvisual"]
    for document, place in places:
        for node in document.assets["mesh"].values():
            yield from mesh_row(node, document, place, meshes, bare)
    for document, place in places:
        for node in document.assets["hfield"].values():
            yield hfield_row(node, document, place, meshes)
    for document, place in [] if bare else places:
        for node in document.assets["texture"].values():
            yield row(
                "texture", place.full(node.values.get("name") or asset_name(node)), meshes.texture(node, document)
            )
    for document, place in [] if bare else places:
        for name, node in document.assets["material"].items():
            values = complete(node.element, {**document.classes.of(node, "main"), **node.values})
            values["layers"] = values.get("layers", {}) | layers(node)
            yield row("material", place.full(name), values | {"prefix": place.prefix})
    for item in spec.skins:
        yield row("skin", item.name, item.values)
    for document, place in places:
        for instance in instances(document).values():
            yield row("plugin", place.owner + instance.name, {"plugin": instance.plugin, "config": instance.config})
    for item in spec.customs:
        values = dict(item.node.values)
        if item.node.tag == "tuple":
            values["elements"] = [complete(child.element, child.values) for child in item.node.children]
            values["prefix"] = item.place.prefix
        yield row(item.node.tag, item.name, values)
    asked = {
        name: value
        for node in spec.document.sections["compiler"]
        for child in node.children
        for name, value in child.values.items()
    }
    if asked:
        yield row("lengthrange", "", asked)
    for section in ("visual", "size"):
        values = {}
        for node in spec.document.sections[section]:
            parts = node.children if section == "visual" else [node]
            for part in parts:
                values.setdefault(part.tag, {}).update(part.values)
        yield row(section, "", values)


def mesh_row(node: Node, document: Document, place: ElementContext, meshes, bare: bool) -> Iterator[dict]:
    """The name of a mesh, for its place in the list; and all of it, where no geom has it."""
    name = place.prefix + (node.values.get("name") or asset_name(node))
    if (id(node), place.prefix) in meshes.built:
        yield row("mesh", name, {})
    elif not bare:
        vertices, triangles = meshes.surface_of(node, document)
        values = mesh_values(node, document)
        arrays = {"vertices": vertices, "triangles": triangles, "tangents": taxel_tangents(node, document)}
        packed = {key: pack_array(array) for key, array in arrays.items()}
        yield row(
            "mesh",
            name,
            packed
            | {
                "mode": MODES[values.get("inertia", MjtMeshInertia.LEGACY)],
                "file": file_of(values),
                "scale": [meshes.scale * x for x in values.get("scale", (1.0, 1.0, 1.0))],
            }
            | ({"keeps_frame": True} if field_plugin(node, document) is not None else {}),
        )


def hfield_row(node: Node, document: Document, place: ElementContext, meshes) -> dict:
    """The name of a height field, for its place in the list; and all of it, where no geom has it."""
    field = meshes.field_of(node, document, place.prefix)
    if (id(node), place.prefix) in meshes.built:
        return row("hfield", field.name, {})
    heights = pack_array(np.asarray(field.data, float))
    return row(
        "hfield",
        field.name,
        {"heights": heights, "shape": [field.nrow, field.ncol], "size": [field.hx, field.hy, field.max_z, field.base]},
    )


def first_copies(spec: Spec) -> list[tuple[Document, ElementContext]]:
    """Attached documents and their places, each once however often it was replicated."""
    found: dict[tuple[int, str], tuple[Document, ElementContext]] = {}
    for document, place in spec.attached:
        if document is not spec.document:
            found.setdefault(
                (id(document), place.prefix), (document, ElementContext(document, place.prefix, owner=place.prefix))
            )
    return list(found.values())


def row(kind: str, name: str, values: dict) -> dict:
    """One record."""
    kept = {key: value for key, value in values.items() if key not in ("name", "class")}
    return {"mujoco:record_kind": kind, "mujoco:record_label": name, "mujoco:record_values": json.dumps(kept)}
