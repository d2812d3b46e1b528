"""Keyframes: kept where the scene carries them, so that they are not lost."""

import numpy as np

from newtonlite.solvers.mujoco.enums import BALL, FREE

from .rotation import normalized
from .worlds import Worlds

NUMBERS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")


def compile_keyframes(m, w: Worlds) -> None:
    """Fill the keyframe arrays. A keyframe leaves out what stays as in the reference pose."""
    m.nkey = w.size("mujoco:key") if w.has("mujoco:key_time") else 0
    m.names_key = w.first_labels("mujoco:key_label", "mujoco:key") if m.nkey else []
    m.set(key_time=w.first("mujoco:key_time") if m.nkey else np.zeros(0))
    for name in NUMBERS:
        missing = reference(m, name)
        texts = w.first_labels(f"mujoco:key_{name}", "mujoco:key") if m.nkey else []
        rows = [filled(text.rpartition("/")[2].split(), missing) for text in texts]
        m.set(**{f"key_{name}": unit(m, name, np.array(rows, float).reshape(m.nkey, len(missing)))})


def filled(numbers: list[str], missing) -> np.ndarray:
    """The numbers of a keyframe, those it leaves out at the end from the reference."""
    return np.concatenate([np.array(numbers, float), missing[len(numbers) :]])


def reference(m, name: str) -> np.ndarray:
    """What a keyframe holds where it says nothing."""
    mocap = np.argsort(m.body_mocapid, kind="stable")[m.nbody - m.nmocap :]
    pos, quat, qpos0 = first_world(m.body_pos, 2), first_world(m.body_quat, 2), first_world(m.qpos0, 1)
    return {
        "qpos": qpos0, "qvel": np.zeros(m.nv), "act": np.zeros(m.na), "ctrl": np.zeros(m.nu),
        "mpos": pos[mocap].ravel(), "mquat": quat[mocap].ravel(),
    }[name]  # fmt: skip


def first_world(values, rank: int) -> np.ndarray:
    """One world's values of a field that may have a world dimension."""
    return values if values.ndim == rank else values[0]


def unit(m, name: str, rows) -> np.ndarray:
    """The rows with their quaternions normalised."""
    quats = {"qpos": m.jnt_qposadr[m.jnt_type == BALL].tolist() + (m.jnt_qposadr[m.jnt_type == FREE] + 3).tolist()}
    quats["mquat"] = range(0, 4 * m.nmocap, 4)
    for adr in quats.get(name, ()):
        rows[:, adr : adr + 4] = normalized(rows[:, adr : adr + 4])
    return rows
