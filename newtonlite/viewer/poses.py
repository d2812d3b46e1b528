"""Poses: a state that knows where bodies are, and nothing else."""

import numpy as np


def body_q_of(state) -> np.ndarray:
    """[body_count, 7] poses of a state, which has none where nothing moves."""
    return np.zeros((0, 7), np.float32) if state.body_q is None else state.body_q.numpy()


class PosedState:
    """State with ``body_q`` alone, [body_count, 7]."""

    def __init__(self, body_q: np.ndarray):
        self.body_q = self
        self._values = body_q

    def numpy(self) -> np.ndarray:
        """[body_count, 7]."""
        return self._values
