"""Captures: a step and a reset do without Python what Python would have launched, and take up every change."""

import copy
import functools

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="VectorEnv needs the extra envs")

import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs import CurriculumTerm, EventTerm, RewardTerm, VectorEnv, mdp, tasks
from newtonlite.envs.capture import CHANGES, Counted, capturable, is_capturable

WORLDS, STEPS = 5, 12


def outputs(env, seed=1) -> list:
    rng, found = np.random.default_rng(seed), []
    for _ in range(STEPS):
        action = rng.uniform(-1, 1, env.action_space.shape).astype(np.float32)
        rows, *results, _ = env.step(action)
        found += [*(rows.values() if isinstance(rows, dict) else [rows]), *results]
    return [np.array(a) for a in found]


def made(task, captured: bool = True, **named) -> VectorEnv:
    env = VectorEnv(task, WORLDS, **named)
    if not captured:
        env.env.capture = lambda name, function, mask: function(mask)
    env.reset(seed=2)
    return env


def calls(env, name: str) -> list:
    return next(entry[1] for (kept, _), entry in env.env.capture.known.items() if kept == name)


@pytest.mark.parametrize("name", ["cartpole", "reacher", "ant", "arm_lift"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_bits_are_those_of_steps_that_python_takes(name, mode):
    task = tasks.load(name)
    task.episode_length = 4
    runs = [made(task, captured, autoreset_mode=mode) for captured in (True, False)]
    for captured, plain in zip(*map(outputs, runs)):
        np.testing.assert_array_equal(captured, plain)
    assert runs[0].env.capture.known and runs[0].env.common_step_counter == STEPS


@pytest.mark.parametrize("name", tasks.names())
def test_all_terms_of_packaged_tasks_are_capturable(name):
    task = tasks.load(name)
    tables = (
        task.rewards,
        task.terminations,
        task.events,
        task.metrics,
        *(g.terms for g in task.observations.values()),
    )
    lacking = [
        key
        for table in tables
        for key, term in table.items()
        if getattr(term.func, "capturable", None) is not term.func
    ]
    assert not lacking


def test_a_step_of_a_packaged_task_is_launches_physics_and_launches():
    env = made(tasks.load("cartpole"))
    outputs(env)
    assert len(calls(env, "step")) == 3


def test_a_term_of_numpy_is_called_in_every_step():
    seen = []

    def height(env):
        seen.append(env.common_step_counter)
        return env.sim.data.qpos.numpy()[:, 0] * 2.0 + len(seen) * 0

    task = tasks.load("cartpole")
    task.rewards["height"] = RewardTerm(height, 1.0)
    runs = [made(task, captured) for captured in (True, False)]
    seen.clear()
    found = outputs(runs[0])
    assert seen == list(range(1, STEPS + 1))
    for captured, plain in zip(found, outputs(runs[1])):
        np.testing.assert_array_equal(captured, plain)


def test_an_event_that_is_not_capturable_may_change_the_model_when_it_likes():
    def sometimes(env, mask):
        if env.common_step_counter % 3 == 0:
            mdp.dr.body_mass(env, mask, names=".*", ranges=(0.5, 2.0), operation="scale")

    sometimes.fields = mdp.dr.body_mass.fields if hasattr(mdp.dr.body_mass, "fields") else ("body_mass",)
    task = tasks.load("cartpole")
    task.per_world = ("body_mass",)
    task.events["mass"] = EventTerm(sometimes, "step")
    runs = [made(task, captured) for captured in (True, False)]
    for captured, plain in zip(*map(outputs, runs)):
        np.testing.assert_array_equal(captured, plain)
    masses = [env.env.sim.model.body_subtreemass.numpy() for env in runs]
    np.testing.assert_array_equal(*masses)


@capturable
class shifted:
    """The first coordinate less a number."""

    def __init__(self, env, by: float):
        self.env, self.by = env, by

    def __call__(self):
        return self.env.terms.compute(less, [self.env.sim.data.qpos, self.by])


@wp.kernel
def less(qpos: wp.array2d[float], by: float, out: wp.array[float]):
    """The first coordinate less a number."""
    out[wp.tid()] = qpos[wp.tid(), 0] - by


@pytest.mark.parametrize("way", ["parameter", "attribute", "table", "mask"])
def test_changes_of_what_decides_on_launches_are_taken_up(way):
    @capturable
    def moved(env, by):
        return env.terms.compute(less, [env.sim.data.qpos, by])

    task = tasks.load("cartpole")
    func = shifted if way == "attribute" else moved
    task.rewards = {"moved": RewardTerm(func, 1.0, {"by": 0.0})}
    env = made(task)
    outputs(env)
    before = env.step(np.zeros((WORLDS, 1), np.float32))[1]
    inner = env.env
    if way == "parameter":
        inner.rewards.terms["moved"].params["by"] = 100.0
    elif way == "attribute":
        inner.terms.objects()["reward/moved"].by = 100.0
    elif way == "table":
        inner.rewards.terms["moved"] = RewardTerm(moved, 1.0, {"by": 100.0})
    else:
        mask = wp.array([False] + [True] * (WORLDS - 1), dtype=wp.bool, device="cpu")
        state = inner.sim.data.qpos.numpy().copy()
        inner.step(np.zeros((WORLDS, 1), np.float32), mask)
        assert (inner.sim.data.qpos.numpy() != state).any(axis=1).tolist() == mask.numpy().tolist()
        return
    after = env.step(np.zeros((WORLDS, 1), np.float32))[1]
    assert (before > -50).all() and (after < -50).all()


def test_a_term_with_a_list_among_its_parameters_is_called_each_time():
    @capturable
    def weighed(env, by):
        return env.terms.compute(less, [env.sim.data.qpos, by[0]])

    task = tasks.load("cartpole")
    task.rewards = {"moved": RewardTerm(weighed, 1.0, {"by": [0.0]})}
    env = made(task)
    outputs(env)
    env.env.rewards.terms["moved"].params["by"][0] = 100.0
    assert (env.step(np.zeros((WORLDS, 1), np.float32))[1] < -50).all()


def test_copies_of_a_task_count_their_changes_too():
    task = copy.deepcopy(tasks.load("cartpole"))
    term = next(iter(task.rewards.values()))
    for change in (
        lambda: setattr(term, "weight", 3.0),
        lambda: term.params.update(x=1),
        lambda: task.rewards.pop("smooth"),
        lambda: setattr(task, "episode_length", 3),
    ):
        before = CHANGES.count
        change()
        assert CHANGES.count > before
    before, term.weight = CHANGES.count, 3.0
    assert CHANGES.count == before  # it was that


def test_dictionaries_within_parameters_are_counted():
    class Thing(Counted):
        pass

    thing = Thing()
    thing.params = {"ranges": {"x": (0, 1)}}
    before = CHANGES.count
    thing.params["ranges"]["x"] = (0, 2)
    assert CHANGES.count == before + 1
    thing.func = capturable(lambda env: None)
    assert is_capturable(thing)
    thing.params["names"] = ["a"]
    assert not is_capturable(thing)


def test_a_curriculum_decides_on_the_reset_that_it_comes_with():
    task = tasks.load("quadruped_velocity")
    task.episode_length, task.curriculum = 3, {}
    (name,) = [key for key, term in task.commands.items() if term.func is mdp.UniformVelocityCommand]
    stages = [{"step": 0, "lin_vel_x": (0.1, 0.2)}, {"step": 5, "lin_vel_x": (5.0, 6.0)}]
    task.curriculum["faster"] = CurriculumTerm(mdp.commands_vel, {"command_name": name, "velocity_stages": stages})
    runs = [made(task, captured) for captured in (True, False)]
    for captured, plain in zip(*map(outputs, runs)):
        np.testing.assert_array_equal(captured, plain)
    speeds = runs[0].env.command(name).numpy()[:, 0]
    assert speeds.max() > 4.0 and "reset" in {kept for kept, _ in runs[0].env.capture.known}


def test_what_is_derived_from_a_capturable_term_or_wrapped_around_it_is_not():
    class derived(shifted):
        """A class that overrides what it likes."""

    @functools.wraps(mdp.is_alive)
    def wrapped(env):
        return mdp.is_alive(env)

    for func, known in ((shifted, True), (mdp.is_alive, True), (derived, False), (wrapped, False)):
        assert is_capturable(RewardTerm(func, 1.0)) == known


def test_actions_of_another_type_are_refused():
    env = made(tasks.load("cartpole")).env
    with pytest.raises(StateError, match="float32"):
        env.step(wp.zeros((WORLDS, 1), dtype=wp.float64, device="cpu"))
    with pytest.raises(StateError, match="shape"):
        env.step(np.zeros((WORLDS, 2), np.float32))


def test_an_error_in_a_captured_step_says_which_term_and_leaves_no_capture():
    @capturable
    def broken(env, fails: bool):
        if fails:
            raise ValueError("no")
        return env.terms.compute(less, [env.sim.data.qpos, 0.0])

    task = tasks.load("cartpole")
    task.rewards["broken"] = RewardTerm(broken, 1.0, {"fails": False})
    env = made(task)
    outputs(env)
    env.env.rewards.terms["broken"].params["fails"] = True
    for _ in range(2):
        with pytest.raises(ModelError, match="reward/broken"):
            env.step(np.zeros((WORLDS, 1), np.float32))
    env.env.rewards.terms["broken"].params["fails"] = False
    outputs(env)
