"""Cloth and soft blocks of Newton's builder, as flexes: points that slide, and triangles or tetrahedra between them.

What maps exactly is taken: Lame's constants of blocks, and those of a membrane per area, which are Young's modulus and
Poisson's ratio in other words; masses of points; radius of particles; what is fixed. Damping, drag, lift, springs and bending
have other laws in MuJoCo and are refused unless they are 0.
"""

import json
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError, WrongTypeError, external
from newtonlite.core.packed_array import pack_array
from newtonlite.geometry.mesh_quality import validate_tet_mesh, validate_triangle_mesh
from newtonlite.geometry.tet_mesh import TetMesh
from newtonlite.math.quat import matrix
from newtonlite.sim.builder import check
from newtonlite.sim.builder.config import JointDofConfig
from newtonlite.sim.namespace.registration import register

ROUND = 2.0 / 3.0 * 0.005**2
"""Inertia of a point over its mass [m^2], that of a small box; points slide and do not turn."""
LAME = 1000.0  # [Pa] where nothing else is said, as in Newton
MEMBRANE = 100.0  # [N/m] likewise
STRETCH = 2
"""Bit of ``elastic2d``: stretching is elastic, bending is not."""


class SoftMethods:
    """Methods of the builder for cloth and soft blocks; the model has a body for each point that is not fixed."""

    def add_soft_mesh(
        self,
        *,
        pos: Any,
        rot: Any,
        scale: float,
        vel: Any,
        mesh: TetMesh | None = None,
        vertices: Any = None,
        indices: Any = None,
        density: float | None = None,
        k_mu: Any = None,
        k_lambda: Any = None,
        k_damp: Any = None,
        particle_radius: float | None = None,
        validate_mesh: bool = False,
        label: str | None = None,
        elastic3d: int = 0,
        **others: Any,
    ) -> None:
        """Add a soft body of tetrahedra.

        Args:
            pos, rot, scale: place [m], rotation (x, y, z, w) and scale of ``vertices``.
            vel: velocity of all points [m/s].
            mesh: a ``TetMesh``: points, tetrahedra and what else is None here.
            vertices: points [n, 3].
            indices: points of the tetrahedra [4 m].
            density: mass per volume [kg/m^3]; a tetrahedron gives a quarter of its mass to each of its points. None: 1.
            k_mu, k_lambda: Lame's constants [Pa], of all tetrahedra together. None: 1,000.
            k_damp: has to be 0.
            particle_radius: radius of the points [m]; None: 0.1, as in Newton.
            validate_mesh: warn of tetrahedra that are inverted, tiny or thin (``newtonlite.utils.validate_tet_mesh``).
            label: name of the body.
            elastic3d: 0 a Saint Venant-Kirchhoff solid, 1 a Neo-Hookean one, which the integrator discrete alone takes;
                as ``mjsFlex.elastic3d``.
            others: Newton's stiffness, damping and drag of a surface, which have to be 0, and what only draws it.

        Raises ModelError for what no flex has, and for lists that do not belong together.
        """
        if mesh is not None and not isinstance(mesh, TetMesh):
            raise WrongTypeError(
                f"add_soft_mesh mesh: expected a TetMesh, got {type(mesh).__name__}; give vertices and indices"
            )
        name = self._soft_name(label)
        if mesh is not None:
            vertices = mesh.vertices if vertices is None else vertices
            indices = mesh.tet_indices if indices is None else indices
        density, k_mu, k_lambda, k_damp = (
            first_given(value, getattr(mesh, key, None), default)
            for key, value, default in (
                ("density", density, 1.0),
                ("k_mu", k_mu, LAME),
                ("k_lambda", k_lambda, LAME),
                ("k_damp", k_damp, 0.0),
            )
        )
        only_zero(name, others | {"k_damp": k_damp}, "tri_ke tri_ka tri_kd tri_drag tri_lift edge_ke edge_kd k_damp")
        if validate_mesh:
            validate_tet_mesh(vertices, indices, label=label, stacklevel=external() + 1)
        points, elements = mesh_lists(name, vertices, indices, 4)
        points = points * check.number(scale, f"{name} scale", low=0.0, above=True)
        corner = points[elements]
        volume = np.abs(np.linalg.det(corner[:, 1:] - corner[:, :1])) / 6.0
        mass = shared(elements, volume * check.number(density, f"{name} density", low=0.0, above=True), len(points))
        elastic = block(name, k_mu, k_lambda) | {"elastic3d": elastic3d}
        self._add_flex(name, placed(name, points, pos, rot), elements, mass, vel, particle_radius, elastic)

    def add_soft_grid(
        self,
        *,
        pos: Any,
        rot: Any,
        vel: Any,
        dim_x: int,
        dim_y: int,
        dim_z: int,
        cell_x: float,
        cell_y: float,
        cell_z: float,
        density: float,
        k_mu: float,
        k_lambda: float,
        k_damp: float = 0.0,
        fix_left: bool = False,
        fix_right: bool = False,
        fix_top: bool = False,
        fix_bottom: bool = False,
        particle_radius: float | None = None,
        label: str | None = None,
        elastic3d: int = 0,
        **others: Any,
    ) -> None:
        """Add a soft block of ``dim_x`` by ``dim_y`` by ``dim_z`` cells, each of five tetrahedra.

        Points are numbered x first, then y, then z; each has the mass of a whole cell, as in Newton. ``fix_left`` and
        ``fix_right`` hold points at the ends of x, ``fix_bottom`` and ``fix_top`` those of y. Other arguments are those of
        ``add_soft_mesh``.
        """
        name = self._soft_name(label)
        only_zero(name, others | {"k_damp": k_damp}, "tri_ke tri_ka tri_kd tri_drag tri_lift edge_ke edge_kd k_damp")
        count = cells(name, (dim_x, dim_y, dim_z))
        size = check.sizes({"cell_x": cell_x, "cell_y": cell_y, "cell_z": cell_z}, name)
        at = grid(count)
        mass = np.full(len(at), np.prod(size) * check.number(density, f"{name} density", low=0.0, above=True))
        mass[fixed(at, count, fix_left, fix_right, fix_bottom, fix_top)] = 0.0
        points = placed(name, at * size, pos, rot)
        elastic = block(name, k_mu, k_lambda) | {"elastic3d": elastic3d}
        self._add_flex(name, points, tetrahedra(count), mass, vel, particle_radius, elastic)

    def add_cloth_mesh(
        self,
        *,
        pos: Any,
        rot: Any,
        scale: float,
        vel: Any,
        vertices: Any,
        indices: Any,
        density: float,
        tri_ke: float | None = None,
        tri_ka: float | None = None,
        tri_kd: float = 0.0,
        edge_ke: float = 0.0,
        particle_radius: float | None = None,
        validate_mesh: bool = False,
        label: str | None = None,
        **others: Any,
    ) -> None:
        """Add a cloth of triangles.

        Args:
            density: mass per area [kg/m^2]; a triangle gives a third of its mass to each of its points.
            tri_ke, tri_ka: Lame's constants of the membrane, per area [N/m]. None: 100, as in Newton.
            tri_kd, edge_ke: have to be 0, where Newton's defaults are not.
            others: Newton's drag, lift, springs and damping, which have to be 0, and what only draws it.

        Other arguments and errors are those of ``add_soft_mesh``.
        """
        name = self._soft_name(label)
        only_zero(name, others | {"tri_kd": tri_kd, "edge_ke": edge_ke}, CLOTH_ZERO)
        if validate_mesh:
            validate_triangle_mesh(vertices, indices, label=label, stacklevel=external() + 1)
        points, elements = mesh_lists(name, vertices, indices, 3)
        points = points * check.number(scale, f"{name} scale", low=0.0, above=True)
        corner = points[elements]
        sides = corner[:, 1:] - corner[:, :1]
        area = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=-1)
        mass = shared(elements, area * check.number(density, f"{name} density", low=0.0, above=True), len(points))
        self._add_flex(
            name, placed(name, points, pos, rot), elements, mass, vel, particle_radius, sheet(name, tri_ke, tri_ka)
        )

    def add_cloth_grid(
        self,
        *,
        pos: Any,
        rot: Any,
        vel: Any,
        dim_x: int,
        dim_y: int,
        cell_x: float,
        cell_y: float,
        mass: float,
        tri_ke: float | None = None,
        tri_ka: float | None = None,
        tri_kd: float = 0.0,
        edge_ke: float = 0.0,
        reverse_winding: bool = False,
        fix_left: bool = False,
        fix_right: bool = False,
        fix_top: bool = False,
        fix_bottom: bool = False,
        particle_radius: float | None = None,
        label: str | None = None,
        **others: Any,
    ) -> None:
        """Add a flat cloth of ``dim_x`` by ``dim_y`` cells, each of two triangles, with ``mass`` [kg] at each point.

        Points are numbered x first. Other arguments are those of ``add_soft_grid`` and ``add_cloth_mesh``.
        """
        name = self._soft_name(label)
        only_zero(name, others | {"tri_kd": tri_kd, "edge_ke": edge_ke}, CLOTH_ZERO)
        count = cells(name, (dim_x, dim_y))
        at = grid((*count, 0))
        masses = np.full(len(at), check.number(mass, f"{name} mass", low=0.0, above=True))
        masses[fixed(at, (*count, 0), fix_left, fix_right, fix_bottom, fix_top)] = 0.0
        size = (*check.sizes({"cell_x": cell_x, "cell_y": cell_y}, name), 0.0)
        elements = triangles(count, reverse_winding)
        points = placed(name, at * size, pos, rot)
        self._add_flex(name, points, elements, masses, vel, particle_radius, sheet(name, tri_ke, tri_ka))

    def _soft_name(self: Any, label: str | None) -> str:
        """Name of a new flex; the builder learns of flexes."""
        if "mujoco:flex" not in self.custom_frequencies:
            register(self)
        return label or f"soft_{self.custom_frequency_counts['mujoco:flex']}"

    def _add_flex(self: Any, name: str, points, elements, mass, vel, radius: float | None, elasticity: dict) -> None:
        """Bodies on three slides for points with mass, and the rows of the flex over them."""
        speed = check.vector(vel, f"{name} vel")
        radius = check.number(0.1 if radius is None else radius, f"{name} particle_radius", low=0.0)
        bodies = []
        for k, (place, m) in enumerate(zip(points.tolist(), mass.tolist(), strict=True)):
            if m <= 0.0:
                bodies.append(-1)
                continue
            at, own = (*place, 0.0, 0.0, 0.0, 1.0), f"{name}_{k}"
            body = self.add_link(xform=at, mass=m, inertia=np.eye(3) * m * ROUND, label=own, lock_inertia=True)
            axes = [JointDofConfig.create_unlimited(axis) for axis in "xyz"]
            joint = self.add_joint_d6(-1, body, linear_axes=axes, parent_xform=at, label=f"{own}_slide")
            self.joint_qd[-3:] = speed.tolist()
            self.add_articulation([joint], label=own)
            bodies.append(body)
        counts = self.custom_frequency_counts
        row = elasticity | {
            "label": name,
            "name": name,
            "dim": elements.shape[1] - 1,
            "radius": radius,
            "selfcollide": 0,
            "mesh": json.dumps({"elements": pack_array(elements.astype(np.int32))}),
            "vert_adr": counts["mujoco:flex_vert"],
            "vert_num": len(points),
            "node_adr": counts["mujoco:flex_node"],
        }
        rows = [{f"mujoco:flex_{key}": value for key, value in row.items()}]
        rows += [
            {"mujoco:flex_vert_body": body, "mujoco:flex_vert_pos": tuple(place) if body < 0 else (0.0, 0.0, 0.0)}
            for body, place in zip(bodies, points.tolist(), strict=True)
        ]
        self.add_custom_values_batch(rows)


