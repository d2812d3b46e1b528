"""Meshes of distance fields: the surface of a plugin ``mujoco.sdf.*``, by marching cubes on MuJoCo's grid."""

import numpy as np

from newtonlite.core.plugins import PLUGINS, numbers_of
from newtonlite.geometry.contact.field.surface import surface_of_field
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.plugins import Instance, plugin_of
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import ElementContext


def field_plugin(node: Node, document: Document) -> Instance | None:
    """The plugin whose surface a mesh asset is; None for others."""
    return plugin_of(node, ElementContext(document), "geom") if node.children else None


def field_surface(node: Node, values: dict, instance: Instance) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [n, 3] and triangles [m, 3] of the surface of a field, in the field's frame."""
    if tuple(values.get("scale", (1.0, 1.0, 1.0))) != (1.0, 1.0, 1.0):
        raise node.error("attribute scale is not compatible with distance fields; leave it out", "scale")
    plugin = PLUGINS[instance.plugin]
    given = [
        numbers_of(instance.config[name])[0] if instance.config.get(name) else default
        for name, default in zip(plugin.attributes, plugin.defaults, strict=True)
    ]
    found = surface_of_field(plugin.slot, given)
    if found is None:
        raise node.error(f"the field of plugin {plugin.name} has no surface; give it other attributes")
    return found
