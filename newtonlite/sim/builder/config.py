"""Shape and joint axis configuration, with Newton's names and defaults."""

import math
import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.constants import MAXVAL, UNLIMITED, UNLIMITED_EFFORT
from newtonlite.core.enums import GeoType, JointTargetMode, ShapeFlags
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, external
from newtonlite.core.limits import SINGLE
from newtonlite.core.types import Axis
from newtonlite.geometry.sdf import PADDING, RESOLUTION, TEXTURE_FORMATS, FieldSettings
from newtonlite.sim.builder import check

LARGEST_RESOLUTION = 1 << 16  # of the cells of a distance field along one axis
NARROW_BAND = (-0.1, 0.1)
"""Distances [m] on both sides of a surface that a field keeps, where nothing is said."""
_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)
_NOT_NEGATIVE = ("density", "ke", "kd", "kf", "ka", "mu", "restitution", "mu_torsional", "mu_rolling")
_SIGNED = ("limit_lower", "limit_upper", "target_q", "target_qd")
_POSITIVE = (
    "limit_ke",
    "limit_kd",
    "target_ke",
    "target_kd",
    "damping",
    "armature",
    "friction",
    "effort_limit",
    "velocity_limit",
)
_CONFIGURED = {
    "max_resolution": "sdf_max_resolution",
    "target_voxel_size": "sdf_target_voxel_size",
    "narrow_band_range": "sdf_narrow_band_range",
    "padding": "sdf_padding",
    "texture_format": "sdf_texture_format",
    "is_hydroelastic": "is_hydroelastic",
    "kh": "kh",
    "force_sdf": "force_sdf",
}


_VISIBLE, _COLLIDE_SHAPES, _COLLIDE_PARTICLES, _SITE, _HYDROELASTIC = map(int, ShapeFlags)


