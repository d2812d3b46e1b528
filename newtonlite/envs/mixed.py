"""Mixed: tasks of several structures as one vector environment, with padded rows and masks of what is real."""

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from newtonlite.core.errors import ModelError
from newtonlite.envs.vector import VectorEnv, checked_mask


class MixedVectorEnv(gymnasium.vector.VectorEnv):
    """Environments of other tasks side by side: ``MixedVectorEnv({"quadruped_velocity": 32, "biped_velocity": 32})``.

    Observations are padded with zeros to the longest, actions beyond a world's own are not used. ``observation_mask``
    and ``action_mask`` ``[num_envs, n]`` are true where numbers are real; ``task_index`` ``[num_envs]`` says whose a
    world is. Every world is bit-equal to that of its own ``VectorEnv`` with the same seed. Tasks are packaged names or
    pairs (name, Task) as a list; one group of observations, ``group``, is shown.
    """

    def __init__(
        self,
        tasks,
        *,
        group: str = "policy",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        device=None,
        threads: int | None = None,
    ):
        given = [(task, n) for task, n in (tasks.items() if isinstance(tasks, dict) else tasks)]
        if not given:
            raise ModelError("MixedVectorEnv: expected at least one task")
        self.autoreset_mode, self.group = AutoresetMode(autoreset_mode), group
        self.envs = [
            VectorEnv(task, n, autoreset_mode=self.autoreset_mode, device=device, threads=threads) for task, n in given
        ]
        for env, (task, _) in zip(self.envs, given):
            if group not in env.env.observations:
                raise ModelError(
                    f"MixedVectorEnv: task {task!r} has no group of observations {group!r}; it has {', '.join(env.env.observations)}"
                )
        counts = [env.num_envs for env in self.envs]
        self.num_envs = sum(counts)
        self.parts = np.split(np.arange(self.num_envs), np.cumsum(counts)[:-1])
        self.task_index = np.repeat(np.arange(len(counts)), counts)
        seen, done = (
            [env.env.observations[group].shape[1] for env in self.envs],
            [env.env.actions.count for env in self.envs],
        )
        self.observation_mask, self.action_mask = (
            np.arange(max(n)) < np.repeat(n, counts)[:, None] for n in (seen, done)
        )
        box = gymnasium.spaces.Box
        self.single_observation_space = box(-np.inf, np.inf, (max(seen),), np.float32)
        self.single_action_space = box(-np.inf, np.inf, (max(done),), np.float32)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, self.num_envs)
        self.metadata, self.render_mode, self._closed = {"autoreset_mode": self.autoreset_mode}, None, False

    def reset(self, *, seed=None, options: dict | None = None) -> tuple:
        """(observations, infos); ``seed`` and ``options["reset_mask"]`` as ``VectorEnv`` has them, over all worlds."""
        mask = checked_mask(dict(options or {}).get("reset_mask"), self.num_envs)
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        for env, part in zip(self.envs, self.parts):
            if mask[part].any():
                env.reset(seed=None if seeds is None else [seeds[i] for i in part], options={"reset_mask": mask[part]})
        return self._padded([env.env.observations[self.group].numpy() for env in self.envs]), {}

    def step(self, actions) -> tuple:
        """(observations, rewards, terminations, truncations, infos) after one control step of all worlds."""
        actions = np.asarray(actions, np.float32)
        results = [env.step(actions[part, : env.env.actions.count]) for env, part in zip(self.envs, self.parts)]
        rewards, terminations, truncations = (np.concatenate([r[i] for r in results]) for i in (1, 2, 3))
        infos = self._infos([r[4] for r in results])
        return (
            self._padded([env.env.observations[self.group].numpy() for env in self.envs]),
            rewards,
            terminations,
            truncations,
            infos,
        )

    def _padded(self, rows: list) -> np.ndarray:
        """Rows of all tasks, zeros behind shorter ones."""
        out = np.zeros((self.num_envs, self.single_observation_space.shape[0]), np.float32)
        for values, part in zip(rows, self.parts):
            out[part, : values.shape[1]] = values
        return out

    def _infos(self, infos: list) -> dict:
        """Infos of episodes that ended: last observations, returns and lengths."""
        done = np.concatenate([i.get("_episode", np.zeros(len(p), bool)) for i, p in zip(infos, self.parts)])
        if not done.any():
            return {}
        episode = {
            k: np.concatenate([i["episode"][k] if i else np.zeros(len(p)) for i, p in zip(infos, self.parts)])
            for k in ("r", "l", "bad")
        }
        infos = {"episode": episode, "_episode": done}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = [env.env.observation_manager.final[self.group].numpy() for env in self.envs]
            infos |= {"final_obs": self._padded(final), "_final_obs": done}
        return infos

    def close_extras(self, **kwargs) -> None:
        """Close nothing more: nothing is left open."""
