"""Principal axes of bodies."""

import numpy as np
import pytest

from newtonlite.math import quat
from newtonlite.solvers.mujoco.bindings.body import principal_axes
from tests import oracle
from tests.tolerance import assert_close

Q = quat.normalized(np.random.default_rng(0).normal(size=(50, 4)))


def test_principal_axes_rebuild_the_tensor():
    R = quat.matrix(Q)
    tensor = R @ (np.array([3.0, 2.0, 1.5]) * np.eye(3)) @ np.swapaxes(R, -1, -2)
    moments, axes = principal_axes(tensor)
    A = quat.matrix(axes)
    assert_close(A @ (moments[:, :, None] * np.eye(3)) @ np.swapaxes(A, -1, -2), tensor, "compiled")


def test_a_diagonal_tensor_keeps_its_axes():
    moments, axes = principal_axes(np.diag([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(moments, [1.0, 3.0, 2.0])
    np.testing.assert_array_equal(axes, [1.0, 0, 0, 0])


def test_many_tensors_have_their_axes_each():
    """A dimension of worlds may be the tensors' or the axes' alone."""
    pair = np.array([np.diag([1.0, 3.0, 2.0]), [[2.0, 0.5, 0], [0.5, 1.0, 0], [0, 0, 2.0]]])
    moments, axes = principal_axes(np.stack([pair] * 3), np.zeros((2, 4)))
    assert moments.shape == (3, 2, 3) and axes.shape == (3, 2, 4)
    np.testing.assert_array_equal(axes[:, 0], [[1.0, 0, 0, 0]] * 3)
    assert_close(moments[:, 1], [[1.5 + 0.5**0.5, 2.0, 1.5 - 0.5**0.5]] * 3, "compiled")


@pytest.mark.parametrize("products", [(0, 3e-7, 4e-9), (3e-4, -2e-4, 1e-4), (0.3, -0.2, 0.5)])
def test_products_of_inertia_give_the_axes_of_mujoco_however_small_they_are(products):
    """A body that spins about its intermediate axis tips by them, and waits for them."""
    xy, xz, yz = products
    full = f"1.36 8.64 9.49 {xy} {xz} {yz}"
    mj = oracle.compile_xml(
        f'<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="{full}"/></body></worldbody></mujoco>'
    )
    moments, axes = principal_axes([[1.36, xy, xz], [xy, 8.64, yz], [xz, yz, 9.49]])
    assert_close(moments, mj.body_inertia[1], "compiled")
    assert_close(quat.matrix(axes), quat.matrix(mj.body_iquat[1]), "frame")
