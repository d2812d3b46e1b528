"""Polar rotations: those of a singular value decomposition, also of matrices that turn a volume inside out."""

import numpy as np
import warp as wp

from newtonlite.math.polar import polar_rotation
from newtonlite.math.quat import matrix
from tests.tolerance import tolerance


@wp.kernel(enable_backward=False)
def rotations(given: wp.array[wp.mat33], out: wp.array[wp.quat]):
    out[wp.tid()] = polar_rotation(given[wp.tid()])


def nearest(F: np.ndarray) -> np.ndarray:
    """Proper rotations that maximise tr(R' F)."""
    u, _, v = np.linalg.svd(F)
    u[..., 2] *= np.linalg.det(u @ v)[:, None]
    return u @ v


def found(F: np.ndarray, device) -> np.ndarray:
    """What the engine makes of matrices."""
    out = wp.zeros(len(F), dtype=wp.quat, device=device)
    wp.launch(rotations, len(F), [wp.array(F, dtype=wp.mat33, device=device)], [out], device=device)
    return matrix(out.numpy().astype(float))


def test_rotations_are_the_nearest_ones(device):
    rng = np.random.default_rng(1)
    turns = np.linalg.qr(rng.normal(size=(500, 3, 3)))[0]
    turns[np.linalg.det(turns) < 0] *= -1.0
    F = np.float32(turns @ (np.eye(3) + rng.normal(0.0, 0.25, (500, 3, 3))))
    assert np.abs(found(F, device) - nearest(F.astype(float))).max() <= tolerance("contact")


def test_half_a_turn_is_found_from_none(device):
    half = np.float32([np.diag([1.0, -1.0, -1.0]), np.diag([-1.2, 1.0, -0.9]), np.diag([-1.0, -1.1, 1.3])])
    assert np.abs(found(half, device) - nearest(half.astype(float))).max() <= tolerance("contact")


def test_a_matrix_of_nothing_does_not_turn(device):
    assert np.array_equal(found(np.zeros((1, 3, 3), np.float32), device)[0], np.eye(3))
