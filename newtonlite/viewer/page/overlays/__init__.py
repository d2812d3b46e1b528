"""Overlays drawn around the bodies: contacts, frames, inertias, tendons, cameras, names."""

from newtonlite.viewer.page.overlays.bodies import CentreOverlay, FrameOverlay, InertiaOverlay, JointOverlay
from newtonlite.viewer.page.overlays.cameras import CameraOverlay
from newtonlite.viewer.page.overlays.contacts import ContactOverlay, ForceOverlay
from newtonlite.viewer.page.overlays.labels import BodyLabelOverlay, SensorOverlay, WorldLabelOverlay
from newtonlite.viewer.page.overlays.push import PushOverlay
from newtonlite.viewer.page.overlays.tendons import TendonOverlay

OVERLAYS = (
    ContactOverlay,
    ForceOverlay,
    FrameOverlay,
    JointOverlay,
    CentreOverlay,
    InertiaOverlay,
    TendonOverlay,
    SensorOverlay,
    CameraOverlay,
    BodyLabelOverlay,
    WorldLabelOverlay,
    PushOverlay,
)


class Overlays:
    """All overlays of a viewer; those that are shown are drawn with each frame."""

    def __init__(self, viewer):
        self.all = [overlay(viewer) for overlay in OVERLAYS]

    def update(self, state) -> None:
        """Draw what is shown."""
        for overlay in self.all:
            if overlay.shown:
                overlay.draw(state)

    def named(self, title: str):
        """The overlay with that title."""
        return next(overlay for overlay in self.all if overlay.title == title)


__all__ = ["OVERLAYS", "Overlays"]
