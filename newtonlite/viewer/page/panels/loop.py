"""Loop panel: pause, single steps and reset of a program that steps by itself."""

from newtonlite.viewer.page.markup import small_text
from newtonlite.viewer.page.panels.panel import Panel


class LoopPanel(Panel):
    """Buttons."""

    def build(self, gui) -> None:
        """Three buttons and a line."""
        loop = self.viewer.session
        self.toggle = gui.add_button("Pause", icon="player-pause")
        self.toggle.on_click(self.asks(lambda _: self.set_paused(not loop.clock.paused)))
        self.step = gui.add_button("Step", icon="player-skip-forward")
        self.step.on_click(self.asks(lambda _: self.advance()))
        self.reset = gui.add_button("Reset", icon="refresh")
        self.reset.on_click(self.asks(lambda _: loop.reset()))
        self.text = gui.add_html("")
        gui.add_command("Pause or go on", hotkey="space").on_trigger(
            self.asks(lambda _: self.set_paused(not loop.clock.paused))
        )
        gui.add_command("Step", hotkey="arrowright").on_trigger(self.asks(lambda _: self.advance()))
        self.set_paused(loop.clock.paused)

    def set_paused(self, paused: bool) -> None:
        """Stop, or go on."""
        clock = self.viewer.session.clock
        if clock.paused != paused:
            clock.pause(paused)
        self.toggle.label, self.toggle.icon = ("Run", "player-play") if paused else ("Pause", "player-pause")

    def advance(self) -> None:
        """One step, and stay paused."""
        self.set_paused(True)
        self.viewer.session.clock.advance()

    def follow(self, state) -> None:
        """Time and frames."""
        viewer = self.viewer
        self.reset.disabled = viewer.session.on_reset is None
        self.text.content = small_text(
            f"time {viewer.time:.3f} s", f"{viewer.frames:,} frames, {1e3 * viewer.budget.cost:.1f} ms of CPU time each"
        )