CLOTH_ZERO = "tri_kd tri_drag tri_lift edge_ke edge_kd add_springs spring_ke spring_kd"
DRAWN = {"color", "opacity", "add_surface_mesh_edges"}
"""Arguments that change nothing that is simulated."""


def first_given(*values: Any) -> Any:
    """The first that is not None."""
    return next(value for value in values if value is not None)


def only_zero(where: str, given: dict[str, Any], names: str) -> None:
    """ModelError for arguments that no flex has: those of ``names`` that are not 0, and unknown ones that are given."""
    for name, value in given.items():
        known = name in names.split()
        if name in DRAWN or value is None or (known and not np.any(value)):
            continue
        advice = "give 0" if known else "leave it out"
        raise ModelError(f"{where}: {name} has no counterpart in MuJoCo's flexes; {advice}")


def block(where: str, mu: Any, lam: Any) -> dict[str, float]:
    """Young's modulus ``mu (3 lambda + 2 mu) / (lambda + mu)`` and Poisson's ratio ``lambda / (2 (lambda + mu))``."""
    mu, lam = uniform(f"{where} k_mu", mu), uniform(f"{where} k_lambda", lam)
    if mu == 0.0:
        raise ModelError(f"{where} k_mu: 0 makes no elastic body; give a positive number")
    return {"young": mu * (3.0 * lam + 2.0 * mu) / (lam + mu), "poisson": 0.5 * lam / (lam + mu)}


