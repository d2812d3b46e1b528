"""Mass and bounding radius of shapes, by type."""

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.geometry.barrel import equatorial_radius
from newtonlite.geometry.inertia import NOTHING, PRIMITIVES, MassProperties, hollow, mesh_inertia
from newtonlite.geometry.mesh import Mesh
from newtonlite.sim.builder.config import ShapeConfig

ENDLESS = 1.0e6
"""Bounding radius [m] of what has no end."""


def shape_mass(kind: GeoType, size: np.ndarray, src, cfg: ShapeConfig) -> MassProperties:
    """Mass, centre and inertia of a shape in its own frame; planes and height fields weigh nothing.

    A hollow shape has walls ``cfg.margin`` thick, cut from the inside.
    """
    if isinstance(src, Mesh):
        return mesh_inertia(src, size, cfg.density, cfg.is_solid, cfg.margin or 1.0e-3)
    if kind not in PRIMITIVES:
        return NOTHING
    formula, count = PRIMITIVES[kind]
    sizes = size[:count]
    shell = None if cfg.is_solid else hollow(kind, cfg.density, sizes, cfg.margin)
    return formula(cfg.density, *sizes) if shell is None else shell


def bounding_radius(kind: GeoType, size: np.ndarray, src) -> float:
    """Radius [m] of a ball about the shape's origin that holds the shape."""
    if kind is GeoType.PLANE:
        return float(0.5 * np.hypot(*size[:2])) if size[0] > 0.0 and size[1] > 0.0 else ENDLESS
    if kind in (GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE):
        if kind is GeoType.CAPSULE:
            return float(size[0] + size[1])
        wide = equatorial_radius(*size) if kind is GeoType.CYLINDER else 0.0
        return float(max(np.hypot(size[0], size[1]), wide))
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
