"""Motor panel: what drives the controls, and sliders for those of the chosen world."""

import numpy as np

from newtonlite.viewer.page.panels.panel import Panel

BY_HAND = "by hand"
MOST = 80  # sliders


class ActuatorPanel(Panel):
    """A slider for each control."""

    def build(self, gui) -> None:
        """Drive selection, the choice of all worlds, and the sliders."""
        session = self.viewer.session
        names = (BY_HAND, *session.drives)
        self.drive = gui.add_dropdown("Driven", names, initial_value=session.driving or BY_HAND)
        self.drive.on_update(
            self.asks(lambda element: setattr(session, "driving", None if element.value == BY_HAND else element.value))
        )
        self.everywhere = gui.add_checkbox("Sliders drive all worlds", False)
        self.zero = gui.add_button("All to zero", icon="square-rounded-minus")
        self.zero.on_click(self.asks(lambda _: self.clear()))
        self.folder = gui.add_folder("Controls")
        self.sliders: list = []
        self.labels = None
        self.focused()

    def focused(self) -> None:
        """Sliders for the controls of the chosen world."""
        session, gui = self.viewer.session, self.viewer.api.gui
        _, labels, ranges = session.controls_of(self.panels.world)
        if labels == self.labels:
            return
        self.labels = labels
        for slider in self.sliders:
            slider.remove()
        with self.folder:
            self.sliders = [
                gui.add_slider(
                    label.split("/")[-1] or f"motor {k}", low, high, (high - low) / 500, float(np.clip(0.0, low, high))
                )
                for k, (label, (low, high)) in enumerate(zip(labels[:MOST], ranges[:MOST], strict=True))
            ]
        for k, slider in enumerate(self.sliders):
            slider.on_update(self.asks(lambda element, k=k: self.turn(k, element.value)))

    def turn(self, k: int, value: float) -> None:
        """Set a control by hand; whatever drove the controls stops."""
        session = self.viewer.session
        if session.driving:
            session.driving, self.drive.value = None, BY_HAND
        worlds = range(self.viewer.look.world_count) if self.everywhere.value else [self.panels.world]
        for world in worlds:
            if k < len(session.controls_of(world)[1]):
                session.set_control(world, k, value)

    def clear(self) -> None:
        """All controls of all worlds to zero, by hand."""
        session = self.viewer.session
        session.driving, self.drive.value = None, BY_HAND
        session.clear_controls()

    def follow(self, state) -> None:
        """Show the controls as they are."""
        if not self.sliders:
            return
        for slider, value in zip(self.sliders, self.viewer.session.control_values(self.panels.world), strict=False):
            slider.value = float(np.clip(value, slider.min, slider.max))
