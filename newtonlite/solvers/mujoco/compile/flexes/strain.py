"""Modes of strain of cells: what a constraint of the strain of a cell keeps at 0.

They are the eigenvectors of the stiffness of a cell of one material for all, times the roots of their eigenvalues. MuJoCo
finds them by cyclic Jacobi rotations and leaves them where these put them, so that is how they are found here. Of equal
eigenvalues (cells have many) the modes are what roundings make them, and rows of other modes have other impedances: every
rounding is MuJoCo's.
"""

import math

import numpy as np

from newtonlite.solvers.mujoco.compile.flexes.cells import FACES, cell_grid, cell_stiffness, face_stiffness
from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex

YOUNG, POISSON = 10.0, 0.3
"""Constants of the material whose modes are constrained, whatever the flex is made of."""
RIGID = 1e-6
"""Part of the largest eigenvalue below which a mode moves a cell without strain."""
SMALL, SWEEPS = 1e-15, 60


def strain_records(flex: SceneFlex, places: np.ndarray, node0: np.ndarray) -> np.ndarray:
    """Records [ncell, (3 nodes)^2] of all cells or faces: the number of modes, then the modes; a cell that the flex cuts has
    those of the part inside, an empty one has none.
    """
    if flex.is_shell:
        forms, extra = face_stiffness(flex, node0, YOUNG, POISSON), warps(flex, node0)
    else:
        forms, extra = -cell_stiffness(flex, places, node0)(YOUNG, POISSON), None
    out, width = np.zeros_like(forms), int(round(math.sqrt(forms.shape[1])))
    known: dict[bytes, np.ndarray] = {}
    for cell, form in enumerate(forms):
        modes = known.setdefault(form.tobytes(), found_modes(form.reshape(width, width), known.get(form.tobytes())))
        if extra is not None:
            modes = np.concatenate([modes, extra[cell : cell + 1]])
        out[cell, 0] = len(modes)
        out[cell, 1 : 1 + modes.size] = modes.ravel()
    return out


def found_modes(form: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """Modes [n, 3 nodes] of a stiffness; those found before, where there are such."""
    if before is not None:
        return before
    values, vectors = jacobi(form)
    strained = values > RIGID * values.max()
    return (vectors[:, strained] * np.sqrt(values[strained])).T


def warps(flex: SceneFlex, node0: np.ndarray) -> np.ndarray:
    """A mode [nface, 3 nodes] for each face of a shell, by which its corners leave its plane in turn."""
    grid, side = cell_grid(flex, node0), flex.order + 1
    size = grid.size / np.array(grid.cells)
    D = YOUNG * float(flex.numbers["thickness"]) ** 3 / (12.0 * (1.0 - POISSON**2))
    found = []
    for axis, u, v in FACES:
        corners = np.zeros((side, side, 3))
        for i, j, sign in ((0, 0, 1.0), (0, -1, -1.0), (-1, 0, -1.0), (-1, -1, 1.0)):
            corners[i, j, axis] = sign
        stiff = (1.0 - POISSON) * D / (size[u] * size[v])
        found.append(np.tile(math.sqrt(stiff) * corners.ravel(), (2 * grid.cells[u] * grid.cells[v], 1)))
    return np.concatenate(found)


def jacobi(form: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues [n], not sorted, and eigenvectors [n, n] in columns, by sweeps of rotations over all pairs in order."""
    A, V, n = form.copy(), np.eye(len(form)), len(form)
    for _ in range(SWEEPS):
        turned = False
        for p in range(n):
            for q in range(p + 1, n):
                if abs(A[p, q]) > SMALL:
                    rotate(A, V, p, q)
                    turned = True
        if not turned:
            break
    return np.diag(A).copy(), V


def rotate(A: np.ndarray, V: np.ndarray, p: int, q: int) -> None:
    """One rotation that makes ``A[p, q]`` 0; in place."""
    first, last, off = A[p, p], A[q, q], A[p, q]
    ratio = (last - first) / (2.0 * off)
    t = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for M in (A, V):
        a, b = M[:, p].copy(), M[:, q].copy()
        M[:, p], M[:, q] = c * a - s * b, s * a + c * b
    A[p], A[q] = A[:, p], A[:, q]
    A[p, p], A[q, q] = first - t * off, last + t * off
    A[p, q] = A[q, p] = 0.0
