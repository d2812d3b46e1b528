"""A picture of worlds of a task at a few instants, side by side from left to right."""

from types import SimpleNamespace

import numpy as np
import warp as wp

from newtonlite.cli.picture import COLUMNS, ROWS, Album


class Strip:
    """Watches an environment: ``strip(env)`` after every step; ``write`` draws what was seen."""

    def __init__(self, task, seconds: float = 4.0):
        task.keep = tuple({*task.keep, "xpos", "xquat"})
        self.task, self.seconds = task, seconds
        self.poses, self.count, self.env = [], 0, None

    def __call__(self, env) -> None:
        """Keep the poses of a few worlds, if it is time."""
        self.env = env
        every = max(1, round(self.seconds / env.step_dt / (COLUMNS - 1)))
        if self.count % every == 0 and len(self.poses) < COLUMNS:
            d, n = env.sim.data, min(ROWS, env.num_worlds)
            place, turn = d.xpos.numpy()[:n, 1:], d.xquat.numpy()[:n, 1:]
            self.poses.append(np.concatenate([place, turn[..., [1, 2, 3, 0]]], axis=2).reshape(-1, 7))
        self.count += 1

    def write(self, file) -> None:
        """Draw the picture to a PNG file."""
        from newtonlite.envs.simulation import scene_of

        worlds = min(ROWS, self.env.num_worlds)
        album = Album(SimpleNamespace(model=scene_of(self.task, worlds), worlds=worlds, device=wp.get_device("cpu")), 1)
        album.poses = self.poses
        album.write(file)
