"""Mass and bounding radius of shapes, by type."""

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.geometry import inertia
from newtonlite.geometry.inertia import NOTHING, MassProperties, scale_mesh, subtract
from newtonlite.geometry.mesh import Mesh
from newtonlite.sim.builder.config import ShapeConfig

_PRIMITIVES = {
    GeoType.SPHERE: (inertia.sphere, 1),
    GeoType.CAPSULE: (inertia.capsule, 2),
    GeoType.CYLINDER: (inertia.cylinder, 2),
    GeoType.CONE: (inertia.cone, 2),
    GeoType.BOX: (inertia.box, 3),
    GeoType.ELLIPSOID: (inertia.ellipsoid, 3),
}
ENDLESS = 1.0e6
"""Bounding radius [m] of what has no end."""


def shape_mass(kind: GeoType, size: np.ndarray, src, cfg: ShapeConfig) -> MassProperties:
    """Mass, centre and inertia of a shape in its own frame; planes and height fields weigh nothing.

    A hollow shape has walls ``cfg.margin`` thick, cut from the inside.
    """
    if isinstance(src, Mesh):
        return _mesh_mass(src, size, cfg)
    if kind not in _PRIMITIVES:
        return NOTHING
    formula, count = _PRIMITIVES[kind]
    sizes = size[:count]
    solid = formula(cfg.density, *sizes)
    if cfg.is_solid or np.any(sizes <= cfg.margin):
        return solid
    return subtract(solid, formula(cfg.density, *(sizes - cfg.margin)))


def _mesh_mass(mesh: Mesh, scale: np.ndarray, cfg: ShapeConfig) -> MassProperties:
    """From what the mesh says of itself at density 1 and scale 1, else from its surface."""
    if cfg.is_solid and mesh.is_solid and mesh.has_inertia:
        authored = MassProperties(
            mesh.mass * cfg.density,
            np.array(mesh.com, float),
            np.array(mesh.inertia, float).reshape(3, 3) * cfg.density,
        )
        return scale_mesh(authored, scale)
    vertices = mesh.vertices * scale
    if cfg.is_solid and mesh.is_solid:
        return inertia.mesh(cfg.density, vertices, mesh.indices)
    return inertia.surface(cfg.density, vertices, mesh.indices, cfg.margin or 1.0e-3)


def bounding_radius(kind: GeoType, size: np.ndarray, src) -> float:
    """Radius [m] of a ball about the shape's origin that holds the shape."""
    if kind is GeoType.PLANE:
        return float(0.5 * np.hypot(*size[:2])) if size[0] > 0.0 and size[1] > 0.0 else ENDLESS
    if kind in (GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE):
        return float(size[0] + size[1]) if kind is GeoType.CAPSULE else float(np.hypot(size[0], size[1]))
    if kind is GeoType.BOX:
        return float(np.linalg.norm(size))
    if kind is GeoType.ELLIPSOID:
        return float(size.max())
    if kind is GeoType.HFIELD:
        low, high = src.bounds()
        return float(np.linalg.norm(np.maximum(np.abs(low), np.abs(high)) * np.abs(size)))
    if isinstance(src, Mesh):
        return float(np.linalg.norm(src.vertices * size, axis=1).max())
    return float(size[0])
