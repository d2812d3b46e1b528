"""Bodies of a stage: nested prims with masses, joints, colliders, pictures and sites."""

import math
from typing import Any

import numpy as np
from lxml.etree import Element
from lxml.etree import _Element as XmlElement

from newtonlite.exporters.usd.node import LayerPrim, Names
from newtonlite.exporters.usd.plugins import named_instances, put_plugin
from newtonlite.exporters.usd.shapes import GeomWriter
from newtonlite.exporters.usd.surfaces import MaterialWriter
from newtonlite.exporters.usd.tags import frame, letter_of, limited, linear, pose_of, quick, wxyz
from newtonlite.importers.report import Report
from newtonlite.importers.usd.prims import Spot
from newtonlite.math.transform import multiply, quat_to_matrix, transform
from newtonlite.schema.body import WORLDBODY
from newtonlite.schema.geom import GEOM
from newtonlite.schema.joint import JOINT

BODY = WORLDBODY.child("body")
DEGREE = 180.0 / math.pi
JOINTS = {"hinge": "PhysicsRevoluteJoint", "slide": "PhysicsPrismaticJoint", "ball": "PhysicsSphericalJoint"}
SHOWN = 2
"""Groups up to this one are drawn by MuJoCo's viewer."""
GREY = (0.5, 0.5, 0.5, 1.0)


