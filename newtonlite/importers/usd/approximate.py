"""Mesh colliders as what ``physics:approximation`` asks for: hulls, boxes, balls, convex parts."""

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError
from newtonlite.geometry.hull import convex_hull
from newtonlite.importers.usd.gprims import Geometry
from newtonlite.importers.usd.meshes import MeshLibrary
from newtonlite.importers.usd.prims import Prim
from newtonlite.math.transform import transform

EXACT = ("none", "sdf", "meshSimplification")
"""Words that leave the mesh as it is."""


def approximate(prim: Prim, geometry: Geometry, meshes: MeshLibrary) -> list[tuple[Geometry, str]]:
    """Shapes that collide in place of a mesh, each with the end of its path; ParseError for a mesh that has no hull."""
    word = prim.word("physics:approximation", "none")
    if word == "convexHull":
        return [(hull(prim, geometry), "")]
    if word == "boundingCube":
        return [(box(geometry), "")]
    if word == "boundingSphere":
        return [(ball(geometry), "")]
    if word == "convexDecomposition":
        return parts(prim, geometry)
    if word not in EXACT:
        prim.walk.report.convert(prim, f"'{word}' is no known approximation; the mesh stays", "physics:approximation")
    elif word == "meshSimplification":
        prim.walk.report.convert(prim, "the mesh is not simplified; it collides by its hull", "physics:approximation")
    return [(plate(prim, geometry) if plane_normal(geometry) is not None else geometry, "")]


def plane_normal(geometry: Geometry) -> np.ndarray | None:
    """The unit normal of a mesh whose points lie in one plane; None for others."""
    points = used(geometry)
    centred = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    return axes[:, 0] if values[0] <= 1e-12 * max(values[2], 1e-300) else None


def plate(prim: Prim, geometry: Geometry) -> Geometry:
    """A flat mesh as a plate below it, a thousandth of its size thick: what is flat has no hull that a solver could
    use.
    """
    points, triangles, _ = geometry.triangles
    corners = points[triangles] * geometry.size
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
    normal = plane_normal(geometry) if not normal.any() else normal / np.linalg.norm(normal)
    top = used(geometry)
    size = np.ptp(top, axis=0).max()
    prim.walk.report.convert(prim, "is flat; below it lies a plate, a thousandth of its size thick", "points")
    vertices, faces = convex_hull(np.concatenate([top, top - 1e-3 * size * normal]))
    return Geometry(
        GeoType.CONVEX_MESH,
        np.ones(3),
        geometry.pose,
        triangles=(np.asarray(vertices, float), np.asarray(faces).reshape(-1, 3), np.zeros(len(faces), int)),
    )


def hull(prim: Prim, geometry: Geometry) -> Geometry:
    """The same mesh, as its convex hull."""
    if plane_normal(geometry) is not None:
        return plate(prim, geometry)
    return Geometry(GeoType.CONVEX_MESH, geometry.size, geometry.pose, triangles=geometry.triangles)


def used(geometry: Geometry) -> np.ndarray:
    """The points of a mesh that faces have, scaled [n, 3]."""
    points, triangles, _ = geometry.triangles
    return points[np.unique(triangles)] * geometry.size


def box(geometry: Geometry) -> Geometry:
    """The smallest box around a mesh, turned."""
    import trimesh

    points = used(geometry)
    try:
        to_origin, extents = trimesh.bounds.oriented_bounds(points)
        pose = np.linalg.inv(to_origin)
        from newtonlite.importers.usd.frames import quaternion

        place = transform(pose[:3, 3], quaternion(pose[:3, :3]))
    except Exception:  # flat meshes have no oriented box in trimesh
        low, high = points.min(axis=0), points.max(axis=0)
        extents, place = high - low, transform(0.5 * (low + high))
    return Geometry(GeoType.BOX, np.maximum(0.5 * np.asarray(extents), 1e-6), place)


def ball(geometry: Geometry) -> Geometry:
    """A ball around a mesh, about the middle of its bounds."""
    points = used(geometry)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return Geometry(GeoType.SPHERE, (np.linalg.norm(points - middle, axis=1).max(), 0.0, 0.0), transform(middle))


def parts(prim: Prim, geometry: Geometry) -> list[tuple[Geometry, str]]:
    """Convex parts of a mesh, where the package ``coacd`` is there; else its hull, which the report tells."""
    try:
        import coacd
    except ImportError:
        prim.walk.report.convert(
            prim, "collides by one hull; the package 'coacd' would give convex parts", "physics:approximation"
        )
        return [(hull(prim, geometry), "")]
    points, triangles, _ = geometry.triangles
    coacd.set_log_level("error")
    try:
        found = coacd.run_coacd(coacd.Mesh(points, triangles), threshold=0.05, seed=0)
    except (RuntimeError, ModelError) as problem:
        raise prim.error(f"cannot be taken apart ({problem})", "physics:approximation") from None
    return [
        (
            Geometry(
                GeoType.CONVEX_MESH,
                geometry.size,
                geometry.pose,
                triangles=(np.asarray(v, float), np.asarray(t), np.zeros(len(t), int)),
            ),
            f"_convex_{k}",
        )
        for k, (v, t) in enumerate(found)
    ]
