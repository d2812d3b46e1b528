"""VectorEnv: gymnasium's interface to an environment, with all three modes of autoreset."""

import sys
from collections.abc import Callable
from copy import deepcopy

import gymnasium
import numpy as np
import warp as wp
from gymnasium.vector import AutoresetMode

from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs import tasks
from newtonlite.envs.environment import Environment
from newtonlite.envs.task import Task

RENDER_MODES = RGB, HUMAN = ("rgb_array", "human")
SAME_STEP, DISABLED = AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
TRUE = np.True_.tobytes()


class VectorEnv(gymnasium.vector.VectorEnv):
    """``num_envs`` worlds of a task behind ``gymnasium.vector.VectorEnv``.

    ``task`` is a Task or the name of a packaged one. Observations are float32 ``[num_envs, n]``: an array where the
    task has one group, a dict of arrays otherwise. ``autoreset_mode`` is gymnasium's; the transitions are the same in
    all modes, bit by bit. With ``copy=False`` results are views that the next step writes over.

    ``infos["episode"]``, of worlds whose episode ended (``infos["_episode"]``), has the return ``r``, the length ``l``,
    whether the world went ``bad``, and of each reward and metric its sum and mean. In same-step mode
    ``infos["final_obs"]`` and ``infos["final_info"]`` are there too.

    ``render_mode`` "rgb_array": ``render()`` gives a picture [height, width, 3] uint8 of each world, ``render_size``
    (width, height) large. "human": a page shows all worlds, brought up to date by every reset and step; ``viewer.url``
    is its address, which is also written to standard error. ModelError for another mode, ModuleNotFoundError for a page
    without the extra ``viewer``.
    """

    def __init__(
        self,
        task: Task | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        device=None,
        threads: int | None = None,
        render_mode: str | None = None,
        render_size: tuple[int, int] = (320, 240),
    ):
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ModelError(f"VectorEnv render_mode={render_mode!r}: use one of {', '.join(RENDER_MODES)}, or None")
        self.task = tasks.load(task) if isinstance(task, str) else deepcopy(task)
        if render_mode is not None:
            from newtonlite.envs.frames import FrameRenderer, keep_poses

            keep_poses(self.task)
        self.env = Environment(self.task, num_envs, device=device, threads=threads)
        self.num_envs, self.copy, self.render_mode = num_envs, copy, render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "autoreset_mode": self.autoreset_mode,
            "render_modes": list(RENDER_MODES),
            "render_fps": 1.0 / self.env.step_dt,
        }
        box = gymnasium.spaces.Box
        spaces = {k: box(-np.inf, np.inf, (a.shape[1],), np.float32) for k, a in self.env.observations.items()}
        self._alone = next(iter(spaces)) if len(spaces) == 1 else None
        self.single_observation_space = spaces[self._alone] if self._alone else gymnasium.spaces.Dict(spaces)
        self.single_action_space = box(
            np.array(self.env.actions.low, np.float32), np.array(self.env.actions.high, np.float32), dtype=np.float32
        )
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._no_episode = np.zeros(num_envs, bool)
        self._no_episode.flags.writeable = False
        self._pending = self._no_episode  # episodes that ended and were not begun anew
        self._some_pending = False
        env = self.env
        self._on_cpu = cpu = env.device.is_cpu
        self._give: Callable = wp.array.numpy if not cpu else np.ndarray.copy if copy else np.asarray
        view = wp.array.numpy if cpu else lambda array: array
        self._outputs = [view(a) for a in (env.reward, env.terminated, env.truncated)]
        self._shown, self._final = (
            {k: view(a) for k, a in groups.items()} for groups in (env.observations, env.observation_manager.final)
        )
        self._only = self._shown[self._alone] if self._alone else None
        self._done = view(env.terminations.done)
        self.viewer = None
        self.frames = None if render_mode is None else FrameRenderer(self.task, render_size)
        if render_mode == HUMAN:
            self._open_page()

    def reset(self, *, seed=None, options: dict | None = None) -> tuple:
        """(observations, infos). ``seed``: one number, one for each world, or None; ``options["reset_mask"]`` chooses
        worlds.

        Raises ValueError or TypeError for a mask that gymnasium would refuse, StateError for seeds that are none.
        """
        mask = checked_mask(dict(options or {}).get("reset_mask"), self.num_envs)
        self._pending = self._pending & ~mask  # anew: infos of the last step hold the array
        self._some_pending = bool(self._pending.any())
        self.env.reset(self._on_device(mask), seed)
        self._show()
        return self._observations(), {}

    def step(self, actions) -> tuple:
        """(observations, rewards, terminations, truncations, infos) after one control step.

        Raises StateError, in disabled mode, where worlds whose episode has ended were not reset.
        """
        mode, env = self.autoreset_mode, self.env
        reset = self._pending if self._some_pending else None
        if reset is not None and mode is DISABLED:
            raise StateError(
                f"step: the episode of world {int(reset.argmax())} has ended; reset it first, or choose another autoreset_mode"
            )
        if actions.__class__ is not np.ndarray:
            actions = np.asarray(actions, np.float32)
        env.step(actions, None if reset is None else self._on_device(~reset))

        # most steps end no episode: one search through bytes says so
        done = self._done if self._on_cpu else self._done.numpy()
        ended = TRUE in done.tobytes()
        done = done.copy() if ended else self._no_episode
        infos = self._episodes(done) if ended else {}
        results = [*map(self._give, self._outputs)]
        if mode is not SAME_STEP:
            self._pending, self._some_pending = done, ended
        elif ended:
            env.observation_manager.keep_final()
            infos["final_obs"], infos["_final_obs"] = self._observations(final=True), done
            infos["final_info"], infos["_final_info"] = {k: v for k, v in infos.items() if k.endswith("episode")}, done
            results = [np.array(r) for r in results]
            env.reset(self._on_device(done))

        # worlds whose episode had ended before this step begin a new one
        if reset is not None:
            env.reset(self._on_device(reset))
        if self.viewer is not None:
            self._show()
        shown = self._only
        return self._observations() if shown is None else self._give(shown), *results, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture of each world, or None: in the mode "human", whose page is brought up to date, and without a mode,
        with gymnasium's warning.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                f"render: VectorEnv was made without a render_mode; give it one of {', '.join(RENDER_MODES)}"
            )
            return None
        if self.render_mode == HUMAN:
            self._show()
            return None
        return tuple(self.frames.draw(pose) for pose in self.frames.poses(self.env))

    def _open_page(self) -> None:
        """Open the page of the mode "human", and say where it is."""
        from newtonlite.envs.simulation import scene_of
        from newtonlite.viewer import Viewer

        spacing = None if self.task.terrain is None else 0.0  # worlds on a terrain share it
        self.viewer = Viewer(scene_of(self.task, self.num_envs), spacing=spacing)
        print(f"VectorEnv: open {self.viewer.url}", file=sys.stderr)

    def _show(self) -> None:
        """Bring the page up to date, where there is one and it is open."""
        if self.viewer is not None and not self.viewer.closed.is_set():
            from newtonlite.viewer.poses import PosedState

            self.viewer.poll()
            self.viewer.show(PosedState(self.frames.poses(self.env).reshape(-1, 7)))

    def _episodes(self, done: np.ndarray) -> dict:
        """Infos of the episodes that ended."""
        env = self.env
        length = env.step_count.numpy().copy()
        sums, means = env.rewards.sums.numpy().copy(), env.metrics.sums.numpy() / np.maximum(length, 1)[:, None]
        episode = {"r": sums.sum(axis=1, dtype=np.float32), "l": length, "bad": env.bad.numpy().copy()}
        episode |= {f"reward/{k}": sums[:, i] for i, k in enumerate(env.rewards.terms)}
        episode |= {f"metric/{k}": means[:, i] for i, k in enumerate(env.metrics.terms)}
        episode |= {
            f"termination/{k}": env.terminations.which.numpy()[:, i].copy()
            for i, k in enumerate(env.terminations.terms)
        }
        episode = {k: np.where(done, v, np.zeros_like(v)) for k, v in episode.items()}
        return {"episode": episode, "_episode": done}

    def _observations(self, final: bool = False):
        """Observations as NumPy arrays to give away: of all groups, or of the only one."""
        groups = self._final if final else self._shown
        if self._alone:
            return self._give(groups[self._alone])
        return {k: self._give(a) for k, a in groups.items()}

    def _on_device(self, mask: np.ndarray) -> wp.array:
        return wp.array(mask, dtype=wp.bool, device=self.env.device)

    def close_extras(self, **kwargs) -> None:
        """Close the page, where there is one."""
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None


def checked_mask(mask, num_envs: int) -> np.ndarray:
    """Worlds to reset, all where there is no mask; the errors are gymnasium's."""
    if mask is None:
        return np.ones(num_envs, bool)
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"options['reset_mask']: expected a NumPy array, got {type(mask).__name__}")
    if mask.dtype != np.bool_:
        raise TypeError(f"options['reset_mask']: expected bools, got {mask.dtype}")
    if mask.shape != (num_envs,):
        raise ValueError(f"options['reset_mask']: expected shape ({num_envs},), got {mask.shape}")
    if not mask.any():
        raise ValueError("options['reset_mask']: no world is chosen")
    return mask
