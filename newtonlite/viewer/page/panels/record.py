"""Record panel: the last seconds kept, scrubbed, saved, exported."""

import io
import tempfile
import threading
from pathlib import Path

from newtonlite.viewer.layout import worlds_named
from newtonlite.viewer.page.html import page
from newtonlite.viewer.page.markup import quiet_text
from newtonlite.viewer.page.panels.panel import Panel
from newtonlite.viewer.recording.file import save
from newtonlite.viewer.recording.playback import Playback
from newtonlite.viewer.recording.recorder import Recorder

MOVIES = {"gif": 2.0, "mp4": 5.0}  # how long a movie of each kind is [s]


class RecordPanel(Panel):
    """Recording controls. With a simulation they keep frames; with a recording they go to any frame."""

    def build(self, gui) -> None:
        """Fields, a slider over time, buttons."""
        session = self.viewer.session
        self.making = threading.Lock()  # one file at a time
        self.replays = isinstance(session, Playback)
        self.recorder = None if self.replays else Recorder(self.viewer.look)
        if not self.replays:
            self.on = gui.add_checkbox("Record", True, hint="keeps the last seconds")
            self.seconds = gui.add_number("Seconds", 60, min=1, max=3600, step=1)
            self.seconds.on_update(self.asks(lambda element: setattr(self.recorder, "seconds", float(element.value))))
            kept = self.recorder.worlds
            self.worlds = gui.add_text(
                "Worlds", f"{kept[0]}-{kept[-1]}", hint="the ones that are kept: numbers and ranges"
            )
            self.worlds.on_update(self.asks(lambda element: self.choose(element.value)))
        self.scrub = gui.add_slider("Frame", 0, max(len(self), 1), 1, 0)
        self.scrub.on_update(self.asks(lambda element: self.go(int(element.value))))
        self.note = gui.add_html("")
        self.file = gui.add_button("Save recording", icon="device-floppy")
        self.file.on_click(self.sends(self.send_file))
        self.html = gui.add_button("Save as page", icon="file-export")
        self.html.on_click(self.sends(self.send_page))
        self.picture = gui.add_button("Save picture", icon="photo")
        self.picture.on_click(self.sends(self.send_picture))
        for kind, seconds in MOVIES.items():
            movie = gui.add_button(f"Save movie ({kind.upper()})", icon="movie")
            movie.on_click(
                self.sends(lambda client, kind=kind, seconds=seconds: self.send_movie(client, kind, seconds))
            )
        self.past = False

    def __len__(self) -> int:
        return len(self.viewer.session.recording.times) if self.replays else len(self.recorder)

    @property
    def recording(self):
        """Recording of the session that replays one, or of the recorder."""
        return self.viewer.session.recording if self.replays else self.recorder.recording()

    def choose(self, names: str) -> None:
        """Keep other worlds."""
        try:
            worlds = worlds_named(names, self.viewer.look.world_count)
        except ValueError as problem:
            self.say(str(problem))
            return
        self.recorder.choose(range(self.viewer.look.world_count) if worlds is None else worlds)

    def kept(self, session) -> None:
        """A step was taken: the past is over; keep a frame if one is due."""
        self.past = False
        if self.recorder is not None and self.on.value:
            self.recorder.keep(session.state, session.time)

    def holds(self) -> bool:
        """Whether the past is shown; it is until the simulation goes on."""
        clock = self.viewer.session.clock
        self.past = self.past and clock.paused and not clock.steps_wanted
        return self.past

    def go(self, frame: int) -> None:
        """Show a frame of the past; a simulation is paused, and goes on from where it was."""
        if self.replays:
            self.viewer.session.clock.pause()
            self.viewer.session.seek(frame)
            self.viewer.refresh()
        elif len(self):
            self.viewer.panels["Run"].set_paused(True)
            self.past = True
            self.show_past(min(max(frame, 0), len(self) - 1))

    def show_past(self, frame: int) -> None:
        """The kept worlds where they were; the others stay."""
        poses = self.viewer.body_q.copy()
        poses[self.recorder.bodies] = self.recorder.poses[frame]
        self.viewer.show_poses(poses)
        self.say(f"frame {frame}, {self.recorder.times[frame]:.3f} s: the past; Run goes on from the present")

    def say(self, text: str) -> None:
        """A line below the slider."""
        self.note.content = quiet_text(text)

    def follow(self, state) -> None:
        """The length of what there is."""
        session = self.viewer.session
        if self.holds():
            return
        last = max(len(self) - 1, 1)
        if self.scrub.max != last:
            self.scrub.max = last
        self.scrub.value = session.frame if self.replays else last
        times = session.recording.times if self.replays else self.recorder.times
        if len(times):
            self.say(f"{len(times):,} frames, {times[0]:.2f} to {times[-1]:.2f} s")

    # files, made for the browser that asks

    def sends(self, make):
        """A callback that has the program's own thread take what there is, and a worker make the file and send it."""

        def callback(event) -> None:
            if not self.making.acquire(blocking=False):
                self.say("not saved: another file is being made; try again when it has arrived")
                return
            try:
                name, data = make(event.client)
            except Exception as problem:
                self.say(f"not saved: {problem or type(problem).__name__}")
                return
            finally:
                self.making.release()
            event.client.send_file_download(name, data, save_immediately=True)

        return callback

    def send_file(self, client) -> tuple[str, bytes]:
        """The recording as a file."""
        with tempfile.TemporaryDirectory() as folder:
            return "recording.npz", save(self.recording, Path(folder) / "recording.npz").read_bytes()

    def send_page(self, client) -> tuple[str, bytes]:
        """The recording as one page."""
        return "recording.html", page(self.recording).encode()

    def send_picture(self, client) -> tuple[str, bytes]:
        """Send a picture of the browser's view, without the panels."""
        import imageio.v3 as iio

        from newtonlite.viewer.page.movie import DRAWING

        data = io.BytesIO()
        iio.imwrite(data, client.get_render(height=720, width=1280, timeout=DRAWING), extension=".png")
        return "picture.png", data.getvalue()

    def send_movie(self, client, kind: str, seconds: float) -> tuple[str, bytes]:
        """The last seconds as a moving picture, drawn by the browser."""
        from newtonlite.viewer.page.movie import movie

        return f"movie.{kind}", movie(self.viewer, client, self.recording, seconds=seconds, suffix=f".{kind}")
