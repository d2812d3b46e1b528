"""Barrel: a cylinder along z whose sides are arcs of a circle, by its radius at the ends, half height and arc radius."""

import math

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


def is_barrel(half_height, barrel_radius):
    """Whether the sides of a cylinder are arcs of ``barrel_radius``; arrays too."""
    return (barrel_radius > 0.0) & (barrel_radius >= half_height)


def equatorial_radius(radius, half_height, barrel_radius):
    """Largest distance [m] from the axis of a cylinder or barrel; arrays too."""
    cut = np.sqrt(np.maximum(np.square(barrel_radius) - np.square(half_height), 0.0))
    return np.where(is_barrel(half_height, barrel_radius), radius + barrel_radius - cut, radius)


def disks(radius: float, half_height: float, barrel_radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heights z, radii and thicknesses [m] of disks by which integrals over a barrel are exact to rounding: Gauss's
    quadrature over the angle of the arc, in which the integrands are smooth.
    """
    end = math.asin(half_height / barrel_radius)
    z, slope = barrel_radius * np.sin(end * NODES), barrel_radius * np.cos(end * NODES)
    return z, radius + slope - barrel_radius * math.cos(end), end * WEIGHTS * slope
