"""The push on the page: a line from the held point to the pointer."""

import numpy as np

from newtonlite.viewer.page.overlays.glyphs import BALL, ROD, Glyphs, line_rods
from newtonlite.viewer.page.overlays.overlay import Overlay


class PushOverlay(Overlay):
    """A line while a body is dragged."""

    title = "Push"
    shown = True

    def __init__(self, viewer):
        super().__init__(viewer)
        self.line = Glyphs(viewer.api, "/push/line", ROD, (255, 90, 0))
        self.ends = Glyphs(viewer.api, "/push/ends", BALL, (255, 90, 0))

    def possible(self) -> bool:
        """Whether it is offered: never, since it follows the pointer."""
        return False

    def draw(self, state) -> None:
        """The spring, while there is one."""
        viewer = self.viewer
        if viewer.push is None or viewer.push.grip is None:
            self.clear()
            return
        grip = viewer.push.grip
        offset = viewer.layout.offsets[viewer.look.body_world[grip.body]]
        held, target = viewer.push.grabbed(viewer.body_q) + offset, grip.target + offset
        thick = 0.012 * viewer.radius
        self.line.set(*line_rods(held[None], target[None], thick))
        self.ends.set(np.array([held, target]), np.tile([1.0, 0, 0, 0], (2, 1)), np.full((2, 3), 2.5 * thick))

    def clear(self) -> None:
        """Clear the line."""
        self.line.clear()
        self.ends.clear()
