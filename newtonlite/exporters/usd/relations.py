"""Relations of a stage: exclusions, equalities, tendons, actuators, keyframes."""

from typing import Any

import numpy as np
from lxml.etree import _Element as XmlElement

from newtonlite.exporters.usd.bodies import DEGREE, Bodies
from newtonlite.exporters.usd.node import LayerPrim, Names
from newtonlite.exporters.usd.plugins import put_plugin
from newtonlite.exporters.usd.tags import quick, wxyz
from newtonlite.importers.report import Report
from newtonlite.importers.usd.prims import Spot
from newtonlite.math.transform import inverse, multiply, transform
from newtonlite.schema.actuator import CONTROLS, GENERAL
from newtonlite.schema.contact import PAIR
from newtonlite.schema.equality import EQUALITY
from newtonlite.schema.tendon import SPATIAL

TARGETS = {
    "joint": "joint",
    "jointinparent": "joint",
    "tendon": "tendon",
    "site": "site",
    "body": "body",
    "cranksite": "site",
}
"""Attributes of an actuator that name its target, and the target's kind."""
KEY = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")


class Relations:
    """Relations between bodies."""

    def __init__(self, layer, root: str, names: Names, bodies: Bodies, report: Report):
        self.layer, self.root, self.names, self.bodies, self.report = layer, root, names, bodies, report
        self.physics = bodies.physics
        self.followers: set[str] = set()

    def write(self, section: XmlElement | None) -> None:
        """All elements of a section."""
        for tag in section if section is not None else ():
            getattr(self, tag.tag if section.tag != "equality" else f"equality_{tag.tag}")(tag)

    def lost(self, tag: XmlElement, why: str) -> None:
        """Tell the report."""
        self.report.ignore(Spot(tag.tag, f"<{tag.attrib.get('name', '')}>"), why)

    def node(self, tag: XmlElement, kind: str, family: str, apis: tuple[str, ...] = ()) -> LayerPrim:
        """A prim beside the bodies."""
        path = self.names.path(self.physics, family, tag.attrib.get("name", ""), tag.tag)
        return LayerPrim(self.layer, path, kind, apis)

    def pair(self, tag: XmlElement) -> None:
        """A contact pair, which has a type of our own."""
        node = self.node(tag, "NewtonContactPair", "pair").author(PAIR, tag)
        for k in (1, 2):
            node.point(f"newton:geom{k}", self.names.of("geom", tag.attrib[f"geom{k}"]))

    def exclude(self, tag: XmlElement) -> None:
        """Two bodies that do not touch."""
        from pxr import Sdf

        one, two = (self.end("body", tag.attrib[f"body{k}"]) for k in (1, 2))
        if one == two:
            self.lost(tag, "a body with itself")
            return
        if one == self.root:
            one, two = two, one
        node = LayerPrim.at(self.layer, one).apply("PhysicsFilteredPairsAPI")
        others = [two]
        if two == self.root:  # the world is no body: what collides in it, and a word of our own that says all of it
            node.set("bool", newton__filteredWorld=True)
            others = self.bodies.ground
        rel = node.spec.relationships.get("physics:filteredPairs") or Sdf.RelationshipSpec(
            node.spec, "physics:filteredPairs", custom=False
        )
        rel.targetPathList.explicitItems = [*rel.targetPathList.explicitItems, *map(Sdf.Path, others)]

    def end(self, kind: str, name: str | None) -> str:
        """The prim of a body or site; the root for the world."""
        return self.names.paths.get((kind, name or ""), self.root)

    def equality_connect(self, tag: XmlElement) -> None:
        """A common point."""
        self.tie(tag, "PhysicsSphericalJoint", "MjcEqualityConnectAPI")

    def equality_weld(self, tag: XmlElement) -> None:
        """Weld constraint, as a joint without relative motion."""
        self.tie(tag, "PhysicsFixedJoint", "MjcEqualityWeldAPI").author(EQUALITY.child("weld"), tag)

    def tie(self, tag: XmlElement, kind: str, api: str) -> LayerPrim:
        """A connect or weld: a joint outside of articulations."""
        node = self.node(tag, kind, "equality", (api,)).author(EQUALITY.child(tag.tag), tag)
        node.set("bool", physics__excludeFromArticulation=True)
        node.set("bool", physics__jointEnabled=False if tag.attrib.get("active") == "false" else None)
        family = "site" if "site1" in tag.attrib else "body"
        one, two = (self.end(family, tag.attrib.get(f"{family}{k}")) for k in (1, 2))
        node.point("physics:body0", one).point("physics:body1", two)
        if family == "site":
            return node
        between = multiply(inverse(self.bodies.world[one]), self.bodies.world[two])
        anchor = transform(quick(tag, "anchor", (0.0, 0.0, 0.0)))
        if tag.tag == "connect":
            first, second = anchor, multiply(inverse(between), anchor)
            second[3:] = first[3:]
        else:
            relpose = quick(tag, "relpose", ())
            first, second = multiply(between, anchor), anchor
            if relpose:
                first = transform(relpose[:3], (*relpose[4:], relpose[3]))
        node.set("point3f", physics__localPos0=first[:3], physics__localPos1=second[:3])
        node.set("quatf", physics__localRot0=wxyz(first), physics__localRot1=wxyz(second))
        return node

    def equality_joint(self, tag: XmlElement) -> None:
        """One joint follows another, or stays."""
        path = self.names.of("joint", tag.attrib["joint1"])
        if path in self.followers:
            self.lost(tag, "a second equality of one joint has no place")
            return
        self.followers.add(path)
        node = LayerPrim(self.layer, path, "", ("NewtonMimicAPI", "MjcEqualityJointAPI"))
        node.author(EQUALITY.child("joint"), tag)
        node.set("bool", newton__mimicEnabled=False if tag.attrib.get("active") == "false" else None)
        if "joint2" in tag.attrib:
            node.point("newton:mimicJoint", self.names.of("joint", tag.attrib["joint2"]))
        poly = (*quick(tag, "polycoef", (0.0, 1.0)), 0.0, 0.0, 0.0, 0.0)[:5]
        turns = str(node.spec.typeName) == "PhysicsRevoluteJoint"
        node.set("float", newton__mimicCoef0=poly[0] * (DEGREE if turns else 1.0), newton__mimicCoef1=poly[1])
        node.set("double", mjc__coef2=poly[2], mjc__coef3=poly[3], mjc__coef4=poly[4])

    def equality_tendon(self, tag: XmlElement) -> None:
        """An equality of tendons, which has a type of our own."""
        node = self.node(tag, "NewtonTendonEquality", "equality").author(EQUALITY.child("tendon"), tag)
        for k in (1, 2):
            if f"tendon{k}" in tag.attrib:
                node.point(f"newton:tendon{k}", self.names.of("tendon", tag.attrib[f"tendon{k}"]))
        node.put("double[]", "newton:polycoef", (*quick(tag, "polycoef", (0.0, 1.0)), 0.0, 0.0, 0.0, 0.0)[:5])
        node.set("bool", newton__enabled=False if tag.attrib.get("active") == "false" else None)

    def equality_flex(self, tag: XmlElement) -> None:
        """Edges of a soft body that keep their lengths, which have a type of our own."""
        self.flex_equality(tag)

    def equality_flexstrain(self, tag: XmlElement) -> None:
        """A cell of a soft body that keeps its shape."""
        self.flex_equality(tag).put("int[]", "newton:cell", quick(tag, "cell", (-1, -1, -1)))

    def flex_equality(self, tag: XmlElement) -> LayerPrim:
        """An equality of a soft body."""
        element = next(e for e in EQUALITY.children if e.name == tag.tag)
        node = self.node(tag, "NewtonFlexEquality", "equality").author(element, tag)
        node.point("newton:flex", self.names.of("flex", tag.attrib["flex"]))
        return node.set("bool", newton__enabled=False if tag.attrib.get("active") == "false" else None)

    def fixed(self, tag: XmlElement) -> None:
        """A weighted sum of joints."""
        node = self.tendon(tag, "fixed", [self.names.of("joint", step.attrib["joint"]) for step in tag])
        node.put("double[]", "mjc:path:coef", [quick(step, "coef", (0.0,))[0] for step in tag])

    def spatial(self, tag: XmlElement) -> None:
        """A string over sites and geoms; a pulley begins a segment."""
        path, segments, sides, divisors = [], [], [], [1.0]
        for step in tag:
            if step.tag == "pulley":
                if path:
                    divisors.append(0.0)
                divisors[-1] = quick(step, "divisor", (1.0,))[0]
                continue
            path.append(self.names.of(step.tag, step.attrib[step.tag]))
            segments.append(len(divisors) - 1)
            side = step.attrib.get("sidesite")
            sides.append(self.names.of("site", side) if side else "")
        node = self.tendon(tag, "spatial", path)
        if divisors != [1.0]:
            node.put("int[]", "mjc:path:segments", segments).put("double[]", "mjc:path:divisors", divisors)
        if any(sides):
            targets = list(dict.fromkeys(side for side in sides if side))
            node.point("mjc:sideSites", *targets)
            node.put("int[]", "mjc:sideSites:indices", [targets.index(side) if side else -1 for side in sides])

    def tendon(self, tag: XmlElement, kind: str, path: list[str]) -> LayerPrim:
        """A tendon and its path."""
        node = self.node(tag, "MjcTendon", "tendon").put("token", "mjc:type", kind).author(SPATIAL, tag)
        targets = list(dict.fromkeys(path))
        node.point("mjc:path", *targets)
        return node.put("int[]", "mjc:path:indices", [targets.index(step) for step in path])

    def general(self, tag: XmlElement) -> None:
        """An actuator."""
        inputs = tag.attrib.get("input", "").split()
        if any(word not in CONTROLS.words for word in inputs):
            self.lost(tag, "its controls are an orientation, which has no place; the actuator is left out")
            return
        node = self.node(tag, "MjcActuator", "actuator").author(GENERAL, tag)
        put_plugin(node, tag, self.bodies.plugins)
        if inputs and inputs not in (["pos"], ["vel"]):
            node.set("int", mjc__ctrlSpec=sum(CONTROLS.words[word] for word in inputs))
            for name, attr in (("velrange", "mjc:velRange"), ("ffrange", "mjc:ffRange")):
                if name in tag.attrib:
                    node.put("double[]", attr, quick(tag, name, ()))
        for name, kind in TARGETS.items():
            if name in tag.attrib:
                target = self.names.of(kind, tag.attrib[name])
                node.point("mjc:target", target)
                if kind == "joint" and target in self.bodies.world:
                    node.set("bool", mjc__freeJoint=True)
        if "jointinparent" in tag.attrib:
            node.set("bool", mjc__jointInParent=True)
        for name, rel in (("refsite", "mjc:refSite"), ("slidersite", "mjc:sliderSite")):
            if name in tag.attrib:
                node.point(rel, self.names.of("site", tag.attrib[name]))
        number: Any = tag.attrib.get("actdim")
        if number is not None:
            node.set("int", mjc__actDim=int(number))

    def plugin(self, tag: XmlElement) -> None:
        """An actuator whose law is a plugin."""
        self.general(tag)

    def key(self, tag: XmlElement) -> None:
        """A keyframe; one with a time is a sample at that time."""
        node = self.node(tag, "MjcKeyframe", "key")
        time = quick(tag, "time", (0.0,))[0]
        for name in KEY:
            numbers = quick(tag, name, ())
            if numbers:
                node.put("double[]", f"mjc:{name}", numbers)
                if time:
                    attr = node.spec.attributes[f"mjc:{name}"]
                    self.layer.SetTimeSample(attr.path, time, attr.default)
                    attr.ClearDefaultValue()
        if not np.any([name in tag.attrib for name in KEY]):
            self.lost(tag, "a keyframe without numbers")
