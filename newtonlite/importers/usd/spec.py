"""Records of a resolved stage: plain data in SI units, nothing of USD or of the builder left to decide.

Poses are ``[7]``: position [m], then (x, y, z, w).  World poses are those of the stage, before the caller places it.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType, JointType
from newtonlite.importers.usd.prims import Prim, Walk
from newtonlite.importers.usd.resolvers import Resolvers
from newtonlite.importers.usd.stage import Units
from newtonlite.math.transform import IDENTITY


@dataclass(eq=False)
class Material:
    """A physics material; None where it does not say a thing."""

    prim: Prim
    mu: float
    restitution: float
    density: float
    values: dict[str, float] = field(default_factory=dict)
    """ShapeConfig settings beside friction: mu_torsional, ke, ..."""


@dataclass(eq=False)
class UsdShape:
    """A shape on a body, or in the world."""

    prim: Prim
    kind: GeoType
    body: "UsdBody | None"
    pose: np.ndarray
    """In its body; of static ones in the stage."""
    size: np.ndarray
    source: Any = None
    collides: bool = False
    """Whether it is a collider, enabled or not."""
    enabled: bool = True
    visible: bool = True
    site: bool = False
    material: Material | None = None
    approximation: str = ""
    label: str = ""
    scale: np.ndarray = field(default_factory=lambda: np.ones(3))
    """World scale of the prim."""
    color: tuple[float, ...] | None = None
    opacity: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    """ShapeConfig settings."""
    custom: dict[str, Any] = field(default_factory=dict)
    index: int = -1


@dataclass(eq=False)
class UsdBody:
    """A rigid body."""

    prim: Prim
    pose: np.ndarray
    rest: np.ndarray
    """Remainder of the prim's matrix without the pose [3, 3]."""
    kinematic: bool = False
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(6))
    """Linear, then angular [rad/s], in the body's frame."""
    shapes: list[UsdShape] = field(default_factory=list)
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    custom: dict[str, Any] = field(default_factory=dict)
    axes: tuple[float, ...] = (0.0,) * 4
    """Principal axes (w, x, y, z) that MuJoCo would choose; 0: any."""
    index: int = -1
    order: int = 0
    """Place among the bodies of the stage."""
    link: bool = False
    """Whether it is a massless link between joints of one body."""

    @property
    def path(self) -> str:
        """Path of its prim."""
        return self.prim.path


@dataclass(eq=False)
class Dof:
    """One axis of a joint."""

    axis: np.ndarray
    """Direction in the joint's frame on the parent."""
    turns: bool
    name: str
    """angular, linear, transX, ..., rotZ."""
    lower: float
    upper: float
    settings: dict[str, Any] = field(default_factory=dict)
    """JointDofConfig settings."""
    custom: dict[str, Any] = field(default_factory=dict)
    """mujoco attributes, without the namespace."""
    position: float = 0.0
    speed: float = 0.0
    anchor: np.ndarray | None = None
    """Own anchor in the child, where it is not the joint's."""
    prim: Prim | None = None
    has_limits: bool = False
    """Whether somebody authored gains of its limits."""
    ball: bool = False
    """Whether it is one of the three axes of a ball."""
    acceleration: bool = False
    """Whether its drive asks for accelerations instead of forces."""
    index: int = -1


@dataclass(eq=False)
class UsdJoint:
    """A joint between two bodies, or a body and the world (parent None)."""

    prim: Prim | None
    kind: JointType
    parent: UsdBody | None
    child: UsdBody | None
    X_p: np.ndarray = field(default_factory=IDENTITY.copy)
    X_c: np.ndarray = field(default_factory=IDENTITY.copy)
    dofs: list[Dof] = field(default_factory=list)
    enabled: bool = True
    collides: bool = False
    excluded: bool = False
    grounded: bool = True
    """Whether ``X_p`` is known on the world side; else it follows from the child's pose."""
    members: list["UsdJoint"] = field(default_factory=list)
    """The authored joints that were merged into this one."""
    owner: "UsdJoint | None" = None
    """The joint that this one was merged into."""
    mimic: tuple["UsdJoint", float, float] | None = None
    custom: dict[str, Any] = field(default_factory=dict)
    """mujoco attributes of joints without dofs of their own rows."""
    label: str = ""
    index: int = -1

    @property
    def path(self) -> str:
        """Path of its prim; the made-up label of others."""
        return self.prim.path if self.prim is not None else self.label

    @property
    def place(self) -> int:
        """Index in the builder, of the joint it was merged into where it was."""
        return self.owner.index if self.owner is not None else self.index


@dataclass(eq=False)
class UsdTree:
    """Bodies and the joints that carry them, in order."""

    root: UsdBody
    joints: list[UsdJoint]
    label: str
    articulated: bool
    """Whether all joints become one articulation; else only a base that was made up does."""
    bodies: list[UsdBody] = field(default_factory=list)
    base: UsdJoint | None = None
    """The joint that was made up, where nothing carries the root."""
    self_collisions: bool = True
    prim: Prim | None = None
    """The prim that has the root schema."""


@dataclass(eq=False)
class UsdSpec:
    """A whole stage."""

    walk: Walk
    units: Units
    resolvers: Resolvers
    scene: Any = None
    bodies: list[UsdBody] = field(default_factory=list)
    shapes: list[UsdShape] = field(default_factory=list)
    joints: list[UsdJoint] = field(default_factory=list)
    trees: list[UsdTree] = field(default_factory=list)
    loops: list[UsdJoint] = field(default_factory=list)
    filters: list[tuple[UsdShape, UsdShape]] = field(default_factory=list)
    excludes: list[tuple[UsdBody, UsdBody | None]] = field(default_factory=list)
    """Pairs of bodies that MuJoCo's schema means to pass through each other; None for the world."""
    tendons: list[Any] = field(default_factory=list)
    actuators: list[Any] = field(default_factory=list)
    equalities: list[Any] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)
    pairs: list[Any] = field(default_factory=list)
    sensors: list[Any] = field(default_factory=list)
    flexes: list[Any] = field(default_factory=list)
    soft: list[Any] = field(default_factory=list)
    body_at: dict[str, UsdBody] = field(default_factory=dict)
    shape_at: dict[str, UsdShape] = field(default_factory=dict)
    joint_at: dict[str, UsdJoint] = field(default_factory=dict)
    followed: set[tuple[str, str, str]] = field(default_factory=set)
    """Path, kind and name of what joints say of an axis and it follows: (path, "drive", "angular")."""

    @property
    def report(self):
        """The report of the import."""
        return self.walk.report

    def body_of(self, prim: Prim | None) -> UsdBody | None:
        """The body that a prim is, or lies in; None for the world."""
        for above in prim.above() if prim is not None else ():
            if above.path in self.body_at:
                return self.body_at[above.path]
        return None
