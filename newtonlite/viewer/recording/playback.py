"""Playback: a recording stepped through by the clock of a viewer, in place of a simulation."""

import numpy as np

from newtonlite.viewer.clock import Clock
from newtonlite.viewer.poses import PosedState
from newtonlite.viewer.recording.recording import Recording


class Playback:
    """Steps from frame to frame; begins anew at the end where ``loops``."""

    push = None
    solver = None

    def __init__(self, recording: Recording, clock: Clock | None = None, loops: bool = True):
        self.recording, self.clock, self.loops = recording, clock or Clock(), loops
        self.seek(0)

    @property
    def time(self) -> float:
        """Time of the frame that is shown [s]."""
        return float(self.recording.times[self.frame])

    def seek(self, frame: int) -> None:
        """Go to a frame."""
        self.frame = int(np.clip(frame, 0, len(self.recording.times) - 1))
        self.state = PosedState(self.recording.body_q[self.frame])
        self.clock.anchor = None

    def step(self) -> None:
        """The next frame."""
        last = len(self.recording.times) - 1
        if self.frame < last:
            self.frame += 1
            self.state = PosedState(self.recording.body_q[self.frame])
        elif self.loops and last > 0:
            self.seek(0)
        else:
            self.clock.pause()

    def reset(self, worlds=None) -> None:
        """Reset to the first frame."""
        self.seek(0)
