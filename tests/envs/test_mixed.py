"""Two structures in one vector environment, each bit-equal to its own; recordings."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="MixedVectorEnv needs the extra envs")

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs import Environment, make, tasks
from newtonlite.envs.mixed import MixedVectorEnv
from newtonlite.envs.recorder import TrajectoryRecorder


def test_worlds_of_two_structures_are_those_of_their_own_environments():
    mixed = MixedVectorEnv({"quadruped_velocity": 2, "biped_velocity": 3}, autoreset_mode="SameStep")
    alone = make("biped_velocity", 3, autoreset_mode="SameStep")
    together, _ = mixed.reset(seed=10)
    own, _ = alone.reset(seed=[12, 13, 14])
    assert mixed.observation_mask.sum(1).tolist() == [48, 48, 75, 75, 75]
    assert mixed.action_mask.sum(1).tolist() == [12, 12, 21, 21, 21]
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(60):
        actions = rng.uniform(-5, 5, (5, 21)).astype(np.float32)
        together, reward, over, cut, infos = mixed.step(actions)
        own, own_reward, own_over, own_cut, own_infos = alone.step(actions[2:])
        assert np.array_equal(together[2:, :75], own["policy"])
        assert not together[:2, 48:].any()
        assert np.array_equal(reward[2:], own_reward)
        assert np.array_equal(over[2:], own_over)
        if own_over.any():
            ends += own_over.sum()
            assert np.array_equal(infos["episode"]["r"][2:], own_infos["episode"]["r"])
            assert np.array_equal(infos["final_obs"][2:, :75][own_over], own_infos["final_obs"]["policy"][own_over])
    assert ends > 0


def test_a_task_without_the_group_is_named():
    with pytest.raises(ModelError, match="'cartpole' has no group of observations 'critic'; it has policy"):
        MixedVectorEnv({"cartpole": 2}, group="critic")


def test_recordings_have_every_step(tmp_path):
    env = Environment(tasks.load("cartpole"), 4, seed=3)
    recorder = TrajectoryRecorder(env, worlds=[1, 3], limit=5)
    with pytest.raises(StateError, match="nothing is recorded"):
        recorder.save(tmp_path / "run")
    for i in range(7):
        env.step(np.full((4, 1), 0.1 * i, np.float32))
        recorder.record()
    found = np.load(recorder.save(tmp_path / "run"))
    assert found["qpos"].shape == (5, 2, 2)
    assert found["step"][:, 0].tolist() == [3, 4, 5, 6, 7]
    assert np.array_equal(found["qpos"][-1], env.sim.data.qpos.numpy()[[1, 3]])
    assert found["seed"][0].tolist() == [4, 6]
    with pytest.raises(StateError, match="worlds: expected some of 0 to 3"):
        TrajectoryRecorder(env, worlds=[4])
