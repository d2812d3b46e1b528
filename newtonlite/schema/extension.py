"""extension and plugin: MuJoCo's own plugins, their instances, and the elements that have one."""

from dataclasses import replace

from newtonlite.core.table import COMPILED, REFUSED, Attr, Element, reference, text
from newtonlite.core.table import name as named

CONFIG = Element(
    "config",
    (
        Attr("key", text, doc="Attribute of the plugin.", status=COMPILED, handled="config_of", required=True),
        Attr("value", text, doc="Its value.", status=COMPILED, handled="config_of", required=True),
    ),
    doc="An attribute of a plugin.",
    status=COMPILED,
)
CHOICE = (
    Attr("plugin", text, doc="Name of the plugin.", status=COMPILED, classed=False, handled="plugin_of"),
    Attr("instance", reference("plugin"), doc="Instance of it.", status=COMPILED, classed=False, handled="plugin_of"),
)
"""Attributes of an element that has a plugin."""
PLUGIN = Element("plugin", CHOICE, (CONFIG,), doc="The plugin of an element.", status=COMPILED, handled="plugin_of")

PASSIVE = replace(PLUGIN, status=REFUSED, handled="", doc="No plugin that MuJoCo comes with acts on bodies.")

EXTENSION = Element(
    "extension",
    (),
    (
        Element(
            "plugin",
            (Attr("plugin", text, doc="Name of the plugin.", status=COMPILED, handled="instances", required=True),),
            (
                Element(
                    "instance",
                    (
                        Attr(
                            "name",
                            named("plugin"),
                            doc="Name of the instance.",
                            status=COMPILED,
                            handled="instances",
                            required=True,
                        ),
                    ),
                    (CONFIG,),
                    doc="One set of attributes, which several elements may share.",
                    status=COMPILED,
                ),
            ),
            doc="A plugin that the model uses.",
            status=COMPILED,
        ),
    ),
    doc="Plugins: those that MuJoCo comes with.",
    status=COMPILED,
)
