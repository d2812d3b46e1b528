"""Keyframes, cameras and lights: kept where the model carries them, so that they are not lost; the engine reads none."""

import numpy as np

from .worlds import Worlds


def compile_keyframes(m, w: Worlds) -> None:
    """Fill the keyframe arrays from the ``mujoco:key`` frequency."""
    m.nkey = w.size("mujoco:key") if w.has("mujoco:key_time") else 0
    m.set(key_time=w.first("mujoco:key_time") if m.nkey else np.zeros(0))
