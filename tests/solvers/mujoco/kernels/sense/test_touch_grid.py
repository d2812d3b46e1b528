"""Grids of touch beside MuJoCo's: forces by the direction in which a site sees them, whichever of both geoms it is on."""

import numpy as np

from tests import oracle
from tests.harness.sensing import assert_measured, forwards, measured


def test_grids_feel_what_mujocos_do(device):
    mj = oracle.small_model("grids_of_touch")
    states = oracle.rollout_states(mj, 24, length=60)
    datas = forwards(mj, states)
    # the ball with a site is the first geom where another lies on it, and the second on the floor
    ball = mj.site("within").bodyid[0]
    sides = {k for data in datas for pair in data.contact.geom for k in (0, 1) if mj.geom_bodyid[pair[k]] == ball}
    assert sides == {0, 1} and np.array([data.sensordata != 0 for data in datas]).any(axis=0).sum() > 6
    assert_measured(mj, measured(mj, states, device), datas)
