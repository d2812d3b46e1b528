"""Builtin meshes of MJCF: vertices [n, 3] and triangles [m, 3], none where the shape is the hull of its vertices."""

import numpy as np

GOLDEN = 0.5 * (1.0 + 5.0**0.5)
NO_FACES = np.zeros((0, 3), np.int64)
Surface = tuple[np.ndarray, np.ndarray]


def sphere(subdivisions: int) -> Surface:
    """An icosahedron of radius 1 whose triangles are divided into four, ``subdivisions`` times, and its corners put on
    the ball.
    """
    corners = [(-1, GOLDEN, 0), (1, GOLDEN, 0), (-1, -GOLDEN, 0), (1, -GOLDEN, 0)]
    corners += [(z, x, y) for x, y, z in corners] + [(y, z, x) for x, y, z in corners]
    around = [
        (0, 11, 5),
        (0, 5, 1),
        (0, 1, 7),
        (0, 7, 10),
        (0, 10, 11),
        (1, 5, 9),
        (5, 11, 4),
        (11, 10, 2),
        (10, 7, 6),
        (7, 1, 8),
    ]
    around += [
        (3, 9, 4),
        (3, 4, 2),
        (3, 2, 6),
        (3, 6, 8),
        (3, 8, 9),
        (4, 9, 5),
        (2, 4, 11),
        (6, 2, 10),
        (8, 6, 7),
        (9, 8, 1),
    ]
    points = [on_unit_ball(np.array(p, float)) for p in corners]
    triangles = np.array(around, np.int64)
    for _ in range(subdivisions):
        triangles = divide(points, triangles)
    return np.array(points), triangles


def divide(points: list[np.ndarray], triangles: np.ndarray) -> np.ndarray:
    """Each triangle as four; the middles of edges are put on the unit ball and added to the points."""
    middles: dict[tuple[int, int], int] = {}

    def middle(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in middles:
            middles[key] = len(points)
            points.append(on_unit_ball(points[a] + points[b]))
        return middles[key]

    found = []
    for a, b, c in triangles.tolist():
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        found += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.array(found, np.int64)


def hemisphere(resolution: int) -> Surface:
    """The upper half of a ball of radius 1, from an octahedron in ``resolution + 1`` rings, with a flat bottom."""
    count = resolution + 1
    points, triangles = [np.array([0.0, 0.0, 1.0])], []
    turns = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]])
    rings = [np.array([0])]
    for i in range(1, count + 1):
        rings.append(len(points) + np.arange(4 * i))
        for q, k in np.ndindex(4, i):
            x, y = ((i - k) * turns[q] + k * turns[q + 1]) / count
            points.append(on_unit_ball(np.array([x, y, 1.0 - i / count])))
    for i in range(count):
        inner, outer = rings[i], rings[i + 1]
        for q in range(4):
            a = inner[(q * i + np.arange(i + 1)) % len(inner)]
            b = outer[(q * (i + 1) + np.arange(i + 2)) % len(outer)]
            for k in range(i):
                triangles += [(a[k], b[k], b[k + 1]), (a[k], b[k + 1], a[k + 1])]
            triangles.append((a[i], b[i], b[i + 1]))
    rim = rings[-1]
    triangles += [(a, len(points), b) for a, b in zip(rim, np.roll(rim, -1), strict=True)]
    return np.array([*points, np.zeros(3)]), np.array(triangles, np.int64)


