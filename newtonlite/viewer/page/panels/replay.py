"""Replay panel: pause, speed and direction of a recording."""

from newtonlite.viewer.page.markup import small_text
from newtonlite.viewer.page.panels.panel import Panel
from newtonlite.viewer.page.panels.run import SPEEDS


class ReplayPanel(Panel):
    """Replay controls of a recording."""

    def build(self, gui) -> None:
        """Buttons, and a list of speeds."""
        playback = self.viewer.session
        self.toggle = gui.add_button("Pause", icon="player-pause")
        self.toggle.on_click(self.asks(lambda _: self.set_paused(not playback.clock.paused)))
        self.back = gui.add_button("Frame back", icon="player-skip-back")
        self.back.on_click(self.asks(lambda _: self.move(-1)))
        self.forth = gui.add_button("Frame on", icon="player-skip-forward")
        self.forth.on_click(self.asks(lambda _: self.move(1)))
        self.loop = gui.add_checkbox("Begin anew at the end", playback.loops)
        self.loop.on_update(self.asks(lambda element: setattr(playback, "loops", element.value)))
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1 x")
        self.speed.on_update(self.asks(lambda element: setattr(playback.clock, "speed", SPEEDS[element.value])))
        self.text = gui.add_html("")
        for name, key, action in (
            ("Pause or go on", "space", lambda _: self.set_paused(not playback.clock.paused)),
            ("Frame back", "arrowleft", lambda _: self.move(-1)),
            ("Frame on", "arrowright", lambda _: self.move(1)),
        ):
            gui.add_command(name, hotkey=key).on_trigger(self.asks(action))
        self.set_paused(playback.clock.paused)

    def set_paused(self, paused: bool) -> None:
        """Stop, or go on."""
        clock = self.viewer.session.clock
        if clock.paused != paused:
            clock.pause(paused)
        self.toggle.label, self.toggle.icon = ("Run", "player-play") if paused else ("Pause", "player-pause")

    def move(self, frames: int) -> None:
        """Move by that many frames, forward or back; pauses."""
        self.set_paused(True)
        playback = self.viewer.session
        playback.seek(playback.frame + frames)

    def follow(self, state) -> None:
        """Show the present frame and the pause."""
        playback = self.viewer.session
        self.set_paused(playback.clock.paused)
        recording = playback.recording
        self.text.content = small_text(
            f"frame {playback.frame} of {len(recording.times):,}, {playback.time:.3f} s",
            f"worlds {', '.join(map(str, recording.worlds[:16]))}",
        )
