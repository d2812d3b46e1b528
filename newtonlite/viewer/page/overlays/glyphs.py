"""Many copies of a small mesh on the page: arrows, discs, boxes, rods."""

import numpy as np

from newtonlite.geometry import tessellate
from newtonlite.viewer.surfaces import creased

ARROW = creased(*tessellate.arrow(0.04, 0.8, 0.1, 0.2, 12))
"""From the origin to z = 1."""
ROD = creased(*tessellate.cylinder(1.0, 0.5, 1.0, 12))
DISC = creased(*tessellate.cylinder(1.0, 0.08, 1.0, 20))
BOX = creased(*tessellate.box(np.ones(3), True))
BALL = creased(*tessellate.ball(8, 12))


class Glyphs:
    """Instances of a mesh whose number may change from frame to frame."""

    def __init__(self, api, name: str, mesh, color, opacity: float | None = None):
        self.api, self.name, self.mesh, self.color, self.opacity = api, name, mesh, color, opacity
        self.handle = None

    def set(self, positions, wxyzs, scales, colors=None) -> None:
        """Show copies at positions [n, 3], turned by quaternions [n, 4] w first, of scales [n, 3]; colors [n, 3] uint8."""
        if not len(positions):
            self.clear()
            return
        positions, wxyzs, scales = (np.ascontiguousarray(values, np.float32) for values in (positions, wxyzs, scales))
        if self.handle is None or colors is not None and len(colors) != len(self.handle.batched_positions):
            self.clear()
            self.handle = self.api.scene.add_batched_meshes_simple(
                self.name,
                self.mesh.vertices,
                self.mesh.faces.astype(np.uint32),
                wxyzs,
                positions,
                batched_scales=scales,
                batched_colors=self.color if colors is None else colors,
                opacity=self.opacity,
                cast_shadow=False,
                receive_shadow=False,
                lod="off",
            )
            return
        self.handle.batched_positions, self.handle.batched_wxyzs, self.handle.batched_scales = positions, wxyzs, scales
        if colors is not None:
            self.handle.batched_colors = colors

    def clear(self) -> None:
        """Take them off the page."""
        if self.handle is not None:
            self.handle.remove()
            self.handle = None


def z_to_directions(directions: np.ndarray) -> np.ndarray:
    """[n, 4] quaternions, w first, that turn z to directions [n, 3]."""
    d = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-12)
    q = np.stack([1.0 + d[:, 2], -d[:, 1], d[:, 0], np.zeros(len(d))], axis=1)
    down = q[:, 0] < 1e-6
    q[down] = [0.0, 1.0, 0.0, 0.0]
    return (q / np.linalg.norm(q, axis=1, keepdims=True)).astype(np.float32)


def line_rods(starts: np.ndarray, ends: np.ndarray, radius) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, quaternions and scales of ``ROD`` for lines from starts [n, 3] to ends [n, 3] of a radius [m]."""
    way = ends - starts
    length = np.linalg.norm(way, axis=1)
    radius = np.broadcast_to(radius, length.shape)
    return (starts + ends) / 2, z_to_directions(way), np.stack([radius, radius, length], axis=1)
