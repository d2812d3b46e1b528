"""Sensors: prims of our own type, since no schema has them."""

from dataclasses import dataclass, field
from typing import Any

from newtonlite.core.mujoco import MjtObj
from newtonlite.core.table import keyword_of
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.plugins import TEXT, read_plugin
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdSpec
from newtonlite.schema.execute import scene_values
from newtonlite.schema.sensor import CONTACT_FIELDS, RAY_FIELDS, SENSOR, TYPES

TYPE = "NewtonSensor"
KINDS = keyword_of(MjtObj, "body xbody joint geom site tendon actuator").words
"""MuJoCo's numbers of what sensors watch."""
NONE = (0, -2)
FIELDS = {"rangefinder": RAY_FIELDS, "contact": CONTACT_FIELDS}


@dataclass(eq=False)
class Sensor:
    """One sensor; ``ends`` are the kinds and things that it watches and refers to, None for nothing or the world."""

    prim: Prim
    type: str
    ends: list[tuple[str, Any]]
    values: dict[str, Any] = field(default_factory=dict)
    plugin: str | None = None


def read_sensors(spec: UsdSpec) -> None:
    """All sensors, in the order of the stage."""
    for prim in spec.walk.of_type(TYPE):
        word = prim.word("newton:sensor:type")
        if word not in TYPES or SENSOR.child(word) is None:
            raise prim.error(f"unknown type '{word}' of a sensor", "newton:sensor:type")
        sensor = Sensor(prim, word, [end_of(spec, prim, name) for name in ("object", "reference")])
        sensor.values = numbers_of(prim, word)
        if word == "plugin":
            sensor.plugin = read_plugin(prim, "sensor")
            if sensor.plugin is None:
                raise prim.error("names no plugin", TEXT)
        spec.report.used["sensor"] += 1
        spec.sensors.append(sensor)


def end_of(spec: UsdSpec, prim: Prim, name: str) -> tuple[str, Any]:
    """Kind and thing of what a sensor watches; ParseError for what was not imported."""
    kind, paths = prim.word(f"newton:sensor:{name}Type"), prim.targets(f"newton:sensor:{name}")
    if not paths:
        return "", None
    if kind not in KINDS or len(paths) > 1:
        raise prim.error(f"has to name one prim, of {', '.join(KINDS)}", f"newton:sensor:{name}")
    at = paths[0]
    known = {
        "joint": spec.joint_at,
        "geom": spec.shape_at,
        "site": spec.shape_at,
        "tendon": {tendon.prim.path: tendon for tendon in spec.tendons},
        "actuator": {actuator.prim.path: actuator for actuator in spec.actuators},
    }
    if kind in ("body", "xbody"):
        return kind, spec.body_of(spec.walk.find(at))
    thing = known[kind].get(at)
    if thing is None and kind == "joint":  # a free joint has no prim of its own
        thing = next((tree.base for tree in spec.trees if tree.base is not None and tree.root.path == at), None)
    if thing is None:
        raise prim.error(f"<{at}> is no {kind} that was imported", f"newton:sensor:{name}")
    return kind, thing


def numbers_of(prim: Prim, word: str) -> dict[str, Any]:
    """Numbers and words of a sensor, beside what it watches, in the words of MJCF's schema."""
    found = mjc.values(prim, SENSOR.child(word))
    if "newton:sensor:data" in prim.authored:
        found["data"] = fields_of(prim, FIELDS[word])
    if prim.flag("newton:sensor:enclosed", False):
        found["data"] = 1
    return found


def fields_of(prim: Prim, known: list[str]) -> int:
    """Bits of the words of ``newton:sensor:data``."""
    words = [str(w) for w in prim.get("newton:sensor:data")]
    if not words or any(w not in known for w in words):
        raise prim.error(f"gives {words}; use some of {', '.join(known)}", "newton:sensor:data")
    return sum(1 << known.index(w) for w in words)


def sensor_row(sensor: Sensor, builder, tendons: dict[int, int], actuators: dict[int, int]) -> dict[str, Any]:
    """The row of the ``mujoco`` namespace; ``tendons`` and ``actuators`` have their rows."""
    row = {"type": TYPES.index(sensor.type), "fields": sensor.values.get("data", 0)}
    for word, (kind, thing) in zip(("obj", "ref"), sensor.ends, strict=True):
        row[f"{word}type"], row[f"{word}id"] = (
            KINDS.get(kind, NONE[0]),
            index_of(kind, thing, builder, tendons, actuators),
        )
    if sensor.plugin is not None:
        row["plugin"] = sensor.plugin
    bound = scene_values(SENSOR.child(sensor.type), sensor.values, name=sensor.prim.path)
    return bound | {f"mujoco:sensor_{name}": value for name, value in row.items()}


def index_of(kind: str, thing: Any, builder, tendons: dict[int, int], actuators: dict[int, int]) -> int:
    """Index in the builder of what a sensor watches."""
    if kind in ("body", "xbody"):
        return -1 if thing is None else thing.index
    if kind == "joint":
        return thing.dofs[0].index if thing.dofs else builder.joint_qd_start[thing.place]
    if kind in ("tendon", "actuator"):
        return (tendons if kind == "tendon" else actuators)[id(thing)]
    return thing.index if kind else NONE[1]
