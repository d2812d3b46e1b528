"""Sensors of a stage: prims of our own type, since no schema has them."""

from lxml.etree import _Element as XmlElement

from newtonlite.exporters.usd.bodies import Bodies
from newtonlite.exporters.usd.node import LayerPrim, Names
from newtonlite.exporters.usd.plugins import put_plugin
from newtonlite.importers.report import Report
from newtonlite.importers.usd.prims import Spot
from newtonlite.schema.sensor import SENSOR

TYPE = "NewtonSensor"
SINGLE = ("site", "joint", "tendon", "actuator", "body")
PLACES = {"xbody": "body"}
"""Kinds of objects by the kind of prim that they are."""


class Sensors:
    """Sensors, written beside the bodies; what they watch has to be there."""

    def __init__(self, layer, names: Names, bodies: Bodies, report: Report):
        self.layer, self.names, self.bodies, self.report = layer, names, bodies, report

    def write(self, section: XmlElement | None) -> None:
        """All sensors; the report has those that watch what is not written."""
        for tag in section if section is not None else ():
            try:
                ends = [self.place(end) for end in ends_of(tag)]
            except KeyError as missing:
                spot = Spot(tag.tag, f"<{tag.attrib.get('name', '')}>")
                self.report.ignore(spot, f"watches {missing.args[0]}, which is not written")
                continue
            self.sensor(tag, ends)

    def place(self, end: tuple[str, str] | None) -> tuple[str, str] | None:
        """Kind and prim of what a sensor watches; KeyError for what is not written."""
        if end is None:
            return None
        kind, name = end
        family = PLACES.get(kind, kind)
        if family == "body" and name == "world":
            return kind, self.bodies.root
        if (family, name) not in self.names.paths:
            raise KeyError(f"{family} '{name}'")
        return kind, self.names.of(family, name)

    def sensor(self, tag: XmlElement, ends: list[tuple[str, str] | None]) -> None:
        """A sensor: its type, what it watches, and its numbers."""
        path = self.names.path(self.bodies.physics, "sensor", tag.attrib.get("name", ""), tag.tag)
        node = LayerPrim(self.layer, path, TYPE).put("token", "newton:sensor:type", tag.tag)
        for word, end in zip(("object", "reference"), ends, strict=True):
            if end is not None:
                node.put("token", f"newton:sensor:{word}Type", end[0]).point(f"newton:sensor:{word}", end[1])
        node.author(SENSOR.child(tag.tag), tag, tag.attrib)
        put_plugin(node, tag, self.bodies.plugins)
        if "data" in tag.attrib:
            node.put("token[]", "newton:sensor:data", tag.attrib["data"].split())
        if tag.attrib.get("enclosed") == "true":
            node.put("bool", "newton:sensor:enclosed", True)


def ends_of(tag: XmlElement) -> list[tuple[str, str] | None]:
    """Kinds and names of what a sensor watches, and of what it refers to; KeyError for cameras and meshes."""
    given = tag.attrib
    for kind in ("camera", "mesh"):
        if kind in given or given.get("objtype") == kind or given.get("reftype") == kind:
            raise KeyError(f"a {kind}")
    if "objname" in given:
        first = (given["objtype"], given["objname"])
        second = (given["reftype"], given["refname"]) if "refname" in given else None
        return [first, ("site", given["site"]) if "site" in given else second]
    found: list[tuple[str, str] | None] = []
    for k in (1, 2):
        names = {"geom": f"geom{k}", "body": f"body{k}", "xbody": f"subtree{k}"} | ({"site": "site"} if k == 1 else {})
        found.append(next(((kind, given[name]) for kind, name in names.items() if name in given), None))
    if found == [None, None]:
        found[0] = next(((kind, given[kind]) for kind in SINGLE if kind in given), None)
    return found