def cone(sides: int, top: float) -> Surface:
    """Corners of a pyramid, or of a frustum where the ``top`` radius is not 0, from z = -1, radius 1, to z = 1; no
    faces.
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle), -np.ones(sides)], axis=1)
    above = ring * (top, top, -1.0) if top != 0.0 else np.array([[0.0, 0.0, 1.0]])
    return np.concatenate([ring, above]), NO_FACES


def bent(turn: np.ndarray, angle: np.ndarray, power: float) -> np.ndarray:
    """A sine or cosine ``turn(angle)`` to a power, its sign kept."""
    value = turn(angle)
    return np.sign(value) * np.abs(value) ** power


def supersphere(resolution: int, east: float, north: float) -> Surface:
    """A superquadric ball: ``resolution`` points around, ``resolution - 1`` rings between poles; exponents around and
    up.
    """
    up = np.pi * np.arange(1, resolution) / resolution - 0.5 * np.pi
    around = 2.0 * np.pi * np.arange(resolution) / resolution - np.pi
    wide, z = bent(np.cos, up, north), bent(np.sin, up, north)
    x, y = np.outer(wide, bent(np.cos, around, east)), np.outer(wide, bent(np.sin, around, east))
    rings = np.stack([x, y, np.broadcast_to(z[:, None], x.shape)], axis=-1).reshape(-1, 3)
    points = np.concatenate([[[0.0, 0.0, -1.0]], rings, [[0.0, 0.0, 1.0]]])
    here = np.arange(resolution)
    after = (here + 1) % resolution
    faces = [np.stack([np.zeros(resolution, int), 1 + after, 1 + here], axis=1)]
    for i in range(resolution - 2):
        a, b = 1 + i * resolution, 1 + (i + 1) * resolution
        faces.append(pairs([a + here, a + after, b + here], [a + after, b + after, b + here]))
    last = 1 + (resolution - 2) * resolution
    faces.append(np.stack([last + here, last + after, np.full(resolution, len(points) - 1)], axis=1))
    return points, np.concatenate(faces)


def supertorus(resolution: int, radius: float, inner: float, outer: float) -> Surface:
    """A superquadric ring: ``resolution`` tubes' corners by as many around; exponents of the tube's section and of the
    ring.
    """
    angle = 2.0 * np.pi * np.arange(resolution) / resolution
    wide, z = 1.0 + radius * bent(np.cos, angle, inner), radius * bent(np.sin, angle, inner)
    x, y = np.outer(bent(np.cos, angle, outer), wide), np.outer(bent(np.sin, angle, outer), wide)
    points = np.stack([x, y, np.broadcast_to(z, x.shape)], axis=-1).reshape(-1, 3)
    here = np.arange(resolution)
    after = (here + 1) % resolution
    faces = []
    for i in range(resolution):
        a, b = i * resolution, (i + 1) % resolution * resolution
        faces.append(pairs([a + here, b + here, a + after], [b + here, b + after, a + after]))
    return points, np.concatenate(faces)


def wedge(across: int, along: int, width: float, height: float, fovea: float) -> Surface:
    """Points of the unit ball about -z: ``across`` by ``along`` cells of a view of half angles [degrees]; denser at the
    middle by ``fovea``.
    """
    azimuth, elevation = (np.deg2rad(angle) * cells(n, fovea) for n, angle in ((across, width), (along, height)))
    a, e = np.meshgrid(azimuth, elevation, indexing="ij")
    points = np.stack([np.sin(a) * np.cos(e), np.sin(e), -np.cos(a) * np.cos(e)], axis=-1)
    return points.reshape(-1, 3), NO_FACES


def tangents(kind: str, points: np.ndarray) -> np.ndarray:
    """The two directions [n, 2, 3] along which sensors on the points of a wedge or a plate feel sliding; none [0, 2, 3]
    for other kinds.

    On a wedge they lead to the next points across and along; of a plate they are y and z.
    """
    if kind == "plate":
        return np.broadcast_to(np.eye(3)[1:], (len(points), 2, 3))
    if kind != "wedge":
        return np.zeros((0, 2, 3))
    a, e = np.arctan2(points[:, 0], -points[:, 2]), np.arcsin(np.clip(points[:, 1], -1.0, 1.0))
    across = np.stack([np.cos(a), np.zeros_like(a), np.sin(a)], axis=-1)
    along = np.stack([-np.sin(a) * np.sin(e), np.cos(e), np.cos(a) * np.sin(e)], axis=-1)
    return np.stack([across, along], axis=1)


def cells(count: int, fovea: float) -> np.ndarray:
    """Middles of ``count`` cells between -1 and 1, whose borders are pulled to 0 by ``fovea`` (0: even)."""
    border = np.linspace(-1.0, 1.0, count + 1)
    border = fovea * border**5 + (1.0 - fovea) * border
    return 0.5 * (border[1:] + border[:-1])


def plate(across: int, along: int) -> Surface:
    """A flat rectangle at z = -1 between the middles of ``across`` by ``along`` cells of the square from -1 to 1."""
    x, y = np.meshgrid(cells(across, 0.0), cells(along, 0.0), indexing="ij")
    points = np.stack([x, y, -np.ones_like(x)], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(across - 1):
        a = i * along + np.arange(along - 1)
        b = a + along
        faces.append(pairs([a, b, a + 1], [b + 1, a + 1, b]))
    return points, np.concatenate([NO_FACES, *faces])


def pairs(first: list, second: list) -> np.ndarray:
    """Two triangles of each quadrangle [2 n, 3], in turn; each is given by three arrays [n] of corners."""
    return np.stack([np.stack(first, axis=1), np.stack(second, axis=1)], axis=1).reshape(-1, 3)


def on_unit_ball(point: np.ndarray) -> np.ndarray:
    """A point on the unit ball."""
    return point / np.linalg.norm(point)


def grid(nx: int, ny: int, nz: int, dx: float, dy: float, dz: float) -> Surface:
    """A lattice of points about the origin, x slowest; no faces."""
    steps = np.stack(np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij"), axis=-1).reshape(-1, 3)
    return (steps - 0.5 * np.array([nx - 1, ny - 1, nz - 1])) * (dx, dy, dz), NO_FACES


def rim(nx: int, ny: int, nz: int) -> np.ndarray:
    """Points of the surface of a lattice [n, 3], each coordinate from -1 to 1: lower and upper side, then those across
    y, then across x.
    """
    x, y, z = (np.linspace(-1.0, 1.0, n) for n in (nx, ny, nz))
    sides = [
        (x, y, z[:1]),
        (x, y, z[-1:]),
        (x, y[:1], z[1:-1]),
        (x, y[-1:], z[1:-1]),
        (x[:1], y[1:-1], z[1:-1]),
        (x[-1:], y[1:-1], z[1:-1]),
    ]
    return np.concatenate([np.stack(np.meshgrid(*side, indexing="ij"), axis=-1).reshape(-1, 3) for side in sides])


def lattice(points: np.ndarray, counts: tuple, steps: tuple) -> Surface:
    """The origin, and points of a lattice's surface at their size; no faces."""
    half = 0.5 * (np.array(counts) - 1) * steps
    return np.concatenate([np.zeros((1, 3)), points * half]), NO_FACES


def box(nx: int, ny: int, nz: int, dx: float, dy: float, dz: float) -> Surface:
    """The middle and the surface of a lattice of points; no faces."""
    return lattice(rim(nx, ny, nz), (nx, ny, nz), (dx, dy, dz))


def cylinder(nx: int, ny: int, nz: int, dx: float, dy: float, dz: float) -> Surface:
    """A box whose rings are pulled onto ellipses; no faces."""
    points = rim(nx, ny, nz)
    points[:, :2] = rounded(points[:, :2])
    return lattice(points, (nx, ny, nz), (dx, dy, dz))


def ellipsoid(nx: int, ny: int, nz: int, dx: float, dy: float, dz: float) -> Surface:
    """A box whose points are pulled onto an ellipsoid; no faces."""
    return lattice(rounded(rim(nx, ny, nz)), (nx, ny, nz), (dx, dy, dz))


def rounded(points: np.ndarray) -> np.ndarray:
    """Points [n, k] of nested cubes as points of nested balls."""
    size = np.linalg.norm(points, axis=1, keepdims=True)
    return points * np.abs(points).max(axis=1, keepdims=True) / np.where(size > 0.0, size, 1.0)
