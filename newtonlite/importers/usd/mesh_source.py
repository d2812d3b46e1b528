"""``get_mesh``: the triangles of a mesh prim, or of all meshes of a stage or file together."""

import functools
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from newtonlite.core.errors import FileError, ModelError, NewtonDeprecationWarning, ParseError
from newtonlite.geometry.mesh import Mesh
from newtonlite.images.picture import read_picture
from newtonlite.importers.report import Report
from newtonlite.importers.usd.looks import Look, Looks, encoded
from newtonlite.importers.usd.meshes import MeshLibrary, UsdMeshSurface
from newtonlite.importers.usd.prims import Prim, Walk
from newtonlite.importers.usd.shading import MADE, SHARP, Split, averaged, corner_normals, corner_uvs
from newtonlite.importers.usd.stage import folder_of, need_pxr, open_stage, units_of

POLICIES = ("vertex_splitting", "vertex_averaging", "angle_weighted")
LINEAR = ("raw", "data", "identity", "linear", "lin_rec709", "lin_rec709_scene", "lin_srgb")
"""Colour spaces of images whose values are no display values."""


POSITIONAL = (
    "load_normals",
    "load_uvs",
    "maxhullvert",
    "face_varying_normal_conversion",
    "vertex_splitting_angle_threshold_deg",
    "preserve_facevarying_uvs",
    "return_uv_indices",
    "root_path",
)
"""Options that older programs give by position."""


def by_keyword(function: Callable) -> Callable:
    """The function, which takes ``POSITIONAL`` by position too, with a warning; TypeError for one given twice."""

    @functools.wraps(function)
    def call(source: Any = None, *old: Any, **options: Any) -> Any:
        if old:
            if len(old) > len(POSITIONAL):
                raise TypeError(f"{function.__name__}() takes at most {len(POSITIONAL) + 1} positional arguments")
            text = f"{function.__name__}: positional options are deprecated; give {', '.join(POSITIONAL)} by keyword"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=2)
            for name, value in zip(POSITIONAL, old, strict=False):
                if name in options:
                    raise TypeError(f"{function.__name__}() got multiple values for argument '{name}'")
                options[name] = value
        return function(source, **options)

    return call


