"""Names on the page: of worlds, of the bodies of the chosen world, of sensors with what they measure."""

import numpy as np

from newtonlite.viewer.page.overlays.overlay import Overlay

MOST = 64  # labels


class LabelOverlay(Overlay):
    """Texts that follow something."""

    def __init__(self, viewer):
        super().__init__(viewer)
        self.handles: list = []

    def texts(self, state) -> list[tuple[str, np.ndarray]]:
        """(text, place [3] on the page) of each label."""
        return []

    def draw(self, state) -> None:
        """The labels where they belong."""
        wanted = self.texts(state)[:MOST]
        if len(wanted) != len(self.handles):
            self.clear()
            self.handles = [
                self.api.scene.add_label(
                    f"/labels/{type(self).__name__}/{k}",
                    text,
                    position=tuple(place),
                    anchor="center-center",
                    font_screen_scale=0.8,
                )
                for k, (text, place) in enumerate(wanted)
            ]
            return
        for handle, (text, place) in zip(self.handles, wanted, strict=True):
            handle.text, handle.position = text, tuple(place)

    def clear(self) -> None:
        """Clear the labels."""
        for handle in self.handles:
            handle.remove()
        self.handles = []


class BodyLabelOverlay(LabelOverlay):
    """The names of the bodies of the chosen world."""

    title = "Names of bodies"

    def possible(self) -> bool:
        """Whether there are bodies."""
        return len(self.viewer.look.body_q) > 0

    def texts(self, state) -> list:
        """One for each body."""
        viewer = self.viewer
        world = viewer.panels.world
        bodies = np.flatnonzero(viewer.look.body_world == world) if viewer.layout.is_shown[world] else []
        return [
            (viewer.look.body_label[b].split("/")[-1], viewer.body_q[b, :3] + viewer.layout.offsets[world])
            for b in bodies
        ]


class WorldLabelOverlay(LabelOverlay):
    """The numbers of the shown worlds."""

    title = "Numbers of worlds"

    def texts(self, state) -> list:
        """One for each world."""
        viewer = self.viewer
        above = np.array([0, 0, viewer.middle[2] + 1.1 * viewer.radius])
        return [
            (str(world), viewer.layout.offsets[world] + viewer.middle * [1, 1, 0] + above)
            for world in viewer.layout.shown[:MOST]
        ]


class SensorOverlay(LabelOverlay):
    """Sensor values of the chosen world, beside it."""

    title = "Sensors"

    def possible(self) -> bool:
        """Whether there are sensors."""
        session = self.viewer.simulation
        engine = session.engine_of(0) if session else None
        return engine is not None and engine.mj_model.nsensordata > 0

    def texts(self, state) -> list:
        """One below the other, to the right of the world."""
        viewer, session = self.viewer, self.viewer.simulation
        world = viewer.panels.world
        values, names = session.sensors_of(world), session.sensor_names(world)
        names = names or [f"sensor {k}" for k in range(len(values))]
        corner = viewer.layout.offsets[world] + viewer.middle + np.array([0.0, 1.1, 1.0]) * viewer.radius
        down = np.array([0, 0, 2.0 * viewer.radius / max(min(len(values), MOST), 12)])
        return [
            (f"{name} {value:.3g}", corner - k * down)
            for k, (name, value) in enumerate(zip(names, values, strict=False))
        ]
