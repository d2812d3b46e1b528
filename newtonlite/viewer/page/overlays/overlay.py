"""Base of the overlays."""


class Overlay:
    """Overlay drawn around the bodies. ``shown`` says whether it is."""

    title = ""
    shown = False

    def __init__(self, viewer):
        self.viewer, self.api = viewer, viewer.api

    def possible(self) -> bool:
        """Whether the model has anything of the kind."""
        return True

    def draw(self, state) -> None:
        """Draw it for a state, None where only poses are known (``viewer.body_q``)."""

    def clear(self) -> None:
        """Take it off the page."""

    def changed(self) -> None:
        """React to being switched on or off."""
        if not self.shown:
            self.clear()
        self.viewer.refresh()

    def shown_bodies(self):
        """The bodies of shown worlds."""
        return self.viewer.layout.is_shown[self.viewer.look.body_world].nonzero()[0]

    def offsets(self, bodies):
        """[n, 3] how far the worlds of bodies are moved [m]."""
        return self.viewer.layout.offsets[self.viewer.look.body_world[bodies]]