@by_keyword
def get_mesh(
    source: Any = None,
    *,
    load_normals: bool = False,
    load_uvs: bool = False,
    maxhullvert: int | None = None,
    face_varying_normal_conversion: str = POLICIES[0],
    vertex_splitting_angle_threshold_deg: float = SHARP,
    preserve_facevarying_uvs: bool = False,
    return_uv_indices: bool = False,
    root_path: str | None = None,
    compute_inertia: bool = True,
    apply_stage_units: bool = True,
    prim: Any = None,
    load_visual_materials: bool = True,
    return_source_point_indices: bool = False,
    allow_outside: bool = False,
) -> Any:
    """A mesh prim as triangles in its own frame and units; of a stage, a path or another prim all meshes below
    ``root_path`` as one, in the root's frame and in metres (``apply_stage_units``).

    ``load_normals`` gives every vertex a normal: authored ones, else faceted or smooth ones as the subdivision scheme
    has it. Corners of one point share a vertex by ``face_varying_normal_conversion``: "vertex_splitting" where their
    normals are at most ``vertex_splitting_angle_threshold_deg`` apart, "vertex_averaging" and "angle_weighted" always.
    ``load_uvs`` gives texture coordinates, for which vertices are split too, unless ``preserve_facevarying_uvs`` keeps
    them at corners. ``load_visual_materials`` adds colour, roughness and texture.

    Of a mesh prim, ``return_uv_indices`` adds the texture coordinate of each corner (None without them) and
    ``return_source_point_indices`` the point that each vertex came from: (mesh, uv indices, point indices). Files may
    lie outside the folder of a path with ``allow_outside``. Raises TypeError for a source of another kind, ModelError
    (a ValueError) for what is no surface.
    """
    need_pxr()
    from pxr import Usd, UsdGeom

    if source is not None and prim is not None:
        raise TypeError("get_mesh() received both 'source' and legacy 'prim'; give one of them")
    source = prim if source is None else source
    if face_varying_normal_conversion not in POLICIES:
        raise ModelError(
            f"get_mesh face_varying_normal_conversion={face_varying_normal_conversion!r}: use one of {', '.join(POLICIES)}"
        )
    if not isinstance(source, Usd.Prim | Usd.Stage | str | os.PathLike):
        raise TypeError(f"get_mesh() source: {type(source).__name__}; give a USD prim, a stage or a path")
    reader = Reader(load_normals, load_uvs, face_varying_normal_conversion, vertex_splitting_angle_threshold_deg)
    reader.keep_corners, reader.materials = preserve_facevarying_uvs, load_visual_materials
    settings = {"maxhullvert": maxhullvert, "compute_inertia": compute_inertia}
    if isinstance(source, Usd.Prim) and root_path is None and source.IsA(UsdGeom.Mesh):
        folder = folder_of(source, source.GetStage(), allow_outside)
        walk = Walk(source.GetStage(), Report("warn"), folder=folder)
        one = reader.read(Prim(walk, source, str(source.GetPath()), None, np.eye(4), None))
        if not (return_uv_indices or return_source_point_indices):
            return one.mesh(settings)
        more = (one.points_from,) if return_source_point_indices else ()
        return (one.mesh(settings), one.uv_corners if return_uv_indices else None, *more)
    for name, wanted in (
        ("return_uv_indices", return_uv_indices),
        ("return_source_point_indices", return_source_point_indices),
    ):
        if wanted:
            raise ModelError(f"get_mesh {name} is only supported for a single mesh prim; give the prim")
    if preserve_facevarying_uvs:
        raise ModelError("get_mesh preserve_facevarying_uvs is not supported where meshes are joined; give a mesh prim")
    stage, root = stage_and_root(source, root_path, allow_outside)
    length = units_of(stage, "si", Report("warn")).length if apply_stage_units else 1.0
    return reader.all_below(stage, root, length, folder_of(source, stage, allow_outside)).mesh(settings)


def stage_and_root(source: Any, root_path: str | None, allow_outside: bool) -> tuple[Any, Any]:
    """The stage of a source, and the prim below which meshes are wanted."""
    from pxr import Usd

    if isinstance(source, str) and "://" in source:
        scheme = source.partition(":")[0].upper()
        raise ModelError(f"get_mesh source: {scheme} USD URLs are not supported; download the file and give its path")
    if isinstance(source, Usd.Prim):
        stage, default = source.GetStage(), str(source.GetPath())
    else:
        stage = source if isinstance(source, Usd.Stage) else open_stage(source, allow_outside, None, Report())
        default = "/"
    root = stage.GetPrimAtPath(root_path or default)
    if not root:
        raise ModelError(f"get_mesh root_path: there is no prim <{root_path}>")
    return stage, root


class MeshPart:
    """Arrays of one mesh, or of several together."""

    def __init__(self, points: np.ndarray, triangles: np.ndarray, normals=None, uvs=None, look: dict | None = None):
        self.points, self.triangles, self.normals, self.uvs = points, triangles, normals, uvs
        self.look = {} if look is None else look
        self.points_from: np.ndarray | None = None
        self.uv_corners: np.ndarray | None = None

    def mesh(self, settings: dict[str, Any]) -> Mesh:
        """A mesh of them."""
        made = Mesh(self.points, self.triangles, **settings, **self.look)
        made.normals = None if self.normals is None else np.asarray(self.normals, np.float32)
        made.uvs = None if self.uvs is None else np.asarray(self.uvs, np.float32)
        return made

    def moved(self, matrix: np.ndarray) -> "MeshPart":
        """The same under a matrix [4, 4] that acts on columns; a mirroring one turns triangles over."""
        linear = matrix[:3, :3]
        normals = self.normals
        if normals is not None:
            normals = normals @ np.linalg.inv(linear)
            normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        triangles = self.triangles[:, [0, 2, 1]] if np.linalg.det(linear) < 0 else self.triangles
        return MeshPart(self.points @ linear.T + matrix[:3, 3], triangles, normals, self.uvs, self.look)


