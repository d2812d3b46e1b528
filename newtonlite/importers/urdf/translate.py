"""URDF to MJCF translation, as MuJoCo's compiler understands URDF."""

import io
import warnings
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from newtonlite.core.errors import NewtonWarning
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.files import Files as Assets
from newtonlite.importers.mjcf.frame import from_z
from newtonlite.importers.mjcf.load import resolve
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.report import Report
from newtonlite.importers.urdf.robot import Link, Robot, UrdfJoint, UrdfShape, X, Y, Z, child
from newtonlite.importers.urdf.surfaces import MeshFiles
from newtonlite.math.quat import ONE, ZERO, Vec, rotate

CHANGED = {"strippath": "true", "fusestatic": "true", "discardvisual": "true"}
"""Compiler settings whose defaults differ from those of MJCF."""
FORCED = {"angle": "radian", "autolimits": "true"}
"""Compiler settings that a URDF file cannot change."""
PATHS = ("strippath", "meshdir", "assetdir", "texturedir", "eulerseq", "coordinate")
"""Settings that are used up here."""
MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
FLOATING = "floating_base"
"""Name of the free joint of a root that is to float."""
NATIVE = ("stl", "obj", "msh")


def load_as_mujoco(
    robot: Robot, surfaces: MeshFiles, report: Report, floating: bool | None, compiler: Mapping[str, Any]
):
    """The resolved spec and meshes of a robot, compiled by MuJoCo's rules; ``compiler`` settings go before the file's."""
    translation = Translation(robot, surfaces, report, floating, compiler)
    inner = Report("raise" if report.strict else "warn")
    found = resolve(Document(translation.model(), Assets(None, translation.assets), inner))
    report.refused += inner.refused
    report.converted += inner.converted
    return found


