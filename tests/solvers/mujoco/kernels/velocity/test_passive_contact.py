"""Passive contacts of flexes push as MuJoCo's do, and a step takes their stiffness in."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.discrete_scenes import PASSIVE
from tests.harness.engine import Engine
from tests.tolerance import assert_close

OPTION = '<option integrator="discrete" timestep=".002" tolerance="1e-12" iterations="300"/>'


@pytest.mark.parametrize("name", PASSIVE)
def test_forces_and_step_are_mujocos(name, device):
    mj = oracle.compile_xml(f"<mujoco>{OPTION}<worldbody>{PASSIVE[name]}</worldbody></mujoco>")
    states = oracle.rollout_states(mj, 4)
    want = oracle.step(mj, states)
    engine = Engine(mj, states, device).step()
    np.testing.assert_array_equal(engine.read("ncon"), want.ncon)
    np.testing.assert_array_equal(engine.read("nefc"), want.nefc)
    assert want.ncon.max() > 0
    assert_close(engine.read("qvel"), want.qvel, "next", what="qvel")
