"""Plugins: MuJoCo's own extensions, by name, with what they add and the attributes that they take."""

from dataclasses import dataclass

from newtonlite.core.numerals import real


@dataclass(frozen=True)
class Plugin:
    """One extension: its ``slot`` in MuJoCo 4.0, the kind of element that has it, and its attributes in their order.

    ``defaults`` has the numbers of attributes that are not given, where the extension has any.
    """

    name: str
    slot: int
    kind: str
    attributes: tuple[str, ...]
    defaults: tuple[float, ...] = ()


PLUGINS = {
    p.name: p
    for p in (
        Plugin("mujoco.pid", 0, "actuator", ("kp", "ki", "kd", "imax", "slewmax")),
        Plugin("mujoco.sensor.touch_grid", 1, "sensor", ("nchannel", "size", "fov", "gamma")),
        Plugin("mujoco.sdf.bolt", 2, "geom", ("radius",), (0.26,)),
        Plugin("mujoco.sdf.bowl", 3, "geom", ("height", "radius", "thickness"), (0.4, 1.0, 0.02)),
        Plugin(
            "mujoco.sdf.gear",
            4,
            "geom",
            ("alpha", "diameter", "teeth", "thickness", "innerdiameter"),
            (0.0, 2.8, 25.0, 0.2, -1.0),
        ),
        Plugin("mujoco.sdf.nut", 5, "geom", ("radius",), (0.26,)),
        Plugin("mujoco.sdf.torus", 6, "geom", ("radius1", "radius2"), (0.35, 0.15)),
    )
}
"""All that are known, by name."""
SLOTS = {p.slot: p for p in PLUGINS.values()}


def numbers_of(text: str) -> tuple[float, ...]:
    """The numbers of an attribute's text; ValueError where a word is none."""
    return tuple(real(word) for word in text.split())


def attributes_of(mj, instance: int) -> tuple[Plugin, dict[str, str]]:
    """The extension of one instance of a compiled model, and the texts of the attributes that it was given.

    ``mj`` has ``plugin``, ``plugin_attr`` and ``plugin_attradr`` as ``mujoco.MjModel`` does.
    """
    plugin = SLOTS[int(mj.plugin[instance])]
    start = int(mj.plugin_attradr[instance])
    texts = bytes(mj.plugin_attr)[start:].split(b"\0")[: len(plugin.attributes)]
    return plugin, {name: text.decode() for name, text in zip(plugin.attributes, texts, strict=True) if text}


def parameters(mj, instance: int) -> tuple[float, ...]:
    """First number of each attribute of an instance, in their order; what is not given is the default."""
    plugin, given = attributes_of(mj, instance)
    defaults = plugin.defaults or (0.0,) * len(plugin.attributes)
    return tuple(
        numbers_of(given[name])[0] if name in given else default
        for name, default in zip(plugin.attributes, defaults, strict=True)
    )
