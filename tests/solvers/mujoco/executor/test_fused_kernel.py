"""Fused kernels: how they access arrays."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core import warp_internals
from newtonlite.core.errors import Error
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.fused_kernel import unique_kernel
from newtonlite.solvers.mujoco.executor.generated_code import ARRAY_ACCESS
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.executor.views import share
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle

SHAPE = (2, 3, 4, 5)


def copy_sum(
    shared: wp.array[float],
    rows: wp.array2d[float],
    planes: wp.array3d[float],
    whole: wp.array4d[float],
    out: wp.array4d[float],
):
    for i in range(whole.shape[0]):
        for j in range(whole.shape[1]):
            for k in range(whole.shape[2]):
                for n in range(whole.shape[3]):
                    out[i, j, k, n] = whole[i, j, k, n] + planes[j, k, n] + rows[k, n] + shared[i]


def test_elements_are_found_at_any_stride_of_the_dimensions_before_the_last():
    numbers = np.random.default_rng(0).normal(size=SHAPE).astype(np.float32)
    base = wp.array(numbers, dtype=float, device="cpu")
    whole, planes, rows = base[:, ::2, 1:3], base[1, ::2, 1:3], base[0, 0, ::3]
    out = wp.zeros((3, 3, 4, 5), dtype=float, device="cpu")
    alone = wp.array([0.5], dtype=float, device="cpu")
    apart = wp.array([[1.0, 9.0], [2.0, 9.0]], dtype=float, device="cpu")[:, 0]
    for shared, added in ((share(alone, 2), [0.5, 0.5]), (apart, [1.0, 2.0])):
        inputs = [shared, rows, planes, whole, out[1:, :2, 2:]]
        wp.launch(unique_kernel(copy_sum, 1, 0), dim=1, inputs=inputs, block_dim=1, device="cpu")
        expected = numbers[:, ::2, 1:3] + numbers[1, ::2, 1:3] + numbers[0, 0, ::3]
        expected += np.array(added, np.float32)[:, None, None, None]
        np.testing.assert_array_equal(out.numpy()[1:, :2, 2:], expected)
        assert not out.numpy()[0].any()


@pytest.mark.parametrize("nlane", [1, 8, 32, 128])
@pytest.mark.parametrize("up", [True, False])
def test_kernels_of_every_team_access_arrays_alike(nlane, up, monkeypatch):
    monkeypatch.setattr(warp_internals, "used", lambda: up)
    preambles = unique_kernel(copy_sum, nlane, 0).module.options.get("extra_build_options") or wp.ModuleBuildOptions()
    assert (ARRAY_ACCESS in (preambles.extra_cpu_preamble or "")) == up
    assert (ARRAY_ACCESS in (preambles.extra_cuda_preamble or "")) == up


def test_arrays_with_gaps_in_the_last_dimension_are_refused_by_name():
    mj = oracle.compile_xml("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
    m = put_model(mj, 2, "cpu")
    d = make_data(m, 2)
    gaps = wp.zeros((2, 2 * m.nv), dtype=float, device="cpu")[:, ::2]
    with pytest.raises((TypeError, Error), match=r"d\.qvel: expected elements of the last dimension side by side"):
        Schedule(m, d, threads=1).run("step", bound={"qvel": gaps})
