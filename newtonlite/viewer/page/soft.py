"""Soft meshes on the page: flexes and skins, whose vertices are sent with each frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.viewer.batches import HIDDEN_GROUPS
from newtonlite.viewer.soft import SoftMesh

ROOT = "/world"


class PageSoft:
    """The flexes and skins of a model on the page: one mesh each, of all worlds that are shown."""

    def __init__(self, api, meshes: Sequence[SoftMesh], layout):
        self.api, self.layout = api, layout
        self.meshes = [mesh for mesh in meshes if mesh.group not in HIDDEN_GROUPS]
        self.shown: list[tuple[SoftMesh, np.ndarray, Any]] = []

    def build(self, body_q: np.ndarray, ghost: float) -> None:
        """Make the meshes anew for the worlds that are shown; ``body_q`` [body_count, 7] is where bodies are."""
        for _, _, handle in self.shown:
            handle.remove()
        self.shown.clear()
        for mesh in self.meshes:
            rows = np.flatnonzero(self.layout.is_shown[mesh.worlds])
            if not len(rows):
                continue
            faces = mesh.points(body_q, int(rows[0])).faces
            points = self._points(mesh, rows, body_q)
            count = len(points) // len(rows)
            handle = self.api.scene.add_mesh_simple(
                f"{ROOT}/{mesh.name}",
                points,
                np.concatenate([faces + count * k for k in range(len(rows))]).astype(np.uint32),
                color=tuple((255 * np.clip(mesh.color, 0.0, 1.0) + 0.5).astype(int).tolist()),
                opacity=ghost if ghost < 1.0 else None,
                flat_shading=mesh.faceted,
                side="double",
            )
            self.shown.append((mesh, rows, handle))

    def move(self, body_q: np.ndarray) -> None:
        """Put the vertices where the bodies carry them."""
        for mesh, rows, handle in self.shown:
            sent(handle, "vertices", self._points(mesh, rows, body_q))

    def _points(self, mesh: SoftMesh, rows: np.ndarray, body_q: np.ndarray) -> np.ndarray:
        """Points of a mesh in some worlds, each at its place on the page."""
        places = self.layout.offsets[mesh.worlds[rows]]
        found = [mesh.points(body_q, int(row)).vertices + place for row, place in zip(rows, places, strict=True)]
        return np.concatenate(found).astype(np.float32)


def sent(handle, name: str, values: np.ndarray) -> None:
    """Send values of a mesh that nobody changes afterwards. viser's assignment compares and copies them three times,
    which is most of the time of a frame.
    """
    send = getattr(handle, "_queue_update", None)  # not part of viser's interface
    if send is None:
        setattr(handle, name, values)
    else:
        send(name, values)
