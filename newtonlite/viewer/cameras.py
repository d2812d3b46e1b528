"""Cameras of a model: those of its file, carried by bodies."""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.mujoco import MjtCamLight
from newtonlite.math import transform as tf


@dataclass(frozen=True)
class ModelCamera:
    """A camera of a file; it looks along its -z, its y is up."""

    label: str
    world: int
    body: int  # -1 for the world
    pose: np.ndarray  # [7] in the body
    fov: float  # vertical opening [rad]
    mode: int = MjtCamLight.FIXED
    target: int = -1  # the body it looks at
    start: np.ndarray | None = None  # [7] of the body where the model starts

    def placed(self, body_q: np.ndarray) -> np.ndarray:
        """[7] in the world. A tracking camera keeps its distance and its direction; both centre-of-mass modes follow
        the body.
        """
        carrier = body_q[self.body].astype(float) if self.body >= 0 else tf.IDENTITY
        if self.mode in (MjtCamLight.TRACK, MjtCamLight.TRACKCOM) and self.body >= 0:
            pose = tf.multiply(self.start, self.pose)
            return np.concatenate([pose[:3] + carrier[:3] - self.start[:3], pose[3:]])
        pose = tf.multiply(carrier, self.pose)
        if self.mode in (MjtCamLight.TARGETBODY, MjtCamLight.TARGETBODYCOM) and self.target >= 0:
            pose[3:] = looking(body_q[self.target, :3] - pose[:3])
        return pose


def looking(way: np.ndarray) -> np.ndarray:
    """[4] rotation (x, y, z, w) of a camera that looks along ``way`` [3], z up."""
    from scipy.spatial.transform import Rotation

    back = -way / max(np.linalg.norm(way), 1e-12)
    right = np.cross([0.0, 0.0, 1.0], back)
    if np.linalg.norm(right) < 1e-9:
        right = np.array([1.0, 0.0, 0.0])
    right /= np.linalg.norm(right)
    return Rotation.from_matrix(np.stack([right, np.cross(back, right), back], axis=1)).as_quat()


def cameras(model) -> list[ModelCamera]:
    """The cameras of all worlds."""
    mujoco = getattr(model, "mujoco", None)
    labels = getattr(mujoco, "camera_label", None) or []
    if not len(labels):
        return []
    columns = {
        name: getattr(mujoco, f"camera_{name}").numpy()
        for name in ("world", "body", "pos", "quat", "fovy", "mode", "target")
    }
    start = model.body_q.numpy().astype(float) if model.body_count else np.zeros((0, 7))
    found = []
    for k, label in enumerate(labels):
        body = int(columns["body"][k])
        pose = np.concatenate([columns["pos"][k], columns["quat"][k][[1, 2, 3, 0]]]).astype(float)
        found.append(
            ModelCamera(
                label,
                int(columns["world"][k]),
                body,
                pose,
                float(np.radians(columns["fovy"][k])),
                int(columns["mode"][k]),
                int(columns["target"][k]),
                start[body] if body >= 0 else None,
            )
        )
    return found
