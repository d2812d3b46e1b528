"""Closest point of a triangle, next to its corners: which side is nearer is not lost below the distance from its plane."""

import numpy as np
import warp as wp

from newtonlite.geometry.contact.element.closest import triangle_share
from tests.tolerance import tolerance

CORNERS = np.float32([[0.05, -0.05, 0.17], [0.1, -0.05, 0.1701], [0.05, 0.0, 0.1699]])


@wp.kernel
def shares(points: wp.array[wp.vec3], a: wp.vec3, b: wp.vec3, c: wp.vec3, out: wp.array[wp.vec3]):
    i = wp.tid()
    out[i] = triangle_share(points[i], a, b, c)


def nearest(p, corners):
    """Weights in double, by the projection or the nearest point of the three sides."""
    a, b, c = corners
    found = np.linalg.lstsq(np.array([b - a, c - a]).T, p - a, rcond=None)[0]
    inside = np.array([1.0 - found.sum(), *found])
    if (inside >= 0.0).all():
        return inside
    best = []
    for i, j in ((0, 1), (1, 2), (2, 0)):
        along = corners[j] - corners[i]
        t = np.clip((p - corners[i]) @ along / (along @ along), 0.0, 1.0)
        share = np.zeros(3)
        share[[i, j]] = 1.0 - t, t
        best.append((np.linalg.norm(p - share @ corners), share))
    return min(best, key=lambda found: found[0])[1]


def test_weights_a_centimetre_above_corners():
    rng = np.random.default_rng(2)
    points = np.float32(CORNERS[rng.integers(0, 3, 400)] + [0.0, 0.0, 0.01] + rng.normal(0.0, 1e-5, (400, 3)))
    out = wp.zeros(len(points), dtype=wp.vec3, device="cpu")
    corners = [wp.vec3(*map(float, corner)) for corner in CORNERS]
    wp.launch(shares, len(points), inputs=[wp.array(points, dtype=wp.vec3, device="cpu"), *corners, out], device="cpu")
    want = np.array([nearest(p, np.float64(CORNERS)) for p in np.float64(points)])
    assert (want == 0.0).any(axis=1).sum() > 100
    assert np.abs(out.numpy() - want).max() <= tolerance("contact")
