"""Rotations in NumPy agree with each other, whichever form they are in."""

import numpy as np

from newtonlite.math import quat
from tests.tolerance import assert_close

RNG = np.random.default_rng(0)
Q = quat.normalized(RNG.normal(size=(50, 4)))
V = RNG.normal(size=(50, 3))


def test_a_product_turns_by_the_second_then_the_first():
    P = quat.normalized(RNG.normal(size=(50, 4)))
    assert_close(quat.rotate(quat.product(P, Q), V), quat.rotate(P, quat.rotate(Q, V)), "compiled")


def test_matrix_and_quaternion_turn_alike():
    assert_close(np.einsum("nij,nj->ni", quat.matrix(Q), V), quat.rotate(Q, V), "compiled")


def test_a_matrix_gives_back_its_quaternion():
    half_turns = np.array([[0.0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    quats = np.concatenate([np.where(Q[:, :1] < 0, -Q, Q), half_turns])
    back = quat.from_matrix(quat.matrix(quats))
    same = np.abs((back * quats).sum(-1))
    assert_close(same, np.ones(len(quats)), "compiled")


def test_orders_of_components_undo_each_other():
    np.testing.assert_array_equal(quat.to_wxyz(quat.to_xyzw(Q)), Q)


def test_rotation_vectors_describe_the_turn():
    axis = V / np.linalg.norm(V, axis=1, keepdims=True)
    angle = np.linspace(-3.1, 3.1, 50)
    assert_close(quat.rotation_vector(quat.about(axis, angle)), axis * angle[:, None], "compiled", floor=1.0)
