"""ViewerNull: shows nothing and stops after some frames."""

import time as clock

import warp as wp

from newtonlite.viewer.newton.base import ViewerBase


class ViewerNull(ViewerBase):
    """Viewer that shows nothing, for programs without anyone who looks, and for timing them.

    Args:
        num_frames: after so many, ``is_running`` is False.
        benchmark: measure frames a second, from the frame ``benchmark_start_frame`` on.
        benchmark_timeout: stop after so many seconds of measuring; implies ``benchmark``.
    """

    def __init__(
        self,
        num_frames: int = 1000,
        benchmark: bool = False,
        benchmark_timeout: float | None = None,
        benchmark_start_frame: int = 3,
    ):
        super().__init__()
        self.num_frames, self.frame_count = num_frames, 0
        self.benchmark = benchmark or benchmark_timeout is not None
        self.benchmark_timeout, self.benchmark_start_frame = benchmark_timeout, benchmark_start_frame
        self._began: float | None = None
        self._elapsed = 0.0

    def log_state(self, state) -> None:
        """Nothing."""

    def end_frame(self) -> None:
        """Count the frame."""
        self.frame_count += 1
        if not self.benchmark or self.frame_count < self.benchmark_start_frame:
            return
        wp.synchronize()
        now = clock.perf_counter()
        if self._began is None:
            self._began = now
        self._elapsed = now - self._began

    def is_running(self) -> bool:
        """Whether frames and time are left."""
        return self.frame_count < self.num_frames and not (
            self.benchmark_timeout is not None and self._elapsed >= self.benchmark_timeout
        )

    def benchmark_result(self) -> dict[str, float | int] | None:
        """``fps``, ``frames`` and ``elapsed`` [s] of what was measured; None without ``benchmark``."""
        if not self.benchmark:
            return None
        frames = max(self.frame_count - self.benchmark_start_frame, 0) if self._elapsed else 0
        return {
            "fps": frames / self._elapsed if frames else 0.0,
            "frames": frames,
            "elapsed": self._elapsed if frames else 0.0,
        }
