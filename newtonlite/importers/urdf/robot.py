"""Robot: what a URDF file says, as plain records; poses as position and quaternion (w, x, y, z)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonlite.core import limits as numbers
from newtonlite.core.types import MAXVAL
from newtonlite.importers.mjcf.check import suggestion
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.report import Report
from newtonlite.math.quat import ONE, ZERO, Vec, about, matrix, product, unit_tuple

SINGLE = ("revolute", "continuous", "prismatic")
"""Joints with one axis."""
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass
class Inertial:
    """Mass [kg], centre of mass [m] and inertia tensor [kg m^2] about it, in the axes of the link."""

    node: Node
    mass: float
    com: Vec
    tensor: np.ndarray


@dataclass
class UrdfShape:
    """A visual or a collision shape: ``kind`` with its element, and where it is on the link."""

    node: Node
    name: str
    kind: str
    part: Node
    pos: Vec
    quat: Vec
    color: Vec | None = None
    texture: Node | None = None
    """The picture of its material."""


@dataclass
class Link:
    """A link and what is on it."""

    node: Node
    name: str
    inertial: Inertial | None = None
    visuals: list[UrdfShape] = field(default_factory=list)
    collisions: list[UrdfShape] = field(default_factory=list)
    joints: list["UrdfJoint"] = field(default_factory=list)
    """The joints that it carries."""
    carrier: "UrdfJoint | None" = None
    place: tuple[Vec, Vec] = (ZERO, ONE)
    """Pose of a root in the robot: position [m] and orientation."""


@dataclass
class UrdfJoint:
    """A joint between two links; ``limit`` and ``dynamics`` hold values, defaults included."""

    node: Node
    name: str
    kind: str
    parent: Link
    child: Link
    pos: Vec
    quat: Vec
    axis: Vec
    limit: dict | None
    dynamics: dict
    mimic: "tuple[UrdfJoint, float, float] | None" = None
    """The joint that it follows, factor, offset."""


@dataclass
class Robot:
    """A whole file."""

    node: Node
    name: str
    links: dict[str, Link]
    joints: list[UrdfJoint]
    settings: Node | None

    @property
    def roots(self) -> list[Link]:
        """Links that no joint carries."""
        return [link for link in self.links.values() if link.carrier is None]


def read_robot(root: Node, report: Report) -> Robot:
    """The robot of a checked document. ParseError where names, joints or numbers do not fit together."""
    materials, pictures = read_materials(root, colour), read_materials(root, picture)
    links: dict[str, Link] = {}
    for node in children(root, "link"):
        name = node.values["name"]
        if name in links:
            raise node.error(
                f"link '{name}' is defined a second time (first at {links[name].node.where()}); give it another name",
                "name",
            )
        links[name] = read_link(node, materials, pictures, report)
    joints: dict[str, UrdfJoint] = {}
    for node in children(root, "joint"):
        joint = read_joint(node, links)
        if joint.name in joints and joint.name:
            raise node.error(
                f"joint '{joint.name}' is defined a second time (first at {joints[joint.name].node.where()}); give it another name",
                "name",
            )
        joints[joint.name or f"#{len(joints)}"] = joint
    for joint in joints.values():
        joint.mimic = read_mimic(joint, joints, report)
    check_mimics(joints)
    check_tree(links)
    return Robot(root, root.values.get("name", ""), links, list(joints.values()), child(root, "mujoco"))


def read_materials(root: Node, part: Callable[[Node], Any]) -> dict[str, Any]:
    """The colours or pictures of named materials, wherever they are defined; the first one counts."""
    found: dict[str, Any] = {}
    for node in root.walk():
        if node.tag == "material" and node.values.get("name") and part(node) is not None:
            found.setdefault(node.values["name"], part(node))
    return found


def picture(node: Node) -> Node | None:
    """The texture of a material, None for one without a file."""
    found = child(node, "texture")
    return found if found is not None and found.values.get("filename") else None


def children(node: Node, tag: str) -> list[Node]:
    """The children of a kind."""
    return [c for c in node.children if c.tag == tag]


def child(node: Node, tag: str) -> Node | None:
    """The first child of a kind."""
    return next((c for c in node.children if c.tag == tag), None)


def complete(node: Node | None, tag: str, parent: Node) -> dict:
    """The values of a child element, defaults included, whether it is there or not."""
    element = parent.element.child(tag)
    return {a.name: a.default for a in element.attrs} | (node.values if node is not None else {})


def origin(node: Node) -> tuple[Vec, Vec]:
    """Pose of an element in what it stands in."""
    found = child(node, "origin")
    if found is None:
        return ZERO, ONE
    roll, pitch, yaw = found.values.get("rpy", ZERO)
    return found.values.get("xyz", ZERO), product(about(Z, yaw), product(about(Y, pitch), about(X, roll)))


def colour(node: Node) -> Vec | None:
    """Red, green, blue, opacity of a material; None where it only has a name."""
    found = child(node, "color")
    return None if found is None else tuple(min(max(c, 0.0), 1.0) for c in found.values["rgba"])


def read_link(node: Node, materials: dict, pictures: dict, report: Report) -> Link:
    """A link with its shapes."""
    link = Link(node, node.values["name"])
    found = child(node, "inertial")
    if found is not None:
        link.inertial = read_inertial(found)
    last = None
    for part in node.children:
        if part.tag not in ("visual", "collision"):
            continue
        shape, shown = read_shape(part, report), None
        if part.tag == "visual":
            material = child(part, "material")
            if material is not None:
                last = colour(material) or materials.get(material.values.get("name", "")) or last
                shown = picture(material) or pictures.get(material.values.get("name", ""))
        if shape is not None:
            shape.color, shape.texture = last, shown
            (link.visuals if part.tag == "visual" else link.collisions).append(shape)
    return link


def read_inertial(node: Node) -> Inertial:
    """Mass properties; the tensor is turned into the axes of the link."""
    mass, moments = child(node, "mass"), child(node, "inertia")
    for tag, found in (("mass", mass), ("inertia", moments)):
        if found is None:
            raise node.error(f"needs the element <{tag}>")
    if mass.values["value"] < 0:
        raise mass.error(f"{mass.values['value']:g} is negative; give at least 0", "value")
    xx, yy, zz, xy, xz, yz = (moments.values[name] for name in MOMENTS)
    pos, quat = origin(node)
    rotation = matrix(quat)
    tensor = rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ rotation.T
    return Inertial(moments, mass.values["value"], pos, tensor)


def read_shape(node: Node, report: Report) -> UrdfShape | None:
    """A shape; None for a visual without one."""
    geometry = child(node, "geometry")
    parts = [] if geometry is None else geometry.children
    if not parts and node.tag == "visual":
        report.ignore(node, "it has no geometry")
        return None
    if not parts:
        raise (geometry or node).error("names no shape; give a <geometry> with box, cylinder, sphere, capsule or mesh")
    if len(parts) > 1:
        raise parts[1].error(f"is the second shape of a <geometry>; give it a <{node.tag}> of its own")
    part = parts[0]
    if part.tag == "capsule":
        given = [name for name in ("length", "height") if name in part.values]
        if len(given) != 1:
            raise part.error(
                "needs the attribute 'length' (length along z, caps excluded)"
                if not given
                else "has both 'length' and 'height'; keep one"
            )
        part.values["length"] = part.values[given[0]]
    for name in ("size", "radius", "length"):
        value = part.values.get(name)
        if value is not None and min(value if isinstance(value, tuple) else (value,)) <= 0:
            raise part.error(f"{part.attrs[name].strip()} is not positive; give sizes greater than 0", name)
    if not all(part.values.get("scale", (1.0,))):
        raise part.error("a scale of 0 flattens the mesh; give factors that are not zero", "scale")
    return UrdfShape(node, node.values.get("name", ""), part.tag, part, *origin(node))


def read_joint(node: Node, links: dict[str, Link]) -> UrdfJoint:
    """A joint, its links found."""
    ends = []
    for tag in ("parent", "child"):
        part = child(node, tag)
        if part is None:
            raise node.error(f"needs the element <{tag}>")
        name = part.values["link"]
        if name not in links:
            raise part.error(f"there is no link '{name}'{suggestion(name, links)}", "link")
        ends.append(links[name])
    kind = node.attrs["type"]
    axis = unit_tuple(complete(child(node, "axis"), "axis", node)["xyz"])
    if axis is None and kind in (*SINGLE, "planar"):
        raise child(node, "axis").error("the axis has length zero; give a direction", "xyz")
    limit = child(node, "limit")
    dynamics = complete(child(node, "dynamics"), "dynamics", node)
    for name in ("damping", "friction"):
        if dynamics[name] < 0:
            raise child(node, "dynamics").error(f"{dynamics[name]:g} is negative; give at least 0", name)
    limits = None if limit is None else {k: reachable(v) for k, v in complete(limit, "limit", node).items()}
    joint = UrdfJoint(node, node.values.get("name", ""), kind, *ends, *origin(node), axis or X, limits, dynamics)
    if joint.child.carrier is not None:
        first = joint.child.carrier.node.where()
        raise node.error(
            f"link '{joint.child.name}' already has a parent (the joint at {first}); a link hangs on one joint"
        )
    if ends[0] is ends[1]:
        raise node.error(f"link '{ends[0].name}' would be its own parent; name two links")
    joint.child.carrier = joint
    joint.parent.joints.append(joint)
    return joint


def reachable(limit: float) -> float:
    """A limit that single precision holds; those beyond, which some programs write for none, are the builder's none."""
    return limit if abs(limit) <= numbers.SINGLE else math.copysign(MAXVAL, limit)


