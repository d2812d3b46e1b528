"""ViewerFile: records states to a file, and reads them back bit by bit."""

from collections import deque
from pathlib import Path

import numpy as np

from newtonlite.core.errors import StateError
from newtonlite.viewer.batches import appearance
from newtonlite.viewer.newton.base import ViewerBase
from newtonlite.viewer.recording.file import load, save
from newtonlite.viewer.recording.recording import Recording

MORE = ("body_qd", "joint_q", "joint_qd")
"""State arrays that are kept beside ``body_q``."""


class ViewerFile(ViewerBase):
    """Keeps every logged state of a program; the file is one that ``newtonlite view`` shows.

    Args:
        output_path: the file. Whatever its ending, it is newtonlite's own format.
        auto_save: write it every ``save_interval`` frames and at ``close``.
        max_history_size: keep so many frames, the last ones; all when None.

    The file has what is seen of the model and its states, not the model: ``load_state`` needs the model at hand.
    """

    def __init__(
        self, output_path: str, auto_save: bool = True, save_interval: int = 100, max_history_size: int | None = None
    ):
        super().__init__()
        if not str(output_path):
            raise ValueError("output_path: expected the path of a file, got nothing")
        if save_interval < 1 or max_history_size is not None and max_history_size < 1:
            raise ValueError(
                f"save_interval {save_interval} and max_history_size {max_history_size}: expected at least 1"
            )
        self.output_path, self.auto_save, self.save_interval = Path(output_path), auto_save, save_interval
        self.history: deque = deque(maxlen=max_history_size)
        self.loaded: Recording | None = None
        self.frame_count, self._running, self._saved = 0, True, 0

    def set_model(self, model) -> None:
        """Take what is seen of a model; frames of another model are forgotten."""
        if model is not self.model:
            self.history.clear()
        super().set_model(model)
        self.look = None if model is None else appearance(model)

    def log_state(self, state) -> None:
        """Keep a state; StateError where it does not belong to the model."""
        model = self._needs_model("log_state")
        frame = {
            name: array.numpy().copy()
            for name in ("body_q", *MORE)
            if (array := getattr(state, name, None)) is not None
        }
        frame.setdefault("body_q", np.zeros((0, 7), np.float32))
        if len(frame["body_q"]) != model.body_count:
            raise StateError(f"log_state: a state of {len(frame['body_q'])} bodies for a model of {model.body_count}")
        self.history.append((self.time, frame))

    def end_frame(self) -> None:
        """Write the file when it is time."""
        self.frame_count += 1
        if self.auto_save and self.frame_count % self.save_interval == 0 and self.history:
            self.save_recording()

    def is_running(self) -> bool:
        return self._running

    def recording(self) -> Recording:
        """The kept frames; ValueError where there are none."""
        if not self.history:
            raise ValueError("nothing was recorded: no state was logged")
        times, frames = np.array([time for time, _ in self.history]), [frame for _, frame in self.history]
        more = {
            name: np.stack([frame[name] for frame in frames]) for name in MORE if all(name in frame for frame in frames)
        }
        return Recording(
            self.look, np.arange(self.look.world_count), times, np.stack([frame["body_q"] for frame in frames]), more
        )

    def save_recording(self, file_path: str | None = None, verbose: bool = False) -> None:
        """Write the kept frames to the file, or to another."""
        path = save(self.recording(), file_path or self.output_path)
        self._saved = self.frame_count
        if verbose:
            print(f"wrote {len(self.history)} frames to {path}")

    def load_recording(self, file_path: str | None = None, verbose: bool = False) -> None:
        """Read a file for ``load_state``; ValueError says what is wrong with it."""
        self.loaded = load(file_path or self.output_path)
        if verbose:
            print(f"read {len(self.loaded.times)} frames")

    def get_frame_count(self) -> int:
        """Frames of the file that was read, or those kept."""
        return len(self.loaded.times) if self.loaded is not None else len(self.history)

    def has_model(self) -> bool:
        """Whether the file has the model: never, it has what is seen of it."""
        return False

    def load_model(self, model) -> None:
        """Refused: the file has what is seen of the model."""
        raise NotImplementedError(
            "load_model: recordings have what is seen of a model, not the model; build it as the recording program did"
        )

    def load_state(self, state, frame_id: int) -> None:
        """Make a state what it was in a frame; StateError where it is one of another model."""
        recording = self.loaded if self.loaded is not None else self.recording()
        if not 0 <= frame_id < len(recording.times):
            raise ValueError(f"load_state: frame {frame_id} of {len(recording.times)}; count from 0")
        for name, frames in {"body_q": recording.body_q, **recording.more}.items():
            array = getattr(state, name, None)
            if array is None and not frames.shape[1]:
                continue
            if array is None or len(array) != frames.shape[1]:
                raise StateError(
                    f"load_state: {name} has {0 if array is None else len(array)} rows, the recording {frames.shape[1]}"
                )
            array.assign(frames[frame_id])

    def close(self) -> None:
        """Write what is not written, and stop."""
        if self._running and self.auto_save and self.history and self._saved != self.frame_count:
            self.save_recording()
        self._running = False
