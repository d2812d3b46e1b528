"""Evaluation: whole episodes of a policy's mean actions, in our worlds, and in one of gymnasium's environments."""

import numpy as np
import torch
import warp as wp

from newtonlite.envs.environment import Environment


@torch.no_grad()
def returns(policy, task, episodes: int = 100, seed: int = 12345, device=None, seen=None, stepper=None) -> np.ndarray:
    """Returns of the first episode of each of ``episodes`` worlds. ``seen(env)`` is called after every step;
    ``stepper(env)`` makes what takes the physics steps in place of ``env.sim.step(count, mask)``.
    """
    env = Environment(task, episodes, seed=seed, device=device)
    if stepper:
        env.sim.step = stepper(env)
    group = "policy" if "policy" in env.observations else next(iter(env.observations))
    rows = wp.to_torch(env.observations[group])
    low, high = (torch.tensor(b, dtype=torch.float32) for b in (env.actions.low, env.actions.high))
    total, running = np.zeros(episodes), np.ones(episodes, bool)
    while running.any():
        env.step(wp.from_torch(policy.act(rows).clamp(low, high).contiguous()))
        total += np.where(running, env.reward.numpy(), 0.0)
        if seen:
            seen(env)
        done = env.terminations.done.numpy()
        running &= ~done
        if done.any():
            env.reset(env.terminations.done)
    return total


@torch.no_grad()
def returns_in_gymnasium(policy, env_id: str, episodes: int = 100, seed: int = 12345) -> np.ndarray:
    """Returns of a policy in an environment of gymnasium's own, which has MuJoCo's physics."""
    import gymnasium

    env = gymnasium.make(env_id)
    total = np.zeros(episodes)
    for i in range(episodes):
        row, _ = env.reset(seed=seed + i)
        done = False
        while not done:
            action = policy.act(torch.from_numpy(np.asarray(row, np.float32))[None])[0].numpy()
            row, reward, terminated, truncated, _ = env.step(
                np.clip(action, env.action_space.low, env.action_space.high)
            )
            total[i] += reward
            done = terminated or truncated
    return total
