"""Stretching of flexes: Saint Venant-Kirchhoff stiffness of elements over the squared lengths of their edges, and the
Neo-Hookean one of solids.

The energy of an element is a quarter of ``s' K s``, where s are the changes of the squares of its edges' lengths; a
Neo-Hookean one has a cubic form of s and the square of the change of its volume beside it.
"""

import numpy as np

from newtonlite.solvers.mujoco.compile.flexes.elements import LOCAL_EDGES
from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex

STRIDE = {2: 21, 3: 24}
"""Numbers of a record, by dimension: the upper triangle of K row by row, then what plasticity and other laws need."""
CUBIC, VOLUME, INVERSE = 21, 22, 23
"""Numbers of a Neo-Hookean record: of the cubic form of squared lengths, of the volume, and one over the determinant of
the edges from the first vertex.
"""
THICKNESS = 6
"""Number of the first triangle's record that has the thickness, where bending yields."""


def lame(flex: SceneFlex) -> tuple[float, float]:
    """Lame's parameters; of shells lambda is that of plane stress, and both are times the thickness."""
    young, poisson = float(flex.numbers["young"]), float(flex.numbers["poisson"])
    mu = young / (2.0 * (1.0 + poisson))
    if flex.dim == 2:
        thick = float(flex.numbers["thickness"])
        return thick * mu, thick * young * poisson / (1.0 - poisson**2)
    return mu, young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))


def stretch_records(flex: SceneFlex, places: np.ndarray) -> np.ndarray:
    """Records [m, 21 or 24] of all elements at their reference places; of a flex that does not resist stretching 0, but for
    the thickness that bending yields by.
    """
    out = np.zeros((len(flex.elements), STRIDE[flex.dim]))
    if flex.dim == 2 and flex.bends() and flex.yields()[1] > 0:
        out[0, THICKNESS] = float(flex.numbers["thickness"])
    if not flex.stretches():
        return out
    edges = np.array(LOCAL_EDGES[flex.dim])
    corners = places[flex.elements]
    along = corners[:, edges[:, 1]] - corners[:, edges[:, 0]]
    if flex.dim == 2:
        along = in_plane(along)
    tensors, volume = edge_tensors(along), volumes(corners)
    mu, lam = lame(flex)
    if flex.is_neo_hookean:
        out[:, CUBIC] = -0.5 * mu * volume / (6.0 * volume) ** 2
        out[:, VOLUME] = volume * (mu + 0.5 * lam)
        out[:, INVERSE] = 1.0 / np.linalg.det(corners[:, 1:] - corners[:, :1])
        lam = -2.0 * mu  # what lambda has is in the volume

    # K_ab = 4 V (mu T_a : T_b + lambda/2 tr T_a tr T_b)
    trace = np.einsum("maii->ma", tensors)
    K = (
        4.0
        * volume[:, None, None]
        * (mu * np.einsum("maij,mbij->mab", tensors, tensors) + 0.5 * lam * trace[:, :, None] * trace[:, None, :])
    )
    upper = np.triu_indices(len(edges))
    out[:, : len(upper[0])] = K[:, upper[0], upper[1]]
    return out


def in_plane(along: np.ndarray) -> np.ndarray:
    """Edges [m, 3, 3] of triangles as vectors [m, 3, 2] in their planes."""
    x = along[:, 2] / np.linalg.norm(along[:, 2], axis=-1, keepdims=True)
    y = along[:, 1] - (along[:, 1] * x).sum(-1, keepdims=True) * x
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.stack([(along * x[:, None]).sum(-1), (along * y[:, None]).sum(-1)], -1)


def edge_tensors(along: np.ndarray) -> np.ndarray:
    """Symmetric tensors T_a [m, edges, d, d] of which ``e_b' T_a e_b`` is half for a = b and 0 for all other edges."""
    d = along.shape[-1]
    i, j = np.triu_indices(d)
    rows = along[..., i] * along[..., j] * np.where(i == j, 1.0, 2.0)
    solved = 0.5 * np.linalg.inv(rows)  # columns are the tensors
    out = np.zeros((*along.shape[:-1], d, d))
    out[..., i, j] = out[..., j, i] = np.swapaxes(solved, -1, -2)
    return out


def volumes(corners: np.ndarray) -> np.ndarray:
    """Areas of triangles [m, 3, 3], or volumes of tetrahedra [m, 4, 3]."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(a, b)
    if corners.shape[1] == 3:
        return 0.5 * np.linalg.norm(normal, axis=-1)
    return np.abs((normal * (corners[:, 3] - corners[:, 0])).sum(-1)) / 6.0
