"""Pictures of a VectorEnv, as gymnasium asks for them."""

import gymnasium
import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.envs.vector import VectorEnv

SIZE = (64, 48)


@pytest.fixture(scope="module")
def env():
    env = VectorEnv("cartpole", 3, render_mode="rgb_array", render_size=SIZE)
    env.reset(seed=0)
    yield env
    env.close()


def test_each_world_has_a_picture_of_its_own(env):
    frames = env.render()
    assert isinstance(frames, tuple) and len(frames) == 3
    assert all(f.shape == (48, 64, 3) and f.dtype == np.uint8 for f in frames)
    assert not np.array_equal(frames[0], frames[1])  # worlds begin in different poses


def test_pictures_follow_the_worlds(env):
    before = env.render()
    for _ in range(20):
        env.step(np.full(env.action_space.shape, [[1.0], [-1.0], [0.0]], np.float32))
    after = env.render()
    assert all(np.abs(a.astype(int) - b).max() > 60 for a, b in zip(before, after, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(after, env.render(), strict=True))


def test_the_modes_and_the_speed_of_a_film_are_in_the_metadata(env):
    assert env.metadata["render_modes"] == ["rgb_array", "human"] and env.render_mode == "rgb_array"
    assert env.metadata["render_fps"] == 1.0 / env.env.step_dt


def test_pictures_change_nothing_of_the_worlds(env):
    plain = VectorEnv("cartpole", 3)
    actions = np.full(plain.action_space.shape, 0.3, np.float32)
    seen, unseen = env.reset(seed=5)[0], plain.reset(seed=5)[0]
    for _ in range(5):
        assert np.array_equal(seen, unseen)
        env.render()
        seen, unseen = env.step(actions)[0], plain.step(actions)[0]


def test_without_a_mode_there_is_a_warning_and_no_picture():
    env = VectorEnv("cartpole", 1)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="made without a render_mode"):
        assert env.render() is None


def test_an_unknown_mode_is_refused():
    with pytest.raises(ModelError, match="render_mode='ansi': use one of rgb_array, human"):
        VectorEnv("cartpole", 1, render_mode="ansi")


def test_the_page_of_a_person_shows_every_step(capsys):
    pytest.importorskip("viser")
    env = VectorEnv("cartpole", 2, render_mode="human")
    try:
        assert env.viewer.url in capsys.readouterr().err
        shown = []
        env.viewer.show = lambda state: shown.append(state.body_q.numpy().copy())  # which sends where somebody looks
        env.reset(seed=0)
        env.step(np.ones(env.action_space.shape, np.float32))
        assert env.render() is None and len(shown) == 3
        assert not np.array_equal(shown[0], shown[1]) and np.array_equal(shown[1], shown[2])
    finally:
        env.close()
    assert env.viewer is None


def test_gymnasium_makes_it_with_a_mode():
    gymnasium.register("Own-v0", vector_entry_point=lambda num_envs, **k: VectorEnv("cartpole", num_envs, **k))
    env = gymnasium.make_vec("Own-v0", num_envs=2, render_mode="rgb_array", render_size=SIZE)
    env.reset(seed=0)
    assert [f.shape for f in env.render()] == [(48, 64, 3)] * 2
