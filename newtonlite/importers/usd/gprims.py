"""Geometric prims as shapes: sizes from attributes and scale, axes turned onto z."""

import math

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.hull import convex_hull
from newtonlite.geometry.mesh import Mesh
from newtonlite.importers.usd.frames import sheared
from newtonlite.importers.usd.meshes import MeshLibrary, UsdMeshSurface
from newtonlite.importers.usd.prims import LARGEST, Prim
from newtonlite.math.transform import multiply, quat_between, transform

ROUND = ("Capsule", "Cylinder", "Cone", "Capsule_1", "Cylinder_1")
KNOWN = ("Cube", "Sphere", "Plane", "Mesh", *ROUND)
OTHER = ("Points", "BasisCurves", "NurbsCurves", "NurbsPatch", "HermiteCurves", "Volume")
"""Geometry that is no rigid shape."""
KINDS = {"Capsule": GeoType.CAPSULE, "Cylinder": GeoType.CYLINDER, "Cone": GeoType.CONE}
EQUAL = 1e-5
"""Relative difference up to which scales count as equal."""
STEPS = 32
"""Sides of round shapes that have to become meshes."""


class Geometry:
    """Type, sizes [3], source and pose [7] in the prim of what a prim draws; ``size`` None for nothing to draw."""

    __slots__ = ("kind", "pose", "size", "source", "surface", "triangles")

    def __init__(
        self, kind: GeoType, size, pose=None, source=None, triangles=None, surface: UsdMeshSurface | None = None
    ):
        self.kind, self.size, self.source = kind, np.asarray(size, float), source
        self.pose = transform() if pose is None else pose
        self.triangles = triangles
        """Of a mesh: points in the prim's frame before scaling, triangles, the face of each."""
        self.surface = surface
        """Of a mesh as it is drawn: where its corners come from."""


def read_gprim(prim: Prim, rest: np.ndarray, meshes: MeshLibrary, collides: bool) -> Geometry | None:
    """The geometry of a prim whose matrix leaves ``rest`` [3, 3] beside its pose; None for an empty visual mesh."""
    if prim.tag == "Mesh" and "newton:heightfield:shape" in prim.authored:
        return height_field(prim, rest, meshes)
    if prim.tag == "Mesh":
        return mesh(prim, rest, meshes, collides)
    if sheared(rest):
        return baked(prim, rest, "is sheared, or has two radii; it becomes a convex mesh")
    scale = np.diagonal(rest)
    if prim.tag == "Cube":
        return Geometry(GeoType.BOX, 0.5 * length(prim, "size", 2.0) * np.abs(scale))
    if prim.tag == "Sphere":
        return sphere(length(prim, "radius", 1.0), np.abs(scale))
    if prim.tag == "Plane":
        return plane(prim, np.abs(scale), collides)
    if prim.tag == "Cone":
        return baked(prim, rest, "solvers have no cones; it is a convex mesh")
    return round_shape(prim, rest)


def length(prim: Prim, name: str, default: float) -> float:
    """A positive finite length, in the prim's units."""
    value = prim.finite(name, default)
    if not value > 0:
        raise prim.error(f"{value:g} is no length; give a positive number", name)
    if value > LARGEST:
        raise prim.error(f"{value:g} is beyond {LARGEST:g}", name)
    return value


def sphere(radius: float, scale: np.ndarray) -> Geometry:
    """A ball, or an ellipsoid where the scale is not the same along all axes."""
    if scale.max() - scale.min() > EQUAL * scale.max():
        return Geometry(GeoType.ELLIPSOID, radius * scale)
    return Geometry(GeoType.SPHERE, (radius * scale.max(), 0.0, 0.0))


def axis_of(prim: Prim) -> int:
    """The axis of a prim as 0, 1 or 2."""
    word = prim.word("axis", "Z")
    if word not in ("X", "Y", "Z"):
        raise prim.error(f"unknown axis '{word}'; use X, Y or Z", "axis")
    return "XYZ".index(word)