def read_mimic(joint: UrdfJoint, joints: dict[str, UrdfJoint], report: Report) -> tuple[UrdfJoint, float, float] | None:
    """Mimic relation of a joint; None where it follows nothing, or nothing that it can follow."""
    node = child(joint.node, "mimic")
    if node is None:
        return None
    name = node.values.get("joint", "")
    target = joints.get(name)
    if target is None:
        report.leave_out(
            node.error(
                f"there is no joint '{name}'{suggestion(name, joints)}; skipping mimic constraint, unknown joint",
                "joint" if name else None,
            )
        )
    elif target is joint or joint.kind not in SINGLE or target.kind not in SINGLE:
        report.unsupported(
            node.error(
                f"a {joint.kind} joint cannot follow the {target.kind} joint '{name}'; both need one axis of their own",
                "joint",
            )
        )
    else:
        return target, node.values.get("multiplier", 1.0), node.values.get("offset", 0.0)
    return None


def check_mimics(joints: dict[str, UrdfJoint]) -> None:
    """ParseError where joints follow each other in a ring."""
    for joint in joints.values():
        chain, leader = [joint], joint
        while leader.mimic is not None:
            leader = leader.mimic[0]
            if leader is joint:
                names = " -> ".join(one.name for one in (*chain, joint))
                raise child(joint.node, "mimic").error(f"Cyclic mimic joints: {names}; let one of them lead", "joint")
            if leader in chain:
                break
            chain.append(leader)


def check_tree(links: dict[str, Link]) -> None:
    """ParseError where joints close a loop."""
    seen: set[int] = set()
    for link in links.values():
        chain: set[int] = set()
        while link.carrier is not None and id(link) not in seen:
            if id(link) in chain:
                raise link.carrier.node.error(f"closes a loop at link '{link.name}'; URDF holds trees only")
            chain.add(id(link))
            link = link.carrier.parent
        seen |= chain
