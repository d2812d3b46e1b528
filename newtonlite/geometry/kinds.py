"""Shape kinds: numbers of the shapes that colliders, distance fields and rays know, MuJoCo's where it has them."""

import numpy as np
import warp as wp

from newtonlite.core.enums import GeoType
from newtonlite.core.mujoco import MjtGeom

CONE = wp.constant(8)
BARREL = wp.constant(9)
"""Cylinder whose side is an arc."""
SHEET = wp.constant(10)
"""Plane that rays meet from both sides."""

KIND_OF = {
    GeoType.PLANE: int(MjtGeom.PLANE),
    GeoType.HFIELD: int(MjtGeom.HFIELD),
    GeoType.SPHERE: int(MjtGeom.SPHERE),
    GeoType.CAPSULE: int(MjtGeom.CAPSULE),
    GeoType.ELLIPSOID: int(MjtGeom.ELLIPSOID),
    GeoType.CYLINDER: int(MjtGeom.CYLINDER),
    GeoType.BOX: int(MjtGeom.BOX),
    GeoType.MESH: int(MjtGeom.MESH),
    GeoType.CONVEX_MESH: int(MjtGeom.MESH),
    GeoType.CONE: int(CONE),
}
"""Kind of each of Newton's types, without barrels, which are cylinders there; others have none."""


def kinds_of(shape_type: np.ndarray, kind_of: dict = KIND_OF) -> np.ndarray:
    """Kinds of shapes of Newton's types [n], -1 where there is none."""
    return np.array([int(kind_of.get(GeoType(k), -1)) for k in shape_type], np.int32)