def pose_along_axis(axis: int) -> np.ndarray:
    """The pose that brings z onto an axis."""
    return transform(q=quat_between(np.array([0.0, 0.0, 1.0]), np.eye(3)[axis]))


def plane(prim: Prim, scale: np.ndarray, collides: bool) -> Geometry:
    """An endless plane for contacts; a drawn one has width and length, 0 being endless."""
    axis = axis_of(prim)
    if collides:
        return Geometry(GeoType.PLANE, np.zeros(3), pose_along_axis(axis))
    width, long = (prim.finite(name, 2.0) for name in ("width", "length"))
    if min(width, long) < 0:
        raise prim.error("has a negative size; give positive numbers", "width" if width < 0 else "length")
    across, along = {0: (2, 1), 1: (0, 2), 2: (0, 1)}[axis]
    size = (width * scale[across], long * scale[along], 0.0)
    if axis == 0:
        size = (size[0], size[1], 0.0)
    return Geometry(GeoType.PLANE, size, pose_along_axis(axis))


def round_shape(prim: Prim, rest: np.ndarray) -> Geometry:
    """Capsules, cylinders and cones, their axis turned onto z."""
    axis, scale = axis_of(prim), np.abs(np.diagonal(rest))
    if prim.tag in ("Capsule_1", "Cylinder_1"):
        ends = [length(prim, name, 0.5 if prim.tag == "Capsule_1" else 1.0) for name in ("radiusBottom", "radiusTop")]
        if abs(ends[0] - ends[1]) > EQUAL * max(ends):
            return baked(prim, rest, "is sheared, or has two radii; it becomes a convex mesh")
        radius, kind = max(ends), KINDS[prim.tag[:-2]]
    else:
        radius, kind = length(prim, "radius", 0.5 if prim.tag == "Capsule" else 1.0), KINDS[prim.tag]
    high = length(prim, "height", 1.0 if kind is GeoType.CAPSULE else 2.0)
    across = np.delete(scale, axis)
    if across.max() - across.min() > EQUAL * across.max():
        prim.walk.report.convert(
            prim, "the larger scale across its axis counts; a solver has no elliptic ones", "xformOpOrder"
        )
    return Geometry(kind, (radius * across.max(), 0.5 * high * scale[axis], 0.0), turned_with(axis, rest))


def turned_with(axis: int, rest: np.ndarray) -> np.ndarray:
    """``pose_along_axis``, upside down where the scale mirrors along the axis."""
    pose = pose_along_axis(axis)
    if rest[axis, axis] < 0:
        pose = multiply(pose, transform(q=(1.0, 0.0, 0.0, 0.0)))
    return pose


def mesh(prim: Prim, rest: np.ndarray, meshes: MeshLibrary, collides: bool) -> Geometry | None:
    """A triangle mesh; its scale stays a scale unless there is shear, which goes into the points."""
    surface = meshes.surface(prim)
    if not len(surface.triangles):
        if collides:
            prim.doubt("the mesh has no faces; the collider is left out", "faceVertexIndices")
        else:
            prim.walk.report.ignore(prim, "the mesh has no faces")
        return None
    if collides and not has_area(surface.points @ rest.T, surface.triangles):
        prim.doubt("the mesh has no area; the collider is left out", "points")
        return None
    if sheared(rest):
        return Geometry(GeoType.MESH, np.ones(3), triangles=(surface.points @ rest.T, surface.triangles, surface.face))
    whole = (surface.points, surface.triangles, surface.face)
    return Geometry(GeoType.MESH, np.diagonal(rest), triangles=whole, surface=surface)


def has_area(points: np.ndarray, triangles: np.ndarray) -> bool:
    """Whether the corners of triangles lie on more than a line."""
    top = points[np.unique(triangles)]
    size = np.ptp(top, axis=0).max(initial=0.0)
    return bool(np.linalg.matrix_rank(top - top.mean(axis=0), tol=1e-9 * max(size, 1e-30)) >= 2)


