"""Bodies and joints of a flexcomp: slides for its points or nodes, hinges for the edges of rods."""

import math
from dataclasses import dataclass, field

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.limits import most
from newtonlite.core.mujoco import MjtJoint
from newtonlite.importers.mjcf.check import element_of
from newtonlite.importers.mjcf.defaults import complete, overlay
from newtonlite.importers.mjcf.flexcomp.nodes import FlexNodes
from newtonlite.importers.mjcf.flexcomp.shapes import FlexShape
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import Body, ElementContext, Item
from newtonlite.math.quat import ONE, ZERO
from newtonlite.schema.deformable import FLEX_DOFS

SLIDES = {
    FLEX_DOFS.words["full"]: np.eye(3),
    FLEX_DOFS.words["2d"]: np.eye(3)[:2],
    FLEX_DOFS.words["trilinear"]: np.eye(3),
    FLEX_DOFS.words["quadratic"]: np.eye(3),
}
"""Axes of the slides of a body, by ways in which points move; radial ones have their own."""
BOX = 1
LIGHT = 1e-9
"""Mass of a body that carries the twist of an edge alone [kg]."""


@dataclass
class MovedPoints:
    """Bodies of points, and their places in them [n, 3]."""

    bodies: list[Body] = field(default_factory=list)
    places: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))


class PointBodies:
    """Makes the bodies of one flexcomp; ``place`` is that of its parent, without frames."""

    def __init__(self, composer, node: Node, parent: Body, place: ElementContext, values: dict):
        self.composer, self.node, self.parent, self.place, self.values = composer, node, parent, place, values
        self.elements = {tag: element_of(f"worldbody/body/{tag}") for tag in ("joint", "inertial")}
        self.elements["body"] = element_of("worldbody/body")

    def points(self, shape: FlexShape, fixed: np.ndarray) -> MovedPoints:
        """A body for each point that is not pinned; those stay on the parent, where they are."""
        if not len(shape.points):
            raise self.node.error("Point and element required", "point")
        names = [str(k) for k in range(len(shape.points))]
        mass = np.full(len(names), self.values["mass"] / len(names))
        return self.moved(names, shape.points, mass, fixed)

    def nodes(self, nodes: FlexNodes, fixed: np.ndarray) -> MovedPoints:
        """A body for each node of interpolation that is not pinned; together they have the whole mass."""
        names = [f"{i}_{j}_{k}" for i, j, k in np.ndindex(*nodes.count)]
        carried = nodes.masses[~fixed].sum()
        return self.moved(
            names, nodes.places, nodes.masses * (self.values["mass"] / carried if carried else 0.0), fixed
        )

    def moved(self, names: list[str], places: np.ndarray, masses: np.ndarray, fixed: np.ndarray) -> MovedPoints:
        """Bodies of some points; what is pinned keeps its place in the parent."""
        free = int((~fixed).sum())
        if 5 * free > min(self.composer.budget, most("copies")):
            raise self.node.error(
                f"makes {free} bodies with their joints, more than a model may have; give fewer points"
            )
        self.composer.budget -= 5 * free
        bodies, stay = [], places.copy()
        for k, name in enumerate(names):
            if fixed[k]:
                bodies.append(self.parent)
                continue
            body = self.body(self.parent, name, tuple(places[k].tolist()), float(masses[k]))
            for axis in self.axes(places[k]):
                body.joints.append(self.joint(MjtJoint.SLIDE, axis))
            bodies.append(body)
            stay[k] = 0.0
        return MovedPoints(bodies, stay)

    def axes(self, place: np.ndarray) -> np.ndarray:
        """Axes of the slides of a point; ParseError for a radial one at the origin."""
        if self.values["dof"] in SLIDES:
            return SLIDES[self.values["dof"]]
        far = float(np.linalg.norm(place))
        if far < MINVAL:
            raise self.node.error("axis too small in joint: a point of radial dofs is at the origin; move it", "dof")
        return place[None] / far

    def body(self, parent: Body, name: str, pos, mass: float, inertia: tuple | None = None) -> Body:
        """A body with its mass and moments, those of a box where they are not given."""
        element, node = self.elements["body"], self.fake("body")
        node.values = {"name": f"{self.node.values['name']}_{name}"}
        full = self.place.full(node.values["name"])
        body = Body(node, self.place, full, parent, complete(element, {}), pos, ONE)
        self.composer.named("body", body, node, self.place)
        moments = inertia or (mass * 2.0 / 3.0 * self.values["inertiabox"] ** 2,) * 3
        given = {"mass": mass, "diaginertia": moments, "pos": ZERO}
        body.inertial = Item(
            self.fake("inertial"), self.place, complete(self.elements["inertial"], given), given=frozenset(given)
        )
        parent.bodies.append(body)
        return body

    def joint(self, kind: int, axis, name: str = "") -> Item:
        """A joint of the class of joints that is in force where the flexcomp stands."""
        node = self.fake("joint")
        node.values = {"type": kind, "axis": tuple(map(float, axis)), "pos": ZERO}
        values = overlay(node, self.place.document.classes.of(node, self.place.childclass))
        if np.any(values.get("damping", 0.0)):
            raise self.node.error(
                "flex vertex/node bodies cannot have joint damping, which the default class of joints here gives them; "
                "use flex elasticity or edge damping instead"
            )
        item = Item(node, self.place, complete(node.element, values), name, given=frozenset(values))
        if name:
            self.composer.spec.register("joint", name, item, node)
        return item

    def fake(self, tag: str) -> Node:
        """An element that is not in the file, where the flexcomp is."""
        node = Node(tag, {}, self.node.source, self.node.offset)
        node.element = self.elements[tag]
        return node

    def twists(self, chain: np.ndarray, fixed: np.ndarray, elasticity: dict) -> list[Item | None]:
        """The hinges on the world that carry the twist of the edges of a rod, from the end of its points where the chain
        begins; None for a clamped edge.

        Clamped are the first edge where both its points are pinned, and the last of three or more.
        """
        count, held = len(chain) - 1, fixed[chain]
        clamped = {0} if held[0] and held[1] else set()
        if count >= 3 and held[-1] and held[-2]:
            clamped.add(count - 1)
        mass, world = self.values["mass"] / count, self.composer.spec.world
        spin = mass * twist_inertia(self.values, elasticity)
        found: list[Item | None] = []
        for edge in range(count):
            if edge in clamped:
                found.append(None)
                continue
            name = "twist" if edge == count - 1 else f"twist_{edge}"
            body = self.body(world, name, ZERO, LIGHT, (spin,) * 3)
            body.joints.append(self.joint(MjtJoint.HINGE, (1.0, 0.0, 0.0), body.name))
            found.append(body.joints[0])
        return found


def twist_inertia(values: dict, elasticity: dict) -> float:
    """Moment of an edge about its own axis, per mass [m^2]: r^2/2 of a round one, (a^2 + b^2)/3 of a box."""
    if elasticity.get("section", 0) == BOX:
        return math.hypot(*elasticity["sectionsize"]) ** 2 / 3.0
    return 0.5 * values["radius"] ** 2
