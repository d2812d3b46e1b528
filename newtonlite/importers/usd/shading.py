"""Normals and texture coordinates of meshes: primvars expanded to corners, made normals, vertices split where corners
differ.
"""

import logging
from typing import Any

import numpy as np

from newtonlite.importers.usd.meshes import UsdMeshSurface

logger = logging.getLogger(__name__)

FACETED = ("none", "bilinear")
"""Subdivision schemes whose faces are flat."""
SHARP, MADE = 25.0, 0.01
"""Angles [degrees] from which corners of one point get vertices of their own: of authored normals, and of made ones."""
NAMES = ("st", "st_0", "st0", "UVMap", "map1", "uv")
"""Primvars of texture coordinates, the first found counts."""


def corner_values(
    value: Any, interpolation: str, indices: Any, surface: UsdMeshSurface, width: int
) -> np.ndarray | None:
    """A primvar [width] at every corner of the triangles [m, 3, width]; None where its length fits nothing."""
    if value is None:
        return None
    try:
        array = np.array(value, float).reshape(-1, width)
    except (TypeError, ValueError):
        return None
    if indices is not None and len(indices):
        numbers = np.array(indices, np.int64)
        if numbers.min() < 0 or numbers.max() >= len(array):
            return None
        array = array[numbers]
    places = {
        "constant": (np.zeros_like(surface.triangles), 1),
        "uniform": (np.repeat(surface.face[:, None], 3, axis=1), surface.faces),
        "faceVarying": (surface.corners, surface.corner_count),
    }
    at, length = places.get(interpolation, (surface.triangles, len(surface.points)))
    return array[at] if len(array) == length and np.isfinite(array).all() else None


def primvar_values(prim: Any, name: str, surface: UsdMeshSurface, width: int) -> np.ndarray | None:
    """``corner_values`` of a primvar of a ``Usd.Prim``; None where it is not authored or fits nothing."""
    from pxr import UsdGeom

    primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
    if not primvar or not primvar.HasAuthoredValue():
        return None
    indices = primvar.GetIndices() if primvar.IsIndexed() else None
    found = corner_values(primvar.Get(), primvar.GetInterpolation(), indices, surface, width)
    if found is None:
        logger.debug("<%s> primvars:%s: UV primvar length or indices do not fit", prim.GetPath(), name)
    return found


def corner_normals(prim: Any, surface: UsdMeshSurface) -> tuple[np.ndarray, bool]:
    """Normals [m, 3, 3] at the corners of the triangles, and whether they are authored; else they are made as the
    subdivision scheme asks.
    """
    from pxr import UsdGeom

    found = primvar_values(prim, "normals", surface, 3)
    if found is None:
        mesh = UsdGeom.Mesh(prim)
        attr = mesh.GetNormalsAttr()
        authored = attr.Get() if attr and attr.HasAuthoredValue() else None
        found = corner_values(authored, mesh.GetNormalsInterpolation(), None, surface, 3)
    if found is not None:
        lengths = np.linalg.norm(found, axis=-1, keepdims=True)
        if lengths.min(initial=1.0) > 1e-12:
            return found / lengths, True
    scheme = UsdGeom.Mesh(prim).GetSubdivisionSchemeAttr().Get()
    return made_normals(surface, faceted=str(scheme) in FACETED), False


def made_normals(surface: UsdMeshSurface, faceted: bool) -> np.ndarray:
    """Normals [m, 3, 3] of the triangles, or smooth ones, weighted by area."""
    corners = surface.points[surface.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if not faceted:
        sums = np.zeros_like(surface.points)
        for k in range(3):
            np.add.at(sums, surface.triangles[:, k], across)
        return normalized(sums)[surface.triangles]
    return np.repeat(normalized(across)[:, None], 3, axis=1)


def normalized(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length one; z for those without length."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(lengths > 1e-30, vectors / np.maximum(lengths, 1e-30), np.array([0.0, 0.0, 1.0]))


def averaged(surface: UsdMeshSurface, normals: np.ndarray, by_angle: bool) -> np.ndarray:
    """One normal for each point [m, 3, 3]: the mean of its corners', weighted by their angles where asked."""
    weights = np.ones(surface.triangles.shape)
    if by_angle:
        here = surface.points[surface.triangles]
        one, two = normalized(np.roll(here, -1, axis=1) - here), normalized(np.roll(here, 1, axis=1) - here)
        weights = np.arccos(np.clip(np.einsum("mki,mki->mk", one, two), -1.0, 1.0))
    sums = np.zeros_like(surface.points)
    np.add.at(sums, surface.triangles.ravel(), (normals * weights[..., None]).reshape(-1, 3))
    return normalized(sums)[surface.triangles]


def corner_uvs(prim: Any, surface: UsdMeshSurface, name: str | None = None) -> np.ndarray | None:
    """Texture coordinates [m, 3, 2] at the corners: of the primvar that the material names, else of a usual name."""
    for candidate in (name, *NAMES):
        found = primvar_values(prim, candidate, surface, 2) if candidate else None
        if found is not None:
            return found
    return None


class Split:
    """A mesh whose vertices have one normal and one texture coordinate each."""

    __slots__ = ("normals", "points", "source", "triangles", "uvs")

    def __init__(
        self, surface: UsdMeshSurface, normals: np.ndarray | None, uvs: np.ndarray | None, sharp: float = SHARP
    ):
        """Corners of a point share a vertex where their normals are at most ``sharp`` degrees apart and their texture
        coordinates are equal.
        """
        corner_point = surface.triangles.ravel()
        count = len(surface.points)
        at = corner_point.copy()
        source = np.arange(count)
        n = None if normals is None else normals.reshape(-1, 3)
        t = None if uvs is None else uvs.reshape(-1, 2)
        left = np.arange(len(corner_point))
        least = np.cos(np.radians(min(sharp, 180.0))) - 1e-9
        base = 0
        while len(left):
            leader = np.full(count, -1)
            leader[corner_point[left][::-1]] = left[::-1]
            lead = leader[corner_point[left]]
            same = np.ones(len(left), bool)
            if n is not None:
                same &= np.einsum("ij,ij->i", n[left], n[lead]) >= least
            if t is not None:
                same &= (t[left] == t[lead]).all(axis=1)
            if base:
                led = np.flatnonzero(leader >= 0)
                number = np.zeros(count, np.int64)
                number[led] = len(source) + np.arange(len(led))
                source = np.concatenate([source, led])
                at[left[same]] = number[corner_point[left[same]]]
            left, base = left[~same], base + 1
        self.points, self.source = surface.points[source], source.astype(np.int32)
        self.triangles = at.reshape(-1, 3)
        self.normals = self.uvs = None
        if n is not None:
            sums = np.zeros((len(source), 3))
            np.add.at(sums, at, n)
            self.normals = normalized(sums)
        if t is not None:
            self.uvs = np.zeros((len(source), 2))
            self.uvs[at] = t
