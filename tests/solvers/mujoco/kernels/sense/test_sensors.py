"""Every sensor of the small models measures what MuJoCo's does."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.sensing import WORLDS, assert_measured, forwards, measured

MODELS = [
    "sensors_of_motion",
    "sensors_of_contact",
    "sensors_of_limits",
    "cameras_that_track",
    "rangefinders_and_zones",
    "forces_of_ties_on_bodies",
    "distances_of_geoms",
]
SPEED = {"sensors_of_contact": 0.2}


@pytest.mark.parametrize("name", MODELS)
def test_sensors_measure_what_mujocos_do(name, device):
    mj = oracle.small_model(name)
    states = oracle.rollout_states(mj, WORLDS, speed=SPEED.get(name, 1.0))
    datas = forwards(mj, states)
    got = measured(mj, states, device)
    assert np.isfinite(got).all()
    assert_measured(mj, got, datas)
