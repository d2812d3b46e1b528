"""Mass, centre of mass and inertia of solids and shells of uniform density, in closed form."""

import hashlib
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.geometry.barrel import disks, is_barrel
from newtonlite.math.transform import apply, cross, quat_to_matrix


@dataclass(frozen=True)
class MassProperties:
    """``mass`` [kg], ``com`` [3, m], and ``inertia`` [3, 3, kg m^2] about the centre of mass."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


REMEMBERED = 1024
"""Meshes whose mass is kept in memory."""
_weighed: dict[bytes, MassProperties] = {}
NOTHING = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))


def about(mass: float, moments, com=(0.0, 0.0, 0.0)) -> MassProperties:
    """Principal ``moments`` [3] about the centre of mass."""
    return MassProperties(float(mass), np.array(com, float), np.diag(np.asarray(moments, float)))


def sphere(density: float, radius: float) -> MassProperties:
    """``m = 4/3 pi r^3``, ``I = 2/5 m r^2``."""
    m = density * 4.0 / 3.0 * np.pi * radius**3
    return about(m, [0.4 * m * radius**2] * 3)


def ellipsoid(density: float, rx: float, ry: float, rz: float) -> MassProperties:
    """``m = 4/3 pi abc``, ``I_x = m (b^2 + c^2) / 5``."""
    m = density * 4.0 / 3.0 * np.pi * rx * ry * rz
    a, b, c = rx**2, ry**2, rz**2
    return about(m, [m * (b + c) / 5.0, m * (a + c) / 5.0, m * (a + b) / 5.0])


def box(density: float, hx: float, hy: float, hz: float) -> MassProperties:
    """Half extents: ``m = 8 xyz``, ``I_x = m (y^2 + z^2) / 3``."""
    m = density * 8.0 * hx * hy * hz
    a, b, c = hx**2, hy**2, hz**2
    return about(m, [m * (b + c) / 3.0, m * (a + c) / 3.0, m * (a + b) / 3.0])


def cylinder(density: float, radius: float, half_height: float, barrel_radius: float = 0.0) -> MassProperties:
    """Along z: ``I_z = m r^2 / 2``, ``I_x = m (3 r^2 + h^2) / 12`` with the full height h; a barrel where
    ``barrel_radius``, that of its sides' arcs, is at least ``half_height``.
    """
    if is_barrel(half_height, barrel_radius):
        return barrel(density, radius, half_height, barrel_radius)
    h = 2.0 * half_height
    m = density * np.pi * radius**2 * h
    side = m * (3.0 * radius**2 + h**2) / 12.0
    return about(m, [side, side, 0.5 * m * radius**2])


def barrel(density: float, radius: float, half_height: float, barrel_radius: float) -> MassProperties:
    """Disks of radius ``r(z)``: ``m = pi int r^2``, ``I_z = pi/2 int r^4``, ``I_x = pi int (r^4 / 4 + r^2 z^2)``."""
    z, r, step = disks(radius, half_height, barrel_radius)
    step = density * np.pi * step
    side = float(step @ (0.25 * r**4 + r**2 * z**2))
    return about(float(step @ r**2), [side, side, float(step @ (0.5 * r**4))])


def capsule(density: float, radius: float, half_height: float) -> MassProperties:
    """A cylinder along z between two half balls, each with its centre of mass 3/8 r beyond the rim."""
    h = 2.0 * half_height
    body = cylinder(density, radius, half_height)
    ball = density * 4.0 / 3.0 * np.pi * radius**3
    side = body.inertia[0, 0] + ball * (0.4 * radius**2 + 0.5 * half_height * h + 0.375 * h * radius)
    return about(body.mass + ball, [side, side, body.inertia[2, 2] + 0.4 * ball * radius**2])


def cone(density: float, radius: float, half_height: float) -> MassProperties:
    """Base at -z, tip at +z; the centre of mass lies a quarter of the height above the base."""
    h = 2.0 * half_height
    m = density * np.pi * radius**2 * h / 3.0
    side = m * (3.0 / 20.0 * radius**2 + 3.0 / 80.0 * h**2)
    return about(m, [side, side, 0.3 * m * radius**2], com=(0.0, 0.0, -0.25 * h))


def mesh(density: float, vertices: np.ndarray, triangles: np.ndarray) -> MassProperties:
    """A solid inside a closed surface: ``vertices [n, 3]``, ``triangles [m, 3]``, seen counterclockwise from outside.

    Sums the signed tetrahedra between the triangles and the surface's middle (their second moments are exact); a
    surface that is inside out counts as positive mass.
    """
    middle = vertices.mean(axis=0) if len(vertices) else np.zeros(3)
    corners = np.asarray(vertices, float)[np.asarray(triangles).reshape(-1, 3)] - middle
    volumes = np.linalg.det(corners) / 6.0
    volume = volumes.sum()
    if abs(volume) < 1.0e-300:
        return NOTHING
    sums = corners.sum(axis=1)
    com = (volumes[:, None] * sums).sum(axis=0) / (4.0 * volume)
    # the second moment of a tetrahedron with one corner at the origin
    second = np.einsum("t,ti,tj->ij", volumes, sums, sums) + np.einsum("t,tci,tcj->ij", volumes, corners, corners)
    second = second / 20.0 - volume * np.outer(com, com)
    inertia = np.trace(second) * np.eye(3) - second
    sign = np.sign(volume)
    return MassProperties(density * abs(volume), com + middle, density * sign * inertia)


def surface(density: float, vertices: np.ndarray, triangles: np.ndarray, thickness: float) -> MassProperties:
    """A thin sheet over ``triangles [m, 3]``: area times thickness times density, spread over the surface."""
    corners = np.asarray(vertices, float)[np.asarray(triangles).reshape(-1, 3)]
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1)
    area = areas.sum()
    if area <= 0.0:
        return NOTHING
    com = (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / area
    corners = corners - com
    sums = corners.sum(axis=1)
    second = (np.einsum("t,ti,tj->ij", areas, sums, sums) + np.einsum("t,tci,tcj->ij", areas, corners, corners)) / 12.0
    k = density * thickness
    return MassProperties(k * area, com, k * (np.trace(second) * np.eye(3) - second))


def legacy_mesh(vertices: np.ndarray, triangles: np.ndarray, signed: bool = False) -> MassProperties:
    """``tetrahedra``, for the last meshes asked for from memory: importers weigh a mesh before the compiler does."""
    arrays = np.asarray(vertices, float), np.asarray(triangles, np.int64)
    content = hashlib.blake2b(bytes([signed]) + arrays[0].tobytes() + b"|" + arrays[1].tobytes(), digest_size=16)
    found = _weighed.get(content.digest())
    if found is None:
        if len(_weighed) >= REMEMBERED:
            _weighed.clear()
        found = _weighed[content.digest()] = tetrahedra(*arrays, signed)
    return MassProperties(found.mass, found.com.copy(), found.inertia.copy())


def tetrahedra(vertices: np.ndarray, triangles: np.ndarray, signed: bool) -> MassProperties:
    """MuJoCo's sums over tetrahedra, first from the middle of the faces, then from the centre found so.

    Its older one counts every tetrahedron as positive; the exact one, ``signed``, is that of the volume, and for
    surfaces that are not closed depends on the middle. Terms and sums are in MuJoCo's order: of a mesh with equal
    moments, or products of inertia of one size, the last digit chooses the axes.
    """
    corners = vertices[triangles]
    normals, areas, centres = _triangles(corners)
    total = _in_turn(areas)
    if not total > 0:
        return NOTHING
    middle = _in_turn(areas[:, None] * centres) / total
    volumes = _pyramids(centres - middle, normals, areas, signed)
    if not _in_turn(volumes) > 0:
        return NOTHING
    com = _in_turn(volumes[:, None] * (centres * 3 / 4 + middle / 4)) / _in_turn(volumes)
    corners = corners - com
    normals, areas, centres = _triangles(corners)
    volumes = _pyramids(centres, normals, areas, signed)
    second = np.zeros((3, 3))
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    for p, q in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        own = 2 * (a[:, p] * a[:, q] + b[:, p] * b[:, q] + c[:, p] * c[:, q])
        across = (
            own
            + a[:, p] * b[:, q]
            + a[:, q] * b[:, p]
            + a[:, p] * c[:, q]
            + a[:, q] * c[:, p]
            + b[:, p] * c[:, q]
            + b[:, q] * c[:, p]
        )
        second[p, q] = second[q, p] = _in_turn(volumes / 20 * across)
    x, y, z = np.diagonal(second)
    return MassProperties(float(_in_turn(volumes)), com, np.diag([y + z, x + z, x + y]) - (second - np.diag([x, y, z])))


def _triangles(corners) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit normals [n, 3], areas [n] and centres [n, 3] of triangles [n, 3, 3]; a triangle of no area has some normal."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = cross(b - a, c - a)
    lengths = np.sqrt(_dot(normals, normals))
    return normals / np.where(lengths > 0, lengths, 1.0)[:, None], lengths / 2, (a + b + c) / 3


def _pyramids(centres, normals, areas, signed: bool) -> np.ndarray:
    """Volumes [n] of tetrahedra between triangles and the origin."""
    volumes = _dot(centres, normals) * areas / 3
    return volumes if signed else np.abs(volumes)


def _dot(a, b) -> np.ndarray:
    """Products of vectors [n, 3], from left to right."""
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]


def _in_turn(values) -> np.ndarray:
    """The sum over the first axis, one after the other."""
    return np.add.accumulate(values, axis=0)[-1] if len(values) else np.zeros(values.shape[1:])


def scale_mesh(solid: MassProperties, scale: np.ndarray) -> MassProperties:
    """A solid stretched along its axes by ``scale`` [3], at the same density."""
    second = 0.5 * np.trace(solid.inertia) * np.eye(3) - solid.inertia
    volume = abs(np.prod(scale))
    second = volume * second * np.outer(scale, scale)
    return MassProperties(solid.mass * volume, solid.com * scale, np.trace(second) * np.eye(3) - second)


def move(solid: MassProperties, pose: np.ndarray) -> MassProperties:
    """Seen from a frame in which the solid's frame has this ``pose`` [7]."""
    turn = quat_to_matrix(pose[3:])
    return MassProperties(solid.mass, apply(pose, solid.com), turn @ solid.inertia @ turn.T)