@dataclass(kw_only=True)
class ShapeConfig:
    """Shape configuration: material, contact parameters, collision filter and distance field.

    ``density`` [kg/m^3] gives its body mass; ``ke`` [N/m], ``kd`` [N s/m], ``kf`` [N s/m], ``ka`` [m] are contact
    gains; ``mu`` friction coefficients (torsional and rolling in m); ``margin`` [m] is rounded around it, ``gap`` [m]
    is how much earlier it is noticed (None: the builder's ``rigid_gap``).  ``collision_group`` 0 collides with
    none, a positive group with itself and negative ones, a negative group with all but itself.

    ``sdf_*`` and ``force_sdf`` give the mesh of a shape a signed distance field, unless it has one; primitives need
    none. Two shapes with ``is_hydroelastic`` press on each other as soft bodies of stiffness ``kh`` [N/m^3] in a
    collision pipeline.
    """

    density: float = 1000.0
    ke: float = 2500.0
    kd: float = 100.0
    kf: float = 1000.0
    ka: float = 0.0
    mu: float = 1.0
    restitution: float = 0.0
    mu_torsional: float = 0.005
    mu_rolling: float = 0.0001
    margin: float = 0.0
    gap: float | None = None
    is_solid: bool = True
    collision_group: int = 1
    collision_filter_parent: bool = True
    has_shape_collision: bool = True
    has_particle_collision: bool = True
    is_visible: bool = True
    is_site: bool = False
    sdf_narrow_band_range: tuple[float, float] | list[float] = NARROW_BAND
    sdf_target_voxel_size: float | None = None
    sdf_max_resolution: int | None = None
    force_sdf: bool = False
    sdf_texture_format: str = "uint16"
    is_hydroelastic: bool = False
    kh: float = MAXVAL
    sdf_padding: float | None = None

    @property
    def flags(self) -> int:
        """The ``ShapeFlags`` that the settings amount to; a site collides with nothing."""
        bits = _VISIBLE if self.is_visible else 0
        if self.is_site:
            return bits | _SITE
        if self.has_shape_collision:
            bits |= _COLLIDE_SHAPES | (_HYDROELASTIC if self.is_hydroelastic else 0)
        return bits | (_COLLIDE_PARTICLES if self.has_particle_collision else 0)

    @flags.setter
    def flags(self, value: int) -> None:
        self.is_visible = bool(value & ShapeFlags.VISIBLE)
        self.is_hydroelastic = bool(value & ShapeFlags.HYDROELASTIC)
        if value & ShapeFlags.SITE:
            self.mark_as_site()
            return
        self.is_site = False
        self.has_shape_collision = bool(value & ShapeFlags.COLLIDE_SHAPES)
        self.has_particle_collision = bool(value & ShapeFlags.COLLIDE_PARTICLES)

    def mark_as_site(self) -> None:
        """Make it a frame: no collision, no mass."""
        self.is_site = True
        self.has_shape_collision = False
        self.has_particle_collision = False
        self.density = 0.0
        self.collision_group = 0

    def configure_sdf(self, **settings: Any) -> None:
        """Set ``sdf_*`` by their names without the prefix, ``is_hydroelastic``, ``kh`` and ``force_sdf``; None leaves
        one as it is.
        """
        if settings.get("max_resolution") is not None and settings.get("target_voxel_size") is not None:
            raise ModelError("ShapeConfig.configure_sdf: max_resolution and target_voxel_size say the same; give one")
        for name, value in settings.items():
            if name not in _CONFIGURED:
                raise ModelError(f"ShapeConfig.configure_sdf: {name!r} is unknown; known are {', '.join(_CONFIGURED)}")
            if value is not None:
                setattr(self, _CONFIGURED[name], value)

    @property
    def wants_field(self) -> bool:
        """Whether a mesh with these settings is to have a signed distance field."""
        return bool(self.force_sdf or self.is_hydroelastic or self.sdf_max_resolution or self.sdf_target_voxel_size)

    def field_settings(self, extent: float) -> FieldSettings:
        """Field settings of a mesh whose longest side is ``extent`` [m]; ModelError for settings that no field can
        have."""
        resolution = RESOLUTION if self.sdf_max_resolution is None else self.sdf_max_resolution
        padding = PADDING * extent if self.sdf_padding is None else self.sdf_padding
        return FieldSettings.of(
            "ShapeConfig", self.sdf_target_voxel_size, resolution, padding, self.sdf_narrow_band_range
        )

    def validate(self, shape_type: Any = None) -> None:
        """Raise ModelError where a setting is not a number, negative, or not what a shape of ``shape_type`` can have."""
        for name in _NOT_NEGATIVE:
            if type(value := getattr(self, name)) is float and 0.0 <= value <= SINGLE:
                continue
            check.number(value, f"ShapeConfig.{name}", low=0.0)
        check.number(
            self.margin, "ShapeConfig.margin", low=-np.inf if self.is_solid else 0.0
        )  # or the walls of hollow ones
        if self.gap is not None:
            check.number(self.gap, "ShapeConfig.gap")
        if self.is_site:
            self._check_site()
        if self.is_hydroelastic and shape_type == GeoType.HFIELD:
            raise ModelError("ShapeConfig.is_hydroelastic: a height field has no pressure inside; leave it unset")
        if self.is_hydroelastic:
            check.number(self.kh, "ShapeConfig.kh", low=0.0, above=True)
        size, band, resolution = self.sdf_target_voxel_size, self.sdf_narrow_band_range, self.sdf_max_resolution
        if size is not None and not (math.isfinite(size) and size > 0.0):
            raise ModelError(f"ShapeConfig: sdf_target_voxel_size must be finite and > 0, not {size}")
        if self.sdf_padding is not None and not (math.isfinite(self.sdf_padding) and self.sdf_padding >= 0.0):
            raise ModelError(f"ShapeConfig: sdf_padding must be finite and >= 0, not {self.sdf_padding}")
        if len(band) != 2 or not (math.isfinite(band[0]) and math.isfinite(band[1]) and band[0] < 0.0 < band[1]):
            raise ModelError(f"ShapeConfig: sdf_narrow_band_range {band} has to be a negative and a positive distance")
        if tuple(band) != NARROW_BAND and shape_type in _MESHES and not self.wants_field:
            raise ModelError(
                f"ShapeConfig: sdf_narrow_band_range {band} without a field: give sdf_max_resolution too, or use mesh.build_sdf"
            )
        if resolution is not None and not (0 < resolution < LARGEST_RESOLUTION and resolution % 8 == 0):
            raise ModelError(
                f"ShapeConfig: sdf_max_resolution {resolution} has to be a multiple of 8 below {LARGEST_RESOLUTION}"
            )
        if size is not None and resolution is not None:
            raise ModelError("ShapeConfig: sdf_max_resolution and sdf_target_voxel_size say the same; give one")
        if self.sdf_texture_format not in TEXTURE_FORMATS:
            known = ", ".join(TEXTURE_FORMATS)
            raise ModelError(
                f"ShapeConfig: sdf_texture_format {self.sdf_texture_format!r} is unknown; known are {known}"
            )
        if self.wants_field:
            self.field_settings(1.0)

    def _check_site(self) -> None:
        """ModelError for a site with what only shapes have."""
        wrong = {
            "cannot have collision enabled": self.has_shape_collision or self.has_particle_collision,
            "must have zero density": self.density,
            "must have collision_group=0": self.collision_group,
        }
        for text, found in wrong.items():
            if found:
                raise ModelError(f"ShapeConfig.is_site: a site {text}; call mark_as_site")

    def copy(self) -> "ShapeConfig":
        """A copy of its own."""
        return copy(self)


