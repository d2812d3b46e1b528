"""Camera of a picture: position and direction."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Camera:
    """A pinhole camera: ``position`` and ``target`` [m], vertical opening ``fov`` [degrees], z up."""

    position: tuple[float, float, float]
    target: tuple[float, float, float]
    fov: float = 35.0

    def axes(self) -> np.ndarray:
        """[3, 3] rows: right, up, forward; ValueError where the camera looks straight up, down or at itself."""
        forward = np.subtract(self.target, self.position).astype(float)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        if np.linalg.norm(right) < 1e-9:
            raise ValueError(
                f"camera at {self.position} cannot look at {self.target}: choose a target aside of the vertical through it"
            )
        up = np.cross(right, forward)
        return np.array([axis / np.linalg.norm(axis) for axis in (right, up, forward)])
