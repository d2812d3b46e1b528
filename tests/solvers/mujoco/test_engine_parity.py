"""One step of the engine against one step of MuJoCo, over states met along rollouts with random control."""

import numpy as np
import pytest

from tests import oracle
from tests.solvers.mujoco.engine import Engine
from tests.tolerance import assert_close, relative_error, tolerance

STATES = 200
REAL = ["humanoid", "three_humanoids"]


def real_model(assets, name):
    return oracle.compile_xml(assets / "mjcf" / "mjwarp_bench" / "humanoid" / f"{name}.xml")


def assert_parity(mj, device, settled=True):
    """`settled`: accelerations are judged against free ones where contacts hold the bodies still.

    A body at rest has an acceleration of zero that is a difference of large terms; float32 cannot tell it from
    1e-6 of gravity, and neither can MuJoCo when its own input is rounded to float32.
    """
    states = oracle.rollout_states(mj, STATES)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device).step()
    assert not engine.read("overflow").any() and not engine.read("bad").any()
    np.testing.assert_array_equal(engine.read("ncon"), want.ncon)
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    scale = np.linalg.norm(want.qacc_smooth, axis=1) if settled else 0.0
    assert_close(engine.read("qacc"), want.qacc, "qacc", scale)
    assert np.median(relative_error(engine.read("qacc"), want.qacc, scale)) < tolerance("qacc_median")
    assert_close(engine.read("qpos"), want.qpos, "next", what="qpos")
    assert_close(engine.read("qvel"), want.qvel, "next", scale * mj.opt.timestep, what="qvel")


@pytest.mark.parametrize("name", oracle.model_names())
def test_a_step_of_a_small_model_is_mujocos(name, device):
    assert_parity(oracle.small_model(name), device)


@pytest.mark.parametrize("name", REAL)
def test_a_step_of_the_benchmark_humanoids_is_mujocos(name, device, assets):
    assert_parity(real_model(assets, name), device, settled=False)


def test_a_step_of_our_humanoid_is_mujocos(device):
    assert_parity(oracle.named_model("humanoid"), device, settled=False)
