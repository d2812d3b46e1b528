"""Control panels of the page: one tab each."""

from newtonlite.viewer.page.panels.actuators import ActuatorPanel
from newtonlite.viewer.page.panels.joints import JointPanel
from newtonlite.viewer.page.panels.loop import LoopPanel
from newtonlite.viewer.page.panels.plots import PlotPanel
from newtonlite.viewer.page.panels.record import RecordPanel
from newtonlite.viewer.page.panels.replay import ReplayPanel
from newtonlite.viewer.page.panels.run import RunPanel
from newtonlite.viewer.page.panels.show import ShowPanel
from newtonlite.viewer.page.panels.worlds import WorldPanel
from newtonlite.viewer.recording.playback import Playback

PANELS = (
    ("Run", RunPanel, "stepped"),
    ("Run", LoopPanel, "loop"),
    ("Replay", ReplayPanel, "recording"),
    ("Worlds", WorldPanel, "all"),
    ("Show", ShowPanel, "all"),
    ("Joints", JointPanel, "simulation"),
    ("Motors", ActuatorPanel, "stepped"),
    ("Plots", PlotPanel, "live"),
    ("Record", RecordPanel, "both"),
)
"""Name of a tab, its panel, and what it is for: what a viewer shows is a simulation or a task that it steps, a
recording, or states it is given.
"""


def kinds(viewer) -> set[str]:
    """Kinds of tabs that a viewer may have."""
    if viewer.simulation is not None:
        return {"all", "both", "live", "stepped", "simulation"}
    if hasattr(viewer.session, "drives"):
        return {"all", "both", "live", "stepped"}
    if isinstance(viewer.session, Playback):
        return {"all", "both", "recording"}
    return {"all", "live"} | ({"loop"} if viewer.session is not None else set())


class Panels:
    """The tabs of a viewer. ``world`` is the one that sliders, plots and labels speak of."""

    def __init__(self, viewer):
        self.viewer, self.world, self.body = viewer, 0, -1
        tabs = viewer.api.gui.add_tab_group()
        self.by_name = {}
        for name, panel, kind in PANELS:
            if kind not in kinds(viewer):
                continue
            with tabs.add_tab(name):
                self.by_name[name] = panel(viewer, self)

    def __getitem__(self, name: str):
        return self.by_name[name]

    def get(self, name: str):
        """The panel of that name, None where the viewer has none."""
        return self.by_name.get(name)

    def focus(self, world: int, body: int = -1) -> None:
        """Speak of another world."""
        self.world, self.body = int(world), int(body)
        for panel in self.by_name.values():
            panel.focused()

    def update(self, state) -> None:
        """Update what panels show; called with each frame."""
        for panel in self.by_name.values():
            panel.update(state)


__all__ = ["PANELS", "Panels"]