class JointDofConfig:
    """One axis of a joint: its direction, limits, drive and losses.

    Limits in m or rad, gains ``*_ke`` in N/m or N m/rad, ``*_kd`` in N s/m or N m s/rad.  ``target_q`` and
    ``target_qd`` start the drive, at 0 without them; a target outside the limits becomes their middle.  ``rest_q`` is
    where ``stiffness`` pulls to.
    """

    def __init__(
        self,
        *,
        axis: Any = Axis.X,
        limit_lower: float = -UNLIMITED,
        limit_upper: float = UNLIMITED,
        limit_ke: float = 1.0e4,
        limit_kd: float = 1.0e1,
        target_q: float | None = None,
        target_qd: float | None = None,
        target_ke: float = 0.0,
        target_kd: float = 0.0,
        damping: float = 0.0,
        stiffness: float = 0.0,
        rest_q: float | None = None,
        armature: float = 0.0,
        effort_limit: float = UNLIMITED_EFFORT,
        velocity_limit: float = UNLIMITED_EFFORT,
        friction: float = 0.0,
        actuator_mode: JointTargetMode | None = None,
        target_pos: float | None = None,
        target_vel: float | None = None,
    ):
        self.axis = axis
        self.limit_lower = limit_lower
        self.limit_upper = limit_upper
        self.limit_ke = limit_ke
        self.limit_kd = limit_kd
        target_q = _renamed("target_q", target_q, "target_pos", target_pos)
        target_qd = _renamed("target_qd", target_qd, "target_vel", target_vel)
        self.target_q = _inside(0.0 if target_q is None else target_q, limit_lower, limit_upper)
        self.target_qd = 0.0 if target_qd is None else target_qd
        self.target_ke = target_ke
        self.target_kd = target_kd
        self.damping = damping
        self.stiffness = stiffness
        self.rest_q = rest_q
        self.armature = armature
        self.effort_limit = effort_limit
        self.velocity_limit = velocity_limit
        self.friction = friction
        self.actuator_mode = actuator_mode

    @property
    def axis(self) -> wp.vec3:
        """Unit vector along the axis; ``direction`` has it with all digits."""
        return wp.vec3(*self.direction)

    @axis.setter
    def axis(self, value: Any) -> None:
        self.direction = tuple(check.direction(value, "JointDofConfig.axis").tolist())

    @property
    def target_pos(self) -> float:
        """``target_q`` under its former name. Deprecated."""
        _warn_of_old("target_q", "target_pos")
        return self.target_q

    @target_pos.setter
    def target_pos(self, value: float) -> None:
        _warn_of_old("target_q", "target_pos")
        self.target_q = value

    @property
    def target_vel(self) -> float:
        """``target_qd`` under its former name. Deprecated."""
        _warn_of_old("target_qd", "target_vel")
        return self.target_qd

    @target_vel.setter
    def target_vel(self, value: float) -> None:
        _warn_of_old("target_qd", "target_vel")
        self.target_qd = value

    @property
    def mode(self) -> JointTargetMode:
        """Target mode of the drive: as set, else as the gains imply."""
        if self.actuator_mode is not None:
            return JointTargetMode(self.actuator_mode)
        driven = self.target_ke != 0.0 or self.target_kd != 0.0
        return JointTargetMode.from_gains(self.target_ke, self.target_kd, has_drive=driven)

    @classmethod
    def create_unlimited(cls, axis: Any) -> "JointDofConfig":
        """An axis without limits, drive or losses."""
        return cls(axis=axis, limit_ke=0.0, limit_kd=0.0)

    def validate(self, where: str) -> None:
        """Raise ModelError where limits are reversed, a gain is negative, or something is not a number."""
        for name in _SIGNED:
            _plain(getattr(self, name), f"{where} {name}")
        for name in _POSITIVE:
            if type(value := getattr(self, name)) is float and 0.0 <= value <= MAXVAL:
                continue
            check.number(_plain(getattr(self, name), f"{where} {name}"), f"{where} {name}", low=0.0)
        _plain(self.stiffness, f"{where} stiffness")
        if self.rest_q is not None:
            check.number(self.rest_q, f"{where} rest_q")
        if self.limit_lower > self.limit_upper:
            raise ModelError(
                f"{where}: limits {self.limit_lower:g} to {self.limit_upper:g} are reversed; swap limit_lower and limit_upper"
            )


def _plain(value: Any, where: str) -> float:
    """A number that is not NaN; infinite ones become the largest that arithmetic keeps finite."""
    value = float(value)
    if value != value:
        raise ModelError(f"{where}: is NaN; give a number")
    return min(max(value, -MAXVAL), MAXVAL)


def _warn_of_old(name: str, old_name: str) -> None:
    warnings.warn(f"JointDofConfig {old_name} is now {name}", NewtonDeprecationWarning, stacklevel=external())


def _renamed(name: str, value: float | None, old_name: str, old: float | None) -> float | None:
    """The value under either name, with a warning for the old one; ModelError where they say different things."""
    if old is None:
        return value
    _warn_of_old(name, old_name)
    if value is not None and value != old:
        raise ModelError(f"JointDofConfig: Conflicting {name}={value} and {old_name}={old}; give {name}")
    return old


def _inside(target: float, lower: float, upper: float) -> float:
    """The target where the limits allow it, else their middle."""
    return 0.5 * (lower + upper) if target < lower or target > upper else target
