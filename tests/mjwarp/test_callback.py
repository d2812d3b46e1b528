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
    assert called == ["passive", "sensor 1", "sensor 2", "control", "sensor 3"]
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


SENSED = """<mujoco><worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
  <site name="s" pos=".3 0 0"/></body></worldbody><actuator><motor name="u" joint="j" gear="2"/></actuator>
  <sensor><jointpos joint="j"/><jointvel joint="j"/><framepos objtype="site" objname="s"/><actuatorpos actuator="u"/><accelerometer site="s"/></sensor></mujoco>"""


@pytest.fixture
def sensed(device):
    """A pendulum with sensors, in MuJoCo and here, in the same state."""
    mj = oracle.compile_xml(SENSED)
    host, m, d = oracle.empty_data(mj), mjw.put_model(mj, device=device), mjw.make_data(mj, 1, device=device)
    for name, value in (("qpos", 0.4), ("qvel", -1.5), ("ctrl", 0.3), ("qacc", 7.0)):
        getattr(d, name).fill_(value)
        getattr(host, name)[:] = np.float32(value)
    return mj, host, m, d


def test_half_a_step_measures_and_then_asks_for_controls(sensed):
    mj, host, m, d = sensed
    oracle.mujoco.mj_step1(mj, host)
    seen = []
    m.callback.control = lambda m, d: seen.append(d.sensordata.numpy()[0].copy())
    m.callback.act_gain = lambda m, d: seen.append("gain")
    mjw.step1(m, d)
    assert len(seen) == 1
    assert_close(seen[0], host.sensordata, "velocity", floor=1.0)
    mjw.step2(m, d)
    assert seen[1:] == ["gain"]
    oracle.mujoco.mj_step2(mj, host)
    assert_close(d.qvel.numpy()[0], host.qvel, "next", floor=1.0)


def test_controls_are_asked_for_when_sensors_have_measured(sensed):
    mj, host, m, d = sensed
    oracle.call(mj, host, "mj_forward")
    seen = []
    m.callback.control = lambda m, d: seen.append(d.sensordata.numpy()[0, :6].copy())
    mjw.forward(m, d)
    assert_close(seen[0], host.sensordata[:6], "velocity", floor=1.0)
    m.opt.disableflags = m.opt.disableflags | int(mjw.DisableBit.ACTUATION)
    mjw.forward(m, d)
    assert len(seen) == 1


def test_inverse_dynamics_have_passive_forces_of_the_caller_and_sensors(sensed):
    mj, host, m, d = sensed
    oracle.call(mj, host, "mj_inverse")
    called = []
    m.callback.control = lambda m, d: called.append("control")
    m.callback.passive = lambda m, d: d.qfrc_passive.assign(d.qfrc_passive.numpy() + 2.0)
    mjw.inverse(m, d)
    assert not called
    assert_close(d.qfrc_inverse.numpy()[0], host.qfrc_inverse - 2.0, "inverse", floor=1.0)
    assert_close(d.sensordata.numpy()[0], host.sensordata, "force", floor=10.0)


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
