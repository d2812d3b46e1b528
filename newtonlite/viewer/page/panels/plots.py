"""Plot panel: any number of the chosen world over the last seconds."""

import time as clock
from collections import deque

import numpy as np

from newtonlite.viewer.layout import natural_number
from newtonlite.viewer.page.markup import quiet_text
from newtonlite.viewer.page.panels.panel import Panel
from newtonlite.viewer.scalars import sources

HISTORY = 400
PAUSE = 0.25  # between two drawings of a plot [s]
COLORS = ("#d9480f", "#1864ab", "#2b8a3e", "#862e9c", "#5f3dc4", "#e67700", "#0b7285", "#c2255c")


class PlotPanel(Panel):
    """One plot of up to eight numbers of an array, and one of each scalar that the program logged."""

    rate = 1e9  # a point for each frame

    def build(self, gui) -> None:
        """Controls of the plotted array."""
        self.known = sources(self.viewer)
        self.array = gui.add_dropdown(
            "Array", tuple(self.known) or ("none",), initial_value=next(iter(self.known), "none")
        )
        self.array.on_update(self.asks(lambda _: self.restart()))
        self.rows = gui.add_text("Elements", "0-3", hint="numbers and ranges: 0, 4-7; at most eight")
        self.rows.on_update(self.asks(lambda _: self.restart()))
        self.note = gui.add_html("")
        self.folder = gui.add_folder(None)
        self.plot = None
        self.logged: dict[str, tuple] = {}
        self.next_drawing = 0.0
        self.restart()

    def focused(self) -> None:
        """Begin anew with the other world."""
        self.restart()

    def restart(self) -> None:
        """Clear the plotted past."""
        if self.plot is not None:
            self.plot.remove()
        self.past, self.plot = deque(maxlen=HISTORY), None

    def chosen(self, count: int) -> list[int]:
        """The elements that the text means, of those there are."""
        found: list[int] = []
        for part in self.rows.value.split(","):
            low, _, high = part.strip().partition("-")
            if natural_number(low) is not None and (not high or natural_number(high) is not None):
                found += range(natural_number(low), min(natural_number(high or low) + 1, count))
        return [k for k in dict.fromkeys(found) if k < count][: len(COLORS)]

    def follow(self, state) -> None:
        """Add a point; draw a few times a second."""
        now = clock.perf_counter()
        drawing = now >= self.next_drawing
        if drawing:
            self.next_drawing = now + PAUSE
            self.draw_logged()
        if state is None or not self.known:
            return
        values, labels = self.known[self.array.value](state, self.panels.world)
        rows = self.chosen(len(values))
        if not rows:
            self.note.content = quiet_text(f"{len(values)} elements; none chosen")
            return
        if self.past and self.viewer.time < self.past[-1][0]:
            self.past.clear()
        self.past.append((self.viewer.time, *np.asarray(values, float)[rows]))
        if len(self.past) > 1 and drawing:
            names = [labels[k] if labels is not None and k < len(labels) and labels[k] else str(k) for k in rows]
            self.plot = self.draw(self.plot, np.array(self.past).T, names, self.array.value)

    def draw(self, plot, data: np.ndarray, names: list[str], title: str):
        """A plot of rows of ``data`` over its first; made anew where there are others than before."""
        rows = tuple(np.ascontiguousarray(row) for row in data)
        if plot is not None and len(plot.data) == len(rows):
            plot.data = rows
            return plot
        if plot is not None:
            plot.remove()
        from viser import uplot

        series = (
            uplot.Series(label="t [s]"),
            *(uplot.Series(label=name, stroke=COLORS[k % len(COLORS)], width=1.5) for k, name in enumerate(names)),
        )
        scales = {"x": uplot.Scale(time=False, auto=True), "y": uplot.Scale(auto=True)}
        with self.folder:
            return self.viewer.api.gui.add_uplot(
                rows, series, title=title, aspect=1.6, scales=scales, legend=uplot.Legend(show=True)
            )

    def log(self, name: str, value: float, time: float, clear: bool = False, history: int = HISTORY) -> None:
        """One more point of a scalar that the program names."""
        past, plot = self.logged.get(name, (deque(maxlen=history), None))
        if clear:
            past.clear()
        past.append((float(time), float(value)))
        self.logged[name] = (past, plot)

    def draw_logged(self) -> None:
        """The plots of logged scalars."""
        for name, (past, plot) in self.logged.items():
            if len(past) > 1:
                self.logged[name] = (past, self.draw(plot, np.array(past).T, [name], name))
