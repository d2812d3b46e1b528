"""Spec: what a file says once everything in it is resolved, as plain records in MuJoCo's words and order.

Lengths in m, angles in rad, quaternions (w, x, y, z).  Nothing here knows of files or of the builder.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonlite.core.errors import MissingError
from newtonlite.core.table import Element
from newtonlite.importers.mjcf.check import suggestion
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.read import Node
from newtonlite.math.quat import ONE, ZERO, Vec
from newtonlite.schema.execute import scene_columns, scene_values


@dataclass
class ElementContext:
    """Context of an element: its document, the prefix of its name, the class of its defaults, and its pose in the
    body."""

    document: Document
    prefix: str = ""
    suffix: str = ""
    childclass: str = "main"
    pos: Vec = ZERO
    quat: Vec = ONE
    first: bool = True
    """Whether this is the first of replicated copies."""
    attached_before: int = 0
    """For replicated copies: how many models were attached before them."""
    once: str | None = None
    """For copies of parts of a model: the prefix of what is not copied, which elements of the copy may refer to too."""
    owner: str = ""
    """Prefix of asset names: the prefix, but for parts that a model attaches of itself, whose assets stay one."""

    def full(self, name: str) -> str:
        """A name of the document as the model knows it."""
        return f"{self.prefix}{name}{self.suffix}" if name else ""


@dataclass
class Item:
    """An element with its values, defaults included, and the name it has in the model."""

    node: Node
    place: ElementContext
    values: dict
    name: str = ""
    pos: Vec = ZERO
    quat: Vec = ONE
    given: frozenset = frozenset()
    """Attributes that the file or a default class gave."""
    index: int = -1
    body: "Body | None" = None
    home: "Body | None" = None
    """Body that the file puts it on, where that was merged into another."""
    limits: dict[str, int] = field(default_factory=dict)
    """Ranges that count (1) and that do not (0), by name."""

    def __getitem__(self, key: str):
        return self.values[key]

    def bound(self, element: Element | None = None) -> dict[str, Any]:
        """Values of the attributes of the scene that rows of the schema bind, those of ``element`` where it is given."""
        return scene_values(element or self.node.element, self.values, self.given, self.name, self.place.owner)


def bound_columns(items: Sequence[Item], element: Element | None = None) -> dict[str, list]:
    """``Item.bound`` of several, attribute by attribute, None where an item has no value to give."""
    kinds: dict[Any, list[int]] = {}
    for k, item in enumerate(items):
        kinds.setdefault(element or item.node.element, []).append(k)
    columns: dict[str, list] = {}
    for kind, rows in kinds.items():
        some = [(item.values, item.given, item.name, item.place.owner) for item in (items[k] for k in rows)]
        for key, values in scene_columns(kind, *zip(*some)).items():
            column = columns.setdefault(key, [None] * len(items))
            for k, value in zip(rows, values):
                column[k] = value
    return columns


@dataclass
class Body:
    """A body: frame in its parent, what is on it, and in the end its mass, centre of mass and inertia tensor there."""

    node: Node
    place: ElementContext
    name: str
    parent: "Body | None"
    values: dict = field(default_factory=dict)
    pos: Vec = ZERO
    quat: Vec = ONE
    index: int = 0
    joints: list[Item] = field(default_factory=list)
    geoms: list[Item] = field(default_factory=list)
    sites: list[Item] = field(default_factory=list)
    cameras: list[Item] = field(default_factory=list)
    lights: list[Item] = field(default_factory=list)
    bodies: list["Body"] = field(default_factory=list)
    inertial: Item | None = None
    mass: float = 0.0
    iquat: Vec = ONE
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    home: "Body | None" = None
    """Its parent in the file, where that was merged into another body."""

    def bound(self) -> dict[str, Any]:
        """Values of the attributes of the scene that rows of the schema bind, and those that no row says."""
        own = {"mujoco:body_mocap": int(self.values["mocap"]), "mujoco:body_iquat": self.iquat}
        own |= {"mujoco:body_unnamed": not self.name}
        return scene_values(self.node.element, self.values, None, self.name) | own

    @property
    def static(self) -> bool:
        """Whether no joint moves it."""
        body = self
        while body is not None:
            if body.joints:
                return False
            body = body.parent
        return True


@dataclass
class Spec:
    """A whole model."""

    document: Document
    world: Body
    bodies: list[Body] = field(default_factory=list)  # depth first, the world first
    joints: list[Item] = field(default_factory=list)
    geoms: list[Item] = field(default_factory=list)
    sites: list[Item] = field(default_factory=list)
    cameras: list[Item] = field(default_factory=list)
    lights: list[Item] = field(default_factory=list)
    pairs: list[Item] = field(default_factory=list)
    excludes: list[Item] = field(default_factory=list)
    equalities: list[Item] = field(default_factory=list)
    tendons: list[Item] = field(default_factory=list)
    actuators: list[Item] = field(default_factory=list)
    sensors: list[Item] = field(default_factory=list)
    keys: list[Item] = field(default_factory=list)
    customs: list[Item] = field(default_factory=list)
    skins: list[Item] = field(default_factory=list)
    flexes: list[Item] = field(default_factory=list)  # those of the file first, then those of flexcomps
    made_equalities: list[Item] = field(default_factory=list)
    """Constraints of flexcomps, which come after those of the file."""
    names: dict[str, dict[str, object]] = field(default_factory=dict)
    """For each kind, what a name stands for: a Body or an Item."""
    attached: list[tuple[Document, ElementContext]] = field(default_factory=list)
    """Models that were attached, and where."""
    carried: set[int] = field(default_factory=set)
    """Ids of bodies that the caller's own joint carries."""
    replicas: dict[tuple[str, str], list[ElementContext]] = field(default_factory=dict)
    """For each kind and name before numbering: the places of its numbered copies."""

    def register(self, kind: str, name: str, thing, node: Node) -> None:
        """Give a name to a thing; ParseError where it is taken."""
        if not name:
            return
        names = self.names.setdefault(kind, {})
        if name in names:
            other = getattr(names[name], "node", None)
            at = f" (first at {other.where()})" if other is not None and other is not node else ""
            raise node.error(
                f"{kind} name '{name}' is used a second time{at}; names of a kind are unique",
                "name" if "name" in node.attrs else None,
            )
        names[name] = thing

    def find(self, kind: str, item: Item, attr: str):
        """Item that a reference names; ParseError at the attribute where there is no such item."""
        return self.find_name(kind, item, item.values[attr], attr)

    def find_name(self, kind: str, item: Item, word: str, attr: str):
        """Item of a name, which is that or one of those in an attribute; ParseError there where there is no such item."""
        name = item.place.full(word)
        names = self.names.get(kind, {})
        if name not in names and item.place.once is not None:
            name = item.place.once + word
        if name not in names:
            raise MissingError(str(item.node.error(f"there is no {kind} '{name}'{suggestion(name, names)}", attr)))
        return names[name]


def named(kind: str, values: dict) -> dict:
    """Values under their full names."""
    return {f"mujoco:{kind}_{name}": value for name, value in values.items()}


def joint_width(kind: int) -> tuple[int, int]:
    """Coordinates and dofs of a MuJoCo joint type: free, ball, slide, hinge."""
    return ((7, 6), (4, 3), (1, 1), (1, 1))[kind]
