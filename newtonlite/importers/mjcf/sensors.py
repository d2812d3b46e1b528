"""Sensors and cameras: what they watch, what they report, and their rows of the ``mujoco`` namespace."""

import math
import warnings

from newtonlite.core.constants import MINVAL
from newtonlite.core.errors import NewtonWarning
from newtonlite.core.mujoco import ContactReduce, MjtJoint, MjtObj
from newtonlite.core.table import keyword_of
from newtonlite.importers.mjcf.plugins import plugin_of
from newtonlite.importers.mjcf.spec import Item, Spec, bound_columns, named
from newtonlite.importers.mjcf.surfaces import asset_name
from newtonlite.schema.sensor import CONTACT_FIELDS, RAY_FIELDS, TYPES

KINDS = keyword_of(MjtObj, "body xbody joint geom site camera light mesh tendon actuator").words
NAMES = {number: name for name, number in KINDS.items()}
SCALAR = ("jointpos", "jointvel", "jointactuatorfrc")
LIMITED = {f"{kind}limit{what}": kind for kind in ("joint", "tendon") for what in ("pos", "vel", "frc")}
"""The kind of thing whose limits a sensor watches."""
PAIRED = ("distance", "normal", "fromto")
TYPE_NUMBERS = {tag: number for number, tag in enumerate(TYPES)}
TIMING = ("nsample", "interval", "delay")
SUBTREE = {"subtree1": "xbody", "subtree2": "xbody"}


def resolve_sensor(spec: Spec, item: Item) -> None:
    """Settle what a sensor watches (``obj`` and ``ref``: kind and thing, or None) and what it reports, or raise
    ParseError.
    """
    tag = item.node.tag
    item.values |= {"obj": None, "ref": None, "fields": 0}
    if "objtype" in item.node.element._attrs:
        item.values["obj"] = named_object(spec, item, "objtype", "objname")
        item.values["ref"] = named_object(spec, item, "reftype", "refname")
    elif tag in (*PAIRED, "contact"):
        more = ("subtree",) if tag == "contact" else ()
        choices = [[f"{what}{k}" for what in ("geom", "body", *more)] for k in (1, 2)]
        choices[0] += ["site"] if tag == "contact" else []
        ends = [one_of(spec, item, names, tag != "contact") for names in choices]
        item.values["obj"], item.values["ref"] = ends
        if tag in PAIRED and ends[0] == ends[1]:
            raise item.node.error("both ends are the same; give two")
    elif tag == "tactile":
        item.values |= {"ref": one_of(spec, item, ["geom"], True), "mesh": mesh_name(item), "noise": 0.0}
    elif tag == "rangefinder":
        item.values["obj"] = one_of(spec, item, ["site", "camera"], True)
    else:
        watched = [attr.name for attr in item.node.element.attrs if attr.kind.base == "reference"]
        item.values["obj"] = one_of(spec, item, watched[:1], False)
        if tag == "camprojection":
            item.values["ref"] = one_of(spec, item, ["camera"], False)
    if tag == "plugin":
        item.values["plugin"] = plugin_of(item.node, item.place, "sensor")
    if tag == "insidesite":
        item.values |= {"ref": one_of(spec, item, ["site"], False), "fields": int(item["enclosed"])}
    check_target(item)
    check_report(item)
    if not item.given.isdisjoint(TIMING):
        check_timing(item)


def mesh_name(item: Item) -> str:
    """The name in the scene of the mesh that a tactile sensor has."""
    node = item.place.document.asset("mesh", item.node.values["mesh"], item.node, "mesh")
    return item.place.owner + asset_name(node)


def find(spec: Spec, item: Item, kind: str, attr: str):
    """A thing by the number of its kind, and itself."""
    return KINDS[kind], spec.find({"xbody": "body"}.get(kind, kind), item, attr)


def named_object(spec: Spec, item: Item, kind: str, name: str):
    """Object that ``objtype`` and ``objname`` name together; None where neither is given."""
    given = item.node.values
    if (kind in given) != (name in given):
        raise item.node.error(f"needs {kind} and {name} together", kind if kind in given else name)
    return find(spec, item, NAMES[item[kind]], name) if name in given else None


def one_of(spec: Spec, item: Item, attrs: list[str], required: bool):
    """Object that one of some attributes names; None where none is given."""
    given = [attr for attr in attrs if attr in item.node.values]
    if len(given) > 1:
        raise item.node.error(f"takes one of {', '.join(attrs)}; here it has '{given[0]}' and '{given[1]}'", given[1])
    if not given:
        if required:
            raise item.node.error(f"needs one of {', '.join(attrs)}")
        return None
    return find(spec, item, SUBTREE.get(given[0], given[0].rstrip("12")), given[0])


def check_target(item: Item) -> None:
    """The thing that is watched has what is measured."""
    tag, (_, thing) = item.node.tag, item["obj"] or (0, None)
    if tag in SCALAR and thing["type"] not in (MjtJoint.SLIDE, MjtJoint.HINGE):
        raise item.node.error(f"joint '{thing.name}' is neither slide nor hinge", "joint")
    if tag in ("ballquat", "ballangvel") and thing["type"] != MjtJoint.BALL:
        raise item.node.error(f"joint '{thing.name}' is no ball joint", "joint")
    if (kind := LIMITED.get(tag)) and not thing.limits.get("range"):
        raise item.node.error(f"{kind} '{thing.name}' has no limits", kind)
    if tag not in ("camprojection", "rangefinder"):
        return
    camera = next((end[1] for end in (item["obj"], item["ref"]) if end and end[0] == KINDS["camera"]), None)
    if camera is not None and min(camera["resolution"]) <= 0:
        raise item.node.error(f"camera '{camera.name}' has no pixels; give it a positive resolution", "camera")


