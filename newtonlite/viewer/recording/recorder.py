"""Recorder: keeps the last seconds of some worlds."""

from collections import deque

import numpy as np

from newtonlite.viewer.batches import Appearance
from newtonlite.viewer.recording.recording import Recording, bodies_of, restricted

MOST_BYTES = 1 << 30
"""Poses that are kept, however many worlds and seconds were asked for."""


class Recorder:
    """Keeps a frame every ``1 / fps`` simulated seconds, of ``seconds`` and of ``MOST_BYTES`` at most.

    ``worlds`` are the worlds that are kept: the first 16 when None.
    """

    def __init__(self, what: Appearance, worlds=None, seconds: float = 60.0, fps: float = 50.0):
        if not (seconds > 0 and fps > 0):
            raise ValueError(
                f"a recorder keeps a positive number of seconds and of frames a second, got {seconds} and {fps}"
            )
        self.what, self.seconds, self.fps = what, float(seconds), float(fps)
        self.choose(range(min(what.world_count, 16)) if worlds is None else worlds)

    def choose(self, worlds) -> None:
        """Keep other worlds; what was kept is forgotten."""
        self.worlds = np.unique(np.asarray(list(worlds), int))
        if not len(self.worlds) or self.worlds[0] < 0 or self.worlds[-1] >= self.what.world_count:
            raise ValueError(
                f"worlds {self.worlds.tolist()} cannot be recorded: there are 0 to {self.what.world_count - 1}"
            )
        self.bodies = bodies_of(self.what, self.worlds)
        self.clear()

    def clear(self) -> None:
        """Clear all frames."""
        self.times: deque[float] = deque()
        self.poses: deque[np.ndarray] = deque()

    def __len__(self) -> int:
        return len(self.times)

    def due(self, time: float) -> bool:
        """Whether a frame at ``time`` [s] would be kept. A time before the last frame begins a new recording."""
        return not self.times or time < self.times[-1] or time - self.times[-1] > 0.999 / self.fps

    def keep(self, state, time: float) -> bool:
        """Keep where bodies are at ``time`` [s], if a frame is due."""
        if not self.due(time):
            return False
        if self.times and time < self.times[-1]:
            self.clear()
        self.times.append(float(time))
        self.poses.append(
            state.body_q.numpy()[self.bodies].copy() if len(self.bodies) else np.zeros((0, 7), np.float32)
        )
        most = max(1, MOST_BYTES // max(1, self.poses[-1].nbytes))
        while self.times[-1] - self.times[0] > self.seconds or len(self.times) > most:
            self.times.popleft()
            self.poses.popleft()
        return True

    def recording(self) -> Recording:
        """Recording of the kept frames; ValueError where there are none."""
        if not self.times:
            raise ValueError("nothing was recorded")
        return Recording(
            restricted(self.what, self.worlds), self.worlds.copy(), np.array(self.times), np.stack(self.poses)
        )