def add_solids(a: MassProperties, b: MassProperties) -> MassProperties:
    """Two solids as one, by the parallel axis theorem."""
    mass = a.mass + b.mass
    if mass <= 0.0:
        return a
    com = (a.mass * a.com + b.mass * b.com) / mass
    return MassProperties(mass, com, _shifted(a, com) + _shifted(b, com))


def subtract(a: MassProperties, b: MassProperties) -> MassProperties:
    """Mass properties of ``a`` with ``b`` cut out."""
    return add_solids(a, MassProperties(-b.mass, b.com, -b.inertia))


def principal_moments(tensors: np.ndarray) -> np.ndarray:
    """Eigenvalues ``[n, 3]``, ascending, of symmetric matrices ``[n, 3, 3]``, by the trigonometric formula."""
    a = tensors.astype(float)
    mean = np.trace(a, axis1=1, axis2=2) / 3.0
    a = a - mean[:, None, None] * np.eye(3)
    spread = np.sqrt(np.sum(a * a, axis=(1, 2)) / 6.0)
    unit = np.where(spread > 0.0, spread, 1.0)[:, None, None]
    cosine = 0.5 * _determinant(a / unit)
    third = np.arccos(np.clip(cosine, -1.0, 1.0)) / 3.0
    high = mean + 2.0 * spread * np.cos(third)
    low = mean + 2.0 * spread * np.cos(third + 2.0 * np.pi / 3.0)
    return np.stack([low, 3.0 * mean - low - high, high], axis=1)


