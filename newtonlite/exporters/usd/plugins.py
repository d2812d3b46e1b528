"""Plugins of a stage: MuJoCo's own extensions as texts of JSON, since no schema has them."""

import json

from lxml.etree import _Element as XmlElement

from newtonlite.exporters.usd.node import LayerPrim, Names
from newtonlite.importers.usd.plugins import TEXT, TYPE


def named_instances(section: XmlElement | None) -> dict[str, dict[str, str]]:
    """Attributes of the instances that have a name, by it, in their order."""
    plugins = section if section is not None else ()
    return {instance.attrib["name"]: config(instance) for plugin in plugins for instance in plugin}


def config(tag: XmlElement) -> dict[str, str]:
    """The attributes of an instance."""
    return {child.attrib["key"]: child.attrib["value"] for child in tag if child.tag == "config"}


def write_instances(layer, physics: str, names: Names, section: XmlElement | None) -> None:
    """A prim for each named instance."""
    for plugin in section if section is not None else ():
        for instance in plugin:
            name = instance.attrib["name"]
            node = LayerPrim(layer, names.path(physics, "plugin", name, "plugin"), TYPE)
            node.put("string", TEXT, text_of(plugin.attrib["plugin"], name, config(instance)))


def put_plugin(node: LayerPrim, tag: XmlElement, named: dict[str, dict[str, str]]) -> None:
    """The plugin of an element, by its attributes or by its child, where it has one."""
    tag = tag if tag.tag == "plugin" else next((child for child in tag if child.tag == "plugin"), tag)
    if tag.tag == "plugin":
        name = tag.attrib.get("instance", "")
        node.put("string", TEXT, text_of(tag.attrib["plugin"], name, named[name] if name else config(tag)))


def text_of(plugin: str, name: str, given: dict[str, str]) -> str:
    """An instance as JSON."""
    return json.dumps({"plugin": plugin, "name": name, "config": given})
