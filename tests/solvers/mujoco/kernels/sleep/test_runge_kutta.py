"""With RK4 nothing falls asleep, though sleep is enabled."""

import numpy as np

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

SCENE = """<mujoco><option integrator="RK4" timestep="0.005"><flag sleep="enable"/></option>
  <worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.099"><freejoint/><geom size="0.1"/></body>
    <body pos="1 0 1"><joint axis="0 1 0" damping="1"/><geom size="0.1" pos="0 0 -0.3"/></body></worldbody></mujoco>"""


def test_nothing_falls_asleep_with_rk4(device):
    mj = oracle.compile_xml(SCENE)
    states = oracle.rollout_states(mj, 3)
    engine = Engine(mj, states, device).step(60)
    assert engine.m.sizes["nsleep"] == 0
    asleep = oracle.rolled(mj, states, 60, "tree_asleep")
    assert (np.asarray(asleep) < 0).all()
    assert_close(engine.read("qpos"), oracle.roll(mj, states, 60).qpos, "contact", what="qpos")
