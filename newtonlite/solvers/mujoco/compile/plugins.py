"""Plugins: instances in MuJoCo's order, named ones before those that one element has alone, and who has which."""

import json
import math

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.limits import most
from newtonlite.core.plugins import PLUGINS, attributes_of, numbers_of
from newtonlite.solvers.mujoco.compile.records import read_records, whole_record
from newtonlite.solvers.mujoco.compile.worlds import Worlds

CHANNELS = 6
"""Most channels of a grid of touch."""


def compile_plugins(m, w: Worlds) -> None:
    """Fill ``plugin``, ``plugin_attr``, ``plugin_attradr`` and the instance of each actuator and sensor; -1 for none."""
    m.names_plugin, slots, texts = [], [], []
    named: dict[str, int] = {}

    def add(plugin: str, name: str, config: dict[str, str]) -> int:
        if plugin not in PLUGINS:
            raise ModelError(f"plugin {plugin} not found; known are {', '.join(PLUGINS)}")
        slots.append(PLUGINS[plugin].slot)
        texts.append("".join(config.get(key, "") + "\0" for key in PLUGINS[plugin].attributes))
        m.names_plugin.append(name)
        return len(slots) - 1

    for name, values in read_records(w)["plugin"]:
        with whole_record("plugin", name):
            named[name] = add(values["plugin"], name, values["config"])

    def instance(text: str) -> int:
        if "{" not in text:
            return -1
        values = json.loads(text[text.index("{") :])
        known = named.get(values["name"]) if values["name"] else None
        return add(values["plugin"], values["name"], values["config"]) if known is None else known

    fields = plugin_texts(w, "shape")
    m.set(geom_plugin=np.array([instance(fields[s]) if fields and s >= 0 else -1 for s in m.newton_geom.ravel()], int))
    own = [instance(text) for text in plugin_texts(w, "actuator")]
    m.set(actuator_plugin=np.array([own[i] if i >= 0 and own else -1 for i in m.newton_actuator.ravel()], int))
    m.set(sensor_plugin=np.array([instance(text) for text in plugin_texts(w, "sensor")], int))
    m.set(body_plugin=np.full(m.nbody, -1))
    m.nplugin, m.npluginstate = len(slots), 0
    m.set(plugin_stateadr=np.zeros(m.nplugin, int), plugin_statenum=np.zeros(m.nplugin, int))
    m.plugin_attr = np.frombuffer("".join(texts).encode(), np.uint8)
    m.npluginattr = len(m.plugin_attr)
    sizes = [len(text.encode()) for text in texts]
    m.set(plugin=np.array(slots, int), plugin_attradr=np.cumsum([0, *sizes])[:-1].astype(int))


def plugin_texts(w: Worlds, word: str) -> list[str]:
    """The text of the plugin of each element of a kind of the scene; none where the scene does not carry it."""
    key = f"mujoco:{word}_plugin"
    kind = word if word == "shape" else f"mujoco:{word}"
    known = w.has(key) and (word == "shape" or w.has(f"mujoco:{word}_label"))
    return w.first_labels(key, kind) if known else []


def grid_shape(mj, sensor: int) -> tuple[int, int, int]:
    """Columns, rows and channels of a grid of touch; ModelError for what is none."""
    instance = int(mj.sensor_plugin[sensor])
    given = attributes_of(mj, instance)[1]
    sizes = (*numbers_of(given.get("size", "")), 0.0, 0.0)[:2]
    channels = (*numbers_of(given.get("nchannel", "")), 0.0)[0]
    if not all(map(math.isfinite, (*sizes, channels))):
        raise ModelError(f"sensor {sensor}: a grid of {sizes[0]} x {sizes[1]} with {channels} channels; give numbers")
    columns, rows, channels = round(sizes[0]), round(sizes[1]), max(1, round(channels))
    if columns <= 0 or rows <= 0 or channels > CHANNELS:
        raise ModelError(
            f"sensor {sensor}: a grid of {columns} x {rows} with {channels} channels; give two positive sizes, and at "
            f"most {CHANNELS} channels"
        )
    if columns * rows * channels > most("declared"):
        raise ModelError(f"sensor {sensor}: a grid of {columns * rows * channels} numbers; at most {most('declared')}")
    return columns, rows, channels
