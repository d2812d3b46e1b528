"""Lenses: rays of the pixels of a picture in the frame of its camera, which looks along -z with y up.

Pinholes by field of view or film, and OpenCV's distortion of one; fisheyes by the polynomial of the distance from the middle
of the picture in the angle from the axis: OpenCV's, Kannala and Brandt's, F-theta.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import DeviceError, ModelError

RING = 0.42
"""Radius of the circle of a pixel's further samples, in pixels."""
GOLDEN = 0.61803398875
BISECTIONS, NEWTON_STEPS, HALVINGS = 48, 20, 8
VERIFIED = 2.0e-5
"""Error of a distorted place, in focal lengths, up to which a ray counts as found."""


def sample_places(count: int) -> np.ndarray:
    """Places [count, 2] within a pixel from its top left corner, whose mean is its middle: the middle first, the others on a
    circle; two stand opposite each other.
    """
    if count == 1:
        return np.array([[0.5, 0.5]])
    if count == 2:
        v = 0.5 * GOLDEN
        return np.array([[0.25, v], [0.75, 1.0 - v]])
    angle = math.pi / 4.0 + 2.0 * math.pi * np.arange(count - 1) / (count - 1)
    return np.concatenate([[[0.5, 0.5]], 0.5 + RING * np.stack([np.cos(angle), np.sin(angle)], axis=1)])


class PixelRays:
    """Places (u, v) of the samples of all pixels [height, width, samples], 0 to 1 from the left and the top; and the array that
    their rays go to. ModelError, TypeError or DeviceError for what does not fit.
    """

    def __init__(self, width: int, height: int, samples: int, out_rays: Any, device: Any):
        self.width, self.height, self.samples = int(width), int(height), int(samples)
        if self.width <= 0 or self.height <= 0:
            raise ModelError(f"width and height must be positive, got {width} x {height}")
        if self.samples < 1:
            raise ModelError(f"sample_count must be positive, got {samples}")
        shape = (self.height, self.width, self.samples, 2)
        if out_rays is None:
            out_rays = wp.empty(shape, dtype=wp.vec3, device=device)
        elif not isinstance(out_rays, wp.array):
            raise TypeError(f"out_rays must be a Warp array, got {type(out_rays).__name__}")
        if out_rays.dtype != wp.vec3 or out_rays.shape != shape:
            raise ModelError(f"out_rays must have dtype vec3f and shape {shape}, got {out_rays.dtype} {out_rays.shape}")
        if device is not None and out_rays.device != wp.get_device(device):
            raise DeviceError(f"out_rays is on {out_rays.device}, expected {wp.get_device(device)}")
        self.out = out_rays
        within = sample_places(self.samples)
        self.u = (np.arange(self.width)[None, :, None] + within[:, 0]) / self.width + 0.0 * np.zeros(
            (self.height, 1, 1)
        )
        self.v = (np.arange(self.height)[:, None, None] + within[:, 1]) / self.height + 0.0 * np.zeros(
            (1, self.width, 1)
        )

    def put(self, ways: np.ndarray) -> wp.array:
        """Write directions [height, width, samples, 3], from the middle of the camera; rows of zeros see nothing."""
        length = np.linalg.norm(ways, axis=-1, keepdims=True)
        ways = np.where(length > 0.0, ways / np.where(length > 0.0, length, 1.0), 0.0)
        self.out.assign(np.stack([np.zeros_like(ways), ways], axis=3).astype(np.float32))
        return self.out


def pinhole(rays: PixelRays, across: tuple[float, float], shift: tuple[float, float] = (0.0, 0.0)) -> wp.array:
    """Rays through a film at distance 1, ``across`` (wide, high), its middle at ``shift``."""
    x, y = (rays.u - 0.5) * across[0] + shift[0], (0.5 - rays.v) * across[1] + shift[1]
    return rays.put(np.stack([x, y, np.full_like(x, -1.0)], axis=-1))


