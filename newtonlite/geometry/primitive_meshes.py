"""Primitive meshes: boxes, spheres, capsules, terrains and other simple shapes."""

from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis
from newtonlite.geometry import heightmap_mesh, terrain, tessellate


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
        """A box with half extents [m], a cube where only ``hx`` is given; ``duplicate_vertices`` gives each face its
        own corners.
        """
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
            radius,
            radius,
            radius,
            num_latitudes=num_latitudes,
            num_longitudes=num_longitudes,
            reverse_winding=reverse_winding,
            compute_normals=compute_normals,
            compute_inertia=compute_inertia,
        )

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
        barrel_radius: float = 0.0,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """A cylinder along ``up_axis``; a frustum where ``top_radius`` differs; with a ``barrel_radius``, at least
        ``half_height``, sides that are arcs of that radius. ModelError for a shorter one, or one of a frustum.
        """
        radius, half_height, top = check_sizes(
            "cylinder", radius, half_height, radius if top_radius is None else top_radius
        )
        if barrel_radius and (not barrel_radius >= half_height or top != radius):
            raise ModelError(
                f"Mesh.create_cylinder barrel_radius: {barrel_radius:g}; it must be zero or at least half_height {half_height:g}, without top_radius"
            )
        if barrel_radius:
            made = tessellate.barrel(radius, half_height, float(barrel_radius), max(segments // 4, 2), segments)
        else:
            made = tessellate.cylinder(radius, half_height, top, segments)
        return cls._made(made, compute_normals, compute_inertia, up_axis)

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
    def create_arrow(
        cls,
        base_radius: float,
        base_height: float,
        *,
        cap_radius: float | None = None,
        cap_height: float | None = None,
        up_axis: Axis = Axis.Y,
        segments: int = 32,
        compute_normals: bool = True,
        compute_uvs: bool = True,
        compute_inertia: bool = True,
    ) -> Any:
        """An arrow from the origin along ``up_axis``: a shaft of ``base_height`` and on it a cone [m], one closed
        surface.

        The cone is 1.8 times as wide as the shaft and 0.18 times as long where not given.
        """
        wide = 1.8 * base_radius if cap_radius is None else cap_radius
        tip = 0.18 * base_height if cap_height is None else cap_height
        radius, height, wide, tip = check_sizes("arrow", base_radius, base_height, wide, tip)
        return cls._made(
            tessellate.arrow(radius, height, wide, tip, segments), compute_normals, compute_inertia, up_axis
        )

    @classmethod
    def create_heightfield(
        cls,
        heightfield: np.ndarray,
        extent_x: float,
        extent_y: float,
        center_x: float = 0.0,
        center_y: float = 0.0,
        ground_z: float = 0.0,
        *,
        compute_normals: bool = False,
        compute_uvs: bool = False,
        compute_inertia: bool = True,
    ) -> Any:
        """The solid between heights [m] ``[nx, ny]``, at least 2 by 2, and the level ``ground_z``.

        Rows of ``heightfield`` go along x, its columns along y (unlike ``Heightfield``); they span the extents [m]
        about the centre. Where a height is below ``ground_z``, the ground is put
        there, with a NewtonWarning. ModelError where a height is not finite, or ``compute_uvs`` is set.
        """
        refuse_uvs("heightfield", compute_uvs)
        extents, centre = check_sizes("heightfield", extent_x, extent_y), (center_x, center_y)
        return cls._made(heightmap_mesh.solid(heightfield, extents, centre, ground_z), compute_normals, compute_inertia)

    @classmethod
    def create_terrain(
        cls,
        grid_size: tuple[int, int] = (4, 4),
        block_size: tuple[float, float] = (5.0, 5.0),
        terrain_types: list[str] | str | object | None = None,
        terrain_params: dict | None = None,
        seed: int | None = None,
        *,
        compute_normals: bool = False,
        compute_uvs: bool = False,
        compute_inertia: bool = True,
    ) -> Any:
        """``grid_size`` (rows along y, columns along x) blocks of ``block_size`` (x, y) [m], the first at the origin.

        ``terrain_types`` is one type, or several taken in turn row by row: "flat", "pyramid_stairs", "random_grid",
        "wave", "box", "gap" (all six when None), "heightfield", or a function of the block's size that returns vertices
        [n, 3] and indices [m, 3]. ``terrain_params`` maps types to arguments of the functions in
        ``newtonlite.geometry.terrain``. ``seed`` makes random grids the same each time. Flat and wavy blocks are open
        surfaces, the others closed. ModelError for unknown types and arguments, and sizes that are too small.
        """
        refuse_uvs("terrain", compute_uvs)
        made = terrain.grid(grid_size, check_sizes("terrain", *block_size), terrain_types, terrain_params or {}, seed)
        return cls._made(made, compute_normals, compute_inertia)

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
        raise ModelError(f"Mesh.create_{what}: sizes {lengths.tolist()}; they must be positive and finite")
    return lengths


def refuse_uvs(what: str, asked: bool) -> None:
    """ModelError where texture coordinates are asked for that no one makes."""
    if asked:
        raise ModelError(
            f"Mesh.create_{what} compute_uvs: texture coordinates are not made; leave it out and give the mesh its uvs"
        )
