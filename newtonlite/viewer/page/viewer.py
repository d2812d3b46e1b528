"""Viewer: a model and its states in a browser."""

import logging
import threading
import time as clock
from collections import deque
from collections.abc import Callable

import numpy as np

from newtonlite.core.errors import StateError
from newtonlite.viewer.batches import Appearance, appearance
from newtonlite.viewer.framing import size_of_world, two_digits
from newtonlite.viewer.layout import WorldLayout
from newtonlite.viewer.page import look
from newtonlite.viewer.page.budget import Budget
from newtonlite.viewer.page.overlays import Overlays
from newtonlite.viewer.page.panels import Panels
from newtonlite.viewer.page.picking import Picking
from newtonlite.viewer.page.scene import MOST_TRIANGLES, PageScene
from newtonlite.viewer.page.server import PageServer
from newtonlite.viewer.poses import body_q_of
from newtonlite.viewer.push import Push

LOG = logging.getLogger("newtonlite.viewer")
MOST_ASKED = 256  # actions of the page that wait
TURN = 0.05  # for actions of the page, between two steps [s]
BETWEEN = 0.5  # complaints on the page [s]
STALE = 10.0  # a complaint that no page was there for [s]
LONGEST_COMPLAINT = 300
SETTLE = 0.3  # after the last step panels are brought up to date once more [s]
LAST_STEP = 10.0  # how long ``close`` waits for a step that runs in another thread, at most [s]


