"""Shape and site method of the builder for any shape type."""

from typing import Any

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError
from newtonlite.geometry.barrel import is_barrel
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.mesh import Mesh
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import ShapeConfig
from newtonlite.sim.builder.shape_mass import bounding_radius, shape_mass

SYMMETRIC = (GeoType.SPHERE, GeoType.BOX, GeoType.CAPSULE, GeoType.CYLINDER, GeoType.ELLIPSOID, GeoType.PLANE)
"""Shapes that are their own mirror images."""
PALETTE = [
    tuple(int(code[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
    for code in ("4477AA", "66CCEE", "228833", "CCBB44", "EE6677", "AA3377", "EE9933", "009988")
]
"""Colours that shapes without one take in turn."""

_NOT_SUPPORTED = (GeoType.NONE, GeoType.GAUSSIAN)
_SOURCES = {GeoType.MESH: Mesh, GeoType.CONVEX_MESH: Mesh, GeoType.HFIELD: Heightfield}


class ShapeMethods:
    """Adding shapes to bodies, or to the world as body -1."""

    def add_shape(
        self,
        *,
        body: int,
        type: int,
        xform: Any = None,
        cfg: ShapeConfig | None = None,
        scale: Any = None,
        src: Any = None,
        is_static: bool = False,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a shape of any type, posed in its body by ``xform``; returns its index.

        ``scale`` holds the sizes: radius for a sphere; radius, half height for capsule, cylinder, cone; for
        a barrel also the radius of its sides; half extents
        for a box; radii for an ellipsoid; width, length for a plane (0: infinite); factors for a mesh or height field
        ``src``, whose colour and opacity it has where none are given. Signs of sizes by which a shape is symmetric mean nothing. Its mass is added to the body, unless
        ``is_static``.
        """
        shape = self.shape_count
        where = f"add_shape {label or f'shape_{shape}'!r}"
        kind = _shape_kind(type, src, where)
        body = check.index(body, self.body_count, "body", f"{where} body", low=-1)
        self._check_world(body, where)
        cfg = self.default_shape_cfg if cfg is None else cfg
        cfg.validate(kind)
        pose = check.pose_numbers(xform, f"{where} xform")
        size = np.ones(3) if scale is None else check.finite_array(scale, (3,), f"{where} scale")
        size = unsigned(kind, size)
        _check_sizes(kind, size, where, cfg.is_site)
        color = check.color(color, _own_color(src) or PALETTE[shape % len(PALETTE)], f"{where} color")
        own = getattr(src, "opacity", None) if opacity is None else opacity
        opacity = 1.0 if own is None else check.share(own, f"{where} opacity")
        cells = self._check_custom(custom_attributes, {F.SHAPE: (shape, 1)}, where)
        self._add_row(
            F.SHAPE,
            shape_transform=pose,
            shape_body=body,
            shape_flags=cfg.flags,
            shape_type=kind,
            shape_scale=tuple(size.tolist()),
            shape_source=src,
            shape_is_solid=bool(cfg.is_solid),
            shape_margin=float(cfg.margin),
            shape_gap=float(self.rigid_gap if cfg.gap is None else cfg.gap),
            shape_material_ke=float(cfg.ke),
            shape_material_kd=float(cfg.kd),
            shape_material_kf=float(cfg.kf),
            shape_material_ka=float(cfg.ka),
            shape_material_mu=float(cfg.mu),
            shape_material_restitution=float(cfg.restitution),
            shape_material_mu_torsional=float(cfg.mu_torsional),
            shape_material_mu_rolling=float(cfg.mu_rolling),
            shape_material_kh=float(cfg.kh),
            shape_collision_group=int(cfg.collision_group),
            shape_collision_radius=bounding_radius(kind, size, src),
            shape_sdf_narrow_band_range=tuple(cfg.sdf_narrow_band_range),
            shape_sdf_target_voxel_size=cfg.sdf_target_voxel_size,
            shape_sdf_max_resolution=cfg.sdf_max_resolution,
            shape_force_sdf=bool(cfg.force_sdf),
            shape_sdf_texture_format=cfg.sdf_texture_format,
            shape_sdf_padding=cfg.sdf_padding,
            shape_color=color,
            shape_opacity=opacity,
            shape_label=label or f"shape_{shape}",
            shape_world=self.current_world,
        )
        self._store_custom(cells)
        self._filter_new_shape(shape, body, cfg.collision_filter_parent)
        if not is_static and cfg.density > 0.0 and not cfg.is_site:
            self._add_mass(body, shape_mass(kind, size, src, cfg), np.array(pose))
        return shape

    def add_site(
        self,
        body: int,
        *,
        xform: Any = None,
        type: int = GeoType.SPHERE,
        scale: Any = (0.01, 0.01, 0.01),
        label: str | None = None,
        visible: bool = False,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a named frame to a body: a shape that collides with nothing and weighs nothing."""
        cfg = self.default_site_cfg
        cfg.is_visible = visible
        return self.add_shape(
            body=body, type=type, xform=xform, cfg=cfg, scale=scale, label=label, custom_attributes=custom_attributes
        )

    def _check_world(self, body: int, where: str) -> None:
        if body >= 0 and self.body_world[body] != self.current_world:
            raise ModelError(
                f"{where}: body {body} is in world {self.body_world[body]}, the shape would be in world {self.current_world}; "
                "add it while the world of its body is open"
            )


def _shape_kind(kind: Any, src: Any, where: str) -> GeoType:
    try:
        kind = GeoType(kind)
    except ValueError:
        raise ModelError(f"{where}: type {kind!r} is unknown; use a GeoType") from None
    if kind in _NOT_SUPPORTED:
        raise ModelError(f"{where}: shapes of type {kind.name} are not supported; use another type")
    wanted = _SOURCES.get(kind)
    if wanted and not isinstance(src, wanted):
        raise ModelError(f"{where}: src is {src!r}; a {kind.name} needs a {wanted.__name__}")
    return kind


_SIZES = {
    GeoType.SPHERE: 1,
    GeoType.CAPSULE: 2,
    GeoType.CYLINDER: 2,
    GeoType.CONE: 2,
    GeoType.BOX: 3,
    GeoType.ELLIPSOID: 3,
}
"""Number of sizes of a primitive that have to be positive."""


def unsigned(kind: GeoType, size: np.ndarray) -> np.ndarray:
    """Sizes [3] of a shape, positive where it is its own mirror image."""
    if kind is GeoType.CONE:
        return np.array([abs(size[0]), *size[1:]])
    return np.abs(size) if kind in SYMMETRIC else size


def _check_sizes(kind: GeoType, size: np.ndarray, where: str, is_site: bool) -> None:
    wanted = _SIZES.get(kind, 0)
    if wanted and min(size[:wanted].tolist()) <= 0.0:
        raise ModelError(f"{where} scale: {size[:wanted].tolist()}; sizes of a {kind.name} have to be positive")
    if kind is GeoType.CYLINDER and not is_site and size[2] and not is_barrel(size[1], size[2]):
        found = f"{where} scale: {size.tolist()}; the third size of a CYLINDER, the radius of a barrel's sides"
        raise ModelError(f"{found}, has to be 0 or at least half_height {size[1]:g}")
    if kind is GeoType.PLANE and np.any(size[:2] < 0.0):
        raise ModelError(
            f"{where} scale: {size[:2].tolist()}; width and length of a plane have to be positive, or 0 for endless"
        )
    if kind in _SOURCES and np.any(size == 0.0):
        raise ModelError(f"{where} scale: {size.tolist()}; a factor of 0 flattens the shape")


def _own_color(src: Any):
    return getattr(src, "color", None)
