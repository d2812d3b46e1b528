"""ModelBuilder: a scene, added piece by piece, that becomes a Model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import UndeclaredError
from newtonlite.core.types import Axis, AxisType
from newtonlite.sim.attributes import NeverRead, Removed
from newtonlite.sim.body_variants import DeclaredVariants
from newtonlite.sim.builder import check
from newtonlite.sim.builder.approximate import ApproximateMethods
from newtonlite.sim.builder.articulations import ArticulationMethods
from newtonlite.sim.builder.attributes import AttributeMethods
from newtonlite.sim.builder.bodies import BodyMethods
from newtonlite.sim.builder.collapse import CollapseMethods
from newtonlite.sim.builder.column import ChangeCount, Column, ColumnAttribute
from newtonlite.sim.builder.config import JointDofConfig, ShapeConfig
from newtonlite.sim.builder.copies import Copies, Snapshot
from newtonlite.sim.builder.custom import CustomAttribute, CustomFrequency
from newtonlite.sim.builder.drives import DriveMethods
from newtonlite.sim.builder.equality import register_equality
from newtonlite.sim.builder.filters import FilterMethods
from newtonlite.sim.builder.finalize import FinalizeMethods
from newtonlite.sim.builder.imports import ImportMethods
from newtonlite.sim.builder.joint_types import TypedJointMethods
from newtonlite.sim.builder.joints import JointMethods
from newtonlite.sim.builder.shape_types import TypedShapeMethods
from newtonlite.sim.builder.shapes import ShapeMethods
from newtonlite.sim.builder.soft import SoftMethods
from newtonlite.sim.builder.unsupported import RefusedMethods
from newtonlite.sim.builder.variants import VariantMethods
from newtonlite.sim.builder.worlds import WorldMethods
from newtonlite.sim.model_table import DEFORMABLE, ROWS, TABLE

EARTH = 9.81
"""Gravity [m/s^2] of a builder that is given none, down the up axis."""


class ModelBuilder(
    BodyMethods,
    JointMethods,
    TypedJointMethods,
    ArticulationMethods,
    ShapeMethods,
    TypedShapeMethods,
    FilterMethods,
    WorldMethods,
    AttributeMethods,
    ImportMethods,
    CollapseMethods,
    ApproximateMethods,
    FinalizeMethods,
    DriveMethods,
    VariantMethods,
    SoftMethods,
    RefusedMethods,
):
    """A scene under construction.

    ``add_*`` methods check what they are given, add it, and return its index.  What has been added stands in columns
    such as ``body_mass`` or ``joint_q`` that read and write like lists (``sim/model_table.py`` names them all).
    ``finalize`` makes a Model.
    """

    ShapeConfig = ShapeConfig
    JointDofConfig = JointDofConfig
    CustomAttribute = CustomAttribute
    CustomFrequency = CustomFrequency

    joint_target_pos = Removed("joint_target_q")
    joint_target_vel = Removed("joint_target_qd")
    joint_twist_lower, joint_twist_upper = NeverRead("joint_limit_lower"), NeverRead("joint_limit_upper")

    def __init__(self, up_axis: AxisType = Axis.Z, gravity: Any = None, sdf_texture_paired_samples: bool = True):
        self.clock = ChangeCount()
        self._given_gravity = False
        self.up_axis = up_axis
        if gravity is not None:
            self.gravity = gravity
        self.world_gravity: list[wp.vec3] = []
        self.columns: dict[str, Column] = {row.name: Column(row, self.clock) for row in TABLE}
        self.custom_attributes: dict[str, CustomAttribute] = {}
        self.custom_frequencies: dict[str, CustomFrequency] = {}
        self.custom_frequency_counts: dict[str, int] = {}
        self.actuator_entries: dict = {}
        self.default_shape_cfg = ShapeConfig()
        self.default_joint_cfg = JointDofConfig()
        self.rigid_gap = 0.1
        self.num_rigid_contacts_per_world: int | None = None
        self.orphan_joints_allowed = False
        """Whether joints without an articulation are simulated with a warning, as USD files have them."""
        self.bound_mass: float | None = None
        self.bound_inertia: float | None = None
        self.balance_inertia = True
        self.validate_inertia_detailed = False
        self.inertia_relative_tolerance = 1.0e-6
        self.inertia_absolute_tolerance = 1.0e-10
        self.inertia_correction = 1.0e-6
        self._current_world = -1
        self._parts: list[Copies] = []
        self._snapshot: Snapshot | None = None
        self._snapshot_time = -1
        self._connected: set[int] = set()
        self._own_shapes: dict[int, list[int]] = {}
        self._own_neighbours: dict[int, list[int]] = {}
        self._variants: list[DeclaredVariants] = []
        self._requested_state: set[str] = set()
        self._requested_contacts: set[str] = set()
        self.__dict__ |= {"_joint_twist_lower": [], "_joint_twist_upper": []}
        register_equality(self)

    @property
    def gravity(self) -> wp.vec3:
        """Gravity [m/s^2] of worlds that are not given their own, and of what belongs to no world; the Earth's against
        ``up_axis`` where none was set.
        """
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = wp.vec3(*check.finite_array(value, (3,), "ModelBuilder gravity").tolist())
        self._given_gravity = True
        self.clock.now += 1

    @property
    def up_axis(self) -> Axis:
        """The axis that points up."""
        return self._up_axis

    @up_axis.setter
    def up_axis(self, value: AxisType) -> None:
        self._up_axis = Axis.from_any(value)
        self.clock.now += 1
        if not self._given_gravity:
            self._gravity = wp.vec3(*(-EARTH * np.array(self.up_vector)).tolist())

    @property
    def up_vector(self) -> tuple[float, float, float]:
        """Unit vector along the up axis."""
        return self.up_axis.to_vector()

    @up_vector.setter
    def up_vector(self, value: Any) -> None:
        raise UndeclaredError("ModelBuilder up_vector: follows from up_axis and cannot be set; set up_axis")

    @property
    def default_site_cfg(self) -> ShapeConfig:
        """Settings that make a shape a site."""
        cfg = ShapeConfig()
        cfg.mark_as_site()
        return cfg

    @property
    def world_count(self) -> int:
        """Number of worlds; a larger number makes empty ones."""
        return len(self.world_gravity)

    @world_count.setter
    def world_count(self, count: int) -> None:
        del self.world_gravity[count:]
        self.world_gravity.extend([self.gravity] * (count - len(self.world_gravity)))

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.columns["body_mass"])

    @property
    def shape_count(self) -> int:
        """Number of shapes, sites among them."""
        return len(self.columns["shape_type"])

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self.columns["joint_type"])

    @property
    def joint_dof_count(self) -> int:
        """Number of joint velocities."""
        return len(self.columns["joint_qd"])

    @property
    def joint_coord_count(self) -> int:
        """Number of joint coordinates."""
        return len(self.columns["joint_q"])

    @property
    def joint_constraint_count(self) -> int:
        """Number of constraints that joints amount to in a solver of maximal coordinates."""
        return len(self.columns["joint_cts"])

    @property
    def articulation_count(self) -> int:
        """Number of articulations."""
        return len(self.columns["articulation_start"])

    def _add_row(self, frequency: F, **values: Any) -> None:
        """One row of a frequency: a value, of the element type, for each of its columns."""
        columns = self.columns
        for name, value in values.items():
            columns[name].put(value)
        self.clock.now += 1

    def _add_columns(self, names: Sequence[str], rows: Sequence[tuple]) -> None:
        """Several rows, each with a value for every one of these columns."""
        for name, values in zip(names, zip(*rows, strict=True)):
            self.columns[name].put_all(values)
        self.clock.now += 1

    def _add_rows(self, frequency: F, rows: list[dict[str, Any]]) -> None:
        """Several rows of a frequency, which have the same columns."""
        for name in rows[0] if rows else ():
            self.columns[name].put_all([row[name] for row in rows])
        self.clock.now += 1

    def _names_core(self, name: str) -> bool:
        return name in ROWS or hasattr(type(self), name)


for _row in TABLE:
    setattr(ModelBuilder, _row.name, ColumnAttribute(_row))
for _kind in DEFORMABLE:
    setattr(ModelBuilder, f"{_kind}_count", property(lambda self: 0, doc="0: not supported."))
