"""PPO: targets at the ends of episodes, resuming, reaching the bar of a small task, export."""

import json
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs the extra learn")

import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs import Environment, tasks
from newtonlite.learn.ppo import PPO, ActorCritic, Normaliser, PPOSettings, targets
from newtonlite.learn.runner import Runner, load_policy
from tests.tolerance import tolerance


def test_an_episode_cut_off_counts_the_value_of_its_own_last_observation():
    row = lambda *x: torch.tensor(x, dtype=torch.float32)[:, None]
    terminated, done = row(0, 0, 1).bool(), row(0, 1, 1).bool()
    _, returns = targets(row(1, 1, 1), row(5, 6, 7), row(6, 100, 200), terminated, done, gamma=0.5, lam=1.0)
    assert returns.flatten().tolist() == [1 + 0.5 * (1 + 0.5 * 100), 1 + 0.5 * 100, 1]


def test_advantages_of_one_step_are_temporal_differences():
    g = torch.Generator().manual_seed(0)
    reward, value, after = (torch.rand(5, 3, generator=g) for _ in range(3))
    no = torch.zeros(5, 3, dtype=torch.bool)
    advantage, _ = targets(reward, value, after, no, no, gamma=0.9, lam=0.0)
    assert torch.equal(advantage, reward + 0.9 * after - value)


def test_collected_targets_use_what_was_seen_before_the_reset():
    """A value that shows the cart's place: at a time-out it has to be that of the last observation, not that of the
    next episode.
    """
    task = tasks.load("cartpole")
    task.episode_length = 3
    ppo = PPO(Environment(task, 2, seed=0), PPOSettings(steps=7, normalise_observations=False))
    ppo.policy.evaluate = lambda rows: rows[:, 0].clone()
    batch, episodes = ppo.collect()
    ends = batch["done"].any(dim=1).nonzero().flatten().tolist()
    assert ends == [2, 5]
    assert not batch["terminated"].any()
    assert len(episodes) == 2
    for t in range(6):
        later = batch["actor_obs"][t + 1][:, 0]
        assert torch.equal(batch["next_value"][t], later) != (t in ends)


def test_the_normaliser_knows_mean_and_deviation():
    rows = np.random.default_rng(0).normal(3.0, 2.0, (1000, 4))
    norm = Normaliser(4)
    for part in np.array_split(rows, 7):
        norm.update(torch.from_numpy(part))
    assert np.abs(norm.mean.numpy() - rows.mean(0)).max() < tolerance("frame")
    assert np.abs(norm.deviation().numpy() - rows.std(0)).max() < tolerance("frame")


SMALL = {"worlds": 8, "steps": 8, "iterations": 6, "epochs": 2, "hidden": (16,), "target_kl": 0.02}


def test_a_run_resumed_is_the_run_that_never_stopped(tmp_path):
    whole = Runner("cartpole", tmp_path / "whole", **SMALL)
    whole.train()
    part = Runner("cartpole", tmp_path / "part", **{**SMALL, "iterations": 3})
    part.train()
    rest = Runner("cartpole", tmp_path / "part", resume=True, iterations=6)
    rest.train()
    for name, value in whole.ppo.policy.state_dict().items():
        assert torch.equal(value, rest.ppo.policy.state_dict()[name]), name
    assert [r["kl"] for r in whole.rows] == [r["kl"] for r in rest.rows]
    lines = (tmp_path / "part" / "curves.csv").read_text().splitlines()
    assert len(lines) == 7
    assert json.loads((tmp_path / "part" / "settings.json").read_text())["worlds"] == 8


def test_another_tasks_checkpoint_is_refused(tmp_path):
    Runner("cartpole", tmp_path, **{**SMALL, "iterations": 1}).train()
    with pytest.raises(StateError, match="task 'cartpole', not 'reacher'"):
        Runner("reacher", tmp_path, resume=True)


def test_an_unknown_setting_is_named(tmp_path):
    with pytest.raises(ModelError, match="no setting 'speed'"):
        Runner("cartpole", tmp_path, speed=3)


def test_tensors_are_the_memory_of_the_arrays():
    env = Environment(tasks.load("cartpole"), 3, seed=0)
    ppo = PPO(env, PPOSettings())
    for array in (env.observations["policy"], env.reward, env.sim.data.qpos):
        assert ppo.tensor(array).data_ptr() == array.ptr


def test_a_policy_is_exported(tmp_path):
    onnx = pytest.importorskip("onnx", reason="export needs the extra learn")
    pytest.importorskip("onnxruntime", reason="export is checked by the extra learn")
    from newtonlite.learn.export import write_onnx

    Runner("cartpole", tmp_path, **{**SMALL, "iterations": 1}).train()
    policy, name, _ = load_policy(tmp_path)
    assert write_onnx(policy, tasks.load(name), tmp_path / "policy.onnx") < tolerance("policy")
    metadata = {p.key: json.loads(p.value) for p in onnx.load(str(tmp_path / "policy.onnx")).metadata_props}
    assert metadata["joints"] == ["slider", "hinge"]
    assert metadata["observation"]["pole_angle"] == {"first": 1, "count": 2}
    assert math.isclose(metadata["control_step"], 0.01)


def test_an_environment_takes_tensors():
    env = Environment(tasks.load("cartpole"), 2, seed=0)
    env.step(torch.full((2, 1), 0.5))
    assert np.array_equal(env.sim.data.ctrl.numpy(), np.full((2, 1), 0.5, np.float32))
    assert isinstance(env.reward, wp.array)


def test_minibatches_have_two_rows():
    env = Environment(tasks.load("cartpole"), 2)
    with pytest.raises(StateError, match="minibatches=9: 2 worlds of 8 steps give 16 rows"):
        PPO(env, PPOSettings(steps=8, minibatches=9))


def test_a_policy_of_pictures_sees_where_things_are():
    policy = ActorCritic(3 * 20 * 24, 2, 1, PPOSettings(image=(3, 20, 24), normalise_observations=False))
    rows = torch.zeros(2, 3, 20, 24)
    rows[0, 1, 4:8, 4:8] = rows[1, 1, 10:14, 14:18] = 1.0
    answers = policy.act(rows.flatten(1))
    assert answers.shape == (2, 1) and answers[0] != answers[1]
    with pytest.raises(StateError, match=r"image=\(3, 20, 20\): the policy sees 1440"):
        ActorCritic(3 * 20 * 24, 2, 1, PPOSettings(image=(3, 20, 20)))