class Translation:
    """Builds the nodes of one robot."""

    def __init__(
        self, robot: Robot, surfaces: MeshFiles, report: Report, floating: bool | None, compiler: Mapping[str, Any]
    ):
        self.robot, self.surfaces, self.report, self.floating = robot, surfaces, report, floating
        self.settings = settings(robot, compiler)
        self.assets: dict[str, bytes] = {}
        self.files: dict[str, str] = {}
        self.meshes: dict[tuple, Node] = {}
        self.names: set[str] = set()

    def model(self) -> Node:
        """The root of the MJCF document."""
        robot = self.robot
        root = node("mujoco", robot.node, model=robot.name)
        extension = [] if robot.settings is None else [c for c in robot.settings.children if c.tag != "compiler"]
        self.gather_meshes()
        world = node("worldbody", robot.node)
        for link in robot.roots:
            self.add_body(world, link, None)
        kept = {name: value for name, value in self.settings.items() if name not in PATHS}
        root.children = [self.compiler(kept), *extension]
        root.children += [
            group("asset", robot.node, list(self.meshes.values())),
            world,
            group("equality", robot.node, self.mimics()),
        ]
        return root

    def compiler(self, kept: dict[str, str]) -> Node:
        """The compiler settings, at their place where the file has one."""
        extension = self.robot.settings
        given = None if extension is None else child(extension, "compiler")
        return node("compiler", given or self.robot.node, **kept)

    def add_body(self, into: Node, top: Link, carrier: UrdfJoint | None) -> None:
        """A link and all that it carries, as nested bodies."""
        stack = [(into, top, carrier)]
        while stack:
            outer, link, carrier = stack.pop()
            if carrier is None and link.name == "world":
                body = outer
            else:
                pose = {} if carrier is None else pose_attributes(carrier.pos, carrier.quat)
                body = node("body", link.node, name=link.name, **pose)
                outer.children.append(body)
            self.fill(body, link, carrier)
            stack += [(body, joint.child, joint) for joint in reversed(link.joints)]

    def fill(self, body: Node, link: Link, carrier: UrdfJoint | None) -> None:
        """Add the elements of a link to its body: its mass, the joints that carry it, its shapes."""
        if link.inertial is not None and body.tag == "body":
            body.children.append(inertial(link))
        elif link.collisions and body.tag == "body":
            self.report.convert(link.node, "has no inertial; it weighs what its collision shapes do at 1000 kg/m^3")
        if carrier is not None:
            body.children += self.joints(carrier)
        elif self.floating and body.tag == "body":
            body.children.append(node("freejoint", link.node, name=FLOATING))
        for shape in in_file_order(link):
            if self.wanted(shape):
                body.children.append(self.geom(shape))
            else:
                self.report.ignore(shape.node, "compiler discardvisual is set")

    def wanted(self, shape: UrdfShape) -> bool:
        """Whether a shape becomes a geom."""
        return shape.node.tag == "collision" or self.settings["discardvisual"] != "true"

    def gather_meshes(self) -> None:
        """Number the meshes in the order of the file, as MuJoCo does, not in that of the tree."""
        for link in self.robot.links.values():
            for shape in in_file_order(link):
                if shape.kind == "mesh" and self.wanted(shape):
                    self.mesh(shape.part)

    def joints(self, joint: UrdfJoint) -> list[Node]:
        """The joints that stand for one of URDF."""
        losses = {"damping": number(joint.dynamics["damping"]), "frictionloss": number(joint.dynamics["friction"])}
        if joint.kind == "fixed":
            return []
        if joint.kind == "floating" and self.floating is False and joint.parent.carrier is None:
            return []
        if joint.kind == "floating":
            return [node("joint", joint.node, name=joint.name, type="free", **losses)]
        limits = self.limits(joint)
        if joint.kind != "planar":
            return [
                node(
                    "joint",
                    joint.node,
                    name=joint.name,
                    type="slide" if joint.kind == "prismatic" else "hinge",
                    axis=text(joint.axis),
                    **losses,
                    **limits,
                )
            ]
        turn = from_z(joint.axis)
        parts = (("_TX", "slide", X), ("_TY", "slide", Y), ("_RZ", "hinge", Z))
        return [
            node(
                "joint",
                joint.node,
                name=joint.name + suffix if joint.name else "",
                type=kind,
                axis=text(rotate(turn, axis)),
                **losses,
                **(limits if axis is X else {}),
            )
            for suffix, kind, axis in parts
        ]

    def limits(self, joint: UrdfJoint) -> dict[str, str]:
        """Range and force range of the first axis; MuJoCo limits joints that give both ends of a range."""
        limit, found = joint.limit, {"limited": "false"}
        if limit is None:
            return found
        low, high = limit["lower"], limit["upper"]
        given = {"lower", "upper"} & child(joint.node, "limit").values.keys()
        if joint.kind != "continuous" and low < high:
            found = {"limited": "true" if len(given) == 2 else "false", "range": text((low, high))}
        if joint.kind != "continuous" and not given:
            self.report.convert(joint.node, "its limits give no range; it is not limited")
        elif joint.kind != "continuous" and len(given) == 1:
            self.convert(joint, "it is not limited; give both lower and upper")
        elif joint.kind != "continuous" and not low < high:
            self.convert(
                joint, f"limits {low:g} to {high:g} do not count; a limited joint has a lower and a higher end"
            )
        effort = abs(limit["effort"])
        return found | (
            {"actuatorfrcrange": text((-effort, effort)), "actuatorfrclimited": "true"} if effort > 0 else {}
        )

    def convert(self, thing: UrdfJoint | UrdfShape, why: str) -> None:
        """Note, and warn of, what is understood in another way than it is written."""
        self.report.convert(thing.node, why)
        warnings.warn(str(thing.node.error(why)), NewtonWarning, stacklevel=2)

    def geom(self, shape: UrdfShape) -> Node:
        """A shape as a geom."""
        found = pose_attributes(shape.pos, shape.quat)
        if shape.name and shape.name in self.names:
            self.report.convert(shape.node, "the name is taken; the geom has none")
        elif shape.name:
            self.names.add(shape.name)
            found["name"] = shape.name
        if shape.color is not None:
            found["rgba"] = text(shape.color)
        if shape.node.tag == "visual":
            found |= {"contype": "0", "conaffinity": "0", "group": "1", "density": "0"}
        values = shape.part.values
        if shape.kind == "mesh":
            found |= {"type": "mesh", "mesh": self.mesh(shape.part)}
        elif shape.kind == "box":
            found |= {"type": "box", "size": text(0.5 * x for x in values["size"])}
        elif shape.kind == "sphere":
            found |= {"type": "sphere", "size": number(values["radius"])}
        else:
            found |= {"type": shape.kind, "size": text((values["radius"], 0.5 * values["length"]))}
        return node("geom", shape.part, **found)

    def mesh(self, part: Node) -> str:
        """The name of the asset of a mesh; the same file at the same scale is one asset."""
        file, scale = part.values["filename"], part.values.get("scale", (1.0, 1.0, 1.0))
        if (file, scale) not in self.meshes:
            stem = PurePosixPath(file.replace("\\", "/")).stem
            taken = {asset.attrs["name"] for asset in self.meshes.values()}
            same = sum(1 for name in taken if name == stem or (name.startswith(stem) and name[len(stem) :].isdigit()))
            name = stem if stem not in taken else f"{stem}{same}"
            self.meshes[file, scale] = node("mesh", part, name=name, file=self.asset(part), scale=text(scale))
        return self.meshes[file, scale].attrs["name"]

    def asset(self, part: Node) -> str:
        """The name under which a mesh file is handed on; kinds that MJCF lacks become STL."""
        file = part.values["filename"]
        if file not in self.files:
            path = PurePosixPath(file.replace("\\", "/"))
            native = path.suffix.lower().lstrip(".") in NATIVE
            if not native:
                self.report.convert(part, "its triangles become an STL file, which MJCF can name")
            key = f"{len(self.files)}/{path.name}" + ("" if native else ".stl")
            self.assets[key] = self.surfaces.files.read(part) if native else stl(*self.surfaces.of(part))
            self.files[file] = key
        return self.files[file]

    def mimics(self) -> list[Node]:
        """Joints that follow others, as equality constraints."""
        found = []
        for joint in self.robot.joints:
            if joint.mimic is not None:
                target, factor, offset = joint.mimic
                ends = {"joint1": joint.name, "joint2": target.name}
                found.append(
                    node("joint", child(joint.node, "mimic"), **ends, polycoef=text((offset, factor, 0.0, 0.0, 0.0)))
                )
        return found


