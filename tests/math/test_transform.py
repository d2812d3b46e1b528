"""Transforms in NumPy against rotation matrices."""

import numpy as np
import pytest

from newtonlite.math import transform as t
from tests.tolerance import assert_close

RNG = np.random.default_rng(1)


def poses(n: int) -> np.ndarray:
    q = RNG.normal(size=(n, 4))
    return np.hstack([RNG.normal(size=(n, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)])


def matrices(x: np.ndarray) -> np.ndarray:
    """Homogeneous matrices, written out from the quaternion's components."""
    px, py, pz, a, b, c, w = x.T
    one, zero = np.ones_like(w), np.zeros_like(w)
    rows = [
        [1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w), px],
        [2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w), py],
        [2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b), pz],
        [zero, zero, zero, one],
    ]
    return np.array(rows).transpose(2, 0, 1)


def test_products_are_products_of_matrices():
    a, b = poses(5), poses(5)
    assert_close(matrices(t.multiply(a, b)), matrices(a) @ matrices(b), "compiled")


def test_one_transform_moves_many():
    a, b = poses(1)[0], poses(4)
    assert_close(t.multiply(a, b), np.array([t.multiply(a, one) for one in b]), "compiled")


def test_the_inverse_undoes():
    a = poses(5)
    assert_close(matrices(t.multiply(t.inverse(a), a)), np.broadcast_to(np.eye(4), (5, 4, 4)), "compiled")


def test_points_are_carried():
    a, p = poses(5), RNG.normal(size=(5, 3))
    assert_close(t.apply(a, p), np.einsum("nij,nj->ni", matrices(a)[:, :3, :3], p) + a[:, :3], "compiled")


def test_the_rotation_matrix_is_the_quaternion_s():
    a = poses(5)
    assert_close(t.quat_to_matrix(a[:, 3:]), matrices(a)[:, :3, :3], "compiled")


@pytest.mark.parametrize("b", [[0, 0, 1], [0, 0, -1], [1, 0, 0], [0.6, 0, -0.8]])
def test_the_shortest_rotation_arrives(b):
    a = np.array([0.0, 0.0, 1.0])
    q = t.quat_between(a, np.array(b, float))
    assert_close(t.quat_rotate(q, a)[None], [b], "compiled")


def test_one_product_has_the_bits_of_many():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 50, 7))
    many = t.multiply(a, b)
    assert all(np.array_equal(t.multiply(x, y), row) for x, y, row in zip(a, b, many, strict=True))
    assert t.multiply(a[0].astype(np.float32), b[0].astype(np.float32)).dtype == np.float32
