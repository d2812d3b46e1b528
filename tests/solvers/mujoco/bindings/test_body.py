"""Principal axes of bodies."""

import numpy as np

from newtonlite.math import rotation
from newtonlite.solvers.mujoco.bindings.body import principal_axes
from tests.tolerance import assert_close

Q = rotation.normalized(np.random.default_rng(0).normal(size=(50, 4)))


def test_principal_axes_rebuild_the_tensor():
    R = rotation.matrix(Q)
    tensor = R @ (np.array([3.0, 2.0, 1.5]) * np.eye(3)) @ np.swapaxes(R, -1, -2)
    moments, axes = principal_axes(tensor)
    A = rotation.matrix(axes)
    assert_close(A @ (moments[:, :, None] * np.eye(3)) @ np.swapaxes(A, -1, -2), tensor, "compiled")


def test_a_diagonal_tensor_keeps_its_axes():
    moments, axes = principal_axes(np.diag([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(moments, [1.0, 3.0, 2.0])
    np.testing.assert_array_equal(axes, [1.0, 0, 0, 0])
