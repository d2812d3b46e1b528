"""Cells of interpolated flexes: linear elastic stiffness over their nodes, by integrals at points of Gauss.

Stiffness is stored as MuJoCo has it, with the sign of a force: ``f = K u``.  Not to be confused with ``stretch``, whose
elements are between vertices.
"""

from collections.abc import Callable

import numpy as np

from newtonlite.geometry.flex.cells import CellGrid
from newtonlite.geometry.flex.cut_cells import cell_parts, fills, gradient_forms, is_flat, surface_cells
from newtonlite.geometry.flex.interpolation import gauss, gradients
from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex


def cell_grid(flex: SceneFlex, node0: np.ndarray) -> CellGrid:
    """The grid of a flex over its nodes at the reference pose, in the frame of the grid."""
    return CellGrid(node0.min(0), node0.max(0) - node0.min(0), flex.cells, flex.order)


def cell_records(flex: SceneFlex, places: np.ndarray, node0: np.ndarray) -> np.ndarray:
    """Stiffness [ncell, (3 nodes)^2] of all cells, or of the faces of a shell that resists stretching."""
    return cell_stiffness(flex, places, node0)(float(flex.numbers["young"]), float(flex.numbers["poisson"]))


def cell_stiffness(flex: SceneFlex, places: np.ndarray, node0: np.ndarray) -> Callable[[float, float], np.ndarray]:
    """Stiffness as ``cell_records`` has it, by Young's modulus and Poisson's ratio."""
    if flex.is_shell:
        return lambda young, poisson: -face_stiffness(flex, node0, young, poisson)
    grid = cell_grid(flex, node0)
    parts = cell_parts(grid, places, flex.elements)
    if fills(grid, parts):
        return lambda young, poisson: -solid_stiffness(grid, young, poisson)
    if is_flat(grid, parts):
        touched = surface_cells(grid, places, flex.elements)[:, None]
        return lambda young, poisson: np.where(touched, -solid_stiffness(grid, young, poisson), 0.0)
    forms = gradient_forms(grid, parts)
    return lambda young, poisson: -stiffness_of(forms, young, poisson)


def stiffness_of(forms: np.ndarray, young: float, poisson: float) -> np.ndarray:
    """Stiffness [ncell, (3 nodes)^2] by integrals of products of gradients: lambda g_ia g_jb + mu (g_ib g_ja + d_ab g_i g_j)."""
    mu, lam = young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    count, width = forms.shape[:2]
    G = forms.reshape(count, width // 3, 3, width // 3, 3)
    trace = np.einsum("ciaja->cij", G)
    K = lam * G + mu * (np.swapaxes(G, 2, 4) + np.einsum("cij,ab->ciajb", trace, np.eye(3)))
    return K.reshape(count, -1)


def solid_stiffness(grid: CellGrid, young: float, poisson: float) -> np.ndarray:
    """Stiffness [ncell, (3 nodes)^2] of whole cells, which are all alike: ``integral lambda tr(e_i) tr(e_j) + 2 mu e_i : e_j``
    with the strains ``e`` that displacements of nodes make.

    Terms are added in MuJoCo's order and rounded as its are: modes of equal eigenvalues differ by roundings alone
    (``strain``).
    """
    size = grid.size / np.array(grid.cells)
    points, weights = gauss(grid.order + 1, 3)
    slopes = gradients(points, grid.order) * (1.0 / size)  # [points, nodes, 3], per metre
    mu, lam = young / (2.0 * (1.0 + poisson)), young * poisson / (1.0 + poisson) / (1.0 - 2.0 * poisson)
    K = np.zeros((3 * slopes.shape[1],) * 2)
    for slope, weight in zip(slopes, weights * size.prod(), strict=True):
        bend = np.einsum("na,cb->ncba", slope, np.eye(3)).reshape(len(K), 3, 3)  # gradient of each displacement
        trace, double = bend[:, 0, 0] + bend[:, 1, 1] + bend[:, 2, 2], bend + bend.swapaxes(1, 2)
        rows = [sum(np.multiply.outer(double[:, a, b], double[:, a, b]) for b in range(3)) for a in range(3)]
        K = K + np.multiply.outer(lam * trace, trace) * weight
        K = K + 0.5 * mu * (rows[0] + rows[1] + rows[2]) * weight
    return np.tile(K.ravel(), (int(np.prod(grid.cells)), 1))


def face_stiffness(flex: SceneFlex, node0: np.ndarray, young: float, poisson: float) -> np.ndarray:
    """Membrane stiffness [nface, (3 nodes)^2] of the outer faces of the grid, in their planes: those across x first,
    then y, then z, the lower side of each before the upper.
    """
    grid, thick = cell_grid(flex, node0), float(flex.numbers["thickness"])
    size = grid.size / np.array(grid.cells)
    points, weights = gauss(grid.order + 1, 2)
    slopes = gradients(points, grid.order)
    C = (
        young
        / (1.0 - poisson**2)
        * np.array([[1.0, poisson, 0.0], [poisson, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - poisson)]])
    )
    found = []
    for _, u, v in FACES:
        B = np.zeros((len(points), 3, slopes.shape[1], 3))
        du, dv = slopes[..., 0] / size[u], slopes[..., 1] / size[v]
        B[:, 0, :, u], B[:, 1, :, v], B[:, 2, :, u], B[:, 2, :, v] = du, dv, dv, du
        B = B.reshape(len(points), 3, -1)
        K = np.einsum("q,qsi,st,qtj->ij", weights * thick * size[u] * size[v], B, C, B)
        found.append(np.tile(K.ravel(), (2 * grid.cells[u] * grid.cells[v], 1)))
    return np.concatenate(found)


FACES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
"""Axis across a face, and those along it."""
