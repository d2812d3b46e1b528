"""Meshes of simple shapes."""

from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis
from newtonlite.geometry import tessellate


class MadeMeshes:
    """The ``Mesh.create_*`` methods for simple shapes.

    ``compute_normals`` adds smooth normals, ``compute_inertia`` mass properties; texture coordinates are not made.
    """

    @classmethod
    def create_box(
        cls,
        hx: float,
        hy: float | None = None,
        hz: float | None = None,
        *,
        duplicate_vertices: bool = True,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """A box with half extents [m], a cube where only ``hx`` is given; ``duplicate_vertices`` gives each face its own corners."""
        half = check_sizes("box", hx, hx if hy is None else hy, hx if hz is None else hz)
        return cls._made(tessellate.box(half, duplicate_vertices), compute_normals, compute_inertia)

    @classmethod
    def create_sphere(
        cls,
        radius: float = 1.0,
        *,
        num_latitudes: int = 32,
        num_longitudes: int = 32,
        reverse_winding: bool = False,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """A ball of ``num_latitudes`` bands of ``num_longitudes`` sides."""
        return cls.create_ellipsoid(
            radius, radius, radius, num_latitudes=num_latitudes, num_longitudes=num_longitudes, reverse_winding=reverse_winding,
            compute_normals=compute_normals, compute_inertia=compute_inertia,
        )  # fmt: skip

    @classmethod
    def create_ellipsoid(
        cls,
        rx: float = 1.0,
        ry: float = 1.0,
        rz: float = 1.0,
        *,
        num_latitudes: int = 32,
        num_longitudes: int = 32,
        reverse_winding: bool = False,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """An ellipsoid with three radii [m]; ``reverse_winding`` turns it inside out."""
        vertices, triangles = tessellate.ball(num_latitudes, num_longitudes)
        triangles = triangles[:, ::-1] if reverse_winding else triangles
        return cls._made((vertices * check_sizes("ellipsoid", rx, ry, rz), triangles), compute_normals, compute_inertia)

    @classmethod
    def create_capsule(
        cls,
        radius: float,
        half_height: float,
        *,
        up_axis: Axis = Axis.Y,
        segments: int = 32,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """A capsule along ``up_axis``."""
        sizes = check_sizes("capsule", radius, half_height)
        return cls._made(tessellate.capsule(*sizes, segments), compute_normals, compute_inertia, up_axis)

    @classmethod
    def create_cylinder(
        cls,
        radius: float,
        half_height: float,
        *,
        up_axis: Axis = Axis.Y,
        segments: int = 32,
        top_radius: float | None = None,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """A cylinder along ``up_axis``; a frustum where ``top_radius`` differs."""
        radius, half_height, top = check_sizes("cylinder", radius, half_height, radius if top_radius is None else top_radius)
        return cls._made(tessellate.cylinder(radius, half_height, top, segments), compute_normals, compute_inertia, up_axis)

    @classmethod
    def create_cone(
        cls,
        radius: float,
        half_height: float,
        *,
        up_axis: Axis = Axis.Y,
        segments: int = 32,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """A cone whose tip points along ``up_axis``."""
        sizes = check_sizes("cone", radius, half_height)
        return cls._made(tessellate.cone(*sizes, segments), compute_normals, compute_inertia, up_axis)

    @classmethod
    def create_plane(
        cls,
        width: float,
        length: float,
        *,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """A rectangle in the xy plane."""
        return cls._made(tessellate.plane(*check_sizes("plane", width, length)), compute_normals, compute_inertia)

    @classmethod
    def _made(cls, made: tessellate.Triangles, normals: bool, compute_inertia: bool, up_axis: Any = Axis.Z) -> Any:
        """A mesh of triangles made about z."""
        vertices, triangles = tessellate.along(made[0], int(Axis.from_any(up_axis))), made[1]
        smooth = tessellate.smooth_normals(vertices, triangles) if normals else None
        return cls(vertices, triangles, normals=smooth, compute_inertia=compute_inertia)


def check_sizes(what: str, *sizes: float) -> np.ndarray:
    """Lengths [m], all finite and positive."""
    lengths = np.array(sizes, dtype=float)
    if not (np.isfinite(lengths).all() and (lengths > 0.0).all()):
        raise ModelError(f"Mesh.create_{what}: sizes {lengths.tolist()}; give finite positive lengths")
    return lengths
