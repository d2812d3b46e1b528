"""Mesh data that shapes share: triangles, inertia, hull."""

import hashlib
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.doors import open_door
from newtonlite.core.errors import ModelError
from newtonlite.geometry import inertia
from newtonlite.geometry.primitive_meshes import MadeMeshes
from newtonlite.geometry.sdf import SignedDistanceField

MAX_HULL_VERTICES = 64
WALL = 1.0e-3
"""Half the thickness of the walls of a hollow mesh, of which no shape says more [m]."""


class Mesh(MadeMeshes):
    """Vertices and triangles, with mass, centre of mass and inertia at density 1.

    ``vertices`` [n, 3, m]; ``indices`` three per triangle, flat or ``[m, 3]``, counterclockwise seen from outside;
    ``normals`` [n, 3] and ``uvs`` [n, 2] for drawing.  ``is_solid`` says whether it is filled, ``maxhullvert`` bounds
    its convex hull (-1: not). ``name``, ``file`` (its name without folders), ``file_scale`` (already in the vertices) and ``inertia_mode`` ("convex",
    "exact", "legacy" or "shell": of which solid MuJoCo takes centre and axes) are a file's, and ``taxel_tangents`` [n
    or 0, 2, 3], along which tactile sensors on its vertices feel sliding, and ``corner_uvs`` [m, 3, 2] texture
    coordinates of the corners of triangles, v upward, for drawing. ``is_hull`` says that a file has vertices alone, so
    that the triangles are those of their convex hull, in Qhull's order. Raises ModelError where a vertex is not
    finite or an index leads nowhere.
    """

    MAX_HULL_VERTICES = MAX_HULL_VERTICES

    def __init__(
        self,
        vertices: Sequence[Any] | np.ndarray,
        indices: Sequence[int] | np.ndarray,
        *,
        normals: Sequence[Any] | np.ndarray | None = None,
        uvs: Sequence[Any] | np.ndarray | None = None,
        compute_inertia: bool = True,
        is_solid: bool = True,
        maxhullvert: int | None = None,
        color: Any = None,
        roughness: float | None = None,
        metallic: float | None = None,
        texture: Any = None,
        texture_transform: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        sdf: Any = None,
        opacity: float | None = None,
        enable_surface_velocity: bool = False,
    ):
        if enable_surface_velocity:
            raise ModelError("Mesh: surface velocities are not supported; leave enable_surface_velocity out")
        self.sdf = sdf
        self._vertices = _points(vertices)
        self._given = np.array(vertices, float).reshape(-1, 3)
        self._indices = _triangles(indices, len(self._vertices))
        self.normals = None if normals is None else np.asarray(normals, np.float32).reshape(-1, 3)
        self.uvs = None if uvs is None else np.asarray(uvs, np.float32).reshape(-1, 2)
        self.is_solid = bool(is_solid)
        self.maxhullvert = MAX_HULL_VERTICES if maxhullvert is None else int(maxhullvert)
        self.name = self.file = ""
        self.inertia_mode = "legacy" if is_solid else "shell"
        self.file_scale = (1.0, 1.0, 1.0)
        self.taxel_tangents = np.zeros((0, 2, 3))
        self.corner_uvs: np.ndarray | None = None
        self.is_hull = False
        self.keeps_frame = False
        self.color = None if color is None else wp.vec3(*color)
        self.opacity = opacity
        self.roughness = roughness
        self.metallic = metallic
        self.texture = texture
        self.texture_transform = _affine(texture_transform)
        self.has_inertia = bool(compute_inertia)
        self.mass, self.com, self.inertia = 1.0, wp.vec3(), wp.mat33(np.eye(3))
        self._finalized: dict[tuple, wp.Mesh] = {}
        self.mesh: wp.Mesh | None = None
        if compute_inertia:
            self.recompute_inertia()

    @property
    def exact_vertices(self) -> np.ndarray:
        """Vertices ``[n, 3]`` [m] with all the digits they were given in."""
        same = self._given.shape == self._vertices.shape and np.array_equal(
            self._given.astype(np.float32), self._vertices
        )
        return self._given if same else self._vertices.astype(float)

    @property
    def vertices(self) -> np.ndarray:
        """Vertices ``[n, 3]`` [m]."""
        return self._vertices

    @vertices.setter
    def vertices(self, value: Any) -> None:
        self._vertices = _points(value)
        self.invalidate_cache()

    @property
    def indices(self) -> np.ndarray:
        """Vertex numbers, three per triangle, flat."""
        return self._indices

    @indices.setter
    def indices(self, value: Any) -> None:
        self._indices = _triangles(value, len(self._vertices))
        self.invalidate_cache()

    @property
    def triangles(self) -> np.ndarray:
        """Vertex numbers ``[m, 3]``."""
        return self._indices.reshape(-1, 3)

    def __hash__(self) -> int:
        """Hash of what the mesh is to physics: vertices, triangles, whether it is filled; looks do not count."""
        return self._shape_hash

    @cached_property
    def _shape_hash(self) -> int:
        contents = self._vertices.tobytes() + self._indices.tobytes() + bytes([self.is_solid])
        return int.from_bytes(hashlib.blake2b(contents, digest_size=7).digest(), "little")

    @property
    def texture_hash(self) -> int:
        """A number in [0, 2^64) of the texture, the same in every run: of an array's shape, type and values, or a
        file's path; 0 for none.
        """
        if self.texture is None:
            return 0
        pixels = None if isinstance(self.texture, str | os.PathLike) else np.ascontiguousarray(self.texture)
        said = os.fspath(self.texture) if pixels is None else f"{pixels.dtype.str} {pixels.shape}"
        contents = said.encode() + (b"" if pixels is None else pixels.tobytes())
        return int.from_bytes(hashlib.blake2b(contents, digest_size=8).digest(), "little")

    @cached_property
    def edges(self) -> np.ndarray:
        """Undirected edges ``[k, 2]``, each once; vertices at the same place count as the first of them."""
        _, first, place = np.unique(self._vertices, axis=0, return_index=True, return_inverse=True)
        welded = first[place.reshape(-1)][self._directed_edges()]
        return np.unique(np.sort(welded[welded[:, 0] != welded[:, 1]], axis=1), axis=0)

    @cached_property
    def is_watertight(self) -> bool:
        """Whether every edge is shared by two triangles that run along it in opposite directions; same places count as
        one.
        """
        _, same = np.unique(self._vertices, axis=0, return_inverse=True)
        ends = np.asarray(same).reshape(-1)[self._directed_edges()]
        there, count = np.unique(ends, axis=0, return_counts=True)
        back = np.unique(ends[:, ::-1], axis=0)
        return bool(np.all(count == 1) and np.array_equal(there, back))

    def recompute_inertia(self) -> None:
        """Set mass, centre of mass and inertia from the triangles, at density 1; a hollow mesh has walls of ``WALL`` to both
        sides."""
        whole = (
            inertia.mesh(1.0, self._vertices, self._indices)
            if self.is_solid
            else inertia.surface(1.0, self._vertices, self._indices, 2.0 * WALL)
        )
        self.mass = whole.mass
        self.com = wp.vec3(*whole.com.tolist())
        self.inertia = wp.mat33(*whole.inertia.ravel().tolist())
        self.has_inertia = True

    def invalidate_cache(self) -> None:
        """Invalidate what was derived from vertices and indices, after they were changed in place."""
        for name in ("edges", "is_watertight", "_shape_hash"):
            self.__dict__.pop(name, None)
        self._finalized.clear()
        self.mesh = None
        self.sdf = None
        self.is_hull = False

    def copy(self, vertices: Any = None, indices: Any = None, recompute_inertia: bool = False) -> "Mesh":
        """A mesh of its own, with other vertices or indices where given."""
        copy = Mesh(
            self._vertices.copy() if vertices is None else vertices,
            self._indices.copy() if indices is None else indices,
            normals=self.normals,
            uvs=self.uvs,
            compute_inertia=recompute_inertia,
            is_solid=self.is_solid,
            maxhullvert=self.maxhullvert,
            color=self.color,
            roughness=self.roughness,
            metallic=self.metallic,
            texture=self.texture,
            texture_transform=self.texture_transform,
            opacity=self.opacity,
            sdf=None if vertices is not None or indices is not None else self.sdf,
        )
        if not recompute_inertia:
            copy.mass, copy.has_inertia = self.mass, self.has_inertia
            copy.com, copy.inertia = wp.vec3(*self.com), wp.mat33(*np.ravel(self.inertia).tolist())
        return copy

    def compute_convex_hull(self, replace: bool = False) -> "Mesh":
        """The convex hull as a mesh of its own; with ``replace`` this mesh becomes its hull."""
        from newtonlite.geometry.hull import convex_hull

        vertices, triangles = convex_hull(self._vertices)
        if not replace:
            return Mesh(vertices, triangles, is_solid=self.is_solid, maxhullvert=self.maxhullvert, color=self.color)
        self._vertices, self._indices = _points(vertices), _triangles(triangles, len(vertices))
        self.normals = self.uvs = None
        self.invalidate_cache()
        self.recompute_inertia()
        return self

    def build_sdf(self, **settings: Any) -> Any:
        """Make the signed distance field that collision pipelines use, and keep it as ``sdf``.

        FieldSettings as for ``SDF.create_from_mesh``, where ``margin`` None is a tenth of the longest side; those about
        edges (``edge_*``) change nothing. Raises ModelError where there is one already.
        """
        if self.sdf is not None:
            raise ModelError("Mesh.build_sdf: the mesh has a signed distance field; call clear_sdf first")
        kept = {name: value for name, value in settings.items() if not name.startswith("edge_") and value is not None}
        self.sdf = SDF.create_from_mesh(self, **{"margin": None, **kept})
        return self.sdf

    def clear_sdf(self) -> None:
        """Remove the signed distance field."""
        self.sdf = None

    def finalize(self, device: Any = None, *, requires_grad: bool = False, bvh_constructor: str | None = None) -> int:
        """The id of a ``wp.Mesh`` on a device, made once for each choice of the arguments; ``mesh`` is the last one
        asked for.
        """
        device = wp.get_device(device)
        key = (device.alias, bool(requires_grad), bvh_constructor)
        if key not in self._finalized:
            self._finalized[key] = wp.Mesh(
                points=wp.array(self._vertices, dtype=wp.vec3, device=device, requires_grad=requires_grad),
                indices=wp.array(self._indices, dtype=wp.int32, device=device),
                bvh_constructor=bvh_constructor,
            )
        self.mesh = self._finalized[key]
        return self.mesh.id

    @classmethod
    def create_from_file(cls, filename: str, method: str | None = None, **kwargs: Any) -> "Mesh":
        """A mesh from a file that trimesh reads (OBJ, STL, PLY, ...); further options as for ``Mesh``."""
        from newtonlite.geometry.mesh_file import read_mesh

        return cls(*read_mesh(filename), **kwargs)

    @classmethod
    def create_from_usd(cls, source: Any = None, *, prim: Any = None, **kwargs: Any) -> "Mesh":
        """A mesh from a USD mesh prim, stage or file; options as for ``newtonlite.usd.get_mesh``."""
        return open_door("get_mesh")(source, prim=prim, **kwargs)

    def _directed_edges(self) -> np.ndarray:
        t = self.triangles
        return np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])