def in_file_order(link: Link) -> list[UrdfShape]:
    """Visuals and collision shapes of a link as they follow each other in the file."""
    return sorted([*link.visuals, *link.collisions], key=lambda shape: shape.node.offset)


def settings(robot: Robot, compiler: Mapping[str, Any]) -> dict[str, str]:
    """The compiler settings that count: URDF's defaults, those of the file, the caller's, and those that nobody can
    change.
    """
    given = None if robot.settings is None else child(robot.settings, "compiler")
    own = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in compiler.items()}
    return CHANGED | ({} if given is None else dict(given.attrs)) | own | FORCED


def node(tag: str, place: Node, **attrs: str) -> Node:
    """An MJCF node that stands where a URDF node stands; empty names are left out."""
    return Node(
        tag, {name: value for name, value in attrs.items() if value or name != "name"}, place.source, place.offset
    )


def group(tag: str, place: Node, children: list[Node]) -> Node:
    """A section."""
    found = node(tag, place)
    found.children = children
    return found


def inertial(link: Link) -> Node:
    """The mass properties of a link; a tensor of zeros stays one."""
    found = link.inertial
    tensor = (
        {"diaginertia": "0 0 0"} if not found.tensor.any() else {"fullinertia": text(found.tensor[k] for k in MOMENTS)}
    )
    return node("inertial", found.node, pos=text(found.com), mass=number(found.mass), **tensor)


def pose_attributes(pos: Vec, quat: Vec) -> dict[str, str]:
    """Attributes of a pose."""
    return ({} if pos == ZERO else {"pos": text(pos)}) | ({} if quat == ONE else {"quat": text(quat)})


def number(value: float) -> str:
    """A number with all its digits."""
    return repr(float(value))


def text(values) -> str:
    """Numbers with all their digits."""
    return " ".join(number(v) for v in values)


def stl(vertices: np.ndarray, triangles: np.ndarray) -> bytes:
    """A binary STL file."""
    faces = np.zeros(len(triangles), np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
    faces["v"] = vertices[triangles]
    out = io.BytesIO()
    out.write(b"\0" * 80 + len(triangles).to_bytes(4, "little"))
    out.write(faces.tobytes())
    return out.getvalue()