def sheet(where: str, mu: Any, lam: Any) -> dict[str, float]:
    """Young's modulus ``2 mu (1 + nu)`` and Poisson's ratio ``nu = lambda / (lambda + 2 mu)`` of plane stress, of a
    membrane of thickness 1.
    """
    mu = uniform(f"{where} tri_ke", MEMBRANE if mu is None else mu)
    lam = uniform(f"{where} tri_ka", MEMBRANE if lam is None else lam)
    if mu == 0.0:
        raise ModelError(f"{where} tri_ke: 0 makes no elastic membrane; give a positive number")
    poisson = lam / (lam + 2.0 * mu)
    if poisson >= 0.5:
        raise ModelError(f"{where} tri_ka: {lam:g} is not below twice tri_ke, {mu:g}, as MuJoCo's membranes need")
    return {"young": 2.0 * mu * (1.0 + poisson), "poisson": poisson, "thickness": 1.0, "elastic2d": STRETCH}


def uniform(where: str, value: Any) -> float:
    """A number that all elements share."""
    numbers = np.unique(np.asarray(value, float))
    if len(numbers) != 1:
        raise ModelError(f"{where}: differs between elements; a flex has one for all of them")
    return check.number(float(numbers[0]), where, low=0.0)


def mesh_lists(where: str, vertices: Any, indices: Any, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3] and elements [m, width]; ModelError where they do not belong together."""
    if vertices is None or indices is None:
        raise ModelError(f"{where}: needs vertices and indices")
    points, flat = np.array(vertices, float).reshape(-1, 3), np.array(indices).astype(np.int64).ravel()
    if not flat.size or flat.size % width or flat.min() < 0 or flat.max() >= len(points):
        raise ModelError(f"{where} indices: give {width} for each element, of points from 0 to {len(points) - 1}")
    if not np.isfinite(points).all():
        raise ModelError(f"{where} vertices: some are not finite")
    return points, flat.reshape(-1, width)


def shared(elements: np.ndarray, mass: np.ndarray, count: int) -> np.ndarray:
    """Mass of each point, an equal share of that of its elements [kg]."""
    width = elements.shape[1]
    return np.bincount(elements.ravel(), np.repeat(mass / width, width), count)


def placed(where: str, points: np.ndarray, pos: Any, rot: Any) -> np.ndarray:
    """Points in the world."""
    x, y, z, w = check.rotation(rot, f"{where} rot")
    return points @ matrix(np.array((w, x, y, z))).T + check.vector(pos, f"{where} pos")


def cells(where: str, count: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of cells; ModelError where one is not positive."""
    if min(count) < 1:
        raise ModelError(f"{where}: {count} cells; give at least one along each axis")
    return tuple(int(c) for c in count)


