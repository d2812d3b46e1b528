"""Tessellation of simple shapes: vertices ``[n, 3]``, triangles ``[m, 3]``, counterclockwise seen from outside, about
z.
"""

import numpy as np

Triangles = tuple[np.ndarray, np.ndarray]


def box(half: np.ndarray, split: bool) -> Triangles:
    """A box with half extents [3]; with ``split`` every face has corners of its own, for flat shading."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    if split:
        corners, quads = corners[quads.ravel()], np.arange(24).reshape(6, 4)
    return corners, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def plane(width: float, length: float) -> Triangles:
    """A rectangle in the xy plane that faces up."""
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]) * [
        0.5 * width,
        0.5 * length,
        0.0,
    ]
    return corners, np.array([[0, 1, 2], [0, 2, 3]])


def ball(rings: int, segments: int) -> Triangles:
    """A unit ball of ``rings`` bands, each of ``segments`` sides."""
    theta = np.linspace(0.0, np.pi, rings + 1)
    return revolve(np.stack([np.sin(theta), np.cos(theta)], axis=1), segments)


def capsule(radius: float, half_height: float, segments: int) -> Triangles:
    """Two half balls and the barrel between them."""
    theta = np.linspace(0.0, 0.5 * np.pi, max(segments // 4, 1) + 1)
    cap = radius * np.stack([np.sin(theta), np.cos(theta)], axis=1)
    return revolve(np.vstack([cap + [0.0, half_height], cap[::-1] * [1.0, -1.0] - [0.0, half_height]]), segments)


def cylinder(radius: float, half_height: float, top_radius: float, segments: int) -> Triangles:
    """A cylinder, or a frustum, with flat ends."""
    return revolve(
        np.array([[0.0, half_height], [top_radius, half_height], [radius, -half_height], [0.0, -half_height]]), segments
    )


def barrel(radius: float, half_height: float, profile: float, rings: int, segments: int) -> Triangles:
    """A cylinder whose sides are arcs of radius ``profile``, with flat ends of ``radius``."""
    angle = np.linspace(1.0, -1.0, rings + 1) * np.arcsin(half_height / profile)
    bulge = profile * np.cos(angle) - np.sqrt(profile**2 - half_height**2)
    side = np.stack([radius + bulge, profile * np.sin(angle)], axis=1)
    return revolve(np.vstack([[0.0, half_height], side, [0.0, -half_height]]), segments)


def cone(radius: float, half_height: float, segments: int) -> Triangles:
    """A cone with its tip up and a flat base."""
    return revolve(np.array([[0.0, half_height], [radius, -half_height], [0.0, -half_height]]), segments)


def arrow(radius: float, height: float, cap_radius: float, cap_height: float, segments: int) -> Triangles:
    """A shaft that starts at the origin and a cone on top of it."""
    tip, shaft = [[0.0, height + cap_height], [cap_radius, height]], [[radius, height], [radius, 0.0], [0.0, 0.0]]
    return revolve(np.array(tip + shaft[int(cap_radius == radius) :]), segments)


def revolve(profile: np.ndarray, segments: int) -> Triangles:
    """Turn a profile ``[n, (radius, z)]``, from the top of the axis to its bottom, about z."""
    turn = 2.0 * np.pi * np.arange(segments) / segments
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    inner = [np.column_stack([r * ring, np.full(segments, z)]) for r, z in profile[1:-1]]
    vertices = np.vstack([[[0.0, 0.0, profile[0, 1]]], *inner, [[0.0, 0.0, profile[-1, 1]]]])
    here = np.arange(segments)
    there = (here + 1) % segments
    starts = 1 + segments * np.arange(len(inner))
    last = np.full(segments, len(vertices) - 1)
    parts = [[np.zeros(segments, int), starts[0] + here, starts[0] + there]]
    for a, b in zip(starts[:-1], starts[1:], strict=True):
        parts += [[a + here, b + here, b + there], [a + here, b + there, a + there]]
    parts.append([starts[-1] + here, last, starts[-1] + there])
    return vertices, np.concatenate([np.stack(part, axis=1) for part in parts])


def height_grid(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Triangles:
    """Heights ``z`` [nx, ny] over the grid of ``x`` [nx] and ``y`` [ny], facing up; two triangles per cell."""
    places = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1).reshape(-1, 3)
    number = np.arange(z.size).reshape(z.shape)
    a, b, c, d = number[:-1, :-1].ravel(), number[1:, :-1].ravel(), number[:-1, 1:].ravel(), number[1:, 1:].ravel()
    return places, np.stack([a, b, c, c, b, d], axis=1).reshape(-1, 3)


def join(parts: list[Triangles]) -> Triangles:
    """Several sets of triangles as one."""
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    return np.vstack([v for v, _ in parts]), np.vstack([t + s for (_, t), s in zip(parts, starts[:-1], strict=True)])


def along(vertices: np.ndarray, axis: int) -> np.ndarray:
    """Vertices made about z, about another axis instead."""
    return np.roll(vertices, axis - 2, axis=1)


def smooth_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals ``[n, 3]``: of the triangles at each vertex, weighted by area."""
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    out = np.zeros_like(vertices, dtype=float)
    for corner in range(3):
        np.add.at(out, triangles[:, corner], np.cross(b - a, c - a))
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1.0e-300)
