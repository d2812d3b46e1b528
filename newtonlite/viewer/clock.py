"""Real-time pacing of a simulation: pause, single steps, speed."""

import time as clock
from collections import deque

PATIENCE = 0.1  # how far the simulation may lag before lost time is forgotten [s]


class Clock:
    """Says when the next step is due. ``speed`` is simulated seconds per second, None for as fast as possible."""

    def __init__(self, paused: bool = False, speed: float | None = 1.0):
        self.paused, self._speed = paused, speed
        self.steps_wanted = 0
        self.anchor: tuple[float, float] | None = None
        self.past: deque[tuple[float, float]] = deque(maxlen=256)

    @property
    def speed(self) -> float | None:
        """Simulated seconds per second that are aimed at."""
        return self._speed

    @speed.setter
    def speed(self, value: float | None) -> None:
        if value is not None and not value > 0:
            raise ValueError(f"speed: expected a positive number, or None for as fast as possible, got {value!r}")
        self._speed, self.anchor = value, None

    def pause(self, paused: bool = True) -> None:
        """Stop, or go on."""
        self.paused, self.steps_wanted, self.anchor = paused, 0, None
        self.past.clear()

    def advance(self, steps: int = 1) -> None:
        """Take that many steps while paused; pauses."""
        if not self.paused:
            self.pause()
        self.steps_wanted += steps

    def due(self, time: float) -> bool:
        """Whether the step that starts at ``time`` [s] is due now."""
        if self.paused:
            if self.steps_wanted:
                self.steps_wanted -= 1
                return True
            return False
        now = clock.perf_counter()
        if not self.past or now - self.past[-1][0] > 0.02:
            self.past.append((now, time))
        if self._speed is None:
            return True
        if self.anchor is None or time < self.anchor[1]:
            self.anchor = (now, time)
        late = (now - self.anchor[0]) * self._speed - (time - self.anchor[1])
        if late > PATIENCE * self._speed:
            self.anchor = (now - 0.5 * PATIENCE, time)
        return late >= 0

    @property
    def factor(self) -> float:
        """Simulated seconds per second over the last second or so; 0 while paused."""
        recent = [(now, time) for now, time in self.past if now > self.past[-1][0] - 1.0]
        if self.paused or len(recent) < 2 or recent[-1][0] == recent[0][0]:
            return 0.0
        return max(recent[-1][1] - recent[0][1], 0.0) / (recent[-1][0] - recent[0][0])