class Bodies:
    """Bodies and what is on them, written from the world outwards."""

    def __init__(
        self,
        layer,
        root: str,
        names: Names,
        sections: dict[str, XmlElement],
        report: Report,
        model: Any = None,
        files: dict[str, bytes] | None = None,
    ):
        self.layer, self.root, self.names, self.report = layer, root, names, report
        self.ground: list[str] = []
        """Colliders of the world."""
        self.world: dict[str, np.ndarray] = {root: transform()}
        """Pose [7] of each body in the stage, by path."""
        self.parent: dict[str, str] = {}
        self.assets = {(tag.tag, tag.attrib.get("name")): tag for tag in sections.get("asset", ())}
        contact = sections.get("contact", ())
        self.paired = {tag.attrib[f"geom{k}"] for tag in contact if tag.tag == "pair" for k in (1, 2)}
        self.plugins = named_instances(sections.get("extension"))
        self.tied = any(tag.tag in ("connect", "weld") for tag in sections.get("equality", ()))
        """Whether constraints hold bodies together: Newton then refuses an articulation of one body."""
        self.shapes = GeomWriter(layer, root, names, self.assets, model)
        self.surfaces = MaterialWriter(layer, root, names, self.assets, files or {}, report)
        self.materials: dict[tuple, str] = {}
        self.geometry, self.physics = f"{root}/Geometry", f"{root}/Physics"
        LayerPrim(layer, self.geometry, "Scope")
        LayerPrim(layer, self.physics, "Scope")

    def write(self, worldbody: XmlElement) -> None:
        """The world and all that is in it; no recursion, since bodies may be nested deeply."""
        left: list[tuple[XmlElement, str, str]] = [(worldbody, self.geometry, self.root)]
        while left:
            tag, path, body = left.pop()
            below = []
            for child in tag:
                if child.tag == "body":
                    inner = self.names.path(path, "body", child.attrib.get("name", ""))
                    self.parent[inner] = body
                    self.world[inner] = multiply(self.world[body], pose_of(child))
                    below.append((child, inner, inner))
                elif child.tag == "geom":
                    self.geom(child, path, tag)
                elif child.tag == "site":
                    self.site(child, path)
                elif child.tag in ("camera", "light"):
                    self.report.ignore(Spot(child.tag, f"<{path}>"), "cameras and lights are not written")
            for child, inner, _ in below:
                self.body(child, inner, body)
            left += reversed(below)

    def body(self, tag: XmlElement, path: str, parent: str) -> None:
        """A body, its mass and its joints."""
        node = LayerPrim(self.layer, path, "Xform", ("PhysicsRigidBodyAPI",))
        node.place(*frame(tag)).author(BODY, tag)
        lift = quick(tag, "gravcomp", (0.0,))[0]
        node.set("float", mjc__body__gravcomp=lift or None)
        self.mass(tag, node)
        joints = [child for child in tag if child.tag == "joint"]
        free = [joint for joint in joints if joint.attrib.get("type") == "free"]
        mocap = tag.attrib.get("mocap") == "true"
        if mocap:
            node.set("bool", physics__kinematicEnabled=True)
        for joint in free:
            node.apply("MjcJointAPI").author(JOINT, joint, {*joint.attrib, "armature"} - {"type", "name"})
            self.names.paths["joint", joint.attrib.get("name", "")] = path
        carries = any(child.tag == "body" for child in tag)
        if parent == self.root and not mocap and (carries or not (free or self.tied)):
            node.apply("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")
            node.set("bool", newton__jointsAddMobility=True)
        for joint in joints:
            if joint not in free:
                self.joint(joint, path, parent, tag)
        if not joints and not mocap:
            self.fixed(path, parent, tag)

    def mass(self, tag: XmlElement, node: LayerPrim) -> None:
        """Mass, centre, principal moments, and the full tensor."""
        inertial = next(child for child in tag if child.tag == "inertial")
        mass, moments = quick(inertial, "mass", (0.0,))[0], quick(inertial, "diaginertia", (0.0, 0.0, 0.0))
        pos, quat = frame(inertial)
        if mass <= 0:
            if any(pos):
                node.set("double3", mjc__body__ipos=pos)
            return
        node.apply("PhysicsMassAPI", "NewtonMassAPI").set("float", physics__mass=mass).set(
            "point3f", physics__centerOfMass=pos
        )
        if min(moments) > 0:
            node.set("float3", physics__diagonalInertia=moments).set("quatf", physics__principalAxes=quat)
        turn = quat_to_matrix(np.array([*quat[1:], quat[0]]))
        full = (turn * moments) @ turn.T
        six = (full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2])
        node.put("double[]", "newton:inertia", six)

    def fixed(self, path: str, parent: str, tag: XmlElement) -> None:
        """Write the fixed joint of a body that has no joint of its own."""
        node = LayerPrim(self.layer, self.names.path(path, "weld", "", "weld"), "PhysicsFixedJoint")
        self.ends(node, path, parent, transform(), pose_of(tag))

    def ends(self, node: LayerPrim, path: str, parent: str, inner: np.ndarray, body: np.ndarray) -> None:
        """Joint frames of both sides: the frame [7] in the child, and in the parent at the file's pose."""
        outer = multiply(body, inner)
        node.point("physics:body0", parent).point("physics:body1", path)
        node.set("point3f", physics__localPos0=outer[:3], physics__localPos1=inner[:3])
        node.set("quatf", physics__localRot0=wxyz(outer), physics__localRot1=wxyz(inner))

    def joint(self, tag: XmlElement, path: str, parent: str, body: XmlElement) -> None:
        """A hinge, slide or ball."""
        kind = tag.attrib.get("type", "hinge")
        where = self.names.path(path, "joint", tag.attrib.get("name", ""), kind)
        node = LayerPrim(self.layer, where, JOINTS[kind], ("NewtonJointAPI", "MjcJointAPI"))
        letter, turn = "X", transform()
        if kind != "ball":
            axis = np.array(quick(tag, "axis", (0.0, 0.0, 1.0)))
            letter, turn = letter_of(axis / np.linalg.norm(axis))
        turn[:3] = quick(tag, "pos", (0.0, 0.0, 0.0))
        self.ends(node, path, parent, turn, pose_of(body))
        node.set("token", physics__axis=letter)
        band = limited(tag, "limited", "range")
        unit = DEGREE if kind != "slide" else 1.0
        if kind == "ball":
            node.set("float", physics__coneAngle0Limit=band and band[1] * unit)
            node.set("float", physics__coneAngle1Limit=band and band[1] * unit)
        elif band:
            node.set("float", physics__lowerLimit=band[0] * unit, physics__upperLimit=band[1] * unit)
        node.author(JOINT, tag)
        damping = quick(tag, "damping", (0.0,))[0] / (DEGREE if kind != "slide" else 1.0)
        node.set("float", newton__armature=quick(tag, "armature", (0.0,))[0], newton__damping=damping)
        node.set("float", newton__friction=quick(tag, "frictionloss", (0.0,))[0])

    def geom(self, tag: XmlElement, path: str, body: XmlElement) -> None:
        """A collider; one that collides with nothing is a picture."""
        where = self.names.path(path, "geom", tag.attrib.get("name", ""), tag.attrib.get("type", "sphere"))
        masks = quick(tag, "contype", (1,))[0] or quick(tag, "conaffinity", (1,))[0]
        collides = bool(masks) or tag.attrib.get("name") in self.paired
        node = self.shapes.write(tag, where, collides)
        node.author(GEOM, tag)
        put_plugin(node, tag, self.plugins)
        if collides:
            node.apply("PhysicsCollisionAPI", "NewtonCollisionAPI", "MjcCollisionAPI")
            node.set("float", newton__contactMargin=quick(tag, "margin", (0.0,))[0])
            if path == self.geometry:
                self.ground.append(where)
            self.bind(node, tag)
            if massless(body):
                node.apply("PhysicsMassAPI").set("float", physics__mass=0.0)
        else:
            node.apply("MjcImageableAPI")
        if quick(tag, "group", (0,))[0] > SHOWN:
            node.set("token", purpose="guide")
        self.paint(node, tag)
        if self.surfaces.bind(node, tag):
            self.shapes.give_coordinates(self.assets["mesh", tag.attrib["mesh"]])

    def bind(self, node: LayerPrim, tag: XmlElement) -> None:
        """The physics material of its friction, shared by all with the same."""
        friction = (*quick(tag, "friction", (1.0, 0.005, 0.0001)), 0.005, 0.0001)[:3]
        if friction not in self.materials:
            path = self.names.path(self.physics, "material", "", "friction")
            apis = ("PhysicsMaterialAPI", "NewtonMaterialAPI", "MjcMaterialAPI")
            made = LayerPrim(self.layer, path, "Material", apis)
            made.set("float", physics__dynamicFriction=friction[0], physics__staticFriction=friction[0])
            made.set("float", newton__torsionalFriction=friction[1], newton__rollingFriction=friction[2])
            made.set("double", mjc__torsionalfriction=friction[1], mjc__rollingfriction=friction[2])
            self.materials[friction] = path
        node.apply("MaterialBindingAPI").point("material:binding:physics", self.materials[friction])

    def paint(self, node: LayerPrim, tag: XmlElement) -> None:
        """Colour and opacity, the material's where the shape has none of its own."""
        material = self.assets.get(("material", tag.attrib.get("material")), Element("material"))
        rgba = quick(tag, "rgba", quick(material, "rgba", (1.0,) * 4 if len(material.attrib) else GREY))
        node.put("color3f[]", "primvars:displayColor", [[linear(c) for c in rgba[:3]]])
        if rgba[3] != 1.0:
            node.put("float[]", "primvars:displayOpacity", [rgba[3]])

    def site(self, tag: XmlElement, path: str) -> None:
        """A named frame."""
        where = self.names.path(path, "site", tag.attrib.get("name", ""))
        node = self.shapes.write(tag, where, False).apply("NewtonSiteAPI", "MjcSiteAPI")
        node.set("int", mjc__group=int(quick(tag, "group", (0,))[0])).set("token", purpose="guide")
        self.paint(node, tag)


def massless(body: XmlElement) -> bool:
    """Whether a body weighs nothing, the world not counting."""
    inertial = next((child for child in body if child.tag == "inertial"), None)
    return inertial is not None and not quick(inertial, "mass", (0.0,))[0] > 0
