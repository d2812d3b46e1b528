"""Loop: a program that steps by itself, with a clock that it asks."""

from newtonlite.viewer.clock import Clock


class Loop:
    """Loop controls that a page has over such a program: pause, single steps, and a reset where the program offers
    one."""

    solver = None

    def __init__(self, paused: bool = False):
        self.clock = Clock(paused, None)
        self.state = None
        self.time = 0.0
        self.on_reset = None

    def reset(self, worlds=None) -> None:
        """Run the program's reset."""
        if self.on_reset is not None:
            self.on_reset()
