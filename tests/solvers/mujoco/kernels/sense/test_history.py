"""Delayed and periodic sensors, and the buffers they keep."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.derive.history import initial_history
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.sensing import WORLDS, assert_measured
from tests.tolerance import assert_close

STEPS = 23
CLOCKS = [
    'nsample="3"',
    'nsample="4" interval="0.025 -0.012"',
    'nsample="3" interval="0.035"',
    'nsample="7" interval="0.1 -0.05"',
    'nsample="1" delay="0.02"',
    'nsample="5" interval="0.002"',
    'nsample="5" interval="0.002 -0.001"',
    'nsample="5" interval="0.01 -0.005"',
]


@pytest.mark.parametrize("clock", CLOCKS)
def test_buffers_start_as_mujocos_do(clock):
    mj = oracle.compile_xml(
        f'<mujoco><option timestep="0.01"/><sensor><clock {clock}/><clock nsample="2"/></sensor></mujoco>'
    )
    assert_close(initial_history(mj)[None], np.array(oracle.mujoco.MjData(mj).history)[None], "compiled", 1.0)


def test_past_values_follow_mujoco_step_by_step(device):
    mj = oracle.small_model("sensors_with_delays")
    found = oracle.rollout_states(mj, WORLDS, speed=1.0)
    states = oracle.States(
        found.qpos, found.qvel, found.qacc_warmstart, found.ctrl
    )  # buffers and time as after a reset
    engine = Engine(mj, states, device)
    datas = [oracle.load(mj, states, i) for i in range(WORLDS)]
    for _ in range(STEPS):
        engine.step()
        for data in datas:
            oracle.mujoco.mj_step(mj, data)
        assert_measured(mj, engine.d.sensordata.numpy().astype(float), datas)
    assert_close(engine.d.history.numpy(), np.array([data.history for data in datas]), "trajectory", 1.0)
