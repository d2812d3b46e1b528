"""Learning libraries on our environments: each learns a little, and sees where episodes ended."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs the extra learn")

from newtonlite.envs import make, tasks


def short():
    task = tasks.load("cartpole")
    task.episode_length = 5
    return task


def test_rsl_rl_learns_on_the_environments_memory(tmp_path):
    pytest.importorskip("rsl_rl", reason="rsl-rl-lib is not installed")
    from rsl_rl.runners import OnPolicyRunner

    from newtonlite.learn.rsl_rl import RslRlEnv

    env = RslRlEnv(short(), 4, seed=0)
    assert env.episode_length_buf.data_ptr() == env.env.step_count.ptr
    for _ in range(5):
        before = env.get_observations()
        observed, reward, done, extras = env.step(torch.full((4, 1), 0.1))
    assert done.tolist() == [1] * 4
    assert extras["time_outs"].all()
    assert reward.shape == (4,)
    assert not torch.equal(extras["final_observations"]["policy"], observed["policy"])
    assert (extras["final_observations"]["policy"] - before["policy"]).abs().max() < (
        observed["policy"] - before["policy"]
    ).abs().max()
    model = {"class_name": "MLPModel", "hidden_dims": [8], "activation": "tanh"}
    runner = OnPolicyRunner(
        env,
        {
            "num_steps_per_env": 8,
            "save_interval": 100,
            "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
            "actor": {
                **model,
                "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"},
            },
            "critic": model,
            "algorithm": {"class_name": "PPO", "num_learning_epochs": 1, "num_mini_batches": 2, "learning_rate": 1e-3},
        },
        log_dir=None,
        device="cpu",
    )
    weights = [p.detach().clone() for p in runner.alg.get_policy().parameters()]
    runner.learn(2)
    assert any(not torch.equal(a, b) for a, b in zip(weights, runner.alg.get_policy().parameters()))


def test_stable_baselines_learns():
    pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    from stable_baselines3 import PPO

    from newtonlite.learn.sb3 import Sb3Env

    env = Sb3Env(short(), 4)
    env.reset()
    for _ in range(5):
        observed, reward, done, infos = env.step(np.zeros((4, 1), np.float32))
    assert done.all()
    assert all(i["TimeLimit.truncated"] and i["episode"]["l"] == 5 for i in infos)
    assert not np.array_equal(infos[0]["terminal_observation"], observed[0])
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=16, n_epochs=1, seed=0, device="cpu")
    before = model.policy.state_dict()["action_net.weight"].clone()
    model.learn(64)
    assert not torch.equal(before, model.policy.state_dict()["action_net.weight"])


def test_skrl_takes_the_vector_environment():
    pytest.importorskip("skrl", reason="skrl is not installed")
    from skrl.envs.wrappers.torch import wrap_env

    env = wrap_env(make(short(), 4, autoreset_mode="SameStep"), wrapper="gymnasium")
    observed, _ = env.reset()
    assert observed.shape == (4, 5)
    for _ in range(5):
        observed, reward, terminated, truncated, infos = env.step(torch.zeros(4, 1))
    assert reward.shape == (4, 1)
    assert truncated.all()
    assert not terminated.any()
    assert infos["final_obs"].shape == (4, 5)
