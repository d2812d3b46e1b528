"""Joint methods of the builder, one per joint type."""

from collections.abc import Sequence
from typing import Any

from newtonlite.core.enums import JointTargetMode, JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import JointDofConfig
from newtonlite.sim.builder.joints import free_axes


class TypedJointMethods:
    """Adding joints by type; see ``add_joint`` for what all of them take."""

    def add_joint_revolute(
        self,
        parent: int,
        child: int,
        *,
        parent_xform: Any = None,
        child_xform: Any = None,
        axis: Any = None,
        target_q: float | None = None,
        target_qd: float | None = None,
        target_ke: float | None = None,
        target_kd: float | None = None,
        damping: float | None = None,
        stiffness: float | None = None,
        rest_q: float | None = None,
        limit_lower: float | None = None,
        limit_upper: float | None = None,
        limit_ke: float | None = None,
        limit_kd: float | None = None,
        armature: float | None = None,
        effort_limit: float | None = None,
        velocity_limit: float | None = None,
        friction: float | None = None,
        actuator_mode: JointTargetMode | None = None,
        target_pos: float | None = None,
        target_vel: float | None = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Connect two bodies by a hinge about ``axis``; what is not given comes from ``default_joint_cfg``.

        ``axis`` may be a JointDofConfig, which then says everything about the axis.
        """
        given = {
            "target_q": target_q,
            "target_qd": target_qd,
            "target_ke": target_ke,
            "target_kd": target_kd,
            "damping": damping,
            "stiffness": stiffness,
            "rest_q": rest_q,
            "limit_lower": limit_lower,
            "limit_upper": limit_upper,
            "limit_ke": limit_ke,
            "limit_kd": limit_kd,
            "armature": armature,
            "effort_limit": effort_limit,
            "velocity_limit": velocity_limit,
            "friction": friction,
            "actuator_mode": actuator_mode,
            "target_pos": target_pos,
            "target_vel": target_vel,
        }
        return self.add_joint(
            JointType.REVOLUTE,
            parent,
            child,
            angular_axes=[self._axis(axis, given)],
            label=label,
            parent_xform=parent_xform,
            child_xform=child_xform,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_prismatic(
        self,
        parent: int,
        child: int,
        *,
        parent_xform: Any = None,
        child_xform: Any = None,
        axis: Any = Axis.X,
        target_q: float | None = None,
        target_qd: float | None = None,
        target_ke: float | None = None,
        target_kd: float | None = None,
        damping: float | None = None,
        stiffness: float | None = None,
        rest_q: float | None = None,
        limit_lower: float | None = None,
        limit_upper: float | None = None,
        limit_ke: float | None = None,
        limit_kd: float | None = None,
        armature: float | None = None,
        effort_limit: float | None = None,
        velocity_limit: float | None = None,
        friction: float | None = None,
        actuator_mode: JointTargetMode | None = None,
        target_pos: float | None = None,
        target_vel: float | None = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Connect two bodies by a slide along ``axis``; what is not given comes from ``default_joint_cfg``.

        ``axis`` may be a JointDofConfig, which then says everything about the axis.
        """
        given = {
            "target_q": target_q,
            "target_qd": target_qd,
            "target_ke": target_ke,
            "target_kd": target_kd,
            "damping": damping,
            "stiffness": stiffness,
            "rest_q": rest_q,
            "limit_lower": limit_lower,
            "limit_upper": limit_upper,
            "limit_ke": limit_ke,
            "limit_kd": limit_kd,
            "armature": armature,
            "effort_limit": effort_limit,
            "velocity_limit": velocity_limit,
            "friction": friction,
            "actuator_mode": actuator_mode,
            "target_pos": target_pos,
            "target_vel": target_vel,
        }
        return self.add_joint(
            JointType.PRISMATIC,
            parent,
            child,
            linear_axes=[self._axis(axis, given)],
            label=label,
            parent_xform=parent_xform,
            child_xform=child_xform,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_ball(
        self,
        parent: int,
        child: int,
        *,
        parent_xform: Any = None,
        child_xform: Any = None,
        armature: float | None = None,
        friction: float | None = None,
        damping: float | None = None,
        stiffness: float | None = None,
        actuator_mode: JointTargetMode | None = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Connect two bodies at a point, free to turn; its coordinates are a quaternion (x, y, z, w)."""
        given = {
            "armature": armature,
            "friction": friction,
            "damping": damping,
            "stiffness": stiffness,
            "actuator_mode": actuator_mode,
        }
        gains = {"limit_ke": self.default_joint_cfg.limit_ke, "limit_kd": self.default_joint_cfg.limit_kd}
        gains |= {name: value for name, value in given.items() if value is not None}
        return self.add_joint(
            JointType.BALL,
            parent,
            child,
            angular_axes=[JointDofConfig(axis=axis, **gains) for axis in Axis],
            label=label,
            parent_xform=parent_xform,
            child_xform=child_xform,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_fixed(
        self,
        parent: int,
        child: int,
        *,
        parent_xform: Any = None,
        child_xform: Any = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Connect two bodies rigidly."""
        return self.add_joint(
            JointType.FIXED,
            parent,
            child,
            label=label,
            parent_xform=parent_xform,
            child_xform=child_xform,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_free(
        self,
        child: int,
        *,
        parent_xform: Any = None,
        child_xform: Any = None,
        parent: int = -1,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Let a body float relative to its parent; its coordinates start at the body's pose.

        Velocities are those of the centre of mass and the angular ones, in the parent's joint frame (the world's, for a
        root).
        """
        return self.add_joint(
            JointType.FREE,
            parent,
            child,
            label=label,
            parent_xform=parent_xform,
            child_xform=child_xform,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_distance(
        self,
        parent: int,
        child: int,
        *,
        parent_xform: Any = None,
        child_xform: Any = None,
        min_distance: float = -1.0,
        max_distance: float = 1.0,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
        label: str | None = None,
    ) -> int:
        """Keep two anchors between two distances [m]; a negative one is no limit."""
        low = check.number(min_distance, "add_joint_distance min_distance")
        high = check.number(max_distance, "add_joint_distance max_distance")
        if high >= 0.0 and low > high:
            raise ModelError(
                f"add_joint_distance: distances {low:g} to {high:g} are reversed; swap min_distance and max_distance"
            )
        linear, angular = free_axes(JointType.DISTANCE)
        gains = self.default_joint_cfg
        linear[0] = JointDofConfig(limit_lower=low, limit_upper=high, limit_ke=gains.limit_ke, limit_kd=gains.limit_kd)
        return self.add_joint(
            JointType.DISTANCE,
            parent,
            child,
            linear_axes=linear,
            angular_axes=angular,
            label=label,
            parent_xform=parent_xform,
            child_xform=child_xform,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_d6(
        self,
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
        """Connect two bodies by up to three slides, then up to three hinges, each axis carried by those before it."""
        return self.add_joint(
            JointType.D6,
            parent,
            child,
            linear_axes=linear_axes,
            angular_axes=angular_axes,
            label=label,
            parent_xform=parent_xform,
            child_xform=child_xform,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def _axis(self, axis: Any, given: dict[str, Any]) -> JointDofConfig:
        """The settings of a single axis: a JointDofConfig as it is, else the defaults with what is given."""
        if isinstance(axis, JointDofConfig):
            return axis
        default, plain = self.default_joint_cfg, JointDofConfig()
        settings = {name: value for name, value in vars(default).items() if name in given}
        # targets follow the limits of each axis unless the defaults say otherwise
        settings = {
            name: value
            for name, value in settings.items()
            if not (name in ("target_q", "target_qd") and value == getattr(plain, name))
        }
        settings |= {name: value for name, value in given.items() if value is not None}
        for name, old in (("target_q", "target_pos"), ("target_qd", "target_vel")):
            if old in settings and given.get(name) is None:
                settings.pop(name, None)  # what is given here counts over the defaults
        return JointDofConfig(axis=default.axis if axis is None else axis, **settings)