def film(focal: float, across: tuple[float, float], shift: tuple[float, float]) -> tuple:
    """(size, shift) of a film at distance 1. ModelError for lengths that are not positive."""
    if not (focal > 0.0 and across[0] > 0.0 and across[1] > 0.0):
        raise ModelError("focal_length, horizontal_aperture, and vertical_aperture must be positive")
    return (across[0] / focal, across[1] / focal), (shift[0] / focal, shift[1] / focal)


def on_image(rays: PixelRays, size: tuple[float | None, float | None], middle: tuple[float, float]) -> tuple:
    """Places of the samples from ``middle`` on the picture of the calibration, whose ``size`` is that of the rays where it is None
    [pixel]; y goes down.
    """
    wide, high = (float(a if a is not None else b) for a, b in zip(size, (rays.width, rays.height)))
    if not (math.isfinite(wide) and math.isfinite(high) and wide > 0.0 and high > 0.0):
        raise ModelError("image_width and image_height must be finite and positive")
    return rays.u * wide - middle[0], rays.v * high - middle[1]


def distorted(x: np.ndarray, y: np.ndarray, k: tuple, p: tuple, s: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Distortion of a point by OpenCV's model of a pinhole: rational in the squared radius, tangential (p), thin prism (s)."""
    r = x * x + y * y
    ratio = (1.0 + r * (k[0] + r * (k[1] + r * k[2]))) / (1.0 + r * (k[3] + r * (k[4] + r * k[5])))
    return (
        x * ratio + 2.0 * p[0] * x * y + p[1] * (r + 2.0 * x * x) + r * (s[0] + s[1] * r),
        y * ratio + p[0] * (r + 2.0 * y * y) + 2.0 * p[1] * x * y + r * (s[2] + s[3] * r),
    )


def undistorted(
    u: np.ndarray, v: np.ndarray, k: tuple, p: tuple, s: tuple
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(x, y) that the model of ``distorted`` puts at (u, v), and which of them were found: Newton's method with steps that are
    halved until they improve.
    """
    x, y, h = u.copy(), v.copy(), 1.0e-6
    off = lambda x, y: np.stack(distorted(x, y, k, p, s)) - np.stack([u, v])
    with np.errstate(all="ignore"):
        for _ in range(NEWTON_STEPS):
            e = off(x, y)
            dx, dy = (off(x + h, y) - off(x - h, y)) / (2 * h), (off(x, y + h) - off(x, y - h)) / (2 * h)
            det = dx[0] * dy[1] - dx[1] * dy[0]
            ax, ay = (e[0] * dy[1] - e[1] * dy[0]) / det, (dx[0] * e[1] - dx[1] * e[0]) / det
            step, size = np.ones_like(x), np.hypot(*e)
            for _ in range(HALVINGS):
                worse = ~(np.hypot(*off(x - step * ax, y - step * ay)) <= size)
                step = np.where(worse, 0.5 * step, step)
            step = np.where(worse | ~np.isfinite(ax + ay), 0.0, step)
            x, y = x - step * np.nan_to_num(ax), y - step * np.nan_to_num(ay)
        return x, y, np.hypot(*off(x, y)) <= VERIFIED


def fisheye(rays: PixelRays, x: np.ndarray, y: np.ndarray, radius_of: Callable, max_fov: float) -> wp.array:
    """Rays of points (x, y) of the picture by a radius that grows with the angle from the axis, up to half of ``max_fov``."""
    r, most = np.hypot(x, y), min(0.5 * float(max_fov), math.pi)
    low, high = np.zeros_like(r), np.full_like(r, most)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        short = radius_of(middle) < r
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    angle = np.where(r <= max(1.0e-7, float(radius_of(np.zeros(1))[0])), 0.0, 0.5 * (low + high))
    sine = np.where(r > 1.0e-7, np.sin(angle) / np.maximum(r, 1.0e-7), 0.0)
    ways = np.stack([x * sine, -y * sine, -np.cos(angle)], axis=-1)
    return rays.put(np.where((r <= float(radius_of(np.full(1, most))[0]) + 1.0e-5)[..., None], ways, 0.0))
