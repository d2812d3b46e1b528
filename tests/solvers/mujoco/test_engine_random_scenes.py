"""Scenes nobody chose: combinations of joints, shapes, cones and integrators that no hand-written model has."""

import numpy as np
import pytest

from tests import oracle
from tests.solvers.mujoco.engine import Engine
from tests.solvers.mujoco.random_scene import RandomScene
from tests.tolerance import assert_close

STATES = 24


@pytest.mark.parametrize("seed", range(40))
def test_a_step_of_a_random_scene_is_mujocos(seed, device):
    mj = oracle.compile_xml(RandomScene(seed).text)
    states = oracle.rollout_states(mj, STATES, seed=seed)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device).step()
    np.testing.assert_array_equal(engine.read("ncon"), want.ncon)
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    scale = np.linalg.norm(want.qacc_smooth, axis=1)
    assert_close(engine.read("qacc"), want.qacc, "qacc", scale)
    assert_close(engine.read("qpos"), want.qpos, "next", what="qpos")
    assert_close(engine.read("qvel"), want.qvel, "next", scale * mj.opt.timestep, what="qvel")
