"""The builder's methods for joints and articulations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F, JointTargetMode, JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.types import MAXVAL, Axis
from newtonlite.math.transform import inverse, multiply
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import JointDofConfig

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
    """Adding joints, and collecting them into articulations."""

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

        The joint's frames are ``parent_xform`` on the parent and ``child_xform`` on the child; the axes are given in the
        parent's joint frame.  Shapes of the two bodies do not collide when ``collision_filter_parent`` (by default unless
        the parent is the world).
        """
        joint = self.joint_count
        where = f"add_joint {label or f'joint_{joint + 1}'!r}"
        kind = self._joint_kind(joint_type, where)
        parent = check.index(parent, self.body_count, "body", f"{where} parent", low=-1)
        child = check.index(child, self.body_count, "body", f"{where} child")
        self._check_ends(parent, child, where)
        linear, angular = list(linear_axes or ()), list(angular_axes or ())
        if kind in (JointType.FREE, JointType.DISTANCE, JointType.BALL) and not linear and not angular:
            linear, angular = _free_axes(kind)
        _check_axes(kind, linear, angular, where)
        frame_p = check.pose(parent_xform, f"{where} parent_xform")
        frame_c = check.pose(child_xform, f"{where} child_xform")
        axes = linear + angular
        dofs, coords = kind.dof_count(len(axes))
        constraints = kind.constraint_count(len(axes))
        cells = self._check_custom(
            custom_attributes,
            {
                F.JOINT: (joint, 1),
                F.JOINT_DOF: (self.joint_dof_count, dofs),
                F.JOINT_COORD: (self.joint_coord_count, coords),
                F.JOINT_CONSTRAINT: (self.joint_constraint_count, constraints),
            },
            where,
        )
        filtered = parent >= 0 if collision_filter_parent is None else bool(collision_filter_parent)
        q = self._start_coordinates(kind, child, frame_p, frame_c, coords)
        self._add_row(
            F.JOINT,
            joint_type=kind,
            joint_parent=parent,
            joint_child=child,
            joint_X_p=wp.transformf(*frame_p.tolist()),
            joint_X_c=wp.transformf(*frame_c.tolist()),
            joint_dof_dim=(len(linear), len(angular)),
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
        for axis in axes:
            self._add_axis(axis)
        for value, target, rest in zip(q, _targets(axes, coords), _rests(axes, coords)):
            self._add_row(F.JOINT_COORD, joint_q=value, joint_target_q=target, joint_rest_q=rest)
        for _ in range(constraints):
            self._add_row(F.JOINT_CONSTRAINT, joint_cts=0.0)
        self._store_custom(cells)
        if filtered and parent >= 0:
            self._own_neighbours.setdefault(child, []).append(parent)
            self._own_neighbours.setdefault(parent, []).append(child)
            self._filter_bodies(parent, child)
        return joint

    def add_joint_revolute(self, parent: int, child: int, *, axis: Any = None, **options: Any) -> int:
        """Connect two bodies by a hinge about ``axis`` (x where not given); options as for an axis and ``add_joint``."""
        return self._add_single(JointType.REVOLUTE, parent, child, axis, options)

    def add_joint_prismatic(self, parent: int, child: int, *, axis: Any = Axis.X, **options: Any) -> int:
        """Connect two bodies by a slide along ``axis``; options as for an axis and ``add_joint``."""
        return self._add_single(JointType.PRISMATIC, parent, child, axis, options)

    def add_joint_ball(
        self,
        parent: int,
        child: int,
        *,
        armature: float | None = None,
        friction: float | None = None,
        damping: float | None = None,
        stiffness: float | None = None,
        actuator_mode: JointTargetMode | None = None,
        **options: Any,
    ) -> int:
        """Connect two bodies at a point, free to turn; its coordinates are a quaternion (x, y, z, w)."""
        settings = {"armature": armature, "friction": friction, "damping": damping, "stiffness": stiffness}
        given = {name: value for name, value in settings.items() if value is not None}
        axes = [
            JointDofConfig(axis=axis, limit_ke=self.default_joint_cfg.limit_ke, limit_kd=self.default_joint_cfg.limit_kd, actuator_mode=actuator_mode, **given)
            for axis in Axis
        ]
        return self.add_joint(JointType.BALL, parent, child, angular_axes=axes, **options)

    def add_joint_fixed(self, parent: int, child: int, **options: Any) -> int:
        """Connect two bodies rigidly."""
        return self.add_joint(JointType.FIXED, parent, child, **options)

    def add_joint_free(self, child: int, *, parent: int = -1, **options: Any) -> int:
        """Let a body float relative to its parent; its coordinates start at the body's pose."""
        return self.add_joint(JointType.FREE, parent, child, **options)

    def add_joint_distance(self, parent: int, child: int, *, min_distance: float = -1.0, max_distance: float = 1.0, **options: Any) -> int:
        """Keep two anchors between two distances [m]; a negative one is no limit."""
        low = check.number(min_distance, "add_joint_distance min_distance")
        high = check.number(max_distance, "add_joint_distance max_distance")
        if high >= 0.0 and low > high:
            raise ModelError(f"add_joint_distance: distances {low:g} to {high:g} are reversed; swap min_distance and max_distance")
        linear, angular = _free_axes(JointType.DISTANCE)
        gains = self.default_joint_cfg
        linear[0] = JointDofConfig(limit_lower=low, limit_upper=high, limit_ke=gains.limit_ke, limit_kd=gains.limit_kd)
        return self.add_joint(JointType.DISTANCE, parent, child, linear_axes=linear, angular_axes=angular, **options)

    def add_joint_d6(
        self,
        parent: int,
        child: int,
        *,
        linear_axes: Sequence[JointDofConfig] | None = None,
        angular_axes: Sequence[JointDofConfig] | None = None,
        **options: Any,
    ) -> int:
        """Connect two bodies by up to three slides, then up to three hinges, each about its own axis."""
        return self.add_joint(JointType.D6, parent, child, linear_axes=linear_axes, angular_axes=angular_axes, **options)

    def add_joint_rod(self, *args: Any, **kwargs: Any) -> int:
        """Refused: rods are elastic."""
        raise ModelError("add_joint_rod: elastic rods are not supported; use ball joints with stiffness")

    def add_articulation(self, joints: Sequence[int], label: str | None = None, custom_attributes: dict[str, Any] | None = None) -> int:
        """Make one articulation of joints that were added one after another, parents before children; returns its index."""
        index = self.articulation_count
        where = f"add_articulation {label or f'articulation_{index}'!r}"
        joints = [check.index(j, self.joint_count, "joint", where) for j in joints]
        self._check_articulation(joints, where)
        cells = self._check_custom(custom_attributes, {F.ARTICULATION: (index, 1)}, where)
        self._add_row(
            F.ARTICULATION,
            articulation_start=joints[0],
            articulation_end=joints[-1] + 1,
            articulation_label=label or f"articulation_{index}",
            articulation_world=self.current_world,
        )
        for joint in joints:
            self.joint_articulation[joint] = index
        self._store_custom(cells)
        return index

    def set_joint_mimic(self, joint: int, reference_joint: int | None, *, coeffs: Sequence[float] = (0.0, 1.0)) -> None:
        """Let a joint follow another: ``q = coeffs[0] + coeffs[1] q_reference``; None lets it go."""
        joint = check.index(joint, self.joint_count, "joint", "set_joint_mimic")
        if reference_joint is None:
            self.joint_mimic_joint[joint] = -1
            return
        reference = check.index(reference_joint, self.joint_count, "joint", "set_joint_mimic reference_joint")
        if reference == joint:
            raise ModelError(f"set_joint_mimic: joint {joint} would follow itself; name another joint")
        if tuple(self.joint_dof_dim[joint]) != tuple(self.joint_dof_dim[reference]):
            raise ModelError(f"set_joint_mimic: joints {joint} and {reference} have different axes; they need the same number")
        self.joint_mimic_coeffs[joint] = tuple(check.vector(coeffs, "set_joint_mimic coeffs", 2).tolist())
        self.joint_mimic_joint[joint] = reference

    def add_constraint_mimic(
        self,
        joint0: int,
        joint1: int,
        coef0: float = 0.0,
        coef1: float = 1.0,
        enabled: bool = True,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Constrain ``q0 = coef0 + coef1 q1`` between two joints; returns the constraint's index."""
        row = len(self.constraint_mimic_joint0)
        where = f"add_constraint_mimic {label or f'constraint_mimic_{row}'!r}"
        joints = [check.index(j, self.joint_count, "joint", where) for j in (joint0, joint1)]
        if joints[0] == joints[1]:
            raise ModelError(f"{where}: joint {joint0} would follow itself; name two joints")
        coefficients = check.vector((coef0, coef1), f"{where} coefficients", 2)
        cells = self._check_custom(custom_attributes, {F.CONSTRAINT_MIMIC: (row, 1)}, where)
        self._add_row(
            F.CONSTRAINT_MIMIC,
            constraint_mimic_joint0=joints[0],
            constraint_mimic_joint1=joints[1],
            constraint_mimic_coef0=float(coefficients[0]),
            constraint_mimic_coef1=float(coefficients[1]),
            constraint_mimic_enabled=bool(enabled),
            constraint_mimic_label=label or "",
            constraint_mimic_world=self.current_world,
        )
        self._store_custom(cells)
        return row

    @property
    def joint_parents(self) -> dict[int, list[tuple[int, int]]]:
        """For each body that is a child: its (parent, joint) pairs."""
        return self._links("joint_child", "joint_parent")

    @property
    def joint_children(self) -> dict[int, list[tuple[int, int]]]:
        """For each body that is a parent, -1 for the world: its (child, joint) pairs."""
        return self._links("joint_parent", "joint_child")

    def validate_joint_ordering(self) -> bool:
        """Whether every joint comes after the joint of its parent body."""
        parent, child = self.columns["joint_parent"].array(), self.columns["joint_child"].array()
        first = np.full(self.body_count + 1, -1)
        first[child[::-1]] = np.arange(len(child))[::-1]
        return bool(np.all(first[parent][parent >= 0] < np.flatnonzero(parent >= 0)))

    def _add_single(self, kind: JointType, parent: int, child: int, axis: Any, options: dict[str, Any]) -> int:
        """A joint of one axis; options are those of the axis and those of ``add_joint``."""
        if isinstance(axis, JointDofConfig):
            config = axis
            for name in _AXIS_OPTIONS:
                options.pop(name, None)
        else:
            given = {name: value for name in _AXIS_OPTIONS if (value := options.pop(name, None)) is not None}
            config = JointDofConfig(axis=self.default_joint_cfg.axis if axis is None else axis, **{**self._axis_defaults(), **given})
        group = "linear_axes" if kind is JointType.PRISMATIC else "angular_axes"
        return self.add_joint(kind, parent, child, **{group: [config]}, **options)

    def _axis_defaults(self) -> dict[str, Any]:
        plain = JointDofConfig()
        values = {name: getattr(self.default_joint_cfg, name) for name in _AXIS_OPTIONS if hasattr(plain, name)}
        # targets follow the limits of each axis unless the default says otherwise
        return {name: value for name, value in values.items() if not (name in ("target_q", "target_qd") and value == getattr(plain, name))}

    def _joint_kind(self, joint_type: Any, where: str) -> JointType:
        try:
            kind = JointType(joint_type)
        except ValueError:
            raise ModelError(f"{where}: type {joint_type!r} is unknown; use a JointType") from None
        if kind not in _AXES:
            raise ModelError(f"{where}: joints of type {kind.name} are not supported")
        return kind

    def _check_ends(self, parent: int, child: int, where: str) -> None:
        if parent == child:
            raise ModelError(f"{where}: body {child} would be its own parent; name two bodies")
        for body in (parent, child):
            world = self.body_world[body] if body >= 0 else self.current_world
            if world != self.current_world:
                raise ModelError(f"{where}: body {body} is in world {world}, the joint would be in world {self.current_world}; join bodies of one world")

    def _check_articulation(self, joints: list[int], where: str) -> None:
        if not joints:
            raise ModelError(f"{where}: no joints; list at least one")
        if joints != list(range(joints[0], joints[0] + len(joints))):
            raise ModelError(f"{where}: joints {joints} do not follow one another; add them one after another, parents first")
        children: set[int] = set()
        for joint in joints:
            if self.joint_articulation[joint] >= 0:
                raise ModelError(f"{where}: joint {joint} already is in articulation {self.joint_articulation[joint]}; list it once")
            if self.joint_world[joint] != self.current_world:
                raise ModelError(f"{where}: joint {joint} is in world {self.joint_world[joint]}, not in {self.current_world}; make the articulation in its world")
            child, parent = self.joint_child[joint], self.joint_parent[joint]
            if child in children:
                raise ModelError(f"{where}: body {child} would have two joints; leave the one that closes the loop out of the articulation")
            if joint != joints[0] and parent >= 0 and parent not in children and self._has_joint_among(parent, joints):
                raise ModelError(f"{where}: joint {joint} comes before the joint of its parent body {parent}; add parents first")
            children.add(child)

    def _has_joint_among(self, body: int, joints: list[int]) -> bool:
        return any(self.joint_child[j] == body for j in joints)

    def _start_coordinates(self, kind: JointType, child: int, frame_p: np.ndarray, frame_c: np.ndarray, coords: int) -> list[float]:
        if kind is JointType.FREE:
            seen = multiply(inverse(frame_p), np.array(self.body_q[child], float))
            return multiply(seen, frame_c).tolist()
        if kind in (JointType.BALL, JointType.DISTANCE):
            return [0.0] * (coords - 1) + [1.0]
        return [0.0] * coords

    def _add_axis(self, axis: JointDofConfig) -> None:
        self._add_row(
            F.JOINT_DOF,
            joint_qd=0.0,
            joint_f=0.0,
            joint_act=0.0,
            joint_target_qd=float(axis.target_qd),
            joint_axis=axis.axis,
            joint_armature=float(axis.armature),
            joint_target_mode=int(axis.mode),
            joint_target_ke=float(axis.target_ke),
            joint_target_kd=float(axis.target_kd),
            joint_stiffness=float(axis.stiffness),
            joint_damping=float(axis.damping),
            joint_effort_limit=float(axis.effort_limit),
            joint_velocity_limit=float(axis.velocity_limit),
            joint_friction=float(axis.friction),
            joint_limit_lower=_finite(axis.limit_lower),
            joint_limit_upper=_finite(axis.limit_upper),
            joint_limit_ke=float(axis.limit_ke),
            joint_limit_kd=float(axis.limit_kd),
        )

    def _links(self, key: str, other: str) -> dict[int, list[tuple[int, int]]]:
        out: dict[int, list[tuple[int, int]]] = {}
        for joint, (a, b) in enumerate(zip(self.columns[key], self.columns[other])):
            out.setdefault(a, []).append((b, joint))
        return out


_AXIS_OPTIONS = (
    "limit_lower", "limit_upper", "limit_ke", "limit_kd", "target_q", "target_qd", "target_ke", "target_kd", "damping", "stiffness", "rest_q",
    "armature", "effort_limit", "velocity_limit", "friction", "actuator_mode", "target_pos", "target_vel",
)  # fmt: skip


def _free_axes(kind: JointType) -> tuple[list[JointDofConfig], list[JointDofConfig]]:
    """Unlimited axes x, y, z for the groups that the type has."""
    linear = [] if kind is JointType.BALL else [JointDofConfig.create_unlimited(axis) for axis in Axis]
    return linear, [JointDofConfig.create_unlimited(axis) for axis in Axis]


def _check_axes(kind: JointType, linear: list, angular: list, where: str) -> None:
    for name, axes, (low, high) in zip(("linear", "angular"), (linear, angular), _AXES[kind]):
        if not low <= len(axes) <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            raise ModelError(f"{where}: {len(axes)} {name} axes; a {kind.name} joint has {wanted}")
        for i, axis in enumerate(axes):
            if not isinstance(axis, JointDofConfig):
                raise ModelError(f"{where}: {name} axis {i} is {axis!r}; give a JointDofConfig")
            if kind is not JointType.DISTANCE:
                axis.validate(f"{where} {name} axis {i}")


def _targets(axes: list[JointDofConfig], coords: int) -> list[float]:
    """Where the drives start to pull, one per coordinate."""
    if len(axes) == coords:
        return [float(axis.target_q) for axis in axes]
    return [0.0] * (coords - 1) + [1.0]


def _rests(axes: list[JointDofConfig], coords: int) -> list[float]:
    """Where the springs are at rest, one per coordinate."""
    if len(axes) == coords:
        return [0.0 if axis.rest_q is None else float(axis.rest_q) for axis in axes]
    return [0.0] * (coords - 1) + [1.0]


def _finite(limit: float) -> float:
    return min(max(float(limit), -MAXVAL), MAXVAL)
