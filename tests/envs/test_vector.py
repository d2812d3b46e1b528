"""VectorEnv: gymnasium's interface, the same transitions in all modes of autoreset, bad worlds cut off."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="VectorEnv needs the extra envs")

from gymnasium.vector import AutoresetMode

from newtonlite.core.errors import StateError
from newtonlite.envs import make, tasks

WORLDS, STEPS = 8, 150


def short(**changes):
    """Cart-pole with episodes of some twenty steps, ended by time and by a fall."""
    from newtonlite.envs import TerminationTerm
    from newtonlite.envs.mdp.observations import joint_vel_rel

    def fast(env):
        return np.abs(joint_vel_rel(env, "hinge").numpy()[:, 0]) > 0.25

    task = tasks.load("cartpole")
    task.episode_length = 23
    task.terminations = {"fast": TerminationTerm(fast)}
    for name, value in changes.items():
        setattr(task, name, value)
    return task


def actions(steps: int, worlds: int = WORLDS, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (steps, worlds, 1)).astype(np.float32)


def transitions(mode, steps: int = STEPS) -> list:
    """For each world its transitions (observation, action, reward, terminated, truncated, next observation).

    A world takes its actions in the order of its own steps, so that modes which spend a step on a reset see the same
    ones.
    """
    env = make(short(), WORLDS, autoreset_mode=mode)
    observed, _ = env.reset(seed=7)
    given, count, found = actions(2 * steps, WORLDS), np.zeros(WORLDS, int), [[] for _ in range(WORLDS)]
    pending = np.zeros(WORLDS, bool)
    while count.min() < steps:
        if mode is AutoresetMode.DISABLED and pending.any():
            observed, _ = env.reset(options={"reset_mask": pending})
            pending = np.zeros(WORLDS, bool)
        action = given[count, np.arange(WORLDS)]
        after, reward, terminated, truncated, infos = env.step(action)
        done = terminated | truncated
        for w in np.flatnonzero(~pending & (count < steps)):
            last = infos["final_obs"][w] if mode is AutoresetMode.SAME_STEP and done[w] else after[w]
            found[w].append((observed[w], action[w], reward[w], terminated[w], truncated[w], last))
        count += ~pending & (count < steps)
        observed = after
        pending = np.zeros(WORLDS, bool) if mode is AutoresetMode.SAME_STEP else done
    return found


@pytest.fixture(scope="module")
def same_step():
    return transitions(AutoresetMode.SAME_STEP)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_all_modes_give_the_same_transitions(mode, same_step):
    other = transitions(mode)
    ends = 0
    for ours, theirs in zip(same_step, other, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
            ends += a[3] + 2 * a[4]
    assert ends > WORLDS


def test_episodes_end_by_terms_and_by_time(same_step):
    over = [t for world in same_step for t in world if t[3]]
    late = [t for world in same_step for t in world if t[4]]
    assert over and late
    assert all(abs(t[5][4]) > 0.25 for t in over)
    assert not any(t[3] for t in late if abs(t[5][4]) <= 0.25)


def trajectory(seeds: list, watched: int, threads: int | None = None) -> list:
    env = make(short(), len(seeds), autoreset_mode="SameStep", threads=threads)
    found = [env.reset(seed=seeds)[0][watched]]
    for a in actions(60, 1):
        observed, reward, *ends, _ = env.step(np.repeat(a, len(seeds), 0))
        found += [observed[watched], reward[watched], *(e[watched] for e in ends)]
    return found


@pytest.mark.parametrize("threads", [1, 2])
def test_a_world_depends_on_its_seed_alone(threads):
    alone = trajectory([11], 0)
    crowd = trajectory([*range(50, 64), 11, 3], 14, threads)
    assert all(np.array_equal(a, b) for a, b in zip(alone, crowd, strict=True))


def test_seeds_count_up_from_one_number():
    env = make("cartpole", 3)
    one, _ = env.reset(seed=5)
    each, _ = env.reset(seed=[5, 6, 7])
    assert np.array_equal(one, each)
    assert len({tuple(row) for row in one}) == 3


def test_a_partial_reset_leaves_the_others():
    env = make("cartpole", 4, autoreset_mode="Disabled")
    env.reset(seed=1)
    for a in actions(5, 4):
        before, *_ = env.step(a)
    after, _ = env.reset(options={"reset_mask": np.array([False, True, False, True])})
    assert np.array_equal(before[[0, 2]], after[[0, 2]])
    assert not np.array_equal(before[[1, 3]], after[[1, 3]])
    assert env.env.step_count.numpy().tolist() == [5, 0, 5, 0]


def test_reset_without_a_seed_goes_on_with_the_next_episode():
    env = make("cartpole", 2)
    first, _ = env.reset(seed=1)
    second, _ = env.reset()
    again, _ = env.reset(seed=1)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True, False], TypeError),
        (np.array([1, 0]), TypeError),
        (np.array([True]), ValueError),
        (np.array([False, False]), ValueError),
    ],
)
def test_masks_that_are_none_are_refused(mask, error):
    env = make("cartpole", 2)
    with pytest.raises(error, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


def test_disabled_mode_asks_for_the_reset():
    env = make(short(episode_length=2), 2, autoreset_mode="Disabled")
    env.reset(seed=0)
    env.step(np.zeros((2, 1)))
    env.step(np.zeros((2, 1)))
    with pytest.raises(StateError, match="world 0"):
        env.step(np.zeros((2, 1)))


def test_a_world_that_goes_bad_is_cut_off_and_counted():
    env = make("cartpole", 3, autoreset_mode="SameStep")
    before, _ = env.reset(seed=0)
    action = np.zeros((3, 1), np.float32)
    action[1] = np.nan
    after, reward, terminated, truncated, infos = env.step(action)
    assert truncated.tolist() == [False, True, False]
    assert not terminated.any()
    assert infos["episode"]["bad"].tolist() == [False, True, False]
    assert env.env.terminations.counts.numpy()[:, 0].tolist() == [0, 1, 0]
    assert np.array_equal(infos["final_obs"][1], before[1])
    assert reward[1] == 0.0
    assert np.isfinite(after).all()
    assert not env.step(np.zeros((3, 1), np.float32))[3].any()


def test_what_is_told_of_an_episode_adds_up():
    env = make(short(episode_length=4, terminations={}), 2, autoreset_mode="SameStep")
    env.reset(seed=0)
    total = np.zeros(2, np.float32)
    for a in actions(4, 2):
        *_, infos = (step := env.step(a))
        total += step[1]
    episode = infos["episode"]
    assert infos["_episode"].all()
    assert np.array_equal(episode["r"], total)
    assert episode["l"].tolist() == [4, 4]
    assert episode["termination/time_out"].all()
    assert infos["final_info"]["episode"] is episode


def test_spaces_hold_what_comes_out():
    env = make("cartpole", 3)
    observed, infos = env.reset(seed=0)
    assert env.observation_space.contains(observed)
    assert env.single_action_space.shape == (1,)
    assert env.single_action_space.low == -1.0
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
