"""Actuators whose rates, gains and biases the user computes, against MuJoCo with callbacks that compute the same."""

import numpy as np

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

STATES = 20


def states_of(mj):
    rng = np.random.default_rng(1)
    states = oracle.rollout_states(mj, STATES)
    states.act = rng.uniform(-0.9, 0.9, states.act.shape)
    return oracle.rounded(states)


def test_without_the_users_numbers_gains_are_one_and_rates_zero(device):
    mj = oracle.small_model("user_laws")
    states = states_of(mj)
    engine = Engine(mj, states, device).step()
    want = oracle.step(mj, states)
    assert_close(engine.read("qvel"), want.qvel, "next")
    assert_close(engine.read("act"), want.act, "next")


def test_the_users_numbers_are_what_callbacks_return(device):
    mj = oracle.small_model("user_laws")
    states = states_of(mj)
    rates, gains, biases = {0: [0.5, -0.3, 0.7], 2: -0.4}, [2.0, -1.0, 0.0, 0.0], [0.3, 0.0, 0.0, 0.0]
    with oracle.user_laws(rates.get, gains.__getitem__, biases.__getitem__):
        want = oracle.step(mj, states)
    engine = Engine(mj, states, device)
    for name, values in (("user_rate", np.array([*rates[0], rates[2]])), ("user_gain", gains), ("user_bias", biases)):
        engine.write(name, np.tile(np.array(values), (STATES, 1)))
    engine.step()
    assert_close(engine.read("qvel"), want.qvel, "next")
    assert_close(engine.read("act"), want.act, "next")
