"""Shape methods of the builder, one per shape type."""

from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.mesh import Mesh
from newtonlite.math.transform import quat_between, transform
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import ShapeConfig


class TypedShapeMethods:
    """Adding shapes by type; see ``add_shape`` for what all of them take.  ``as_site`` makes a primitive a frame only."""

    def add_shape_sphere(
        self,
        body: int,
        *,
        xform: Any = None,
        radius: float = 1.0,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a ball of ``radius`` [m]."""
        look = _look(color, opacity, label, custom_attributes)
        return self._add_sized(GeoType.SPHERE, body, xform, cfg, as_site, {"radius": radius}, look)

    def add_shape_ellipsoid(
        self,
        body: int,
        *,
        xform: Any = None,
        rx: float = 1.0,
        ry: float = 0.75,
        rz: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add an ellipsoid with radii ``rx, ry, rz`` [m] along its axes."""
        look = _look(color, opacity, label, custom_attributes)
        return self._add_sized(GeoType.ELLIPSOID, body, xform, cfg, as_site, {"rx": rx, "ry": ry, "rz": rz}, look)

    def add_shape_box(
        self,
        body: int,
        *,
        xform: Any = None,
        hx: float = 0.5,
        hy: float = 0.5,
        hz: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a box with half extents ``hx, hy, hz`` [m]."""
        look = _look(color, opacity, label, custom_attributes)
        return self._add_sized(GeoType.BOX, body, xform, cfg, as_site, {"hx": hx, "hy": hy, "hz": hz}, look)

    def add_shape_capsule(
        self,
        body: int,
        *,
        xform: Any = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a capsule along z: all points within ``radius`` of a segment of length ``2 half_height`` [m]."""
        look = _look(color, opacity, label, custom_attributes)
        return self._add_sized(
            GeoType.CAPSULE, body, xform, cfg, as_site, {"radius": radius, "half_height": half_height}, look
        )

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
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a cylinder along z; with a ``barrel_radius``, at least ``half_height``, a barrel, whose sides are arcs of
        that radius [m]: round in ``CollisionPipeline``, a hull of 64 sides in the engine. ModelError for a shorter one.
        """
        look = _look(color, opacity, label, custom_attributes)
        sizes = {"radius": radius, "half_height": half_height} | (
            {"barrel_radius": barrel_radius} if barrel_radius else {}
        )
        return self._add_sized(GeoType.CYLINDER, body, xform, cfg, as_site, sizes, look)

    def add_shape_cone(
        self,
        body: int,
        *,
        xform: Any = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a cone with its base at ``-half_height`` and its tip at ``+half_height`` on z."""
        look = _look(color, opacity, label, custom_attributes)
        return self._add_sized(
            GeoType.CONE, body, xform, cfg, as_site, {"radius": radius, "half_height": half_height}, look
        )

    def add_shape_plane(
        self,
        plane: Any = (0.0, 0.0, 1.0, 0.0),
        *,
        xform: Any = None,
        width: float = 10.0,
        length: float = 10.0,
        body: int = -1,
        cfg: ShapeConfig | None = None,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add the xy plane of ``xform``; without one, the plane ``n x + d = 0`` of (nx, ny, nz, d).

        ``width`` and ``length`` [m] are for drawing, 0 for without end; a plane collides without end.
        """
        where = "add_shape_plane"
        size = [check.number(width, f"{where} width", low=0.0), check.number(length, f"{where} length", low=0.0), 0.0]
        if xform is None:
            xform = plane_pose(check.finite_array(plane, (4,), f"{where} plane"), where)
        look = _look(color, opacity, label, custom_attributes)
        return self.add_shape(body=body, type=GeoType.PLANE, xform=xform, cfg=cfg, scale=size, is_static=True, **look)

    def add_ground_plane(
        self,
        *,
        height: float = 0.0,
        cfg: ShapeConfig | None = None,
        color: Any = (0.125, 0.125, 0.15),
        opacity: float | None = None,
        label: str | None = None,
    ) -> int:
        """Add an endless plane to the world, ``height`` [m] up along the up axis."""
        plane = (*self.up_vector, -check.number(height, "add_ground_plane height"))
        look = _look(color, opacity, label or "ground_plane", None)
        return self.add_shape_plane(plane, width=0.0, length=0.0, cfg=cfg, **look)

    def add_shape_mesh(
        self,
        body: int,
        *,
        xform: Any = None,
        mesh: Mesh | None = None,
        scale: Any = None,
        cfg: ShapeConfig | None = None,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a triangle mesh, stretched by ``scale`` [3]."""
        look = _look(color, opacity, label, custom_attributes)
        return self.add_shape(body=body, type=GeoType.MESH, xform=xform, cfg=cfg, scale=scale, src=mesh, **look)

    def add_shape_convex_hull(
        self,
        body: int,
        *,
        xform: Any = None,
        mesh: Mesh | None = None,
        scale: Any = None,
        cfg: ShapeConfig | None = None,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a mesh that collides as its convex hull, stretched by ``scale`` [3]."""
        look = _look(color, opacity, label, custom_attributes)
        return self.add_shape(body=body, type=GeoType.CONVEX_MESH, xform=xform, cfg=cfg, scale=scale, src=mesh, **look)

    def add_shape_heightfield(
        self,
        *,
        xform: Any = None,
        heightfield: Heightfield | None = None,
        scale: Any = None,
        cfg: ShapeConfig | None = None,
        color: Any = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a height field to the world."""
        look = _look(color, opacity, label, custom_attributes)
        return self.add_shape(
            body=-1, type=GeoType.HFIELD, xform=xform, cfg=cfg, scale=scale, src=heightfield, is_static=True, **look
        )

    def _add_sized(
        self,
        kind: GeoType,
        body: int,
        xform: Any,
        cfg: ShapeConfig | None,
        as_site: bool,
        named: dict[str, float],
        look: dict[str, Any],
    ) -> int:
        """Add a primitive from its sizes by name, whose signs mean nothing where it is its own mirror image."""
        for name, value in named.items():
            if isinstance(value, int | float | np.number) and (kind, name) != (GeoType.CONE, "half_height"):
                named[name] = abs(value)
        size = check.sizes(named, f"add_shape_{kind.name.lower()} {look['label'] or f'shape_{self.shape_count}'!r}")
        if as_site:
            cfg = (self.default_site_cfg if cfg is None else cfg).copy()
            cfg.mark_as_site()
        return self.add_shape(body=body, type=kind, xform=xform, cfg=cfg, scale=size + [0.0] * (3 - len(size)), **look)


def plane_pose(plane: np.ndarray, where: str) -> np.ndarray:
    """The pose [7] whose z axis is the normal of ``n x + d = 0``, at the plane's point nearest to the origin."""
    normal = check.direction(plane[:3], f"{where} normal")
    up = np.array([0.0, 0.0, 1.0])
    return transform(normal * (-plane[3] / np.linalg.norm(plane[:3])), quat_between(up, normal))


def _look(
    color: Any, opacity: float | None, label: str | None, custom_attributes: dict[str, Any] | None
) -> dict[str, Any]:
    return {"color": color, "opacity": opacity, "label": label, "custom_attributes": custom_attributes}