class Viewer:
    """Shows the worlds of a model on a page.

    A program that steps by itself calls ``show(state)`` as often as it likes: a frame is sent when one is due and
    someone looks, and ``poll()`` carries out what was asked for on the page. ``run(session)`` does both, and steps.

    Args:
        model: what is shown: a ``Model``, or the ``Appearance`` in a recording.
        port: 0 for any free one.
        host: the address to listen on. Beyond the loopback the page asks for a token, which is part of ``url``.
        fps: frames a second at most.
        share: the part of the machine's CPU time that frames may take; they become fewer where they would take more.
        triangles: about how many may be drawn; where there would be more, round shapes and meshes become coarser, and
            where there would be four times as many, there are no shadows.
        spacing: distance of neighbouring worlds [m]; by the size of a world when None.
        session: what the page controls: a ``Session``, a ``newtonlite.envs.TaskSession``, a ``Playback`` or a ``Loop``.

    Raises ModuleNotFoundError without the extra ``viewer``.
    """

    def __init__(
        self,
        model,
        port: int = 0,
        host: str = "127.0.0.1",
        *,
        fps: float = 30.0,
        share: float = 0.03,
        triangles: int = MOST_TRIANGLES,
        spacing=None,
        label="newtonlite",
        token=None,
        session=None,
    ):
        self.look = model if isinstance(model, Appearance) else appearance(model)
        self.model = None if isinstance(model, Appearance) else model
        self.session = session
        self.simulation = session if getattr(session, "solver", None) is not None else None
        self.push = getattr(session, "push", None) or (Push(self.model) if self.model else None)
        state = getattr(session, "state", None)
        self.body_q, self.time = self.look.body_q if state is None else body_q_of(state), 0.0
        self.middle, self.radius = size_of_world(self.look, self.body_q)
        spacing = getattr(session, "spacing", None) if spacing is None else spacing
        self.layout = WorldLayout(self.look.world_count, two_digits(2.0 * self.radius) if spacing is None else spacing)
        self.asked: deque[Callable[[], None]] = deque()
        self.complaints: deque[tuple[float, str]] = deque(maxlen=1)
        self.next_complaint = 0.0
        self.server = PageServer(host, port, label, token, self.complain)
        self.api = self.server.api
        self.triangles, self.crowded = triangles, None
        self.budget = Budget(fps, share, self.server.threads)
        try:
            self._furnish()
        except BaseException:
            self.server.stop()
            raise

    def _furnish(self) -> None:
        """Put everything on the page."""
        self.frames, self.stale, self.closed = 0, True, threading.Event()
        self.loop: int | None = None
        self.left = threading.Event()
        self.scene = PageScene(self.api, self.look.batches, self.layout, self.triangles, self.look.soft)
        self.picking = Picking(self) if self.push else None
        self._dress()
        self.overlays = Overlays(self)
        self.panels = Panels(self)
        self._build()
        self.api.on_client_connect(lambda client: self.refresh())

    @property
    def url(self) -> str:
        """URL of the page."""
        return self.server.url

    @property
    def looked_at(self) -> bool:
        """Whether a browser shows the page."""
        return self.server.mine and bool(self.api.get_clients())

    def _dress(self) -> None:
        self.api.gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        self.api.gui.main_panel.dock_right()
        look.surroundings(self.api, self.look.grounds, self.middle, self.layout.extent + self.radius)

    def _build(self) -> None:
        self.scene.build(self.body_q)
        if self.scene.crowded is not self.crowded:
            self.crowded = self.scene.crowded
            look.light(self.api, shadows=not self.crowded)

    # events of the page

    def ask(self, action: Callable[[], None]) -> None:
        """Have the program's own thread do something at its next ``poll``; callbacks of the page use this."""
        if len(self.asked) < MOST_ASKED:
            self.asked.append(action)

    def poll(self) -> None:
        """Carry out what was asked for on the page, a little at a time. What fails is said there, and the program goes
        on.
        """
        end = clock.perf_counter() + TURN
        while self.asked and clock.perf_counter() < end:
            self.carry_out(self.asked.popleft())
            self.stale = True
        if self.complaints and clock.perf_counter() > self.next_complaint:
            self._say_complaint(list(self.api.get_clients().values()))

    def _say_complaint(self, clients: list) -> None:
        """Say the last complaint on every page. A page's first input may come before it counts as one: until a page is
        there, the complaint waits.
        """
        made, text = self.complaints.pop()
        if clients:
            self.next_complaint = clock.perf_counter() + BETWEEN
            for client in clients:
                client.add_notification("Not done", text, auto_close_seconds=8.0, color="red")
        elif clock.perf_counter() < made + STALE and not self.complaints:
            self.complaints.append((made, text))

    def carry_out(self, action: Callable[[], None]) -> None:
        """Do what the page asks for; say there what is wrong with it."""
        try:
            action()
        except Exception as problem:
            if clock.perf_counter() > self.next_complaint:
                LOG.warning("the page asked for what failed; the program goes on", exc_info=True)
            self.complain(str(problem) or type(problem).__name__)

    def complain(self, text: str) -> None:
        """Say on the page, as text, what was not done; the last of several."""
        self.complaints.append((clock.perf_counter(), text[:LONGEST_COMPLAINT]))

    def refresh(self) -> None:
        """Send a frame at the next ``show`` even if nothing moved."""
        self.stale = True

    # frames

    def show(self, state, time: float | None = None) -> bool:
        """Send a state if a frame is due and someone looks; says whether it was sent. Never waits for the browser."""
        if not self.budget.due() or not self.looked_at:
            return False
        self.time = self.time if time is None else float(time)
        self.show_poses(body_q_of(state), state)
        return True

    def show_poses(self, body_q: np.ndarray, state=None) -> None:
        """Send poses [body_count, 7] now, with everything drawn around them."""
        with self.budget:
            self.body_q = body_q
            with self.api.atomic():
                self.scene.move(body_q)
                self.carry_out(lambda: self.overlays.update(state))
            self.carry_out(lambda: self.panels.update(state))
        self.frames += 1
        self.stale = False

    def rebuild(self) -> None:
        """Make the scene anew: other worlds, layers or looks."""
        with self.api.atomic():
            self._build()
        self.stale = True

    def run(self, session=None, seconds: float | None = None) -> None:
        """Step a session at the pace that the page asks for, until ``close``, or for some seconds. StateError in a
        process that was forked.
        """
        if not self.server.mine:
            raise StateError("viewer: the page is the parent process's; make a Viewer in this process")
        self.loop, self.left = threading.get_ident(), threading.Event()
        try:
            self._run(session or self.session, seconds)
        finally:
            self.left.set()

    def _run(self, session, seconds: float | None) -> None:
        recorder, settled = self.panels.get("Record"), None
        end = None if seconds is None else clock.perf_counter() + seconds
        while not self.closed.is_set() and (end is None or clock.perf_counter() < end):
            self.poll()
            if session.clock.due(session.time):
                session.step()
                self.stale = True
                settled = clock.perf_counter() + SETTLE
                if recorder is not None:
                    recorder.kept(session)
            else:
                clock.sleep(0.001)
                if settled is not None and clock.perf_counter() > settled:
                    self.stale, settled = True, None
            if self.stale and not (recorder is not None and recorder.holds()):
                self.show(session.state, session.time)

    def close(self) -> None:
        """Close the page, when ``run`` in another thread has ended what it is at."""
        self.closed.set()
        if self.server.mine and self.loop not in (None, threading.get_ident()):
            self.left.wait(LAST_STEP)
        self.server.stop()