class SDF(SignedDistanceField):
    """The signed distance field of a mesh; made by ``Mesh.build_sdf`` or ``SDF.create_from_mesh``."""

    @classmethod
    def create_from_points(
        cls, points: Sequence[Any] | np.ndarray, indices: Sequence[int] | np.ndarray, **options: Any
    ) -> "SDF":
        """The field of vertices and triangles; options as for ``create_from_mesh``."""
        return cls.create_from_mesh(Mesh(points, indices, compute_inertia=False), **options)

    def extract_isomesh(self, isovalue: float = 0.0, device: Any = None) -> Mesh | None:
        """The surface on which the distance is ``isovalue``, as a mesh; None where there is none."""
        surface = self.isosurface(isovalue, device)
        return None if surface is None else Mesh(*surface, compute_inertia=False)


def _points(vertices: Any) -> np.ndarray:
    points = np.array(vertices, dtype=np.float32)
    if points.size % 3 or (points.ndim > 1 and points.shape[-1] != 3) or not points.size:
        raise ModelError(f"Mesh vertices: shape {points.shape}; give [n, 3] numbers")
    points = points.reshape(-1, 3)
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ModelError(f"Mesh vertices: vertex {bad[0]} is {points[bad[0]].tolist()}; remove NaN and infinity")
    return points


def _triangles(indices: Any, count: int) -> np.ndarray:
    flat = np.array(indices).reshape(-1)
    if len(flat) % 3 or not len(flat):
        raise ModelError(f"Mesh indices: {len(flat)} numbers; give three per triangle")
    if not np.issubdtype(flat.dtype, np.integer):
        raise ModelError(f"Mesh indices: type {flat.dtype}; give whole numbers")
    bad = np.flatnonzero((flat < 0) | (flat >= count))
    if len(bad):
        raise ModelError(f"Mesh indices: triangle {bad[0] // 3} has vertex {flat[bad[0]]}; there are {count} vertices")
    return flat.astype(np.int32)


def _affine(value: Any) -> tuple[tuple[float, ...], ...]:
    """A map of texture coordinates as two rows of three; ModelError for anything else."""
    matrix = np.asarray(value, dtype=float)
    if matrix.shape != (2, 3) or not np.isfinite(matrix).all():
        raise ModelError(f"Mesh texture_transform: {value!r}; give a finite matrix of shape (2, 3)")
    return tuple(tuple(float(number) for number in row) for row in matrix)
