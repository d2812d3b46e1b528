"""Learning libraries on our environments: each trains inverted_pendulum from scratch to its bar.

    python -m benchmarks learning_adapters

Needs the extra learn, and rsl-rl-lib, stable-baselines3, skrl. Adds lines to benchmarks/results/learning.jsonl and
writes docs/learning_results.md.
"""

import argparse
import json
import time
from datetime import date
from importlib.metadata import version

import numpy as np
import torch

from benchmarks.learning import BARS, EPISODES, PAGE, RESULTS, page
from newtonlite.envs import make, tasks
from newtonlite.learn.evaluate import returns

TASK = "inverted_pendulum"


class Actor:
    """A policy's mean action as ``newtonlite.learn.evaluate`` asks for it."""

    def __init__(self, act):
        self.act = act


def rsl_rl(seed: int) -> tuple:
    """(actor, environment steps) of rsl-rl-lib's PPO."""
    from rsl_rl.runners import OnPolicyRunner
    from tensordict import TensorDict

    from newtonlite.learn.rsl_rl import RslRlEnv

    torch.manual_seed(seed)
    env, steps, iterations = RslRlEnv(TASK, 64, seed=seed), 32, 100
    model = {"class_name": "MLPModel", "hidden_dims": [64, 64], "activation": "tanh", "obs_normalization": True}
    noise = {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"}
    config = {
        "num_steps_per_env": steps,
        "save_interval": 10**6,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {**model, "distribution_cfg": noise},
        "critic": model,
        "algorithm": {"class_name": "PPO", "learning_rate": 1e-3, "desired_kl": 0.01, "schedule": "adaptive"},
    }
    runner = OnPolicyRunner(env, config, log_dir=None, device="cpu")
    runner.learn(iterations)
    policy = runner.get_inference_policy()
    return Actor(lambda rows: policy(TensorDict({"policy": rows}, batch_size=[len(rows)]))), 64 * steps * iterations


def sb3(seed: int) -> tuple:
    """(actor, environment steps) of Stable-Baselines3's PPO."""
    from stable_baselines3 import PPO

    from newtonlite.learn.sb3 import Sb3Env

    steps = 200_000
    env = Sb3Env(TASK, 32, seed=seed)
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=256, learning_rate=1e-3, seed=seed, device="cpu").learn(steps)
    return Actor(lambda rows: torch.from_numpy(model.predict(rows.numpy(), deterministic=True)[0])), steps


def skrl(seed: int) -> tuple:
    """(actor, environment steps) of skrl's PPO."""
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from skrl.trainers.torch import SequentialTrainer
    from skrl.utils import set_seed

    set_seed(seed)
    env = wrap_env(make(TASK, 32, autoreset_mode="SameStep"), wrapper="gymnasium")
    kinds = {"observation_space": env.observation_space, "action_space": env.action_space, "device": "cpu"}
    layers = lambda last: torch.nn.Sequential(
        torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, last)
    )

    class Policy(GaussianMixin, Model):
        """Normal distribution of actions."""

        def __init__(self):
            Model.__init__(self, **kinds)
            GaussianMixin.__init__(self)
            self.net, self.log_std = layers(1), torch.nn.Parameter(torch.zeros(1))

        def compute(self, inputs, role=""):
            """Mean and deviation."""
            return self.net(inputs["observations"]), {"log_std": self.log_std}

    class Value(DeterministicMixin, Model):
        """Value of an observation."""

        def __init__(self):
            Model.__init__(self, **kinds)
            DeterministicMixin.__init__(self)
            self.net = layers(1)

        def compute(self, inputs, role=""):
            """The value."""
            return self.net(inputs["observations"]), {}

    models = {"policy": Policy(), "value": Value()}
    steps, count = 64, 100
    config = PPO_CFG(rollouts=steps, learning_epochs=8, mini_batches=8, learning_rate=1e-3)
    config.experiment.write_interval = config.experiment.checkpoint_interval = 0
    agent = PPO(
        models=models,
        memory=RandomMemory(memory_size=steps, num_envs=32, device="cpu"),
        observation_space=env.observation_space,
        action_space=env.action_space,
        device="cpu",
        cfg=config,
    )
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": steps * count, "headless": True}).train()
    return Actor(models["policy"].net), 32 * steps * count


LIBRARIES = {"rsl-rl-lib": rsl_rl, "stable-baselines3": sb3, "skrl": skrl}


def main() -> None:
    """Train with the libraries asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=list(LIBRARIES), help="all when none is named")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    given = parser.parse_args()
    torch.set_num_threads(1)
    for name in given.names or LIBRARIES:
        for seed in given.seeds:
            start, cpu = time.perf_counter(), time.process_time()
            actor, steps = LIBRARIES[name](seed)
            row = {"task": TASK, "library": f"{name} {version(name)}", "seed": seed, "date": date.today().isoformat()}
            row |= {"steps": steps, "cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - start}
            found = returns(actor, tasks.load(TASK), EPISODES)
            row |= {"ours": float(np.mean(found)), "ours_std": float(np.std(found))}
            print(row, "reached" if row["ours"] >= BARS[TASK][0] else "not reached", flush=True)
            with open(RESULTS, "a") as file:
                file.write(json.dumps(row) + "\n")
            PAGE.write_text(page())


if __name__ == "__main__":
    main()
