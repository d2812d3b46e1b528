"""Stable-Baselines3: an environment as its ``VecEnv``."""

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from newtonlite.envs.vector import VectorEnv


class Sb3Env(VecEnv):
    """``num_envs`` worlds of a task (a Task, or a packaged one's name) for Stable-Baselines3, which finds
    ``terminal_observation`` and ``TimeLimit.truncated`` in the infos of worlds whose episode ended, and its return and
    length in ``episode``.
    """

    def __init__(self, task, num_envs: int, *, seed: int = 0, device=None):
        self.env = VectorEnv(task, num_envs, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP, device=device)
        super().__init__(num_envs, self.env.single_observation_space, self._bounded(self.env.single_action_space))
        self._seed_next: list = [seed + i for i in range(num_envs)]
        self.render_mode = None

    @staticmethod
    def _bounded(space):
        """Bounds are asked for: those of controls without a range are -1 and 1."""
        low, high = (
            np.where(np.isfinite(space.low), space.low, -1.0),
            np.where(np.isfinite(space.high), space.high, 1.0),
        )
        return gymnasium.spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)

    def reset(self):
        """Observations of new episodes."""
        observed, _ = self.env.reset(seed=self._seed_next)
        self._seed_next = None
        return observed

    def seed(self, seed: int | None = None) -> list:
        """Seeds that the next reset takes."""
        self._seed_next = None if seed is None else [seed + i for i in range(self.num_envs)]
        return self._seed_next or [None] * self.num_envs

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions."""
        self._actions = actions

    def step_wait(self) -> tuple:
        """(observations, rewards, dones, infos) after one control step."""
        observed, reward, terminated, truncated, batched = self.env.step(self._actions)
        done = terminated | truncated
        infos: list = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            final, episode = batched["final_obs"], batched["episode"]
            infos[i] = {
                "terminal_observation": {k: v[i] for k, v in final.items()} if isinstance(final, dict) else final[i],
                "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                "episode": {"r": float(episode["r"][i]), "l": int(episode["l"][i])},
            }
        return observed, reward, done, infos

    def close(self) -> None:
        """Close nothing: nothing is left open."""

    def get_attr(self, attr_name: str, indices=None) -> list:
        """An attribute, which all worlds share."""
        return [getattr(self, attr_name, None)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value, indices=None) -> None:
        """Set an attribute of all worlds."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args, indices=None, **method_kwargs) -> list:
        """Call a method once, for all worlds."""
        return [getattr(self.env, method_name)(*method_args, **method_kwargs)]

    def env_is_wrapped(self, wrapper_class, indices=None) -> list:
        """Wrappers of single worlds: there are none."""
        return [False] * len(list(self._get_indices(indices)))
