"""Mass, centre of mass and inertia of thin shells of uniform density per area, with the formulae of MuJoCo 4's compiler."""

import numpy as np

from .inertia import MassProperties, about
from .inertia import ellipsoid as solid_ellipsoid

LAYER = 1e-6
"""Thickness [m] of the layer that stands for the shell of an ellipsoid."""
POWER = 1.6075
"""Exponent of Thomsen's formula for the surface of an ellipsoid, right to about one per cent."""


def sphere(density: float, radius: float) -> MassProperties:
    """``m = 4 pi r^2``, ``I = 2/3 m r^2``. Densities of shells are in kg/m^2."""
    m = density * 4.0 * np.pi * radius**2
    return about(m, [m * radius**2 / 1.5] * 3)


def ellipsoid(density: float, rx: float, ry: float, rz: float) -> MassProperties:
    """Mass by Thomsen's formula; moments of a layer between two ellipsoids, whose thickness is the same along all three axes."""
    a, b, c = rx**POWER, ry**POWER, rz**POWER
    m = density * 4.0 * np.pi * ((a * b + a * c + b * c) / 3.0) ** (1.0 / POWER)
    outer, inner = solid_ellipsoid(1.0, rx + LAYER, ry + LAYER, rz + LAYER), solid_ellipsoid(1.0, rx, ry, rz)
    return about(m, m * np.diag(outer.inertia - inner.inertia) / (outer.mass - inner.mass))


def box(density: float, hx: float, hy: float, hz: float) -> MassProperties:
    """Half extents: six plates."""
    half = np.array([hx, hy, hz])
    sides = density * 8.0 * np.array([hy * hz, hx * hz, hx * hy])  # both plates across each axis
    square = np.array([sum(m * half[i] ** 2 * (1.0 if k == i else 1.0 / 3.0) for k, m in enumerate(sides)) for i in range(3)])
    return about(sides.sum(), square.sum() - square)


def cylinder(density: float, radius: float, half_height: float) -> MassProperties:
    """Along z: a tube and two discs."""
    lids = density * 2.0 * np.pi * radius**2
    body = tube(density, radius, half_height)
    side = body.inertia[0, 0] + lids * (radius**2 / 4.0 + half_height**2)
    return about(body.mass + lids, [side, side, body.inertia[2, 2] + 0.5 * lids * radius**2])


def capsule(density: float, radius: float, half_height: float) -> MassProperties:
    """A tube along z between two half spheres, each with its centre of mass r/2 beyond the rim."""
    ball, body = sphere(density, radius), tube(density, radius, half_height)
    side = body.inertia[0, 0] + ball.inertia[0, 0] + ball.mass * half_height * (half_height + radius)
    return about(body.mass + ball.mass, [side, side, body.inertia[2, 2] + ball.inertia[2, 2]])


def tube(density: float, radius: float, half_height: float) -> MassProperties:
    """Along z, open at both ends."""
    m = density * 4.0 * np.pi * radius * half_height
    side = m * (radius**2 / 2.0 + half_height**2 / 3.0)
    return about(m, [side, side, m * radius**2])
