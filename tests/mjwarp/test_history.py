"""Buffers of delayed controls and sensors: read, filled and reset as MuJoCo does it."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import StateError
from tests import oracle
from tests.harness import questions
from tests.tolerance import assert_close

WORLDS = 4


def loaded(name: str, device):
    """States with buffers that have something in them, on both sides."""
    mj = oracle.small_model(name)
    states = oracle.rollout_states(mj, WORLDS, seed=2)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, WORLDS, device=device)
    for field in ("qpos", "qvel", "ctrl", "history"):
        getattr(d, field).assign(getattr(states, field))
    d.time.assign(states.time[:, 0])
    mjw.forward(m, d)
    return mj, states, m, d


@pytest.mark.parametrize("interp", [0, 1, 2])
@pytest.mark.parametrize(("name", "kind"), [("delayed_controls", "ctrl"), ("sensors_with_delays", "sensor")])
def test_buffers_are_read_as_mujoco_reads_them(name, kind, interp, device):
    mj, states, m, d = loaded(name, device)
    time = states.time[:, 0]
    for index in range(mj.nactuator if kind == "ctrl" else mj.nsensor):
        width = int(mj.actuator_ctrlnum[index] if kind == "ctrl" else mj.sensor_dim[index])
        result = wp.zeros((WORLDS, width), dtype=float, device=device)
        read = mjw.read_ctrl if kind == "ctrl" else mjw.read_sensor
        read(m, d, index, wp.array(time, dtype=float, device=device), interp, result)
        want = [
            questions.read_history(mj, oracle.forward(mj, states, w), kind, index, time[w], interp)
            for w in range(WORLDS)
        ]
        assert_close(result.numpy(), np.array(want), "delay", floor=1.0, what=f"{kind} {index}")


def test_a_filled_buffer_gives_its_samples_back(device):
    mj, states, m, d = loaded("delayed_controls", device)
    u = int(np.flatnonzero(mj.actuator_history[:, 0] > 2)[0])
    count, width = int(mj.actuator_history[u, 0]), int(mj.actuator_ctrlnum[u])
    times = np.arange(count) * 0.01
    values = np.random.default_rng(0).standard_normal((WORLDS, count * width))
    mjw.init_ctrl_history(
        m, d, u, wp.array(times, dtype=float, device=device), wp.array(values, dtype=float, device=device)
    )
    result = wp.zeros((WORLDS, width), dtype=float, device=device)
    asked = np.full(WORLDS, times[1] + mj.actuator_delay[u])
    mjw.read_ctrl(m, d, u, wp.array(asked, dtype=float, device=device), 0, result)
    assert_close(result.numpy(), values[:, width : 2 * width], "parameter")
    mjw.reset_history(m, d)
    assert_close(d.history.numpy()[0][None], oracle.empty_data(mj).history[None], "parameter")


def test_wrong_buffers_are_refused(device):
    _, _, m, d = loaded("delayed_controls", device)
    with pytest.raises(StateError, match="actuator 99"):
        mjw.read_ctrl(m, d, 99, wp.zeros(WORLDS), 0, wp.zeros((WORLDS, 1)))
    u = int(np.flatnonzero(m.source.actuator_history[:, 0] > 2)[0])
    with pytest.raises(StateError, match="values"):
        mjw.init_ctrl_history(m, d, u, None, wp.zeros((WORLDS, 999)))


def test_samples_in_another_order_of_axes_and_phases_of_other_worlds_are_refused(device):
    mj, _, m, d = loaded("sensors_with_delays", device)
    s = int(
        np.flatnonzero(
            (mj.sensor_history[:, 0] > 0) & (mj.sensor_dim > 1) & (mj.sensor_history[:, 0] != mj.sensor_dim)
        )[0]
    )
    count, width = int(mj.sensor_history[s, 0]), int(mj.sensor_dim[s])
    in_order = wp.zeros((WORLDS, count, width), dtype=float, device=device)
    mjw.init_sensor_history(m, d, s, None, in_order)
    with pytest.raises(StateError, match=rf"values must have shape \({WORLDS}, {count * width}\)"):
        mjw.init_sensor_history(m, d, s, None, wp.zeros((WORLDS, width, count), dtype=float, device=device))
    for wrong in (0, 2, WORLDS + 1):
        with pytest.raises(StateError, match="phase array must have shape"):
            mjw.init_sensor_history(m, d, s, None, in_order, wp.zeros(wrong, dtype=float, device=device))
