"""Joint method of the builder for any joint type."""

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, NewtonWarning, external
from newtonlite.core.types import MAXVAL, Axis
from newtonlite.math.transform import inverse, multiply
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import JointDofConfig

STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_AXES = {
    JointType.PRISMATIC: ((1, 1), (0, 0)),
    JointType.REVOLUTE: ((0, 0), (1, 1)),
    JointType.BALL: ((0, 0), (3, 3)),
    JointType.FIXED: ((0, 0), (0, 0)),
    JointType.FREE: ((3, 3), (3, 3)),
    JointType.DISTANCE: ((3, 3), (3, 3)),
    JointType.D6: ((0, 3), (0, 3)),
}
"""Smallest and largest number of linear and of angular axes of each type."""


class JointMethods:
    """Adding joints."""

    def add_joint(
        self,
        joint_type: JointType,
        parent: int,
        child: int,
        *,
        linear_axes: Sequence[JointDofConfig] | None = None,
        angular_axes: Sequence[JointDofConfig] | None = None,
        label: str | None = None,
        parent_xform: Any = None,
        child_xform: Any = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Connect body ``child`` to body ``parent`` (-1: the world); returns the joint's index.

        The joint's frames are ``parent_xform`` on the parent and ``child_xform`` on the child; the axes are given in
        the parent's joint frame.  Shapes of the two bodies do not collide when ``collision_filter_parent`` (by default
        unless the parent is the world).
        """
        where = f"add_joint {label or f'joint_{self.joint_count + 1}'!r}"
        kind = self._joint_kind(joint_type, where)
        parent, child = self._check_ends(parent, child, where)
        linear, angular = _check_axes(kind, list(linear_axes or ()), list(angular_axes or ()), where)
        frames = [
            check.pose(x, f"{where} {name}")
            for name, x in (("parent_xform", parent_xform), ("child_xform", child_xform))
        ]
        rows = self._joint_rows(kind, len(linear) + len(angular))
        cells = self._check_custom(custom_attributes, rows, where)
        self._warn_of_parallel(kind, parent, child, where)
        filtered = parent >= 0 if collision_filter_parent is None else bool(collision_filter_parent)
        joint = self._store_joint(kind, parent, child, frames, (len(linear), len(angular)), label, filtered, enabled)
        self._store_axes(linear + angular, self._start_coordinates(kind, parent, child, frames, rows[F.JOINT_COORD][1]))
        for _ in range(rows[F.JOINT_CONSTRAINT][1]):
            self._add_row(F.JOINT_CONSTRAINT, joint_cts=0.0)
        self._store_custom(cells)
        if filtered:
            self._filter_joined(parent, child)
        return joint

    def _warn_of_parallel(self, kind: JointType, parent: int, child: int, where: str) -> None:
        """Warn of a second joint between the same bodies."""
        if child not in self._connected:
            return
        both = [
            JointType(k)
            for k, a, b in zip(self.joint_type, self.joint_parent, self.joint_child)
            if {a, b} == {parent, child}
        ]
        if both:
            ends = f"body {parent} and body {child} ({self.body_label[child]!r}), but another joint already connects these bodies"
            hint = "the solver takes parallel joints as one body's, in their order; give one joint all axes"
            if JointType.FREE in (kind, *both):
                hint = "a FREE joint beside another is inconsistent; use add_link in place of add_body"
            warnings.warn(
                f"{where}: a {kind.name} joint between {ends}, and {hint}", NewtonWarning, stacklevel=external()
            )

    def _joint_rows(self, kind: JointType, axes: int) -> dict[F, tuple[int, int]]:
        """For each frequency the first row of a new joint, and how many it has."""
        dofs, coords = kind.dof_count(axes)
        return {
            F.JOINT: (self.joint_count, 1),
            F.JOINT_DOF: (self.joint_dof_count, dofs),
            F.JOINT_COORD: (self.joint_coord_count, coords),
            F.JOINT_CONSTRAINT: (self.joint_constraint_count, kind.constraint_count(axes)),
        }

    def _store_joint(
        self,
        kind: JointType,
        parent: int,
        child: int,
        frames: list,
        axes: tuple[int, int],
        label: str | None,
        filtered: bool,
        enabled: bool,
    ) -> int:
        """The row of a joint; its index."""
        joint = self.joint_count
        self._connected |= {parent, child}
        self._add_row(
            F.JOINT,
            joint_type=kind,
            joint_parent=parent,
            joint_child=child,
            joint_X_p=tuple(frames[0].tolist()),
            joint_X_c=tuple(frames[1].tolist()),
            joint_dof_dim=axes,
            joint_enabled=bool(enabled),
            joint_articulation=-1,
            joint_mimic_joint=-1,
            joint_mimic_coeffs=(0.0, 1.0),
            joint_collision_filter_parent=filtered,
            joint_q_start=self.joint_coord_count,
            joint_qd_start=self.joint_dof_count,
            joint_cts_start=self.joint_constraint_count,
            joint_label=label or f"joint_{joint + 1}",
            joint_world=self.current_world,
        )
        return joint

    def _store_axes(self, axes: list[JointDofConfig], q: list[float]) -> None:
        """The rows of a joint's degrees of freedom, and those of its coordinates, which start at ``q``."""
        self._add_rows(F.JOINT_DOF, [_axis_row(axis) for axis in axes])
        coords = zip(q, _targets(axes, len(q)), _rests(axes, len(q)), strict=True)
        names = ("joint_q", "joint_target_q", "joint_rest_q")
        self._add_rows(F.JOINT_COORD, [dict(zip(names, row, strict=True)) for row in coords])

    def _joint_kind(self, joint_type: Any, where: str) -> JointType:
        try:
            kind = JointType(joint_type)
        except ValueError:
            raise ModelError(f"{where}: type {joint_type!r} is unknown; use a JointType") from None
        if kind not in _AXES:
            raise ModelError(f"{where}: joints of type {kind.name} are not supported; use another type")
        return kind

    def _check_ends(self, parent: int, child: int, where: str) -> tuple[int, int]:
        """Parent and child, two bodies of the open world."""
        parent = check.index(parent, self.body_count, "body", f"{where} parent", low=-1)
        child = check.index(child, self.body_count, "body", f"{where} child")
        if parent == child:
            raise ModelError(f"{where}: body {child} would be its own parent; name two bodies")
        for body in (parent, child):
            world = self.body_world[body] if body >= 0 else self.current_world
            if world != self.current_world:
                here = self.current_world
                raise ModelError(
                    f"{where}: body {body} is in world {world}, the joint would be in world {here}; join bodies of one world"
                )
        return parent, child

    def _start_coordinates(
        self, kind: JointType, parent: int, child: int, frames: list[np.ndarray], coords: int
    ) -> list[float]:
        """Initial coordinates of a joint: a floating body where it is, rotations at the identity, all else at zero."""
        if kind is JointType.FREE:
            start = self.columns["body_q"].numbers(child)
            if parent < 0 and all(tuple(frame) == STILL for frame in frames):
                return list(start)
            anchor = frames[0] if parent < 0 else multiply(np.array(self.columns["body_q"].numbers(parent)), frames[0])
            return multiply(multiply(inverse(anchor), np.array(start)), frames[1]).tolist()
        if kind in (JointType.BALL, JointType.DISTANCE):
            return [0.0] * (coords - 1) + [1.0]
        return [0.0] * coords


