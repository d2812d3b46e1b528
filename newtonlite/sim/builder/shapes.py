"""The builder's methods for shapes and sites."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F, GeoType
from newtonlite.core.errors import ModelError
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.mesh import Mesh
from newtonlite.math.transform import quat_between, transform
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import ShapeConfig
from newtonlite.sim.builder.solid import bounding_radius, shape_mass

PALETTE = (
    (0.27, 0.47, 0.67),
    (0.40, 0.80, 0.93),
    (0.13, 0.53, 0.20),
    (0.80, 0.73, 0.27),
    (0.93, 0.40, 0.47),
    (0.67, 0.20, 0.47),
    (0.93, 0.60, 0.20),
    (0.00, 0.60, 0.53),
)
"""Colours that shapes without one take in turn."""

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

        ``scale`` holds the sizes: radius for a sphere; radius, half height for capsule, cylinder, cone; half extents for a
        box; radii for an ellipsoid; width, length for a plane (0: infinite); factors for a mesh or height field ``src``.
        Its mass is added to the body, unless ``is_static``.
        """
        shape = self.shape_count
        where = f"add_shape {label or f'shape_{shape}'!r}"
        kind = _shape_kind(type, src, where)
        body = check.index(body, self.body_count, "body", f"{where} body", low=-1)
        self._check_world(body, where)
        cfg = self.default_shape_cfg if cfg is None else cfg
        cfg.validate(kind)
        pose = check.pose(xform, f"{where} xform")
        size = np.ones(3) if scale is None else check.numbers(scale, (3,), f"{where} scale")
        _check_sizes(kind, size, where)
        color = check.color(color, _own_color(src) or PALETTE[shape % len(PALETTE)], f"{where} color")
        opacity = 1.0 if opacity is None else check.number(opacity, f"{where} opacity", low=0.0)
        cells = self._check_custom(custom_attributes, {F.SHAPE: (shape, 1)}, where)
        self._add_row(
            F.SHAPE,
            shape_transform=wp.transformf(*pose.tolist()),
            shape_body=body,
            shape_flags=cfg.flags,
            shape_type=kind,
            shape_scale=wp.vec3f(*size.tolist()),
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
            shape_collision_filter_parent=bool(cfg.collision_filter_parent),
            shape_collision_radius=bounding_radius(kind, size, src),
            shape_color=color,
            shape_opacity=opacity,
            shape_label=label or f"shape_{shape}",
            shape_world=self.current_world,
        )
        self._store_custom(cells)
        self._filter_new_shape(shape, body)
        if not is_static and cfg.density > 0.0 and not cfg.is_site:
            self._add_mass(body, shape_mass(kind, size, src, cfg), pose)
        return shape

    def add_shape_sphere(self, body: int, *, xform: Any = None, radius: float = 1.0, cfg: ShapeConfig | None = None, as_site: bool = False, **options: Any) -> int:
        """Add a ball of ``radius`` [m]."""
        return self._add_sized(GeoType.SPHERE, body, xform, cfg, as_site, {"radius": radius}, options)

    def add_shape_ellipsoid(
        self, body: int, *, xform: Any = None, rx: float = 1.0, ry: float = 0.75, rz: float = 0.5, cfg: ShapeConfig | None = None, as_site: bool = False, **options: Any
    ) -> int:
        """Add an ellipsoid with radii ``rx, ry, rz`` [m] along its axes."""
        return self._add_sized(GeoType.ELLIPSOID, body, xform, cfg, as_site, {"rx": rx, "ry": ry, "rz": rz}, options)

    def add_shape_box(
        self, body: int, *, xform: Any = None, hx: float = 0.5, hy: float = 0.5, hz: float = 0.5, cfg: ShapeConfig | None = None, as_site: bool = False, **options: Any
    ) -> int:
        """Add a box with half extents ``hx, hy, hz`` [m]."""
        return self._add_sized(GeoType.BOX, body, xform, cfg, as_site, {"hx": hx, "hy": hy, "hz": hz}, options)

    def add_shape_capsule(
        self, body: int, *, xform: Any = None, radius: float = 1.0, half_height: float = 0.5, cfg: ShapeConfig | None = None, as_site: bool = False, **options: Any
    ) -> int:
        """Add a capsule along z: all points within ``radius`` of a segment of length ``2 half_height`` [m]."""
        return self._add_sized(GeoType.CAPSULE, body, xform, cfg, as_site, {"radius": radius, "half_height": half_height}, options)

    def add_shape_cylinder(
        self,
        body: int,
        *,
        xform: Any = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        barrel_radius: float = 0.0,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        **options: Any,
    ) -> int:
        """Add a cylinder along z."""
        if barrel_radius:
            raise ModelError("add_shape_cylinder barrel_radius: barrels are not supported; leave it 0")
        return self._add_sized(GeoType.CYLINDER, body, xform, cfg, as_site, {"radius": radius, "half_height": half_height}, options)

    def add_shape_cone(
        self, body: int, *, xform: Any = None, radius: float = 1.0, half_height: float = 0.5, cfg: ShapeConfig | None = None, as_site: bool = False, **options: Any
    ) -> int:
        """Add a cone with its base at ``-half_height`` and its tip at ``+half_height`` on z."""
        return self._add_sized(GeoType.CONE, body, xform, cfg, as_site, {"radius": radius, "half_height": half_height}, options)

    def add_shape_plane(
        self, plane: Any = (0.0, 0.0, 1.0, 0.0), *, xform: Any = None, width: float = 10.0, length: float = 10.0, body: int = -1, cfg: ShapeConfig | None = None, **options: Any
    ) -> int:
        """Add a plane ``n x + d = 0`` given as (nx, ny, nz, d); or, with ``plane=None``, the xy plane of ``xform``.

        ``width`` and ``length`` are for drawing, 0 for without end; a plane collides without end.
        """
        where = "add_shape_plane"
        size = [check.number(width, f"{where} width", low=0.0), check.number(length, f"{where} length", low=0.0), 0.0]
        if plane is not None:
            if xform is not None:
                raise ModelError(f"{where}: plane and xform both say where it is; give plane=None with xform")
            four = check.numbers(plane, (4,), f"{where} plane")
            normal = check.direction(four[:3], f"{where} normal")
            distance = -four[3] / np.linalg.norm(four[:3])
            xform = transform(normal * distance, quat_between(np.array([0.0, 0.0, 1.0]), normal))
        return self.add_shape(body=body, type=GeoType.PLANE, xform=xform, cfg=cfg, scale=size, is_static=True, **options)

    def add_ground_plane(self, *, height: float = 0.0, cfg: ShapeConfig | None = None, color: Any = (0.125, 0.125, 0.15), opacity: float | None = None, label: str | None = None) -> int:
        """Add an endless plane to the world, ``height`` [m] up along the up axis."""
        height = check.number(height, "add_ground_plane height")
        plane = (*self.up_vector, -height)
        return self.add_shape_plane(plane, width=0.0, length=0.0, cfg=cfg, color=color, opacity=opacity, label=label or "ground_plane")

    def add_shape_mesh(self, body: int, *, xform: Any = None, mesh: Mesh | None = None, scale: Any = None, cfg: ShapeConfig | None = None, **options: Any) -> int:
        """Add a triangle mesh, stretched by ``scale`` [3]."""
        return self.add_shape(body=body, type=GeoType.MESH, xform=xform, cfg=cfg, scale=scale, src=mesh, **options)

    def add_shape_convex_hull(self, body: int, *, xform: Any = None, mesh: Mesh | None = None, scale: Any = None, cfg: ShapeConfig | None = None, **options: Any) -> int:
        """Add the convex hull of a mesh; the mesh is taken to be convex already."""
        return self.add_shape(body=body, type=GeoType.CONVEX_MESH, xform=xform, cfg=cfg, scale=scale, src=mesh, **options)

    def add_shape_heightfield(self, *, xform: Any = None, heightfield: Heightfield | None = None, scale: Any = None, cfg: ShapeConfig | None = None, **options: Any) -> int:
        """Add a height field to the world."""
        return self.add_shape(body=-1, type=GeoType.HFIELD, xform=xform, cfg=cfg, scale=scale, src=heightfield, is_static=True, **options)

    def add_shape_gaussian(self, *args: Any, **kwargs: Any) -> int:
        """Refused: Gaussian splats are for drawing."""
        raise ModelError("add_shape_gaussian: Gaussian splats are not supported; add a mesh")

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
        return self.add_shape(body=body, type=type, xform=xform, cfg=cfg, scale=scale, label=label, custom_attributes=custom_attributes)

    def approximate_meshes(self, *args: Any, **kwargs: Any) -> set[int]:
        """Refused: meshes are taken as they are."""
        raise ModelError("approximate_meshes: not supported; approximate meshes before they are added, Mesh.compute_convex_hull() makes hulls")

    def _add_sized(self, kind: GeoType, body: int, xform: Any, cfg: ShapeConfig | None, as_site: bool, named: dict[str, float], options: dict[str, Any]) -> int:
        """Add a primitive from its sizes by name."""
        size = check.sizes(named, f"add_shape_{kind.name.lower()} {options.get('label') or f'shape_{self.shape_count}'!r}")
        if as_site:
            cfg = (self.default_site_cfg if cfg is None else cfg).copy()
            cfg.mark_as_site()
        return self.add_shape(body=body, type=kind, xform=xform, cfg=cfg, scale=size + [0.0] * (3 - len(size)), **options)

    def _check_world(self, body: int, where: str) -> None:
        if body >= 0 and self.body_world[body] != self.current_world:
            raise ModelError(f"{where}: body {body} is in world {self.body_world[body]}, the shape would be in world {self.current_world}; add it while its body's world is open")


