"""Shape and site method of the builder for any shape type."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError
from newtonlite.geometry.barrel import is_barrel
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.mesh import Mesh
from newtonlite.sim.builder import check
from newtonlite.sim.builder.attributes import store_custom_columns
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


_OWN = (
    "shape_transform",
    "shape_body",
    "shape_type",
    "shape_scale",
    "shape_collision_radius",
    "shape_source",
    "shape_color",
    "shape_opacity",
    "shape_label",
    "shape_world",
)
"""Columns that each shape fills itself."""
_SETTINGS = (
    "shape_flags",
    "shape_is_solid",
    "shape_margin",
    "shape_gap",
    "shape_material_ke",
    "shape_material_kd",
    "shape_material_kf",
    "shape_material_ka",
    "shape_material_mu",
    "shape_material_restitution",
    "shape_material_mu_torsional",
    "shape_material_mu_rolling",
    "shape_material_kh",
    "shape_collision_group",
    "shape_sdf_narrow_band_range",
    "shape_sdf_target_voxel_size",
    "shape_sdf_max_resolution",
    "shape_force_sdf",
    "shape_sdf_texture_format",
    "shape_sdf_padding",
)
"""Columns that a ``ShapeConfig`` fills."""


class NewShape(NamedTuple):
    """Arguments of ``add_shape``."""

    body: int
    type: int
    xform: Any = None
    cfg: ShapeConfig | None = None
    scale: Any = None
    src: Any = None
    is_static: bool = False
    color: Any = None
    opacity: float | None = None
    label: str | None = None
    custom_attributes: dict[str, Any] | None = None


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
        new = NewShape(body, type, xform, cfg, scale, src, is_static, color, opacity, label, custom_attributes)
        return add_shapes(self, (new,))

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


def add_shapes(builder, shapes: Sequence[NewShape]) -> int:
    """``add_shape`` for each of some shapes, column by column after all have been checked; returns the first index."""
    first = builder.shape_count
    configs = [builder.default_shape_cfg if new.cfg is None else new.cfg for new in shapes]
    own = _own_columns(builder, first, shapes, configs)
    custom = builder._check_custom_columns(
        F.SHAPE, first, [new.custom_attributes for new in shapes], lambda row: _where(row, shapes[row - first].label)
    )
    rows = {id(cfg): _settings(builder, cfg) for cfg in {id(cfg): cfg for cfg in configs}.values()}
    builder._add_columns(_OWN, own)
    builder._add_columns(_SETTINGS, [rows[id(cfg)] for cfg in configs])
    store_custom_columns(builder, custom)
    for shape, (new, cfg, (pose, body, kind, size, *_)) in enumerate(zip(shapes, configs, own), first):
        collides = cfg.has_shape_collision and not cfg.is_site
        builder._filter_new_shape(shape, body, cfg.collision_filter_parent and collides)
        if not new.is_static and cfg.density > 0.0 and not cfg.is_site:
            builder._add_mass(body, shape_mass(kind, np.array(size), new.src, cfg), np.array(pose))
    return first


def _where(shape: int, label: str | None) -> str:
    return f"add_shape {label or f'shape_{shape}'!r}"


def _own_columns(builder, first: int, shapes: Sequence[NewShape], configs: Sequence[ShapeConfig]) -> list[tuple]:
    """The columns ``_OWN`` of shapes, checked; what several share, as the same objects, is looked at once."""
    forms: dict[tuple[int, ...], tuple[GeoType, tuple[float, ...], float]] = {}
    bodies: set[int] = set()
    count, world, rows = builder.body_count, builder.current_world, []
    for shape, (new, cfg) in enumerate(zip(shapes, configs), first):
        where, src = _where(shape, new.label), new.src
        parts = (id(cfg), id(new.type), id(new.scale), id(src))
        form = forms.get(parts) or forms.setdefault(parts, _form(new, cfg, where))
        body = check.index(new.body, count, "body", f"{where} body", low=-1)
        if body not in bodies:
            _check_world(builder, body, where)
            bodies.add(body)
        pose = check.pose_numbers(new.xform, f"{where} xform")
        color = check.color(new.color, _own_color(src) or PALETTE[shape % len(PALETTE)], f"{where} color")
        opacity = getattr(src, "opacity", None) if new.opacity is None else new.opacity
        opacity = 1.0 if opacity is None else check.share(opacity, f"{where} opacity")
        rows.append((pose, body, *form, src, color, opacity, new.label or f"shape_{shape}", world))
    return rows


def _form(new: NewShape, cfg: ShapeConfig, where: str) -> tuple[GeoType, tuple[float, ...], float]:
    """Type, sizes and bounding radius of a shape, which its settings are right for."""
    kind = _shape_kind(new.type, new.src, where)
    cfg.validate(kind)
    size = np.ones(3) if new.scale is None else check.finite_array(new.scale, (3,), f"{where} scale")
    size = unsigned(kind, size)
    _check_sizes(kind, size, where, cfg.is_site)
    return kind, tuple(size.tolist()), bounding_radius(kind, size, new.src)


def _settings(builder, cfg: ShapeConfig) -> tuple:
    """The columns ``_SETTINGS`` of shapes with these settings."""
    return (
        cfg.flags,
        bool(cfg.is_solid),
        float(cfg.margin),
        float(builder.rigid_gap if cfg.gap is None else cfg.gap),
        float(cfg.ke),
        float(cfg.kd),
        float(cfg.kf),
        float(cfg.ka),
        float(cfg.mu),
        float(cfg.restitution),
        float(cfg.mu_torsional),
        float(cfg.mu_rolling),
        float(cfg.kh),
        int(cfg.collision_group),
        tuple(cfg.sdf_narrow_band_range),
        cfg.sdf_target_voxel_size,
        cfg.sdf_max_resolution,
        bool(cfg.force_sdf),
        cfg.sdf_texture_format,
        cfg.sdf_padding,
    )


def _check_world(builder, body: int, where: str) -> None:
    if body >= 0 and builder.body_world[body] != builder.current_world:
        raise ModelError(
            f"{where}: body {body} is in world {builder.body_world[body]}, the shape would be in world {builder.current_world}; "
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