def height_field(prim: Prim, rest: np.ndarray, meshes: MeshLibrary) -> Geometry:
    """A height field, which the mesh beside it only draws: rows and columns, sizes (x, y, height, base) and heights in
    [0, 1], the row of the least y first.
    """
    shape = prim.numbers("newton:heightfield:shape", 2)
    rows, columns = (0, 0) if shape is None else (int(n) for n in shape)
    if rows < 2 or columns < 2:
        raise prim.error(f"{rows} rows of {columns}; give at least 2 by 2", "newton:heightfield:shape")
    size = prim.numbers("newton:heightfield:size", 4)
    heights = prim.numbers("newton:heightfield:elevation", rows * columns)
    if size is None or heights is None or size.min() <= 0 or sheared(rest):
        raise prim.error(
            "needs four positive sizes, its heights, and a scale along its axes", "newton:heightfield:size"
        )
    size = size * np.append(np.abs(np.diagonal(rest)), abs(rest[2, 2]))
    low, high = float(heights.min()), float(heights.max())
    heights = (heights - low) / (high - low) if high > low else np.zeros_like(heights)
    key = (rows, columns, np.round(size, 9).tobytes(), heights.tobytes())
    if key not in meshes.fields:
        meshes.fields[key] = Heightfield(heights, rows, columns, hx=size[0], hy=size[1], min_z=0.0, max_z=size[2])
        meshes.fields[key].base = float(size[3])
    return Geometry(GeoType.HFIELD, np.ones(3), source=meshes.fields[key])


def baked(prim: Prim, rest: np.ndarray, why: str) -> Geometry:
    """A primitive that no shape stands for: its points, as a mesh that is convex."""
    points = outline(prim) @ rest.T
    prim.walk.report.convert(prim, why)
    vertices, triangles = convex_hull(points)
    vertices = np.asarray(vertices, float)
    return Geometry(
        GeoType.CONVEX_MESH,
        np.ones(3),
        triangles=(vertices, np.asarray(triangles).reshape(-1, 3), np.zeros(len(triangles), int)),
    )


def outline(prim: Prim) -> np.ndarray:
    """Points [n, 3] on a primitive, whose hull it is."""
    if prim.tag == "Cube":
        half = 0.5 * length(prim, "size", 2.0)
        return half * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    if prim.tag == "Sphere":
        return length(prim, "radius", 1.0) * ball(0.0, math.pi)
    if prim.tag == "Plane":
        raise prim.error("a plane cannot be sheared", "xformOpOrder")
    capsule = prim.tag.startswith("Capsule")
    default = 0.5 if capsule else 1.0
    low, high = (
        length(prim, name, default)
        for name in (("radiusBottom", "radiusTop") if prim.tag.endswith("_1") else ("radius", "radius"))
    )
    half = 0.5 * length(prim, "height", 1.0 if capsule else 2.0)
    if capsule:
        parts = [low * ball(math.pi / 2, math.pi) - [0, 0, half], high * ball(0.0, math.pi / 2) + [0, 0, half]]
    else:
        rim = ball(math.pi / 2, math.pi / 2)
        parts = [low * rim - [0, 0, half], (high * rim if prim.tag != "Cone" else np.zeros((1, 3))) + [0, 0, half]]
    return np.concatenate(parts)[:, {0: [2, 0, 1], 1: [1, 2, 0], 2: [0, 1, 2]}[axis_of(prim)]]


def ball(start: float, end: float) -> np.ndarray:
    """Points [n, 3] of a unit sphere between two inclinations from z."""
    rings = 1 if start == end else STEPS // 2 + 1
    polar, azimuth = np.meshgrid(np.linspace(start, end, rings), np.arange(STEPS) * 2 * math.pi / STEPS, indexing="ij")
    return np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], axis=-1).reshape(
        -1, 3
    )


def source_of(geometry: Geometry, meshes: MeshLibrary, **options) -> Mesh:
    """The mesh of a geometry made of triangles."""
    points, triangles, _ = geometry.triangles
    return meshes.mesh(points, triangles, **options)