def _shape_kind(kind: Any, src: Any, where: str) -> GeoType:
    try:
        kind = GeoType(kind)
    except ValueError:
        raise ModelError(f"{where}: type {kind!r} is unknown; use a GeoType") from None
    if kind in (GeoType.NONE, GeoType.GAUSSIAN):
        raise ModelError(f"{where}: shapes of type {kind.name} are not supported")
    wanted = _SOURCES.get(kind)
    if wanted and not isinstance(src, wanted):
        raise ModelError(f"{where}: src is {src!r}; a {kind.name} needs a {wanted.__name__}")
    return kind


_SIZES = {GeoType.SPHERE: 1, GeoType.CAPSULE: 2, GeoType.CYLINDER: 2, GeoType.CONE: 2, GeoType.BOX: 3, GeoType.ELLIPSOID: 3}
"""How many sizes of a primitive have to be positive."""


def _check_sizes(kind: GeoType, size: np.ndarray, where: str) -> None:
    wanted = _SIZES.get(kind, 0)
    if np.any(size[:wanted] <= 0.0):
        raise ModelError(f"{where} scale: {size[:wanted].tolist()}; sizes of a {kind.name} have to be positive")
    if kind is GeoType.PLANE and np.any(size[:2] < 0.0):
        raise ModelError(f"{where} scale: {size[:2].tolist()}; width and length of a plane have to be positive, or 0 for endless")
    if kind in _SOURCES and np.any(size == 0.0):
        raise ModelError(f"{where} scale: {size.tolist()}; a factor of 0 flattens the shape")


def _own_color(src: Any):
    return getattr(src, "color", None)