def inverse(tensors: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Inverses ``[n, 3, 3]`` of the matrices ``where`` says, by cofactors; zero elsewhere and for singular ones."""
    a = tensors.astype(float)
    cofactors = np.stack(
        [np.cross(a[:, :, 1], a[:, :, 2]), np.cross(a[:, :, 2], a[:, :, 0]), np.cross(a[:, :, 0], a[:, :, 1])], axis=1
    )
    determinant = _determinant(a)
    good = where & (np.abs(determinant) > 0.0)
    return cofactors * np.divide(1.0, determinant, out=np.zeros(len(a)), where=good)[:, None, None]


def _determinant(a: np.ndarray) -> np.ndarray:
    return np.einsum("ni,ni->n", a[:, 0], np.cross(a[:, 1], a[:, 2]))


def _shifted(solid: MassProperties, com: np.ndarray) -> np.ndarray:
    d = solid.com - com
    return solid.inertia + solid.mass * (d @ d * np.eye(3) - np.outer(d, d))


# shapes by type

PRIMITIVES = {
    GeoType.SPHERE: (sphere, 1),
    GeoType.CAPSULE: (capsule, 2),
    GeoType.CYLINDER: (cylinder, 3),
    GeoType.CONE: (cone, 2),
    GeoType.BOX: (box, 3),
    GeoType.ELLIPSOID: (ellipsoid, 3),
}
"""Formula of each shape, and how many numbers its size has."""


def compute_inertia_shape(
    type: int, scale: Sequence[float], src: Any, density: float, is_solid: bool = True, thickness: float = 0.001
) -> tuple[float, wp.vec3, wp.mat33]:
    """Mass [kg], centre [m] and inertia about it [kg m^2] of a shape of uniform density [kg/m^3], in its own frame.

    ``scale`` is its size as in ``ModelBuilder.add_shape``, ``src`` the mesh of a mesh. A hollow one has walls
    ``thickness`` [m] thick, cut from the inside; those of a mesh lie as far to both sides of its surface. Shapes that have no volume weigh nothing. Raises ModelError for a
    thickness that is not finite, negative, or leaves no hollow.
    """
    kind = GeoType(type)
    if not is_solid and not (math.isfinite(thickness) and thickness >= 0):
        raise ModelError(f"compute_inertia_shape: thickness must be finite and not negative, got {thickness}")
    if density == 0.0:
        return _as_warp(NOTHING)
    if kind not in PRIMITIVES:
        if not hasattr(src, "vertices"):
            return _as_warp(NOTHING)
        return _as_warp(mesh_inertia(src, np.asarray(scale, float)[:3], density, is_solid, thickness))
    formula, count = PRIMITIVES[kind]
    sizes = np.asarray(scale, float)[:count]
    if is_solid:
        return _as_warp(formula(density, *sizes))
    if thickness == 0.0:
        text = "compute_inertia_shape: walls of thickness 0 have zero mass and inertia; give a thickness"
        warnings.warn(text, NewtonWarning, stacklevel=2)
        return _as_warp(NOTHING)
    shell = hollow(kind, density, sizes, thickness)
    if shell is None:
        found = f"thickness {thickness:g} leaves no hollow in a {kind.name.lower()} of sizes {sizes.tolist()}"
        raise ModelError(f"compute_inertia_shape: {found}; give less, or is_solid=True")
    return _as_warp(shell)


def hollow(kind: GeoType, density: float, sizes: np.ndarray, thickness: float) -> MassProperties | None:
    """A primitive with walls cut from the inside; None where they leave no hollow.

    The inside of a capsule is a capsule of the same height: its walls are as thick at the ends.
    """
    formula, _ = PRIMITIVES[kind]
    inside = sizes - thickness * np.array([1.0, 0.0]) if kind is GeoType.CAPSULE else sizes - thickness
    walled = inside[: {GeoType.CAPSULE: 1, GeoType.CYLINDER: 2}.get(kind)]
    return subtract(formula(density, *sizes), formula(density, *inside)) if walled.min() > 0 else None


def mesh_inertia(source: Any, scale: np.ndarray, density: float, is_solid: bool, thickness: float) -> MassProperties:
    """Inertia of a mesh: as the mesh gives it at density 1 and scale 1, else from its surface; walls of a hollow one lie
    ``thickness`` to both sides of it, as in Newton."""
    if is_solid and source.is_solid and source.has_inertia:
        authored = MassProperties(
            source.mass * density, np.array(source.com, float), np.array(source.inertia, float).reshape(3, 3) * density
        )
        return scale_mesh(authored, scale)
    vertices = source.vertices * scale
    if is_solid and source.is_solid:
        return mesh(density, vertices, source.indices)
    return surface(density, vertices, source.indices, 2.0 * thickness)


def transform_inertia(mass: float, inertia: Any, offset: Any, quat: Any) -> wp.mat33:
    """Inertia [kg m^2] about a point from that about a centre of mass in axes turned by ``quat`` (x, y, z, w).

    ``offset`` [m] leads from the centre to the point.
    """
    pose = np.array([*offset, *quat], float)
    found = move(MassProperties(float(mass), np.zeros(3), np.array(inertia, float).reshape(3, 3)), pose)
    r = found.com
    about = found.inertia + mass * (r @ r * np.eye(3) - np.outer(r, r))
    return wp.mat33(*about.ravel().tolist())


def _as_warp(found: MassProperties) -> tuple[float, wp.vec3, wp.mat33]:
    return found.mass, wp.vec3(*found.com.tolist()), wp.mat33(*found.inertia.ravel().tolist())
