"""Options of an MJCF import, as ``parse_mjcf`` has checked them."""

from dataclasses import dataclass, field

from newtonlite.importers.mjcf.dofs import DEFAULT_JOINT
from newtonlite.importers.mjcf.edit.base import BaseJoint
from newtonlite.importers.mjcf.edit.select import Selection
from newtonlite.importers.mjcf.meshes import Meshes
from newtonlite.math.quat import ONE, ZERO, Vec
from newtonlite.sim.builder.config import JointDofConfig, ShapeConfig


@dataclass
class MjcfOptions:
    """Options of ``parse_mjcf`` as its caller gives them; poses in MuJoCo's order."""

    pos: Vec = ZERO
    quat: Vec = ONE
    turn: Vec = ONE
    """Rotation of the file's up axis onto the builder's; ``quat`` has it already."""
    base: BaseJoint = field(default_factory=BaseJoint)
    merge: bool = False
    """Whether bodies without joints become part of what carries them."""
    balls: bool = False
    """Whether three hinges of a body become a ball joint."""
    skip_empty: bool = False
    """Whether bodies on the world without joints and mass become part of it."""
    armature_scale: float = 1.0
    sites: bool = True
    visuals: bool = True
    hide_visuals: bool = False
    meshes: bool = True
    settings: bool = True
    self_collisions: bool = True
    equalities: bool = True
    equality_targets: bool = False
    """Whether equality constraints have loop joints and mimic constraints beside their rows."""
    ctrl_direct: bool = False
    legacy_margin_gap: bool = False
    flat_labels: bool = False
    """Whether labels are ``model/name`` instead of paths."""
    maxhullvert: int | None = None
    selection: Selection = field(default_factory=Selection)
    joint: JointDofConfig = DEFAULT_JOINT
    """The builder's defaults, for what the file leaves open."""
    shape: ShapeConfig = field(default_factory=ShapeConfig)
    paired: frozenset[int] = frozenset()
    """Ids of geoms that contact pairs name."""
    loaded: Meshes = field(default_factory=Meshes)
    """Meshes of the file."""
    seen: bool = False
    """Whether geoms that collide are shown beside visuals."""
