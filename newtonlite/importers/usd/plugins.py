"""Plugins of a stage: MuJoCo's own extensions as texts of JSON, since no schema has them."""

import json

from newtonlite.core.plugins import PLUGINS, numbers_of
from newtonlite.importers.mjcf.check import suggestion
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdSpec

TYPE, TEXT = "NewtonPlugin", "newton:plugin"
"""Type of a prim that is a named instance, and the attribute of an element that has one, with its attributes."""


def read_plugin(prim: Prim, kind: str = "") -> str | None:
    """The plugin of an element of a kind (actuator, sensor, geom; any where empty), as the JSON that the ``mujoco`` namespace has; None for
    none. ParseError for what is no plugin, or has other attributes.
    """
    text = prim.get(TEXT)
    if text is None:
        return None
    try:
        given = json.loads(str(text))
        found = {"plugin": str(given["plugin"]), "name": str(given["name"]), "config": dict(given["config"])}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise prim.error("is no JSON with plugin, name and config", TEXT) from None
    known = PLUGINS.get(found["plugin"])
    if known is None or kind not in ("", known.kind):
        fits = [name for name, plugin in PLUGINS.items() if kind in ("", plugin.kind)]
        raise prim.error(f"'{found['plugin'][:40]}' is no plugin for this; give {', '.join(fits)}", TEXT)
    for key, value in found["config"].items():
        if key not in known.attributes:
            raise prim.error(f"plugin {known.name} has no attribute '{key}'{suggestion(key, known.attributes)}", TEXT)
        try:
            numbers_of(value if isinstance(value, str) else "?")
        except ValueError:
            raise prim.error(f"'{str(value)[:40]}' of '{key}' is no text of numbers", TEXT) from None
    return json.dumps(found)


def plugin_rows(spec: UsdSpec) -> list[dict]:
    """Records of the named instances, in the order of the stage."""
    rows = []
    for prim in spec.walk.of_type(TYPE):
        text = read_plugin(prim)
        if text is None:
            raise prim.error("names no plugin", TEXT)
        given = json.loads(text)
        values = {key: given[key] for key in ("plugin", "config")}
        rows.append(
            {
                "mujoco:record_kind": "plugin",
                "mujoco:record_label": given["name"],
                "mujoco:record_values": json.dumps(values),
            }
        )
    return rows
