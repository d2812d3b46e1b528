"""A task in a viewer: poses are the engine's, episodes begin anew, a drag pushes one world."""

import numpy as np
import pytest

from newtonlite.envs import TaskSession, tasks
from newtonlite.envs.environment import Environment
from tests.tolerance import tolerance


@pytest.fixture(scope="module")
def hopper():
    """Three worlds of a task whose bodies are free to fall over."""
    return TaskSession(tasks.load("hopper"), 3, driving="random", seed=4)


def test_bodies_are_where_the_engine_has_them(hopper):
    hopper.reset()
    for _ in range(3):
        hopper.step()
    names = hopper.env.sim.names("body")
    labels = [label.split("/")[-1] for label in hopper.model.body_label]
    body_q = hopper.state.body_q.numpy().reshape(3, -1, 7)
    for k, label in enumerate(labels[: body_q.shape[1]]):
        body = names.index(label)
        assert np.array_equal(body_q[:, k, :3], hopper.env.sim.data.xpos.numpy()[:, body])
        assert np.array_equal(body_q[:, k, 3:], hopper.env.sim.data.xquat.numpy()[:, body][:, [1, 2, 3, 0]])


def test_worlds_are_those_of_the_environment(hopper):
    """The session adds nothing: an environment with the same seed and actions has the same rewards."""
    session = TaskSession(tasks.load("hopper"), 3, driving="random", seed=4)
    task = tasks.load("hopper")
    task.keep = tuple({*task.keep, "xpos", "xquat"})
    env = Environment(task, 3, seed=4)
    for _ in range(30):
        session.step()
        env.step(session.action)
        if env.terminations.done.numpy().any():
            env.reset(env.terminations.done)
        assert np.array_equal(session.env.reward.numpy(), env.reward.numpy())


def test_one_world_can_be_reset(hopper):
    hopper.reset()
    for _ in range(5):
        hopper.step()
    counts = hopper.env.step_count.numpy()
    hopper.reset([1])
    assert hopper.env.step_count.numpy().tolist() == [counts[0], 0, counts[2]]


def test_a_drag_moves_its_world_alone(hopper):
    hopper.reset()
    free = TaskSession(tasks.load("hopper"), 3, seed=4)
    free.reset()
    hopper.reset()
    hopper.env.load(free.env.state())
    hopper.driving = None
    hopper.clear_controls()
    per_world = hopper.model.body_count // 3
    start = hopper.state.body_q.numpy()[per_world].copy()
    hopper.push.take(per_world, start[:3], hopper.state.body_q.numpy())
    hopper.push.pull(start[:3] + [0.5, 0.0, 0.2])
    for _ in range(5):
        hopper.step()
        free.step()
    rows = [session.state.body_q.numpy().reshape(3, per_world, 7) for session in (hopper, free)]
    assert np.array_equal(rows[0][[0, 2]], rows[1][[0, 2]])
    assert rows[0][1, 0, 0] > rows[1][1, 0, 0] + 1e-3
    hopper.push.release()
    hopper.step()
    assert not hopper.env.sim.data.xfrc_applied.numpy().any()


def test_plots_and_sliders_know_the_parts_of_a_task(hopper):
    hopper.step()
    found = hopper.scalars()
    assert {"reward", "rewards of the episode", "actions"} <= set(found)
    values, names = found["rewards of the episode"](hopper.state, 1)
    assert len(values) == len(names) == len(hopper.env.rewards.terms)
    _, names, ranges = hopper.controls_of(0)
    assert len(names) == len(ranges) == hopper.env.actions.count
    hopper.set_control(2, 0, 0.5)
    assert hopper.control_values(2)[0] == pytest.approx(0.5, abs=tolerance("drawn_corner"))
