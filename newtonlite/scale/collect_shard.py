"""Shard of a training run's worlds: collects steps of a policy, whose weights come with each order, for a learner."""

from dataclasses import replace

import numpy as np
import torch

from newtonlite.envs.environment import Environment
from newtonlite.learn.ppo import PPO, PPOSettings
from newtonlite.scale.task_shard import task_of
from newtonlite.scale.tiles import by_tiles


class ShardPPO(PPO):
    """PPO that collects in worlds ``first`` and following of ``worlds``: networks see tiles, and the noise of actions is
    drawn for all worlds, so that both are what they are among all.
    """

    def __init__(self, env, settings: PPOSettings, first: int, worlds: int):
        super().__init__(env, replace(settings, minibatches=1, normalise_rewards=False))
        self.first, self.worlds = first, worlds
        self.iteration = 1  # the learner has seen the first observations

    def decide(self, actor_obs: torch.Tensor, critic_obs: torch.Tensor) -> tuple:
        """Decisions as ``PPO.decide`` has them, by tiles, with this shard's part of the noise."""
        shape = self.worlds, self.env.actions.count
        noise = torch.randn(shape, generator=self.generator, device=self.device)
        noise = noise[self.first : self.first + self.env.num_worlds]
        return by_tiles(self._decide, self.first, actor_obs, critic_obs, noise)

    def _decide(self, actor_obs: torch.Tensor, critic_obs: torch.Tensor, noise: torch.Tensor) -> tuple:
        policy = self.policy
        mean = policy.act(actor_obs)
        action = mean + policy.log_std.exp() * noise
        return action, policy.log_probability(mean, action), policy.evaluate(critic_obs)

    def evaluate(self, critic_obs: torch.Tensor) -> torch.Tensor:
        """Values, by tiles."""
        return by_tiles(lambda rows: (self.policy.evaluate(rows),), self.first, critic_obs)[0]


class CollectShard:
    """Worlds ``first`` to ``first + count`` of a run: ``spec`` has ``task``, ``changes``, ``seed``, ``worlds`` and
    ``settings``.
    """

    def __init__(self, spec: dict, blob, first: int, count: int, device=None, threads: int | None = None):
        torch.set_num_threads(1)
        settings = PPOSettings(**{**spec["settings"], "hidden": tuple(spec["settings"]["hidden"])})
        self.env = Environment(task_of(spec), count, seed=spec["seed"] + first, device=device, threads=threads)
        self.ppo = ShardPPO(self.env, settings, first, spec["worlds"])

    def advance(self, order: dict, arrays: dict) -> tuple[dict, dict]:
        """(facts, arrays): what is observed now, a batch of steps, or nothing, as ``order["do"]`` says."""
        ppo = self.ppo
        if order["do"] == "observe":
            seen = {"actor_obs": ppo.actor_group, "critic_obs": ppo.critic_group}
            return {}, {name: self.env.observations[group].numpy().copy() for name, group in seen.items()}
        if order["do"] == "nothing":
            return {}, {}
        weights = {k[7:]: torch.from_numpy(v.copy()) for k, v in arrays.items() if k.startswith("policy/")}
        ppo.policy.load_state_dict(weights)
        ppo.generator.set_state(torch.from_numpy(arrays["generator"].copy()))
        batch, episodes = ppo.collect()
        found = {name: value.cpu().numpy() for name, value in batch.items()}
        for key in episodes[0] if episodes else ():
            found[f"episode/{key}"] = np.concatenate([e[key] for e in episodes])
        return {}, found

    def state(self) -> dict[str, np.ndarray]:
        """A checkpoint of the worlds; all else comes with the orders."""
        return self.env.state()

    def load(self, state: dict) -> None:
        """Go on from a checkpoint. StateError, and nothing is changed, for one of another job."""
        self.env.load(state)
