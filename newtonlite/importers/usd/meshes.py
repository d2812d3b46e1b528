"""Meshes of USD as triangles: checked, holes left out, concave faces cut by ears; equal ones are shared."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.mesh import Mesh
from newtonlite.importers.usd.prims import LARGEST, Prim

MAX_POINTS = 20_000_000
"""Points and face corners of one mesh."""
MAX_TOTAL = 100_000_000
"""The same of all meshes of a stage."""
WHOLE, FILE, FIELD = "newton:mesh:name", "newton:mesh:file", "newton:mesh:field"
"""Attributes of a mesh that was one of a model file: its name there, the name of its own file, and whether it was the surface of a
plugin's field, whose frame it keeps.
"""


@dataclass(frozen=True)
class UsdMeshSurface:
    """The triangles of a mesh, and what of the file each comes from."""

    points: np.ndarray
    """[n, 3] in the prim's frame."""
    triangles: np.ndarray
    """Points of each [m, 3]."""
    face: np.ndarray
    """Face of each [m]."""
    corners: np.ndarray
    """Places in ``faceVertexIndices`` of each [m, 3]."""
    faces: int
    corner_count: int


class MeshLibrary:
    """Meshes by content, so that instances and equal parts have one."""

    def __init__(self):
        self.made: dict[tuple, Mesh] = {}
        self.fields: dict[tuple, Heightfield] = {}
        self.total = 0

    def surface(self, prim: Prim) -> UsdMeshSurface:
        """The triangles of a mesh prim; ParseError for what is no surface."""
        points, counts, corners = (prim.get(name) for name in ("points", "faceVertexCounts", "faceVertexIndices"))
        points = np.array(points if points is not None else (), float).reshape(-1, 3)
        counts = np.array(counts if counts is not None else (), np.int64)
        corners = np.array(corners if corners is not None else (), np.int64)
        self.total += len(points) + len(corners)
        if len(points) + len(corners) > MAX_POINTS or self.total > MAX_TOTAL:
            raise prim.error(
                f"has {len(points)} points, with other meshes {self.total}; at most {MAX_TOTAL} are read", "points"
            )
        check(prim, points, counts, corners)
        short = int(np.sum(counts < 3))
        if short:
            prim.doubt(f"{short} faces have less than three corners; they are left out", "faceVertexCounts")
        holes = prim.get("holeIndices")
        places, face = triangulate(points, counts, corners, {int(h) for h in holes} if holes is not None else set())
        if prim.word("orientation") == "leftHanded":
            places = places[:, ::-1]
        return UsdMeshSurface(points, corners[places], face, places, len(counts), len(corners))

    def mesh(self, points: np.ndarray, triangles: np.ndarray, **options) -> Mesh:
        """A mesh of these points and triangles; the same one for equal ones."""
        arrays = [value.tobytes() for value in options.values() if isinstance(value, np.ndarray)]
        name, file, keeps_frame = options.pop("name", ""), options.pop("file", ""), options.pop("field", False)
        key = (
            name,
            hashlib.blake2b(b"".join((points.tobytes(), triangles.tobytes(), *arrays)), digest_size=16).digest(),
            tuple(sorted((k, str(v)) for k, v in options.items() if not isinstance(v, np.ndarray))),
        )
        if key not in self.made:
            made = self.made[key] = Mesh(points, np.ascontiguousarray(triangles), compute_inertia=False, **options)
            made.name, made.file, made.keeps_frame = name, file, keeps_frame
        return self.made[key]


def named(prim: Prim) -> dict[str, Any]:
    """Name and file of a mesh that was one of a model file, whose vertices stay as they are; {} for others."""
    name = prim.get(WHOLE)
    return {"name": str(name), "file": str(prim.get(FILE) or ""), "field": prim.flag(FIELD, False)} if name else {}


def check(prim: Prim, points: np.ndarray, counts: np.ndarray, corners: np.ndarray) -> None:
    """ParseError where faces and points do not fit."""
    if not np.isfinite(points).all():
        raise prim.error(f"point {int(np.argmin(np.isfinite(points).all(axis=1)))} is not finite", "points")
    if np.abs(points).max(initial=0.0) > LARGEST:
        raise prim.error(f"has a point beyond {LARGEST:g}", "points")
    if counts.sum() != len(corners):
        raise prim.error(f"has {len(corners)} corners; the faces have {int(counts.sum())}", "faceVertexIndices")
    bad = (corners < 0) | (corners >= len(points))
    if bad.any():
        raise prim.error(f"names point {int(corners[np.argmax(bad)])}; there are {len(points)}", "faceVertexIndices")


def triangulate(
    points: np.ndarray, counts: np.ndarray, corners: np.ndarray, holes: set[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Triangles [m, 3] as places in ``corners``, and the face of each: fans of convex faces, ears of the others."""
    starts = np.cumsum(counts) - counts
    parts, faces = [], []
    for n in np.unique(counts[counts >= 3]):
        chosen = np.flatnonzero(counts == n)
        if holes:
            chosen = np.array([f for f in chosen if int(f) not in holes], np.int64)
        if not len(chosen):
            continue
        places = starts[chosen][:, None] + np.arange(n)
        fan = np.stack(
            [np.stack([places[:, 0], places[:, k], places[:, k + 1]], axis=1) for k in range(1, n - 1)], axis=1
        )
        if n > 3:
            for i in np.flatnonzero(concave(points, corners[places])):
                fan[i] = places[i][ears(points[corners[places[i]]])]
        parts.append(fan.reshape(-1, 3))
        faces.append(np.repeat(chosen, n - 2))
    if not parts:
        return np.zeros((0, 3), np.int64), np.zeros(0, np.int64)
    face = np.concatenate(faces)
    order = np.argsort(face, kind="stable")
    return np.concatenate(parts)[order], face[order]


def concave(points: np.ndarray, polygons: np.ndarray) -> np.ndarray:
    """Concave polygons: mask of the polygons [k, n] that turn the other way at some corner."""
    here = points[polygons]
    edges = np.roll(here, -1, axis=1) - here
    turns = np.cross(edges, np.roll(edges, -1, axis=1))
    normal = turns.sum(axis=1)
    along = np.einsum("kni,ki->kn", turns, normal)
    return (along < -1e-9 * np.einsum("ki,ki->k", normal, normal)[:, None]).any(axis=1)


def ears(points: np.ndarray) -> np.ndarray:
    """Triangles [n - 2, 3] of one polygon with corners [n, 3], cut off ear by ear; a fan of the rest where no ear is
    left.
    """
    left = list(range(len(points)))
    edges = np.roll(points, -1, axis=0) - points
    normal = np.cross(edges, np.roll(edges, -1, axis=0)).sum(axis=0)
    out = []
    while len(left) > 3:
        for i in range(len(left)):
            a, b, c = left[i - 1], left[i], left[(i + 1) % len(left)]
            turn = np.dot(np.cross(points[b] - points[a], points[c] - points[b]), normal)
            if turn > 0 and not any(
                inside(points[p], points[a], points[b], points[c], normal) for p in left if p not in (a, b, c)
            ):
                out.append((a, b, c))
                del left[i]
                break
        else:
            break
    out += [(left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1)]
    return np.array(out)


def inside(p, a, b, c, normal) -> bool:
    """Whether a point lies in a triangle, seen along its normal."""
    return all(np.dot(np.cross(v - u, p - u), normal) >= 0 for u, v in ((a, b), (b, c), (c, a)))
