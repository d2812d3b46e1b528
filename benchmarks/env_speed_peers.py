"""Environment steps per CPU second of a peer's environments: run by ``benchmarks.env_speed`` with the peer's own
interpreter.

    python benchmarks/env_speed_peers.py gymnasium Hopper-v5

Prints one line of JSON. Imports nothing of this project, and of the peers only the one that is asked for.
"""

import json
import sys
import time

SECONDS = 3.0


def gymnasium(name: str):
    """(one step of random control, worlds) of one environment."""
    import gymnasium

    env = gymnasium.make(name)
    env.reset(seed=0)
    env.action_space.seed(0)

    def step() -> None:
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()

    return step, 1


def envpool(name: str, worlds: int = 64):
    """(one step of random control, worlds) of a pool on one thread."""
    import envpool
    import numpy as np

    env = envpool.make(name, env_type="gymnasium", num_envs=worlds, num_threads=1, seed=0)
    env.reset()
    rng, space = np.random.default_rng(0), env.action_space
    shape = (worlds, *space.shape)
    return (lambda: env.step(rng.uniform(space.low, space.high, shape))), worlds


def mjlab(name: str, worlds: int = 64):
    """(one step without control, worlds) of mjlab's environment on the CPU."""
    import mjlab.tasks  # noqa: F401
    import torch
    from mjlab.envs import ManagerBasedRlEnv
    from mjlab.tasks.registry import load_env_cfg

    torch.set_num_threads(1)
    config = load_env_cfg(name)
    config.scene.num_envs = worlds
    env = ManagerBasedRlEnv(config, device="cpu")
    env.reset()
    action = torch.zeros((worlds, env.action_manager.total_action_dim))
    return (lambda: env.step(action)), worlds


def main() -> None:
    """Time steps for some seconds of CPU time."""
    peer, name = sys.argv[1:3]
    step, worlds = {"gymnasium": gymnasium, "envpool": envpool, "mjlab": mjlab}[peer](name)
    step()
    start, count = time.process_time(), 0
    while time.process_time() - start < SECONDS:
        step()
        count += 1
    print(json.dumps({"steps_per_cpu_s": count * worlds / (time.process_time() - start), "worlds": worlds}))


if __name__ == "__main__":
    main()
