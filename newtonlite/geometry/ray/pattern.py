"""Patterns of rays that range sensors have: grid, ring, pinhole and spinning, in the frame of the sensor (x ahead, z up)."""

from typing import NamedTuple

import numpy as np

from newtonlite.core.errors import ModelError


class RayPattern(NamedTuple):
    """Rays of a sensor: starts [n, 3], in m, and directions [n, 3] of length 1."""

    start: np.ndarray
    way: np.ndarray


def _pattern(start, way) -> RayPattern:
    way = np.asarray(way, float).reshape(-1, 3)
    start = np.broadcast_to(np.asarray(start, float), way.shape)
    length = np.linalg.norm(way, axis=1, keepdims=True)
    if not len(way) or not np.isfinite(start).all() or not (np.isfinite(length).all() and length.all()):
        raise ModelError("rays: expected at least one, finite, with directions that are not zero")
    return RayPattern(start.astype(np.float32), (way / length).astype(np.float32))


def grid_pattern(size: tuple[float, float], resolution: float, direction=(0.0, 0.0, -1.0)) -> RayPattern:
    """Parallel rays from a grid of ``size`` [m] about the sensor, ``resolution`` [m] apart: a height scan. Rows run along x,
    then y.
    """
    if resolution <= 0 or min(size) < 0:
        raise ModelError(f"grid: size {size} and resolution {resolution}; give lengths above 0")
    axes = [np.arange(round(s / resolution) + 1) * resolution - s / 2 for s in size]
    x, y = (a.ravel() for a in np.meshgrid(*axes))
    start = np.stack([x, y, np.zeros_like(x)], axis=1)
    return _pattern(start, np.broadcast_to(np.asarray(direction, float), start.shape))


def ring_pattern(count: int, elevation: float = 0.0, radius: float = 0.0) -> RayPattern:
    """``count`` rays outward all round, from x on, ``elevation`` degrees up, from a circle of ``radius`` [m]."""
    turn, up = 2.0 * np.pi * np.arange(count) / max(count, 1), np.radians(elevation)
    out = np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=1)
    return _pattern(radius * out, np.cos(up) * out + np.sin(up) * np.array([0.0, 0.0, 1.0]))


def pinhole_pattern(width: int, height: int, fovy: float) -> RayPattern:
    """Rays through the pixels of a camera that looks along x, by rows from the top left; ``fovy`` degrees from top to
    bottom.
    """
    tall = np.tan(np.radians(fovy) / 2.0)
    left = tall * (width - 1.0 - 2.0 * np.arange(width)) / height
    up = tall * (height - 1.0 - 2.0 * np.arange(height)) / height
    z, y = (a.ravel() for a in np.meshgrid(up, left, indexing="ij"))
    return _pattern(np.zeros(3), np.stack([np.ones(len(y)), y, z], axis=1))


def spinning_pattern(channels: int, count: int, elevation=(-15.0, 15.0), azimuth=(0.0, 360.0)) -> RayPattern:
    """A lidar that turns: ``channels`` rays from the lowest to the highest ``elevation`` [degrees], at ``count`` angles from
    the first ``azimuth`` [degrees] to before the second; those of an angle one after the other.
    """
    low, high = (np.radians(a) for a in elevation)
    up = np.linspace(low, high, channels) if channels > 1 else np.full(channels, 0.5 * (low + high))
    turn = np.radians(azimuth[0] + (azimuth[1] - azimuth[0]) * np.arange(count) / max(count, 1))
    turn, up = (a.ravel() for a in np.meshgrid(turn, up, indexing="ij"))
    return _pattern(np.zeros(3), np.stack([np.cos(up) * np.cos(turn), np.cos(up) * np.sin(turn), np.sin(up)], axis=1))