def grid(count: tuple[int, ...]) -> np.ndarray:
    """Points [n, 3] of a grid of cells in units of cells, x first."""
    z, y, x = np.indices([c + 1 for c in reversed(count)]).reshape(3, -1)
    return np.stack([x, y, z], axis=-1)


def fixed(at: np.ndarray, count: tuple[int, ...], left: bool, right: bool, bottom: bool, top: bool) -> np.ndarray:
    """Mask of the points that are held: at the ends of x, and of y."""
    x, y = at[:, 0], at[:, 1]
    return (left & (x == 0)) | (right & (x == count[0])) | (bottom & (y == 0)) | (top & (y == count[1]))


def triangles(count: tuple[int, ...], reverse: bool) -> np.ndarray:
    """Two triangles for each cell of a flat grid; ``reverse`` takes the other diagonal."""
    cell = grid((count[0] - 1, count[1] - 1, 0))
    first = cell[:, 0] + (count[0] + 1) * cell[:, 1]
    a, b, c, d = first, first + 1, first + count[0] + 2, first + count[0] + 1
    pair = [(a, b, c), (a, c, d)] if reverse else [(a, b, d), (b, c, d)]
    return np.stack([np.stack(t, axis=-1) for t in pair], axis=1).reshape(-1, 3)


CORNERS = ((0, 1, 3, 4), (2, 1, 3, 6), (5, 1, 4, 6), (7, 3, 4, 6), (1, 3, 4, 6))
"""Tetrahedra of a cell by its corners, counted round the lower side of y and then round the upper one."""
MIRRORED = (1, 0, 3, 2, 5, 4, 7, 6)


def tetrahedra(count: tuple[int, ...]) -> np.ndarray:
    """Five tetrahedra for each cell of a grid; every other cell is mirrored, so that faces of neighbours meet."""
    cell = grid(tuple(c - 1 for c in count))
    corner = np.array([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1), (0, 1, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1)])
    steps = np.array([1, count[0] + 1, (count[0] + 1) * (count[1] + 1)])
    ids = (cell[:, None] + corner) @ steps
    odd = cell.sum(-1) % 2 == 1
    ids = np.where(odd[:, None], ids, ids[:, MIRRORED])
    return ids[:, np.array(CORNERS)].reshape(-1, 4)
