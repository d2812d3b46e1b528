"""Cut cells: integrals over the part of a soft body that lies in each cell of its grid.

Finite cell method (Parvizian, Duester, Rank 2007): cells that the body does not fill are integrated over the body, with a
material a million times softer outside. The body is a sum of tetrahedra with signs: its own, or those between the triangles
of its closed surface and one point; each is cut by the planes between cells, so that polynomials are integrated exactly.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from newtonlite.geometry.flex.cells import CellGrid, whole_cell_shares
from newtonlite.geometry.flex.interpolation import gauss, gradients, shares
from newtonlite.geometry.flex.open_surfaces import CellPoints, cell_points
from newtonlite.geometry.flex.surfaces import is_planar, open_edges

OUTSIDE = 1e-6
"""Stiffness of what is outside the body, as a part of that of the body."""
LEAST = 0.02
"""Part of its mass in a whole cell that a node has at least in a cell that the body touches."""
FULL = 1e-9
"""Part of the volume of a grid by which a body that fills it may differ."""
FLAT = 1e-12
"""Distance [m] to a plane at which a corner counts as on it."""
CHUNK = 1 << 16
"""Points of integration at a time."""


@dataclass
class CellParts:
    """Tetrahedra [n, 4, 3] of a body in the frame of its grid, their volumes [n] with signs [m^3], and their cells [n];
    ``reached`` [ncell] are cells that have some.
    """

    corners: np.ndarray
    volumes: np.ndarray
    cells: np.ndarray
    reached: np.ndarray

    def volume(self, grid: CellGrid) -> float:
        """Volume of the body."""
        return float(self.volumes.sum())

    def samples(self, grid: CellGrid, cell: int, count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Points [n, 3] of integration in one cell, from 0 to 1 along its axes, and their weights [n m^3]; some at a time."""
        step, corner = grid.size / np.array(grid.cells), np.array(np.unravel_index(cell, grid.cells))
        own = np.flatnonzero(self.cells == cell)
        inside, w = quadrature(count)
        for k in range(0, len(own), max(1, CHUNK // len(w))):
            some = own[k : k + max(1, CHUNK // len(w))]
            places = np.einsum("qb,tbi->tqi", inside, self.corners[some]).reshape(-1, 3)
            yield (places - grid.low) / step - corner, (self.volumes[some][:, None] * w).ravel()


def cell_parts(grid: CellGrid, points: np.ndarray, elements: np.ndarray) -> CellParts | CellPoints:
    """A body, of tetrahedra or of a surface of triangles, in the cells of a grid: cut, or asked at points where the surface
    has holes.
    """
    if elements.shape[1] == 3 and len(open_edges(elements)) and not is_planar(points):
        return cell_points(grid, points, elements, surface_cells(grid, points, elements))
    return divided(grid, *signed_tetrahedra(points, elements))


def divided(grid: CellGrid, corners: np.ndarray, signs: np.ndarray) -> CellParts:
    """Tetrahedra [n, 4, 3] with signs [n], cut by all planes between cells."""
    for axis in range(3):
        for k in range(1, grid.cells[axis]):
            plane = grid.low[axis] + grid.size[axis] * k / grid.cells[axis]
            corners, signs = split(corners, signs, axis, plane)
    step = grid.size / np.array(grid.cells)
    place = np.clip(((corners.mean(1) - grid.low) / step).astype(int), 0, np.array(grid.cells) - 1)
    cells = np.ravel_multi_index(tuple(place.T), grid.cells)
    reached = np.bincount(cells, minlength=int(np.prod(grid.cells))) > 0
    return CellParts(corners, signs * np.abs(volumes(corners)), cells, reached)


def fills(grid: CellGrid, parts: CellParts | CellPoints) -> bool:
    """Whether a body fills its grid."""
    return bool(abs(parts.volume(grid) - grid.size.prod()) <= FULL * grid.size.prod())


def is_flat(grid: CellGrid, parts: CellParts | CellPoints) -> bool:
    """Whether a body has no volume: a sheet in a plane, whose cells count as whole."""
    return bool(abs(parts.volume(grid)) <= FULL * grid.size.prod())


def surface_cells(grid: CellGrid, points: np.ndarray, elements: np.ndarray) -> np.ndarray:
    """Cells that triangles [n, 3] pass through: bool [ncell]."""
    corners = points[elements[:, [0, 1, 2, 2]]]
    cells = divided(grid, corners, np.ones(len(corners)))
    a, b, c, d = np.moveaxis(cells.corners, 1, 0)
    areas = np.max([np.linalg.norm(np.cross(p - a, q - a), axis=1) for p, q in ((b, c), (b, d), (c, d))], 0)
    found = np.zeros(int(np.prod(grid.cells)), bool)
    found[cells.cells[areas > FULL * grid.size.max() ** 2]] = True
    return found


def signed_tetrahedra(points: np.ndarray, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tetrahedra [n, 4, 3] whose sum, with signs [n], is a body."""
    if elements.shape[1] == 4:
        return points[elements], np.ones(len(elements))
    middle = 0.5 * (points.min(0) + points.max(0))
    corners = np.concatenate([np.broadcast_to(middle, (len(elements), 1, 3)), points[elements]], 1)
    volume = volumes(corners)
    return corners, np.sign(volume) * (1.0 if volume.sum() > 0 else -1.0)


def volumes(corners: np.ndarray) -> np.ndarray:
    """Volumes [n] of tetrahedra [n, 4, 3], negative for one of the two orientations."""
    a, b, c = (corners[:, k] - corners[:, 0] for k in (1, 2, 3))
    return np.einsum("ni,ni->n", np.cross(a, b), c) / 6.0


def split(corners: np.ndarray, signs: np.ndarray, axis: int, plane: float) -> tuple[np.ndarray, np.ndarray]:
    """Tetrahedra cut by a plane across an axis into such that lie on one side of it."""
    far = corners[:, :, axis] - plane
    order = np.argsort(far, 1, kind="stable")
    corners, far = np.take_along_axis(corners, order[:, :, None], 1), np.take_along_axis(far, order, 1)
    below, above = (far < -FLAT).sum(1), (far > FLAT).sum(1)
    crossed = np.where((below > 0) & (above > 0), below, 0)
    parts, kept = [corners[crossed == 0]], [signs[crossed == 0]]
    for count in (1, 2, 3):
        chosen = crossed == count
        if chosen.any():
            new = CUTS[count](corners[chosen], far[chosen])
            parts += new
            kept += [signs[chosen]] * len(new)
    return np.concatenate(parts), np.concatenate(kept)


def crossing(corners: np.ndarray, far: np.ndarray, i: int, j: int) -> np.ndarray:
    """Points [n, 3] at which the edges between two corners cross the plane."""
    t = far[:, i] / (far[:, i] - far[:, j])
    return corners[:, i] + t[:, None] * (corners[:, j] - corners[:, i])


def wedge(one: list, two: list) -> list[np.ndarray]:
    """Three tetrahedra of a prism between two triangles."""
    rows = ((one[0], one[1], one[2], two[2]), (one[0], one[1], two[1], two[2]), (one[0], two[0], two[1], two[2]))
    return [np.stack(row, 1) for row in rows]


def corner_cut(corners: np.ndarray, far: np.ndarray, alone: int) -> list[np.ndarray]:
    """One corner on its own side: a tetrahedron and a prism."""
    others = [k for k in range(4) if k != alone]
    cuts = [crossing(corners, far, alone, k) for k in others]
    return [np.stack([corners[:, alone], *cuts], 1), *wedge(cuts, [corners[:, k] for k in others])]


def middle_cut(corners: np.ndarray, far: np.ndarray) -> list[np.ndarray]:
    """Two corners on either side: two prisms."""
    ac, ad, bc, bd = (crossing(corners, far, i, j) for i, j in ((0, 2), (0, 3), (1, 2), (1, 3)))
    a, b, c, d = (corners[:, k] for k in range(4))
    return [*wedge([a, ac, ad], [b, bc, bd]), *wedge([c, ac, bc], [d, ad, bd])]


CUTS = {
    1: lambda corners, far: corner_cut(corners, far, 0),
    2: middle_cut,
    3: lambda corners, far: corner_cut(corners, far, 3),
}
"""Cuts of tetrahedra whose corners are sorted, by how many are below the plane."""


def quadrature(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Barycentric points [n, 4] and weights [n] that integrate polynomials up to order ``2 count - 3`` over a
    tetrahedron of volume 1: those of Gauss over a cube that is drawn into it.
    """
    points, w = gauss(count, 3)
    x, y, z = points.T
    inner = np.stack([x, y * (1.0 - x), z * (1.0 - x) * (1.0 - y)], -1)
    return np.concatenate([1.0 - inner.sum(1, keepdims=True), inner], 1), 6.0 * w * (1.0 - x) ** 2 * (1.0 - y)


def node_shares(grid: CellGrid, parts: CellParts | CellPoints) -> tuple[np.ndarray, np.ndarray]:
    """Volume [n] that belongs to each node, by integrals of ``shares``, and which cells the body touches."""
    step = grid.size / np.array(grid.cells)
    out, of_cell = np.zeros(int(np.prod(grid.count))), grid.cell_nodes()
    whole = whole_cell_shares(grid.order) * step.prod()
    touched = np.zeros(len(of_cell), bool)
    for cell, nodes in enumerate(of_cell):
        found = np.zeros(len(nodes))
        for places, w in parts.samples(grid, cell, 2 * grid.order + 1):
            found += w @ shares(places, grid.order)
        touched[cell] = found.sum() > FLAT * step.prod() or (isinstance(parts, CellPoints) and parts.reached[cell])
        if touched[cell]:
            outside = OUTSIDE * np.maximum(whole - found, 0.0)
            out[nodes] += np.maximum(found + outside, LEAST * whole)
    return out, touched


def gradient_forms(grid: CellGrid, parts: CellParts | CellPoints) -> np.ndarray:
    """Integrals [ncell, 3 nodes, 3 nodes] of products of the gradients of the interpolation, softer outside."""
    step, of_cell = grid.size / np.array(grid.cells), grid.cell_nodes()
    width = 3 * of_cell.shape[1]
    whole, out = whole_form(grid), np.zeros((len(of_cell), width, width))
    for cell in range(len(of_cell)):
        for places, w in parts.samples(grid, cell, 2 * grid.order + 2 + grid.order // 2):
            slopes = (gradients(places, grid.order) / step).reshape(len(places), -1)
            out[cell] += (slopes * w[:, None]).T @ slopes
        if parts.reached[cell]:
            out[cell] += OUTSIDE * (whole - out[cell])
    return out


def whole_form(grid: CellGrid) -> np.ndarray:
    """The same of one cell that the body fills."""
    step = grid.size / np.array(grid.cells)
    places, w = gauss(grid.order + 1, 3)
    slopes = (gradients(places, grid.order) / step).reshape(len(places), -1)
    return (slopes * (w * step.prod())[:, None]).T @ slopes
