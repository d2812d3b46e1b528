"""Run panel: pause, single steps, speed, reset, and how fast it goes."""

from newtonlite.viewer.page.markup import name_value_table, small_text
from newtonlite.viewer.page.panels.panel import Panel

SPEEDS = {
    "0.1 x": 0.1,
    "0.25 x": 0.25,
    "0.5 x": 0.5,
    "1 x": 1.0,
    "2 x": 2.0,
    "5 x": 5.0,
    "10 x": 10.0,
    "as fast as possible": None,
}
KEYS = "space: pause · →: step · R: reset · Ctrl + drag: push · click: choose a world · Ctrl + K: all commands"


class RunPanel(Panel):
    """Time, and what goes wrong."""

    def build(self, gui) -> None:
        """Buttons, a list of speeds, the state of the run."""
        session = self.viewer.session
        self.toggle = gui.add_button("Pause", icon="player-pause")
        self.toggle.on_click(self.asks(lambda _: self.set_paused(not session.clock.paused)))
        self.step = gui.add_button("Step", icon="player-skip-forward")
        self.step.on_click(self.asks(lambda _: self.advance()))
        self.reset = gui.add_button("Reset all worlds", icon="refresh")
        self.reset.on_click(self.asks(lambda _: session.reset()))
        self.reset_one = gui.add_button("Reset this world", icon="rotate")
        self.reset_one.on_click(self.asks(lambda _: session.reset([self.panels.world])))
        names = {speed: name for name, speed in SPEEDS.items()}
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=names.get(session.clock.speed, "1 x"))
        self.speed.on_update(self.asks(lambda element: setattr(session.clock, "speed", SPEEDS[element.value])))
        self.text = gui.add_html("")
        gui.add_html(small_text(KEYS))
        self._keys(gui)
        self.set_paused(session.clock.paused)

    def _keys(self, gui) -> None:
        for name, key, action in (
            ("Pause or go on", "space", lambda _: self.set_paused(not self.viewer.session.clock.paused)),
            ("Step", "arrowright", lambda _: self.advance()),
            ("Reset all worlds", "R", lambda _: self.viewer.session.reset()),
        ):
            gui.add_command(name, hotkey=key).on_trigger(self.asks(action))

    def set_paused(self, paused: bool) -> None:
        """Stop, or go on."""
        clock = self.viewer.session.clock
        if clock.paused != paused:
            clock.pause(paused)
        self.toggle.label, self.toggle.icon = ("Run", "player-play") if paused else ("Pause", "player-pause")
        self.next = 0.0

    def advance(self) -> None:
        """One step, and stay paused."""
        self.set_paused(True)
        self.viewer.session.clock.advance()

    def follow(self, state) -> None:
        """Time, actual speed, counters."""
        viewer, session = self.viewer, self.viewer.session
        rows = {
            "time": f"{session.time:.3f} s, step {session.steps:,}",
            "speed": "paused" if session.clock.paused else f"{session.clock.factor:.2f} x real time",
            "worlds": f"{viewer.look.world_count:,}, {len(viewer.layout.shown):,} shown, this is {self.panels.world}",
            **session.counters(),
            "frame": f"{viewer.frames:,}, {1e3 * viewer.budget.cost:.1f} ms of CPU time",
        }
        self.text.content = name_value_table(rows)
