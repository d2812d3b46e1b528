"""Bending of shells: a quadratic form of the four vertices about each edge, and a cubic term of folded references.

Wardetzky et al., Discrete Quadratic Curvature Energies (2007), for flat references. Not to be confused with the hinges
between faces of interpolated shells (``hinges``) or with rods.
"""

import numpy as np

from newtonlite.solvers.mujoco.compile.flexes.scene import SceneFlex

STRIDE = 17
"""Numbers of an edge: the form B [4, 4] over (both ends, opposite vertices), then the factor of the cubic term."""


def rigidity(flex: SceneFlex) -> float:
    """Bending rigidity of a plate, E t^3 / 12 (1 - nu^2) [N m]."""
    young, poisson, thick = (float(flex.numbers[name]) for name in ("young", "poisson", "thickness"))
    return young * thick**3 / (12.0 * (1.0 - poisson**2))


def bending_records(flex: SceneFlex, edges: np.ndarray, flaps: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Records [e, 17] of all edges at the reference places; 0 where an edge has one triangle alone."""
    out = np.zeros((len(edges), STRIDE))
    inner = flaps[:, 1] >= 0
    a, b, c, d = (places[index[inner]] for index in (*edges.T, *flaps.T))
    e0, e1, e2 = b - a, c - a, d - a
    n1, n2 = np.cross(e0, e1), np.cross(e2, e0)
    far1, far2 = np.linalg.norm(n1, axis=-1), np.linalg.norm(n2, axis=-1)
    area1, area2, length = 0.5 * far1, 0.5 * far2, np.linalg.norm(e0, axis=-1)

    # the fold between the triangles: 0 where they lie in one plane
    cosine = (n1 * n2).sum(-1) / (far1 * far2)
    sine = length * (e2 * n1).sum(-1) / (far1 * far2)

    # B = D cos / (A1 + A2) w w', with cotangents of the angles at both ends
    at_a1, at_b1 = (e0 * e1).sum(-1) / far1, -(e0 * (c - b)).sum(-1) / far1
    at_a2, at_b2 = (e0 * e2).sum(-1) / far2, -(e0 * (d - b)).sum(-1) / far2
    w = np.stack([at_b1 + at_b2, at_a1 + at_a2, -(at_a1 + at_b1), -(at_a2 + at_b2)], -1)
    D = rigidity(flex)
    form = (D * cosine / (area1 + area2))[:, None, None] * w[:, :, None] * w[:, None, :]
    out[inner, :16] = form.reshape(-1, 16)
    out[inner, 16] = -D * length**3 * sine / (4.0 * area1 * area2 * (area1 + area2))
    return out
