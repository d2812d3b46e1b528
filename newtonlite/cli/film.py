"""Film of one world of a task, as a GIF, or as an MP4 where imageio's ffmpeg is installed."""

from pathlib import Path

import numpy as np

from newtonlite.core.replacing import replacing

FPS = 12.5
SIZE, SIDE = (320, 240), 2


class Film:
    """Watches an environment: ``film(env)`` after every step; ``write`` draws the first world's first ``seconds``."""

    def __init__(self, task, seconds: float = 8.0):
        task.keep = tuple({*task.keep, "xpos", "xquat"})
        self.task, self.seconds = task, seconds
        self.poses, self.count, self.env = [], 0, None

    def __call__(self, env) -> None:
        """Keep the poses, if it is time."""
        self.env = env
        every = max(1, round(1.0 / FPS / env.step_dt))
        if self.count % every == 0 and len(self.poses) < self.seconds * FPS:
            d = env.sim.data
            self.poses.append(np.concatenate([d.xpos.numpy()[0, 1:], d.xquat.numpy()[0, 1:][:, [1, 2, 3, 0]]], axis=1))
        self.count += 1

    def write(self, file) -> None:
        """Draw the film. ModuleNotFoundError says what is missing."""
        try:
            import imageio.v3 as iio
        except ModuleNotFoundError as problem:
            raise ModuleNotFoundError(f"a film needs {problem.name}: pip install imageio", name=problem.name) from None
        from newtonlite.envs.simulation import scene_of
        from newtonlite.viewer import Camera, still
        from newtonlite.viewer.batches import appearance
        from newtonlite.viewer.framing import size_of_world

        look = appearance(scene_of(self.task, 1))
        reach = 1.2 * size_of_world(look, self.poses[0])[1]
        pictures = []
        for pose in self.poses:
            aim = np.append(pose[:, :2].mean(axis=0), self.poses[0][:, 2].mean())
            eye = aim + np.array([-1.0, -2.4, 1.0]) * reach
            camera = Camera(tuple(eye), tuple(aim), fov=35.0)
            pictures.append(still(look, pose, camera=camera, width=SIZE[0], height=SIZE[1], side=SIDE))
        gif = Path(file).suffix.lower() == ".gif"
        with replacing(file) as part:
            iio.imwrite(part, np.stack(pictures), **({"duration": 1000 / FPS, "loop": 0} if gif else {"fps": FPS}))
