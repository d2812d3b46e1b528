"""Mesh quality: warnings of triangles and tetrahedra that are degenerate, thin, inverted or shared by too many."""

import warnings
from typing import Any

import numpy as np

from newtonlite.core.errors import NewtonWarning

TINY = 1e-30


def validate_triangle_mesh(
    vertices: Any,
    indices: Any,
    *,
    min_area: float = 1e-6,
    max_aspect_ratio: float = 20.0,
    min_angle_deg: float = 5.0,
    label: str | None = None,
    stacklevel: int = 2,
) -> None:
    """Warn (NewtonWarning) of triangles that are small [m^2], slivers by longest edge over least height, or sharp.

    ``vertices`` [n, 3] in metres, ``indices`` [m, 3] or flat. What cannot be triangles gets a warning too.
    """
    found = _corners(vertices, indices, 3, "Triangle", "Mesh has no triangles.", stacklevel)
    if found is None:
        return
    edges = np.roll(found, -1, axis=1) - found  # from each corner to the next
    length = np.linalg.norm(edges, axis=2)
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1) / 2
    longest = length.max(axis=1)
    aspect = longest**2 / np.maximum(2 * area, TINY)
    back = -np.roll(edges, 1, axis=1)
    cosine = (edges * back).sum(axis=2) / np.maximum(length * np.roll(length, 1, axis=1), TINY)
    angle = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).min(axis=1)
    issues = [
        (area < min_area, f"triangle(s) with area < {min_area} m²", ""),
        (
            aspect > max_aspect_ratio,
            f"sliver triangle(s) with aspect ratio > {max_aspect_ratio}",
            f"worst: {aspect.max():.1f}",
        ),
        (angle < min_angle_deg, f"triangle(s) with minimum angle < {min_angle_deg}°", f"smallest: {angle.min():.1f}°"),
    ]
    _tell(issues, f"{len(vertices)} vertices, {len(found)} triangles", label, "Consider remeshing it.", stacklevel)


def validate_tet_mesh(
    vertices: Any,
    indices: Any,
    *,
    min_volume: float = 1e-9,
    min_eta: float = 0.01,
    label: str | None = None,
    stacklevel: int = 2,
) -> None:
    """Warn (NewtonWarning) of tetrahedra that are inverted, small [m^3] or slivers, and of faces that three or more share.

    A sliver has a low mean ratio: 12 (3 volume)^(2/3) over the sum of its edges squared, 1 for a regular tetrahedron
    (Liu and Joe, 1994). ``vertices`` [n, 3] in metres, ``indices`` [m, 4] or flat.
    """
    found = _corners(vertices, indices, 4, "Tet", "Mesh has no tetrahedra.", stacklevel)
    if found is None:
        return
    a, b, c = (found[:, k] - found[:, 0] for k in (1, 2, 3))
    volume = (a * np.cross(b, c)).sum(axis=1) / 6
    first, second = np.triu_indices(4, 1)
    squares = ((found[:, first] - found[:, second]) ** 2).sum(axis=(1, 2))
    eta = 12 * np.cbrt(3 * np.abs(volume)) ** 2 / np.maximum(squares, TINY)
    corners = np.sort(np.asarray(indices, int).reshape(-1, 4), axis=1)
    faces = np.concatenate([np.delete(corners, k, axis=1) for k in range(4)])
    shared = np.unique(faces, axis=0, return_counts=True)[1] > 2
    issues = [
        (volume < 0, "inverted tetrahedron(s) of negative volume", ""),
        (np.abs(volume) < min_volume, f"tetrahedron(s) with volume < {min_volume} m³", ""),
        (eta < min_eta, f"sliver tetrahedron(s) with shape quality eta < {min_eta}", f"worst: {eta.min():.4f}"),
        (shared, "non-manifold face(s) of three or more tetrahedra", ""),
    ]
    _tell(issues, f"{len(vertices)} vertices, {len(found)} tetrahedra", label, "", stacklevel)


def _corners(vertices: Any, indices: Any, width: int, kind: str, empty: str, stacklevel: int) -> np.ndarray | None:
    """Corners of all elements [m, width, 3]; None, with a warning, where they are none."""
    points, rows = np.asarray(vertices, float).reshape(-1, 3), np.asarray(indices, int)
    problem = ""
    if rows.size % width or (rows.ndim > 1 and rows.shape[-1] != width):
        problem = f"{kind} indices: their number is not a multiple of {width}; give {width} for each element."
    elif not rows.size:
        problem = empty
    elif rows.min() < 0 or rows.max() >= len(points):
        problem = f"{kind} indices are out of range for {len(points)} vertices."
    if problem:
        warnings.warn(problem, NewtonWarning, stacklevel=stacklevel + 1)
        return None
    return points[rows.reshape(-1, width)]


def _tell(issues: list, size: str, label: str | None, advice: str, stacklevel: int) -> None:
    """One warning with all issues that any element has."""
    lines = [f"  - {int(bad.sum())} {text}" + (f" ({more})" if more else "") for bad, text, more in issues if bad.any()]
    if lines:
        name = f" [{label}]" if label is not None else ""
        text = "\n".join([f"Mesh quality warning{name} ({size}):", *lines, *([advice] if advice else [])])
        warnings.warn(text, NewtonWarning, stacklevel=stacklevel + 1)
