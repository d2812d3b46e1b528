"""Mass, centre of mass and inertia of shapes by type, solid or hollow."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.geometry import inertia
from newtonlite.geometry.inertia import NOTHING, MassProperties, move, scale_mesh, subtract

PRIMITIVES = {
    GeoType.SPHERE: (inertia.sphere, 1),
    GeoType.CAPSULE: (inertia.capsule, 2),
    GeoType.CYLINDER: (inertia.cylinder, 2),
    GeoType.CONE: (inertia.cone, 2),
    GeoType.BOX: (inertia.box, 3),
    GeoType.ELLIPSOID: (inertia.ellipsoid, 3),
}
"""Formula of each shape, and how many numbers its size has."""


def compute_inertia_shape(
    type: int, scale: Sequence[float], src: Any, density: float, is_solid: bool = True, thickness: float = 0.001
) -> tuple[float, wp.vec3, wp.mat33]:
    """Mass [kg], centre [m] and inertia about it [kg m^2] of a shape of uniform density [kg/m^3], in its own frame.

    ``scale`` is its size as in ``ModelBuilder.add_shape``, ``src`` the mesh of a mesh. A hollow one has walls
    ``thickness`` [m] thick, cut from the inside. Shapes that have no volume weigh nothing. Raises ModelError for a
    thickness that is not finite, negative, or leaves no hollow.
    """
    kind = GeoType(type)
    if not is_solid and not (math.isfinite(thickness) and thickness >= 0):
        raise ModelError(f"compute_inertia_shape: thickness must be finite and not negative, got {thickness}")
    if density == 0.0:
        return _as_warp(NOTHING)
    if kind not in PRIMITIVES:
        if not hasattr(src, "vertices"):
            return _as_warp(NOTHING)
        return _as_warp(mesh_inertia(src, np.asarray(scale, float)[:3], density, is_solid, thickness))
    formula, count = PRIMITIVES[kind]
    sizes = np.asarray(scale, float)[:count]
    if is_solid:
        return _as_warp(formula(density, *sizes))
    if thickness == 0.0:
        text = "compute_inertia_shape: walls of thickness 0 have zero mass and inertia; give a thickness"
        warnings.warn(text, NewtonWarning, stacklevel=2)
        return _as_warp(NOTHING)
    shell = hollow(kind, density, sizes, thickness)
    if shell is None:
        found = f"thickness {thickness:g} leaves no hollow in a {kind.name.lower()} of sizes {sizes.tolist()}"
        raise ModelError(f"compute_inertia_shape: {found}; give less, or is_solid=True")
    return _as_warp(shell)


def hollow(kind: GeoType, density: float, sizes: np.ndarray, thickness: float) -> MassProperties | None:
    """A primitive with walls cut from the inside; None where they leave no hollow.

    The inside of a capsule is a capsule of the same height: its walls are as thick at the ends.
    """
    formula, _ = PRIMITIVES[kind]
    inside = sizes - thickness * np.array([1.0, 0.0]) if kind is GeoType.CAPSULE else sizes - thickness
    walled = inside[:1] if kind is GeoType.CAPSULE else inside
    return subtract(formula(density, *sizes), formula(density, *inside)) if walled.min() > 0 else None


def mesh_inertia(mesh: Any, scale: np.ndarray, density: float, is_solid: bool, thickness: float) -> MassProperties:
    """From what a mesh says of itself at density 1 and scale 1, else from its surface."""
    if is_solid and mesh.is_solid and mesh.has_inertia:
        authored = MassProperties(
            mesh.mass * density, np.array(mesh.com, float), np.array(mesh.inertia, float).reshape(3, 3) * density
        )
        return scale_mesh(authored, scale)
    vertices = mesh.vertices * scale
    if is_solid and mesh.is_solid:
        return inertia.mesh(density, vertices, mesh.indices)
    return inertia.surface(density, vertices, mesh.indices, thickness)


def transform_inertia(mass: float, inertia: Any, offset: Any, quat: Any) -> wp.mat33:
    """Inertia [kg m^2] about a point from that about a centre of mass in axes turned by ``quat`` (x, y, z, w).

    ``offset`` [m] leads from the centre to the point.
    """
    pose = np.array([*offset, *quat], float)
    found = move(MassProperties(float(mass), np.zeros(3), np.array(inertia, float).reshape(3, 3)), pose)
    r = found.com
    about = found.inertia + mass * (r @ r * np.eye(3) - np.outer(r, r))
    return wp.mat33(*about.ravel().tolist())


def _as_warp(found: MassProperties) -> tuple[float, wp.vec3, wp.mat33]:
    return found.mass, wp.vec3(*found.com.tolist()), wp.mat33(*found.inertia.ravel().tolist())
