"""Surface inertia: mass and inertia of the surfaces of primitives of uniform density [kg/m^2], in closed form."""

import numpy as np

from newtonlite.geometry.inertia import MassProperties

THOMSEN = 1.6075
"""Exponent of Thomsen's formula for the area of an ellipsoid, which is off by about a percent at most."""
LAYER = 1e-6
"""Thickness [m] of the layer that MuJoCo takes."""


def about(mass: float, moments) -> MassProperties:
    """A surface around the origin."""
    return MassProperties(float(mass), np.zeros(3), np.diag(np.asarray(moments, float)))


def sphere(density: float, radius: float) -> MassProperties:
    """``m = 4 pi r^2``, ``I = 2/3 m r^2``."""
    m = density * 4.0 * np.pi * radius**2
    return about(m, [2.0 / 3.0 * m * radius**2] * 3)


def ellipsoid(density: float, rx: float, ry: float, rz: float) -> MassProperties:
    """Thomsen's area; moments are those of a thin layer of even thickness: a solid with a little larger radii less the
    solid.
    """
    areas = np.array([ry * rz, rx * rz, rx * ry])
    m = density * 4.0 * np.pi * np.mean(areas**THOMSEN) ** (1.0 / THOMSEN)
    inner, outer = np.array([rx, ry, rz]), np.array([rx, ry, rz]) + LAYER
    volumes = [r.prod() for r in (inner, outer)]
    seconds = [v * ((r**2).sum() - r**2) / 5.0 for v, r in zip(volumes, (inner, outer), strict=True)]
    return about(m, m * (seconds[1] - seconds[0]) / (volumes[1] - volumes[0]))


def box(density: float, hx: float, hy: float, hz: float) -> MassProperties:
    """Six faces, each with the second moments of its rectangle."""
    half, second, mass = np.array([hx, hy, hz]), np.zeros(3), 0.0
    for k in range(3):
        m = density * 8.0 * half.prod() / half[k]
        mass += m
        second += m * half**2 * np.where(np.arange(3) == k, 1.0, 1.0 / 3.0)
    return about(mass, second.sum() - second)


def cylinder(density: float, radius: float, half_height: float) -> MassProperties:
    """A tube along z between two discs."""
    tube, disc = density * 4.0 * np.pi * radius * half_height, density * np.pi * radius**2
    side = tube * (radius**2 / 2.0 + half_height**2 / 3.0) + 2.0 * disc * (radius**2 / 4.0 + half_height**2)
    return about(tube + 2.0 * disc, [side, side, (tube + disc) * radius**2])


def capsule(density: float, radius: float, half_height: float) -> MassProperties:
    """A tube along z between two half spheres, each with its centre of mass half a radius beyond the rim."""
    tube, cap = density * 4.0 * np.pi * radius * half_height, density * 2.0 * np.pi * radius**2
    side = tube * (radius**2 / 2.0 + half_height**2 / 3.0) + 2.0 * cap * (
        5.0 / 12.0 * radius**2 + (half_height + radius / 2.0) ** 2
    )
    return about(tube + 2.0 * cap, [side, side, (tube + 4.0 / 3.0 * cap) * radius**2])
