"""Tendons on the page: rods along strings."""

import numpy as np

from newtonlite.viewer.page.overlays.glyphs import ROD, Glyphs, line_rods
from newtonlite.viewer.page.overlays.overlay import Overlay
from newtonlite.viewer.page.scene import screen
from newtonlite.viewer.strings import Tendons


class TendonOverlay(Overlay):
    """The strings of spatial tendons, in their widths and colours."""

    title = "Tendons"

    def __init__(self, viewer):
        super().__init__(viewer)
        self.tendons = Tendons(viewer.model) if viewer.model else None
        self.shown = self.possible()
        self.glyphs = Glyphs(viewer.api, "/tendons", ROD, (200, 60, 60))

    def possible(self) -> bool:
        """Whether there are tendons to draw."""
        return self.tendons is not None and len(self.tendons.rows) > 0

    def draw(self, state) -> None:
        found = self.tendons.at(self.viewer.body_q, self.viewer.layout.is_shown)
        place = self.viewer.layout.offsets[self.tendons.world[found.tendon]]
        colors = screen(self.tendons.rgba[found.tendon, :3])
        self.glyphs.set(
            *line_rods(found.start + place, found.end + place, np.maximum(self.tendons.width[found.tendon], 1e-4)),
            colors,
        )

    def clear(self) -> None:
        """Clear the rods."""
        self.glyphs.clear()
