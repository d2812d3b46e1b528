"""Grids of touch beside MuJoCo's: forces by the direction in which a site sees them, whichever of both geoms it is on."""

import numpy as np

from tests import oracle
from tests.harness.sensing import assert_measured, forwards, measured


def test_grids_feel_what_mujocos_do(device):
    mj = oracle.small_model("grids_of_touch")
    states = oracle.rollout_states(mj, 24, length=60)
    datas = forwards(mj, states)
    # a sphere that lies on a crate is the first geom of their contact, its body the later one
    upon = mj.site("above").bodyid[0]
    firsts = {int(mj.geom_bodyid[pair[0]]) for data in datas for pair in data.contact.geom}
    felt = np.array([data.sensordata != 0 for data in datas]).any(axis=0)
    assert upon in firsts and felt[mj.sensor("d").adr[0] :][:18].any() and felt.sum() > 6
    assert_measured(mj, measured(mj, states, device), datas)
