"""Poses: a state that knows where bodies are, and nothing else."""

import numpy as np


class Poses:
    """State with ``body_q`` alone, [body_count, 7]."""

    def __init__(self, body_q: np.ndarray):
        self.body_q = self
        self._values = body_q

    def numpy(self) -> np.ndarray:
        """[body_count, 7]."""
        return self._values