def free_axes(kind: JointType) -> tuple[list[JointDofConfig], list[JointDofConfig]]:
    """Unlimited axes x, y, z for the groups that the type has."""
    linear = [] if kind is JointType.BALL else list(_unlimited())
    return linear, list(_unlimited())


@cache
def _unlimited() -> tuple[JointDofConfig, ...]:
    return tuple(JointDofConfig.create_unlimited(axis) for axis in Axis)


def _check_axes(kind: JointType, linear: list, angular: list, where: str) -> tuple[list, list]:
    """The axes of a joint, checked; where its type leaves no choice and none are given, the usual ones."""
    if kind in (JointType.FREE, JointType.DISTANCE, JointType.BALL) and not linear and not angular:
        linear, angular = free_axes(kind)
    for name, axes, (low, high) in zip(("linear", "angular"), (linear, angular), _AXES[kind], strict=True):
        if not low <= len(axes) <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            raise ModelError(f"{where}: {len(axes)} {name} axes; a {kind.name} joint has {wanted}")
        for i, axis in enumerate(axes):
            if not isinstance(axis, JointDofConfig):
                raise ModelError(f"{where}: {name} axis {i} is {axis!r}; give a JointDofConfig")
            if kind is not JointType.DISTANCE:
                axis.validate(f"{where} {name} axis {i}")
    return linear, angular


def _axis_row(axis: JointDofConfig) -> dict[str, Any]:
    """The row of a degree of freedom."""
    return {
        "joint_qd": 0.0,
        "joint_f": 0.0,
        "joint_act": 0.0,
        "joint_target_qd": float(axis.target_qd),
        "joint_axis": axis.direction,
        "joint_armature": float(axis.armature),
        "joint_target_mode": int(axis.mode),
        "joint_target_ke": float(axis.target_ke),
        "joint_target_kd": float(axis.target_kd),
        "joint_stiffness": float(axis.stiffness),
        "joint_damping": float(axis.damping),
        "joint_effort_limit": float(axis.effort_limit),
        "joint_velocity_limit": float(axis.velocity_limit),
        "joint_friction": float(axis.friction),
        "joint_limit_lower": _finite(axis.limit_lower),
        "joint_limit_upper": _finite(axis.limit_upper),
        "joint_limit_ke": float(axis.limit_ke),
        "joint_limit_kd": float(axis.limit_kd),
    }


def _targets(axes: list[JointDofConfig], coords: int) -> list[float]:
    """Initial targets of the drives, one per coordinate."""
    if len(axes) == coords:
        return [float(axis.target_q) for axis in axes]
    return [*(float(axis.target_q) for axis in axes[: coords - 4]), 0.0, 0.0, 0.0, 1.0]


def _rests(axes: list[JointDofConfig], coords: int) -> list[float]:
    """Rest positions of the springs, one per coordinate."""
    if len(axes) == coords:
        return [0.0 if axis.rest_q is None else float(axis.rest_q) for axis in axes]
    return [0.0] * (coords - 1) + [1.0]


def _finite(limit: float) -> float:
    return min(max(float(limit), -MAXVAL), MAXVAL)
