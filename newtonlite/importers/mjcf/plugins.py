"""Plugins of actuators, sensors, geoms and meshes: the instances of a file, and the one that an element has."""

import json
from typing import NamedTuple

from newtonlite.core.mujoco import MjtDyn
from newtonlite.core.plugins import PLUGINS, numbers_of
from newtonlite.importers.mjcf.check import suggestion
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import ElementContext, Item


class Instance(NamedTuple):
    """A plugin with its attributes; ``name`` is empty where the instance is an element's own."""

    plugin: str
    name: str
    config: dict[str, str]

    def text(self) -> str:
        """All of it as JSON."""
        return json.dumps(self._asdict())


def used_plugins(document: Document) -> dict[str, Node]:
    """The plugins that a file says it uses."""
    return {node.values["plugin"]: node for node in document.items("extension")}


def instances(document: Document) -> dict[str, Instance]:
    """The named instances of a file, in its order."""
    found: dict[str, Instance] = {}
    for plugin in document.items("extension"):
        for node in plugin.children:
            name = node.values["name"]
            if name in found:
                raise node.error(f"plugin instance '{name}' is defined a second time; give it another name", "name")
            found[name] = Instance(plugin.values["plugin"], name, config_of(node, plugin.values["plugin"]))
    return found


def config_of(node: Node, plugin: str) -> dict[str, str]:
    """The attributes of an instance, as texts of numbers; ParseError for one that the plugin does not have."""
    known, found = PLUGINS[plugin].attributes, {}
    for child in node.children:
        key, value = child.values["key"], child.values["value"]
        if key not in known:
            raise child.error(f"plugin {plugin} has no attribute '{key}'{suggestion(key, known)}", "key")
        try:
            numbers_of(value)
        except ValueError:
            raise child.error(f"'{value[:40]}' is no number; plugin {plugin} cannot be made of it", "value") from None
        found[key] = value
    return found


def plugin_of(node: Node, place: ElementContext, kind: str) -> Instance | None:
    """The instance that an element of a kind (actuator, sensor, geom) has by its attributes, or by its child; None for
    none. ParseError for an instance or plugin that is not there, or is of another kind.
    """
    if node.tag != "plugin":
        children = [child for child in node.children if child.tag == "plugin"]
        return plugin_of(children[0], place, kind) if children else None
    named, plugin = (node.values.get(name) for name in ("instance", "plugin"))
    known = instances(place.document)
    if named:
        if named not in known:
            raise node.error(f"there is no plugin instance '{named}'{suggestion(named, known)}", "instance")
        found = known[named]._replace(name=place.owner + named)
        if plugin and plugin != found.plugin:
            raise node.error(f"instance '{named}' is of plugin {found.plugin}", "plugin")
    else:
        found = own_instance(node, place, plugin)
    if PLUGINS[found.plugin].kind != kind:
        raise node.error(f"plugin {found.plugin} is for elements of kind {PLUGINS[found.plugin].kind}, not {kind}")
    return found


def own_instance(node: Node, place: ElementContext, plugin: str | None) -> Instance:
    """The instance that an element makes of its own attributes."""
    if not plugin:
        raise node.error("needs the attribute 'plugin' or 'instance'")
    if plugin not in used_plugins(place.document):
        raise node.error(f"uses plugin {plugin}, which has to stand in <extension> first", "plugin")
    return Instance(plugin, "", config_of(node, plugin))


def check_pid(item: Item) -> None:
    """The activations of a PID plugin: integral, last control, and what the dynamics add; bounds are not negative."""
    given = {name: numbers_of(text)[0] for name, text in item["plugin"].config.items() if text}
    for name in ("imax", "slewmax"):
        if given.get(name, 0.0) < 0:
            raise item.node.error(f"{name} {given[name]:g} is negative; give at least 0")
    own = (given.get("ki", 0.0) != 0.0) + ("slewmax" in given)
    need = own + (item["dyntype"] in (MjtDyn.FILTER, MjtDyn.FILTEREXACT, MjtDyn.INTEGRATOR))
    count = item.values.get("actdim", -1)
    has = count if count >= 0 else int(item["dyntype"] != MjtDyn.NONE)
    if has != need:
        at = "actdim" if "actdim" in item.node.values else None
        raise item.node.error(f'{has} activations, expected {need}; give actdim="{need}"', at)
