"""Fitting of primitives to meshes: the inertia box, or the bounding box."""

import numpy as np

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.principal import NEAR_OF_MESHES, principal
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.spec import Item
from newtonlite.math.quat import matrix


def fit(geom: Item, meshes) -> None:
    """Give a primitive geom the size and pose of its mesh, which it then forgets."""
    kind = geom["type"]
    if kind not in (MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.CYLINDER, MjtGeom.ELLIPSOID, MjtGeom.BOX):
        raise geom.node.error("only spheres, capsules, cylinders, ellipsoids and boxes can be fitted to a mesh", "type")
    solid = meshes.mass(geom)
    if not solid.mass > 0:
        raise geom.node.error("the mesh has no volume, so nothing can be fitted to it", "mesh")
    moments, quat = principal(solid.inertia, NEAR_OF_MESHES)
    pos, quat = chain(geom.pos, geom.quat, tuple(solid.com), tuple(quat))
    size, middle = list(geom["size"]), np.zeros(3)
    if geom.place.document.compiler["fitaabb"]:
        vertices, _ = meshes.surface(geom)
        seen = (vertices - solid.com) @ matrix(principal(solid.inertia, NEAR_OF_MESHES)[1])
        low, high = seen.min(axis=0), seen.max(axis=0)
        middle = 0.5 * (low + high)
        pos, quat = chain(pos, quat, tuple(middle), (1.0, 0.0, 0.0, 0.0))
        used = around(kind, 0.5 * (high - low))
    else:
        half = 0.5 * np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / solid.mass, 0.0))
        used = alike(kind, half)
    if any(geom["surfacevel"]):
        geom.values["surfacevel"] = surface_velocity(geom["surfacevel"], solid, middle)
    size[: len(used)] = used
    geom.values["size"] = tuple(float(s) * geom["fitscale"] for s in size)
    geom.pos, geom.quat = pos, quat
    del geom.values["mesh"]


def surface_velocity(velocity, solid, middle) -> tuple[float, ...]:
    """Velocity of a surface at ``middle``, in the axes of a mesh about its centre of mass, from that in the frame of its
    file.
    """
    back = matrix(principal(solid.inertia, NEAR_OF_MESHES)[1]).T
    linear, angular = np.array(velocity[:3]), np.array(velocity[3:])
    moved = (*(back @ (linear + np.cross(angular, solid.com + middle @ back))), *(back @ angular))
    return tuple(float(x) for x in moved)


def alike(kind: int, half) -> list[float]:
    """Sizes of a primitive like a box of the same inertia, from its half-sizes."""
    x, y, z = half
    if kind == MjtGeom.SPHERE:
        return [(x + y + z) / 3.0]
    radius = 0.5 * (x + y)
    if kind == MjtGeom.CAPSULE:
        return [radius, max(0.0, z - 0.5 * radius)]
    return [radius, z] if kind == MjtGeom.CYLINDER else [x, y, z]


def around(kind: int, half) -> list[float]:
    """Sizes of a primitive from the half-sizes of the box around the mesh."""
    x, y, z = half
    if kind == MjtGeom.SPHERE:
        return [max(x, y, z)]
    radius = max(x, y)
    if kind == MjtGeom.CAPSULE:
        return [radius, max(0.0, z - radius)]
    return [radius, z] if kind == MjtGeom.CYLINDER else [x, y, z]
