"""Worlds of an environment: the same bits whatever the batch, nothing stale after a reset, checkpoints."""

import gc
import tracemalloc

import numpy as np
import pytest

from newtonlite.core.errors import StateError
from newtonlite.envs import Environment, EventTerm, tasks
from newtonlite.envs.mdp import dr, events

STEPS = 60


def lively(name: str):
    """A task with short episodes and, on the quadruped, everything that draws numbers."""
    task = tasks.load(name)
    task.episode_length = 25
    if name == "quadruped_velocity":
        task.keep = ("xpos",)
        task.events["mass"] = EventTerm(dr.body_mass, "reset", {"ranges": (0.8, 1.2)})
        task.events["shove"] = EventTerm(
            events.apply_body_impulse,
            "step",
            {
                "force_range": (-20, 20),
                "torque_range": (-1, 1),
                "duration_s": (0.04, 0.1),
                "cooldown_s": (0.1, 0.2),
                "bodies": "trunk",
            },
        )
        task.events["push_robot"].interval_range_s = (0.1, 0.3)
        task.actions["joint_pos"].delay_max_lag = 2
    return task


def trajectory(name: str, seeds: list, watched: int, threads: int) -> list:
    """All that one world shows, under actions of its own."""
    env = Environment(lively(name), len(seeds), threads=threads)
    env.reset(seed=seeds)
    rng = np.random.default_rng(5)
    found = []
    for _ in range(STEPS):
        action = rng.uniform(-1, 1, env.actions.count).astype(np.float32)
        env.step(np.tile(action, (len(seeds), 1)))
        found += [env.reward.numpy()[watched], env.terminations.done.numpy()[watched]]
        if env.terminations.done.numpy().any():
            env.reset(env.terminations.done)
        found += [a.numpy()[watched].copy() for a in env.observations.values()]
    return found


@pytest.mark.parametrize("name", ["quadruped_velocity", "ant", "reacher"])
def test_a_world_depends_on_its_seed_alone(name):
    alone = trajectory(name, [9], 0, 1)
    crowd = trajectory(name, [4, 5, 9, 1, 2**33], 2, 2)
    assert all(np.array_equal(a, b) for a, b in zip(alone, crowd, strict=True))
    assert np.sum(alone[1::4] if name == "quadruped_velocity" else alone[1::3]) >= 2


def test_nothing_is_stale_after_a_reset():
    """A world that was reset shows what a fresh environment shows that is put into its state."""
    env = Environment(tasks.load("quadruped_velocity"), 3, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(10):
        env.step(rng.uniform(-1, 1, (3, 12)).astype(np.float32))
    mask = np.array([False, True, False])
    import warp as wp

    before = env.sim.data.sensordata.numpy().copy()
    env.reset(wp.array(mask, dtype=wp.bool, device=env.device))
    fresh = Environment(tasks.load("quadruped_velocity"), 3, seed=1)
    fresh.sim.data.qpos.assign(env.sim.data.qpos.numpy())
    fresh.sim.data.qvel.assign(env.sim.data.qvel.numpy())
    fresh.sim.forward(fresh.every)
    shown = env.sim.data.sensordata.numpy()
    assert np.array_equal(shown[1], fresh.sim.data.sensordata.numpy()[1])
    assert not np.array_equal(shown[1], before[1])
    assert np.array_equal(shown[[0, 2]], before[[0, 2]])


def test_a_checkpoint_goes_on_bit_by_bit():
    task = lively("quadruped_velocity")
    rng = np.random.default_rng(2)
    actions = rng.uniform(-1, 1, (40, 4, 12)).astype(np.float32)

    def go(env, given):
        for a in given:
            env.step(a)
            if env.terminations.done.numpy().any():
                env.reset(env.terminations.done)
        return env

    env = go(Environment(task, 4, seed=8), actions[:17])
    saved = env.state()
    other = Environment(lively("quadruped_velocity"), 4, seed=99)
    other.load(saved)
    one, two = go(env, actions[17:]).state(), go(other, actions[17:]).state()
    assert one.keys() == two.keys()
    assert not [name for name in one if not np.array_equal(one[name], two[name], equal_nan=True)]


def test_a_step_allocates_nothing(monkeypatch):
    env = Environment(tasks.load("quadruped_velocity"), 3, seed=1)
    action, taken = np.zeros((3, 12), np.float32), []
    for _ in range(10):
        env.step(action)
    pool = env.device.get_allocator()
    allocate = pool.allocate
    monkeypatch.setattr(pool, "allocate", lambda size, *more: taken.append(size) or allocate(size, *more))
    tracemalloc.start()
    grown = []
    for _ in range(3):
        for _ in range(20):
            env.step(action)
        gc.collect()
        grown.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert not taken
    assert grown[2] - grown[1] < 1000  # bytes of 20 steps: numbers in the interpreter's own tables


def test_a_checkpoint_of_one_world_has_its_parameters():
    """Masses and frictions of its own, and what follows from them."""
    one, other = (Environment(lively("quadruped_velocity"), 1, seed=seed) for seed in (3, 4))
    still = np.zeros((1, one.actions.count), np.float32)
    one.step(still)
    other.load(one.state())
    for name in ("body_mass", "body_subtreemass", "dof_invweight0", "geom_friction"):
        assert (getattr(other.sim.model, name).numpy() == getattr(one.sim.model, name).numpy()).all(), name
    for _ in range(20):
        one.step(still)
        other.step(still)
    assert (other.sim.data.qpos.numpy() == one.sim.data.qpos.numpy()).all()


def test_checkpoints_of_another_kind_are_refused():
    env = Environment(tasks.load("cartpole"), 2, seed=0)
    with pytest.raises(StateError, match="number of worlds differs"):
        env.load(Environment(tasks.load("cartpole"), 3, seed=0).state())
    with pytest.raises(StateError, match="another task"):
        env.load(Environment(tasks.load("reacher"), 2, seed=0).state())
