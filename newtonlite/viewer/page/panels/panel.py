"""Base of the control panels."""

import time as clock


class Panel:
    """A tab: made once, notified when the chosen world changes and when there is a frame."""

    rate = 5.0  # how often texts and sliders follow [1/s]

    def __init__(self, viewer, panels):
        self.viewer, self.panels, self.next = viewer, panels, 0.0
        self.build(viewer.api.gui)

    def build(self, gui) -> None:
        """Make the elements."""

    def focused(self) -> None:
        """Another world was chosen."""

    def follow(self, state) -> None:
        """Say how things are now."""

    def update(self, state) -> None:
        """A frame was sent; ``follow`` a few times a second."""
        now = clock.perf_counter()
        if now >= self.next:
            self.next = now + 1.0 / self.rate
            self.follow(state)

    def asks(self, action):
        """A callback for the page that has the program's own thread call ``action(element)``."""

        async def callback(event) -> None:
            if event.client is not None or not hasattr(event.target, "value"):
                self.viewer.ask(lambda: action(event.target))

        return callback