class Reader:
    """Meshes with what is wanted of them."""

    def __init__(self, normals: bool, uvs: bool, policy: str, sharp: float):
        self.normals, self.uvs, self.policy, self.sharp = normals, uvs, policy, sharp
        self.keep_corners, self.materials = False, True

    def read(self, prim: Prim) -> MeshPart:
        """One mesh in its own frame."""
        try:
            surface = MeshLibrary().surface(prim)
        except ParseError as problem:
            raise ModelError(str(problem)) from None
        if not len(surface.triangles):
            raise ModelError(f"{prim.where()}: has no default-time points, faceVertexCounts or faceVertexIndices")
        looks = Looks(prim.walk)
        if self.materials or self.uvs:
            looks.bind([prim])
        look = looks.material(prim)
        normals, limit = self.corner_normals(prim, surface) if self.normals else (None, 180.0)
        uvs = corner_uvs(prim.usd, surface, look.uvs) if self.uvs else None
        split = Split(surface, normals, None if self.keep_corners else uvs, limit)
        part = MeshPart(split.points, split.triangles, split.normals, split.uvs, self.shown(looks, prim, look))
        part.points_from = split.source
        if uvs is not None:
            part.uv_corners = split.triangles.ravel()
            if self.keep_corners:
                part.uvs, part.uv_corners = uvs.reshape(-1, 2), np.arange(3 * len(split.triangles))
        return part

    def corner_normals(self, prim: Prim, surface: UsdMeshSurface) -> tuple[np.ndarray, float]:
        """Normals at corners, and the angle [degrees] up to which they share a vertex."""
        found, authored = corner_normals(prim.usd, surface)
        if not authored:
            return found, MADE
        if self.policy == POLICIES[0]:
            return found, self.sharp
        return averaged(surface, found, self.policy == "angle_weighted"), 180.0

    def shown(self, looks: Looks, prim: Prim, look: Look) -> dict[str, Any]:
        """Colour, roughness and texture; a texture of linear values is read and becomes one of display values."""
        if not self.materials:
            return {}
        found = looks.mesh(prim)
        if look.space in LINEAR and str(look.texture).lower().endswith(".png") and os.path.isfile(look.texture):
            try:
                found["texture"] = displayed(read_picture(look.texture))
            except FileError as problem:
                raise ModelError(f"{prim.where()}: texture {problem}") from None
        return found

    def all_below(self, stage: Any, root: Any, length: float, folder: Path | None) -> MeshPart:
        """All meshes below a prim, in its frame."""
        from pxr import Usd, UsdGeom

        cache = UsdGeom.XformCache()
        back = np.eye(4) if root.IsPseudoRoot() else np.linalg.inv(np.array(cache.GetLocalToWorldTransform(root)).T)
        scale = np.diag([length, length, length, 1.0])
        walk, parts = Walk(stage, Report("warn"), folder=folder), []
        for usd in Usd.PrimRange(root, Usd.TraverseInstanceProxies()):
            if usd.IsA(UsdGeom.Mesh):
                part = self.read(Prim(walk, usd, str(usd.GetPath()), None, np.eye(4), None))
                parts.append(part.moved(scale @ back @ np.array(cache.GetLocalToWorldTransform(usd)).T))
        if not parts:
            raise ModelError(f"get_mesh: there is no mesh below <{root.GetPath()}>")
        return join_meshes(parts)


def join_meshes(parts: list[MeshPart]) -> MeshPart:
    """Meshes as one, with the look of the first."""
    starts = np.cumsum([0] + [len(part.points) for part in parts])
    together = lambda arrays: None if any(a is None for a in arrays) else np.concatenate(arrays)
    return MeshPart(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts)]),
        together([part.normals for part in parts]),
        together([part.uvs for part in parts]),
        parts[0].look,
    )


def displayed(image: np.ndarray) -> np.ndarray:
    """An image [h, w, 3 or 4] of linear values in sRGB; opacity stays."""
    table = np.array([round(255.0 * encoded(k / 255.0)) for k in range(256)]).clip(0, 255).astype(np.uint8)
    out = np.array(image, np.uint8)
    out[..., :3] = table[out[..., :3]]
    return out
