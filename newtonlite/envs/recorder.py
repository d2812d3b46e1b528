"""Recorder: what chosen worlds saw, did and got, step by step, into a file of NumPy arrays."""

from pathlib import Path

import numpy as np

from newtonlite.core.errors import StateError
from newtonlite.core.replacing import replacing_file


class TrajectoryRecorder:
    """Watches an ``Environment``: call ``record`` after every step, before worlds are reset; ``save`` writes ``.npz``.

    Rows are steps: observations by group, ``action``, ``reward``, ``terminated``, ``truncated``, ``seed``, ``episode``,
    ``step``, and the engine's arrays that ``fields`` names, ``[steps, worlds, ...]``. ``limit``: how many of the last
    steps are kept, all when None.
    """

    def __init__(self, env, worlds=None, fields: tuple = ("qpos", "qvel"), limit: int | None = None):
        self.env, self.fields, self.limit = env, fields, limit
        self.worlds = np.arange(env.num_worlds) if worlds is None else np.asarray(worlds, int)
        if len(self.worlds) == 0 or self.worlds.min() < 0 or self.worlds.max() >= env.num_worlds:
            raise StateError(f"worlds: expected some of 0 to {env.num_worlds - 1}, got {worlds!r}")
        self.rows: list = []

    def record(self) -> None:
        """Keep what there is now."""
        env = self.env
        arrays = {f"observation/{k}": a for k, a in env.observations.items()}
        arrays |= {
            "action": env.actions.action,
            "reward": env.reward,
            "terminated": env.terminated,
            "truncated": env.truncated,
        }
        arrays |= {"seed": env.seed, "episode": env.episode, "step": env.step_count}
        arrays |= {f"reward/{k}": env.rewards.sums[:, i] for i, k in enumerate(env.rewards.terms)}
        arrays |= {field: getattr(env.sim.data, field) for field in self.fields}
        self.rows.append({k: a.numpy()[self.worlds].copy() for k, a in arrays.items()})
        if self.limit is not None:
            del self.rows[: -self.limit]

    def arrays(self) -> dict:
        """Recorded arrays, ``[steps, worlds, ...]`` by name. StateError where nothing was recorded."""
        if not self.rows:
            raise StateError("Recorder: nothing is recorded yet; call record() after a step")
        return {k: np.stack([row[k] for row in self.rows]) for k in self.rows[0]} | {"worlds": self.worlds}

    def save(self, file) -> Path:
        """Write a compressed ``.npz``, read by ``numpy.load``."""
        file = Path(file).with_suffix(".npz")
        with replacing_file(file) as opened:
            np.savez_compressed(opened, **self.arrays())
        return file
