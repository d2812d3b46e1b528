"""Fluid coefficients of geoms: drag, added mass and added inertia of ellipsoids.

Added mass of an ellipsoid in an ideal fluid (Lamb, Hydrodynamics, section 114), its integral over ``l`` from 0 to
infinity of ``abc / ((a^2 + l) sqrt((a^2 + l)(b^2 + l)(c^2 + l)))`` by 15-point Gauss-Kronrod after ``l = x^3 / (1 -
x)^2``.
"""

import numpy as np

from newtonlite.core.mujoco import MjtGeom

TINY = 1e-14
NODES = np.array(
    [
        0.9914553711208126,
        0.9491079123427585,
        0.8648644233597691,
        0.7415311855993944,
        0.5860872354676911,
        0.4058451513773972,
        0.2077849550078985,
    ]
)
WEIGHTS = np.array(
    [
        0.0229353220105292,
        0.0630920926299786,
        0.1047900103222502,
        0.1406532597155259,
        0.1690047266392679,
        0.1903505780647854,
        0.2044329400752989,
    ]
)
MIDDLE = 0.2094821410847278
X = 0.5 + 0.5 * np.concatenate([-NODES, [0.0], NODES[::-1]])
W = 0.5 * np.concatenate([WEIGHTS, [MIDDLE], WEIGHTS[::-1]])
L, SLOPE = X**3 / (1 - X) ** 2, X**2 * (3 - X) / (1 - X) ** 3


def fluid_coefficients(kind, size, shape, coefficients) -> np.ndarray:
    """``geom_fluid`` [..., n, 12]: switch, five coefficients, added mass [kg per kg/m^3], added inertia [kg m^2 per
    kg/m^3].

    ``size`` [..., n, 3] and ``coefficients`` [..., n, 5] may have a world dimension.
    """
    out = np.zeros((*np.broadcast_shapes(size.shape[:-2], coefficients.shape[:-2]), len(kind), 12))
    for g in np.flatnonzero(shape):
        out[..., g, 0], out[..., g, 1:6] = 1.0, coefficients[..., g, :]
        out[..., g, 6:] = added(semi_axes(kind[g], size[..., g, :]))
    return out


def semi_axes(kind: int, size) -> np.ndarray:
    """Semi-axes [..., 3] in m of the ellipsoid that stands for a geom."""
    r, half = size[..., 0], size[..., 1]
    if kind == MjtGeom.SPHERE:
        return np.stack([r, r, r], axis=-1)
    if kind in (MjtGeom.CAPSULE, MjtGeom.CYLINDER):
        return np.stack([r, r, half + (r if kind == MjtGeom.CAPSULE else 0.0)], axis=-1)
    return np.asarray(size, float)


def added(axes) -> np.ndarray:
    """Added mass along, and added inertia about, the three axes, per density: [..., 6]."""
    volume = 4.0 / 3.0 * np.pi * np.prod(axes, axis=-1, keepdims=True)
    kappa = np.stack([attraction(np.roll(axes, -k, axis=-1)) for k in range(3)], axis=-1)
    mass = volume * kappa / np.maximum(TINY, 2.0 - kappa)
    squares = axes**2
    b, c, kb, kc = (np.roll(x, -k, axis=-1) for x in (squares, kappa) for k in (1, 2))
    spread = np.abs(2.0 * (b - c) + (b + c) * (kb - kc))
    return np.concatenate([mass, volume / 5.0 * (b - c) ** 2 * np.abs(kc - kb) / np.maximum(TINY, spread)], axis=-1)


def attraction(axes) -> np.ndarray:
    """Lamb's integral for the first of three semi-axes [..., 3]."""
    a, b, c = (axes[..., k, None] for k in range(3))
    scale = (a**3 * b * c) ** 0.4
    inner = 1.0 + scale * L / a**2
    terms = SLOPE * W / (inner * np.sqrt(inner * (1.0 + scale * L / b**2) * (1.0 + scale * L / c**2)))
    return (scale * terms / a**2).sum(-1)
