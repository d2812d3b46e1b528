"""Strings past spheres and cylinders in float64, a pose for each leading index; the plane of the circle is complex
numbers.

The same geometry as ``newtonlite.geometry.wrap``, where it is explained; lengths of -1 say that the string is straight.
"""

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.math.quat import cross as outer

ITERATIONS = 60


def wrap(x0, x1, pos, mat, radius, cylinder: bool, side=None, sided=True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Length on the shape [...], first and last point on it [..., 3], of strings from ``x0`` to ``x1``.

    Those that are ``sided`` (a mask) keep to the side of ``side``, where it is given.
    """
    sided = np.asarray(sided, bool)
    local = lambda x: ((x - pos)[..., None, :] @ mat)[..., 0, :]
    p, q = local(x0), local(x1)
    e0, e1 = (np.array([1.0, 0, 0]), np.array([0, 1.0, 0])) if cylinder else plane(p, q)
    flat = lambda x: (x * e0).sum(-1) + 1j * (x * e1).sum(-1)
    a, b, r = flat(p), flat(q), np.asarray(radius, float)
    with np.errstate(all="ignore"):
        beside = None if side is None else local(side)
        found = around(a, b, r, None if side is None else flat(beside), sided)
        if side is not None:
            inside = (size(beside) < r) & sided
            if inside.any():
                found = [np.where(inside, x, y) for x, y in zip(through(a, b, r), found, strict=True)]
        length, first, last = found
        straight = ~(length >= 0) | (np.minimum(size(p), size(q)) < MINVAL)
        points = [z.real[..., None] * e0 + z.imag[..., None] * e1 for z in (first, last)]
        if cylinder:
            before, after = abs(a - first), abs(b - last)
            rise = (q - p)[..., 2] / np.maximum(before + length + after, MINVAL)
            points[0][..., 2], points[1][..., 2] = p[..., 2] + rise * before, q[..., 2] - rise * after
            length = np.hypot(length, points[1][..., 2] - points[0][..., 2])
    first, last = (pos + (mat @ np.where(straight[..., None], 0.0, x)[..., None])[..., 0] for x in points)
    return np.where(straight, -1.0, length), first, last


def size(v) -> np.ndarray:
    """Length of vectors [..., 3]."""
    return np.sqrt((v * v).sum(-1))


def plane(p, q) -> tuple[np.ndarray, np.ndarray]:
    """Axes of the plane of ``p``, ``q`` and the origin, the first along ``p``; some plane where they are parallel."""
    normal = outer(p, q)
    other = 1.0 - np.eye(3)[abs(p).argmax(-1)]
    parallel = (size(normal) <= 1e-6 * size(p) * size(q))[..., None]
    normal = np.where(parallel, outer(p, other), normal)
    unit = lambda v: v / np.maximum(size(v), 1e-300)[..., None]
    return unit(p), unit(outer(normal, p))


def winding(p, q) -> np.ndarray:
    """Angle about the origin from ``p`` to ``q``."""
    return np.angle(np.conj(p) * q)


def cross(p, q) -> np.ndarray:
    """``p x q`` in the plane."""
    return (np.conj(p) * q).imag


def nearest(p, q) -> np.ndarray:
    """Distance of the segment pq from the origin."""
    along = np.clip(-(np.conj(q - p) * p).real / np.maximum(abs(q - p) ** 2, MINVAL), 0.0, 1.0)
    return abs(p + along * (q - p))


def crossing(a, b, c, d) -> np.ndarray:
    """Whether the segments ab and cd intersect."""
    u, v, w = b - a, d - c, c - a
    det = cross(u, v)
    s, t = cross(w, v) / det, cross(w, u) / det
    return (abs(det) >= MINVAL) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)


def around(p, q, r, side, sided) -> list:
    """Arc length, first and last point of the path around the circle: past ``side`` where ``sided``, else the shorter
    one.
    """
    along, reach = (
        [r**2 / abs(z) ** 2 for z in (p, q)],
        [r * np.sqrt(np.maximum(abs(z) ** 2 - r**2, 0.0)) / abs(z) ** 2 for z in (p, q)],
    )
    turned = [complex(0, 1) * z for z in (p, q)]
    ways = [
        (p * along[0] + turn * turned[0] * reach[0], q * along[1] - turn * turned[1] * reach[1]) for turn in (1, -1)
    ]
    blocked = [crossing(p, first, q, last) for first, last in ways]
    clear = nearest(p, q) > r
    better = [np.where(stop, 1e4, abs(first - last)) for stop, (first, last) in zip(blocked, ways, strict=True)]
    left = better[0] < better[1]
    if side is not None:
        wound = winding(p, side) + winding(side, q)
        left = np.where(sided, wound > 0, left)
        clear &= ~sided | (abs(wound - winding(p, q)) < np.pi)
    first, last = (np.where(left, x, y) for x, y in zip(*ways, strict=True))
    arc = np.where(left, 1.0, -1.0) * winding(first, last)
    arc = np.where(arc < -1e-9, arc + 2 * np.pi, arc)
    if side is not None:
        arc = np.where(sided, wound - winding(p, first) - winding(last, q), arc)
    straight = (
        clear | np.where(left, *blocked) | (np.minimum(abs(p), abs(q)) < r) | (abs(p - q) ** 2 < MINVAL) | (r < MINVAL)
    )
    return [np.where(straight, -1.0, r * abs(arc)), first, last]


def through(p, q, r) -> list:
    """Zero length and the point, twice, where a string pulled through the circle touches it.

    There both ends are seen at equal angles to the normal: a root that Newton's method finds, kept between bounds by
    halving.
    """
    whole, one, two = winding(p, q), abs(p), abs(q)
    low, high = np.zeros_like(whole), abs(whole)
    middle = 0.5 * high
    for _ in range(ITERATIONS):
        (here, rise), (there, fall) = seen(one, middle, r), seen(two, abs(whole) - middle, r)
        far = here > there
        low, high = np.where(far, low, middle), np.where(far, middle, high)
        new = middle - (here - there) / (rise + fall)
        new = np.where((new > low) & (new < high), new, 0.5 * (low + high))
        still = abs(new - middle) <= 4e-16 * np.pi
        middle = new
        if (still | np.isnan(new)).all():
            break
    point = r * p / one * np.exp(1j * np.sign(whole) * middle)
    straight = (np.minimum(one, two) <= r) | (nearest(p, q) <= r) | (r < MINVAL)
    return [np.where(straight, -1.0, 0.0), point, point]


def seen(far, angle, r) -> tuple:
    """Angle to the normal, at a point of the circle, of what is ``far`` from the centre and ``angle`` further on; and
    its slope.
    """
    across, ahead = far * np.sin(angle), far * np.cos(angle)
    return np.arctan2(across, ahead - r), (far * far - r * ahead) / (across * across + (ahead - r) ** 2)