def check_report(item: Item) -> None:
    """Fields in their order, slots, and the shape of a user's numbers."""
    tag, node = item.node.tag, item.node
    if tag in ("rangefinder", "contact"):
        item.values["fields"] = fields_of(item, RAY_FIELDS if tag == "rangefinder" else CONTACT_FIELDS)
    if item.values.get("num", 1) <= 0:
        raise node.error(f"{item['num']} slots; give a positive number", "num")
    if (
        tag == "contact"
        and item["reduce"] == ContactReduce.NETFORCE
        and item["fields"] >> CONTACT_FIELDS.index("linvel")
    ):
        raise node.error("netforce has no velocities; leave out linvel and angvel", "data")
    if tag == "user":
        wanted = {2: 3, 3: 4}.get(item["datatype"])
        if item["dim"] < 0 or item["dim"] != (wanted or item["dim"]):
            raise node.error(f"{item['dim']} numbers; give {wanted or 'a number that is not negative'}", "dim")
    for name in ("noise", "cutoff"):
        if item.values.get(name, 0.0) < 0:
            raise node.error(f"{item[name]:g} is negative; give a number of at least 0", name)


def fields_of(item: Item, known: list[str]) -> int:
    """Bits of the words of ``data``, which stand in the order of ``known``."""
    words = item["data"].split()
    for word in words:
        if word not in known:
            raise item.node.error(f"unknown keyword '{word}'; expected some of {', '.join(known)}", "data")
    places = [known.index(word) for word in words]
    if not places or places != sorted(set(places)):
        raise item.node.error(f"give some of {', '.join(known)}, each once and in this order", "data")
    return sum(1 << place for place in places)


def check_timing(item: Item) -> None:
    """A delay needs samples; a phase lies within a period before the start."""
    node, values = item.node, item.values
    period, phase = (*(values.get("interval") or ()), 0.0, 0.0)[:2]
    values["interval"] = (period, phase)
    if values.get("delay", 0.0) > 0 and values["nsample"] <= 0:
        raise node.error("a delay needs past values; give nsample", "delay")
    if period < 0:
        raise node.error(f"the period {period:g} is negative", "interval")
    if phase > 0 or (period > 0 and phase <= -period):
        raise node.error(f"the phase {phase:g} is not within (-period, 0]", "interval")


def sensor_columns(spec: Spec, built, rows: dict[str, int]) -> tuple[dict[str, list], int]:
    """The columns of all sensors and their number; ``rows`` has the first row of cameras, lights and actuators. Those of
    things left out are left out.
    """
    items, ends = [], []
    for item in spec.sensors:
        obj, ref = place_of(item.values["obj"], built, rows), place_of(item.values["ref"], built, rows)
        if obj is None or ref is None:
            text = f"{item.node.where()}: <{item.node.tag}> watches something that was left out of the scene, and is left out too"
            warnings.warn(text, NewtonWarning, stacklevel=2)
            continue
        items.append(item)
        ends.append((KINDS["mesh"] if "mesh" in item.values else obj[0], obj[1], *ref))
    columns = {
        "type": [TYPE_NUMBERS[item.node.tag] for item in items],
        "fields": [item.values["fields"] for item in items],
        **dict(zip(("objtype", "objid", "reftype", "refid"), zip(*ends))),
        "plugin": [item["plugin"].text() if item.values.get("plugin") else None for item in items],
        "mesh": [item.values.get("mesh") for item in items],
    }
    return bound_columns(items) | named("sensor", columns), len(items)


def place_of(end, built, rows: dict[str, int]):
    """(number of the kind, index in the builder) of what a sensor watches; None where it was left out."""
    if end is None:
        return 0, -2
    kind, thing = end
    if kind in (KINDS["body"], KINDS["xbody"]):
        return kind, built.body[id(thing)]
    if NAMES[kind] in rows:
        return kind, rows[NAMES[kind]] + thing.index
    where = {"joint": built.dof, "geom": built.shape, "site": built.shape, "tendon": built.tendon}[NAMES[kind]]
    return (kind, where[id(thing)]) if id(thing) in where else None


def camera_lens(item: Item) -> dict:
    """Field of view and intrinsic numbers of a camera; lengths follow from pixels where both are given."""
    size, pixels = item["sensorsize"], item["resolution"]
    physical = size[0] > 0 and size[1] > 0
    lens = [n for n in ("focal", "focalpixel", "principal", "principalpixel") if n in item.given and any(item[n])]
    if lens and not physical:
        raise item.node.error(f"needs a sensorsize beside {lens[0]}", lens[0] if lens[0] in item.node.values else None)
    if physical and "fovy" in item.node.values:
        raise item.node.error("follows from sensorsize and focal; give one or the other", "fovy")
    if item["projection"] == 0 and item["fovy"] >= 180:
        raise item.node.error(
            f"{item['fovy']:g} degrees; a field of view is below 180", "fovy" if "fovy" in item.node.values else None
        )
    found = {"fovy": item["fovy"]}
    near = near_plane(item)
    found["intrinsic"] = (near, near, 0.0, 0.0)
    if physical:

        def length(name, k):
            return item[name + "pixel"][k] * size[k] / pixels[k] if item[name + "pixel"][k] else item[name][k]

        found["intrinsic"] = tuple(length(name, k) for name in ("focal", "principal") for k in (0, 1))
        found["fovy"] = math.degrees(2.0 * math.atan2(size[1], max(2.0 * found["intrinsic"][1], MINVAL)))
    return found


def near_plane(item: Item) -> float:
    """``visual/map znear``, which stands in for the focal lengths of cameras without a sensor."""
    maps = [node.values for node in item.place.document.host.items("visual") if node.tag == "map"]
    return next((values["znear"] for values in reversed(maps) if "znear" in values), 0.01)
