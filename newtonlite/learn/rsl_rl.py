"""rsl-rl: an environment as rsl-rl-lib's ``VecEnv``, on the environment's own memory.

rsl-rl bootstraps an episode that is cut off with the value of its last state but one; ``newtonlite.learn.ppo`` with
that of the last.
"""

import torch
import warp as wp
from rsl_rl.env import VecEnv
from tensordict import TensorDict

from newtonlite.envs import tasks
from newtonlite.envs.environment import Environment
from newtonlite.learn.ppo import ended


class RslRlEnv(VecEnv):
    """``num_envs`` worlds of a task (a Task, or a packaged one's name) for ``rsl_rl.runners.OnPolicyRunner``.

    Observations are a TensorDict of the task's groups; a runner's ``obs_groups`` says which is for the actor and which
    for the critic: ``{"actor": ["policy"], "critic": ["critic"]}``. ``extras["final_observations"]`` are those before
    worlds were reset.
    """

    def __init__(self, task, num_envs: int, *, seed: int = 0, device=None):
        self.cfg = tasks.load(task) if isinstance(task, str) else task
        self.env = Environment(self.cfg, num_envs, seed=seed, device=device)
        self.num_envs, self.num_actions = num_envs, self.env.actions.count
        self.max_episode_length = self.cfg.episode_length or 10**9
        self.device = torch.device(wp.device_to_torch(self.env.device))
        self.low, self.high = (
            torch.tensor(b, dtype=torch.float32, device=self.device)
            for b in (self.env.actions.low, self.env.actions.high)
        )

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Steps of each world's episode so far; may be set."""
        return wp.to_torch(self.env.step_count)

    @episode_length_buf.setter
    def episode_length_buf(self, value: torch.Tensor) -> None:
        wp.to_torch(self.env.step_count).copy_(value)

    def get_observations(self) -> TensorDict:
        """Observations by group."""
        return self._observations()

    def _observations(self) -> TensorDict:
        return TensorDict(
            {k: wp.to_torch(a).clone() for k, a in self.env.observations.items()},
            batch_size=[self.num_envs],
            device=self.device,
        )

    def reset(self) -> tuple:
        """(observations, extras) of new episodes in all worlds."""
        self.env.reset()
        return self._observations(), {}

    def step(self, actions: torch.Tensor) -> tuple:
        """(observations, rewards, dones, extras) after one control step; worlds whose episode ended have begun the
        next.
        """
        env = self.env
        env.step(wp.from_torch(actions.detach().clamp(self.low, self.high).contiguous().float()))
        reward, done, cut = (wp.to_torch(a).clone() for a in (env.reward, env.terminations.done, env.truncated))
        extras = {"time_outs": cut, "log": {}}
        if bool(done.any()):
            extras["final_observations"] = self._observations()
            extras["log"] = {f"/episode/{k}": float(v.mean()) for k, v in ended(env).items()}
            env.reset(env.terminations.done)
        return self._observations(), reward, done.long(), extras
