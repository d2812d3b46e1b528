"""Bounding boxes of shapes in their own frames."""

from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.geometry.barrel import equatorial_radius, is_barrel

UNBOUNDED = 1.0e6
"""Half-sizes of what has no end [m]."""


def local_box(kind: GeoType, size: np.ndarray, source: Any) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of a shape [m], of ``shape_scale`` ``size``; a finite plane is flat."""
    if kind in (GeoType.MESH, GeoType.CONVEX_MESH):
        ends = np.array([source.vertices.min(axis=0), source.vertices.max(axis=0)]) * size
    elif kind is GeoType.HFIELD:
        ends = np.array(source.bounds()) * size
    else:
        x, y, z = np.abs(size)
        half = np.array([x, y, z])
        if kind is GeoType.SPHERE:
            half = np.full(3, x)
        elif kind in (GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE):
            wide = float(equatorial_radius(x, y, z)) if kind is GeoType.CYLINDER else x
            half = np.array([wide, wide, y + (x if kind is GeoType.CAPSULE else 0.0)])
        elif kind is GeoType.PLANE:
            half = np.array([0.5 * x, 0.5 * y, 0.0] if x > 0.0 and y > 0.0 else [UNBOUNDED, UNBOUNDED, 0.0])
        ends = np.array([-half, half])
    return ends.min(axis=0), ends.max(axis=0)


def barrels(kind: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Mask of the cylinders whose sides are arcs, among shapes of types ``kind`` and ``shape_scale`` ``size``."""
    return (kind == GeoType.CYLINDER) & is_barrel(size[..., 1], size[..., 2])


def local_boxes(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corners [shape_count, 3] of all shapes of a model."""
    kinds, sizes = model.shape_type.numpy(), model.shape_scale.numpy().astype(float)
    found = [local_box(GeoType(k), sizes[s], model.shape_source[s]) for s, k in enumerate(kinds.tolist())]
    low, high = zip(*found, strict=True) if found else ([], [])
    return np.array(low).reshape(-1, 3), np.array(high).reshape(-1, 3)
