"""Film of one world of a task, as a GIF, or as an MP4 where imageio's ffmpeg is installed."""

from pathlib import Path

import numpy as np

from newtonlite.core.replacing import replacing
from newtonlite.envs.frames import FrameRenderer, keep_poses

FPS = 10.0
SIZE = (288, 216)


class Film:
    """Watches an environment: ``film(env)`` after every step; ``write`` draws the first world's first ``seconds``."""

    def __init__(self, task, seconds: float = 6.0):
        keep_poses(task)
        self.frames, self.seconds = FrameRenderer(task, SIZE), seconds
        self.poses, self.count = [], 0

    def __call__(self, env) -> None:
        """Keep the poses, if it is time."""
        every = max(1, round(1.0 / FPS / env.step_dt))
        if self.count % every == 0 and len(self.poses) < self.seconds * FPS:
            self.poses.append(self.frames.poses(env, slice(0, 1))[0])
        self.count += 1

    def write(self, file) -> None:
        """Draw the film. ModuleNotFoundError says what is missing."""
        try:
            import imageio.v3 as iio
        except ModuleNotFoundError as problem:
            raise ModuleNotFoundError(f"a film needs {problem.name}: pip install imageio", name=problem.name) from None
        pictures = [self.frames.draw(pose) for pose in self.poses]
        gif = Path(file).suffix.lower() == ".gif"
        with replacing(file) as part:
            iio.imwrite(part, np.stack(pictures), **({"duration": 1000 / FPS, "loop": 0} if gif else {"fps": FPS}))
