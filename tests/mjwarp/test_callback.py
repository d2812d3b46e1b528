"""Functions of the caller, at MuJoCo's places in a step."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import ModelError, StateError
from tests import oracle
from tests.tolerance import assert_close


@pytest.fixture
def pair(device):
    mj = oracle.named_model("pendulum_double_hinge")
    states = oracle.rollout_states(mj, 2, seed=9)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 2, device=device)
    for name in ("qpos", "qvel", "ctrl", "qacc_warmstart"):
        getattr(d, name).assign(getattr(states, name))
    return mj, states, m, d


def test_callbacks_that_do_nothing_change_nothing_and_come_in_order(pair):
    mj, states, m, d = pair
    expected = oracle.step(mj, states)
    called = []
    m.callback.passive = lambda m, d: called.append("passive")
    m.callback.control = lambda m, d: called.append("control")
    m.callback.sensor = lambda m, d, stage: called.append(f"sensor {stage}")
    mjw.step(m, d)
    assert called == ["passive", "control", "sensor 1", "sensor 2", "sensor 3"]
    assert_close(d.qvel.numpy(), expected.qvel, "next", floor=1.0)
    assert_close(d.qpos.numpy(), expected.qpos, "next", floor=1.0)


def test_controls_and_passive_forces_of_the_caller_act(pair):
    mj, states, m, d = pair
    states.ctrl[:] = 0.25
    force = np.array([[0.5, -0.25], [1.0, 2.0]])
    expected = oracle.step(mj, states, qfrc_applied=force)
    m.callback.control = lambda m, d: d.ctrl.fill_(0.25)
    m.callback.passive = lambda m, d: d.qfrc_passive.assign(d.qfrc_passive.numpy() + force)
    mjw.step(m, d)
    assert_close(d.qvel.numpy(), expected.qvel, "next", floor=1.0)


def test_rk4_calls_at_every_pass(device):
    mj = oracle.named_model("pendulum_double_hinge")
    mj.opt.integrator = 1
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 1, device=device)
    called = []
    m.callback.control = lambda m, d: called.append(1)
    mjw.step(m, d)
    assert len(called) == 4


def test_what_cannot_be_called_is_refused(pair, device):
    mj, _, m, _ = pair
    with pytest.raises(ModelError, match="not a place"):
        m.callback.collision = print
    with pytest.raises(ModelError, match="expected a function"):
        m.callback.control = 3
    m.callback.control = lambda m, d: None
    if not wp.get_device(device).is_cuda:
        with pytest.raises(StateError, match="per_world"):
            mjw.step(m, mjw.make_data(mj, 1, scratch="shared", device=device))
