"""With RK4 nothing falls asleep, though sleep is enabled; what starts asleep sleeps until it is woken."""

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


STARTS = """<mujoco><option integrator="RK4" timestep="0.01"><flag sleep="enable"/></option><worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 1" sleep="init"><freejoint/><geom size=".1"/></body><body pos=".01 0 1.5"><freejoint/><geom size=".1"/></body>
  <body pos="1 0 1.5" sleep="init"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></worldbody></mujoco>"""


def test_what_starts_asleep_hangs_in_the_air_until_something_touches_it(device):
    """As MuJoCo's, in every step: a ball wakes the one that it falls on, a pendulum never falls."""
    mj = oracle.compile_xml(STARTS)
    none = np.zeros((1, 0))
    states = oracle.States(mj.qpos0[None], np.zeros((1, mj.nv)), np.zeros((1, mj.nv)), none, none)
    data = oracle.load(mj, states, 0)
    engine = Engine(mj, states, device)
    for _ in range(45):
        engine.step()
        oracle.advance(mj, data)
        np.testing.assert_array_equal(engine.read("tree_asleep")[0] >= 0, data.tree_asleep >= 0)
        np.testing.assert_array_equal(engine.read("ncon")[0], data.ncon)
    assert (data.tree_asleep >= 0).tolist() == [False, False, True]
    assert_close(engine.read("qpos"), data.qpos[None], "contact", what="qpos")
