"""Rotations in NumPy agree with each other, whichever form they are in."""

import numpy as np

from newtonlite.math import rotation
from tests.tolerance import assert_close

RNG = np.random.default_rng(0)
Q = rotation.normalized(RNG.normal(size=(50, 4)))
V = RNG.normal(size=(50, 3))


def test_a_product_turns_by_the_second_then_the_first():
    P = rotation.normalized(RNG.normal(size=(50, 4)))
    assert_close(rotation.rotate(rotation.product(P, Q), V), rotation.rotate(P, rotation.rotate(Q, V)), "compiled")


def test_matrix_and_quaternion_turn_alike():
    assert_close(np.einsum("nij,nj->ni", rotation.matrix(Q), V), rotation.rotate(Q, V), "compiled")


def test_a_matrix_gives_back_its_quaternion():
    half_turns = np.array([[0.0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    quats = np.concatenate([np.where(Q[:, :1] < 0, -Q, Q), half_turns])
    back = rotation.from_matrix(rotation.matrix(quats))
    same = np.abs((back * quats).sum(-1))
    assert_close(same, np.ones(len(quats)), "compiled")


def test_orders_of_components_undo_each_other():
    np.testing.assert_array_equal(rotation.to_wxyz(rotation.to_xyzw(Q)), Q)


def test_rotation_vectors_describe_the_turn():
    axis = V / np.linalg.norm(V, axis=1, keepdims=True)
    angle = np.linspace(-3.1, 3.1, 50)
    assert_close(rotation.rotation_vector(rotation.about(axis, angle)), axis * angle[:, None], "compiled", floor=1.0)
