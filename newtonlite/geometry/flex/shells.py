"""Points and elements of soft boxes, cylinders and ellipsoids: their surface, and a centre where they are solid."""

from dataclasses import dataclass

import numpy as np

from newtonlite.geometry.flex.grids import SQUARE, squares, triangles

SOLID = ((0, 1, 2), (0, 3, 2))
OUTWARD = {
    "-z": ((0, 2, 1), (0, 3, 2)),
    "-y": SQUARE,
    "+y": ((1, 0, 3), (1, 3, 2)),
    "-x": ((1, 0, 3), (1, 3, 2)),
    "+x": SQUARE,
}
"""Triangles of the squares of an open box, by side."""
AXES = {"z": (0, 1, 2), "y": (0, 2, 1), "x": (1, 2, 0)}
"""Axes along which the squares of a side run, and its own."""


@dataclass(frozen=True)
class BoxShell:
    """Surface points of a box of a grid: index of each on the grid [n, 3], and of those of the grid their number [*count]."""

    index: np.ndarray
    number: np.ndarray

    @property
    def count(self) -> np.ndarray:
        """Points along each axis."""
        return np.array(self.number.shape)


def shell(count, closed: bool) -> BoxShell:
    """Number the surface points: the two sides along z, then those along y and along x without what is numbered already.

    Open boxes have no side at the upper end of z, whose rim the other sides have.
    """
    nx, ny, nz = count
    number, found = np.full(tuple(count), -1), []
    upper = nz - 1 if closed else nz
    sides = [(range(nx), range(ny), [0]), *([(range(nx), range(ny), [nz - 1])] if closed else [])]
    sides += [(range(nx), [y], range(1, upper)) for y in (0, ny - 1)]
    sides += [([x], range(1, ny - 1), range(1, upper)) for x in (0, nx - 1)]
    for side in sides:
        points = (
            np.stack(np.meshgrid(*side, indexing="ij"), -1).reshape(-1, 3).astype(int)
        )  # a side of no points is of floats
        number[tuple(points.T)] = np.arange(len(points)) + sum(map(len, found))
        found.append(points)
    return BoxShell(np.concatenate(found), number)


def side_squares(box: BoxShell, side: str) -> np.ndarray:
    """Corners [m, 4] of the squares of one side, as numbers of points."""
    u, v, own = AXES[side[1]]
    plane = np.take(box.number, 0 if side[0] == "-" else -1, axis=own)  # [count u, count v], as u < v
    return plane.ravel()[squares(plane.shape[0], plane.shape[1])] if u < v else plane.T.ravel()


def box_elements(box: BoxShell, solid: bool) -> np.ndarray:
    """Triangles of an open box, or tetrahedra of a solid one, whose centre is point 0 and stands before all others."""
    if not solid:
        return np.concatenate([triangles(side_squares(box, side), cut) for side, cut in OUTWARD.items()])
    outside = np.concatenate([triangles(side_squares(box, s + a), SOLID) for a in "zyx" for s in "-+"])
    return np.concatenate([np.zeros((len(outside), 1), int), outside + 1], -1)


def project(kind: str, box: BoxShell, spacing) -> np.ndarray:
    """Places [n, 3] of the surface points [m] on a box, a cylinder along z or an ellipsoid of the same half sizes."""
    size = 0.5 * np.array(spacing) * (box.count - 1)
    unit = 2.0 * box.index / (box.count - 1) - 1.0
    if kind == "cylinder":
        far = np.linalg.norm(unit[:, :2], axis=-1)
        reach = np.abs(unit[:, :2]).max(-1) / np.where(far > 0, far, 1.0)
        unit[:, :2] *= reach[:, None]
    elif kind == "ellipsoid":
        unit /= np.linalg.norm(unit, axis=-1, keepdims=True)
    return unit * size


def box_texcoords(box: BoxShell, closed: bool) -> np.ndarray:
    """Texture coordinates [n, 2] of the surface points: where each is on the side that it is numbered with."""
    ends = box.index / (box.count - 1)
    nx, ny, _ = box.count
    wall = np.arange(len(ends)) >= nx * ny * (2 if closed else 1)
    on_x = wall & (box.index[:, 1] > 0) & (box.index[:, 1] < ny - 1)
    out = ends[:, [0, 1]].copy()
    out[wall] = ends[wall][:, [0, 2]]
    out[on_x] = ends[on_x][:, [1, 2]]
    return out
