"""Progress on standard error, where that is a terminal: a bar of work that has a known size, the time of other work."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

WIDTH = 32
SILENT = 2.0
"""Seconds before it is said what is waited for."""
PARTS = " ▏▎▍▌▋▊▉█"


class Progress:
    """``with Progress("rolling out") as bar: bar(share)``; share goes from 0 to 1."""

    def __init__(self, title: str, stream=None):
        self.title, self.stream = title, stream or sys.stderr
        self.shown = self.stream.isatty()
        self.began = self.drawn = 0.0

    def __enter__(self):
        self.began = time.perf_counter()
        return self

    def __exit__(self, *_):
        if self.shown and self.drawn:
            self.stream.write("\r\033[K")
            self.stream.flush()

    def __call__(self, share: float, note: str = "") -> None:
        """Draw the bar, at most twenty times a second."""
        now = time.perf_counter()
        if not self.shown or (now - self.drawn < 0.05 and share < 1.0):
            return
        self.drawn = now
        left = (now - self.began) * (1.0 - share) / share if share > 0.0 else 0.0
        self.stream.write(f"\r\033[K{self.title} {bar(share)} {100 * share:3.0f} %  {left:4.1f} s left  {note}")
        self.stream.flush()


def bar(share: float) -> str:
    """A bar of WIDTH characters, drawn in eighths."""
    eighths = round(8 * WIDTH * min(max(share, 0.0), 1.0))
    full, part = divmod(eighths, 8)
    return ("█" * full + (PARTS[part] if full < WIDTH else "")).ljust(WIDTH, "·")


@contextlib.contextmanager
def waiting(title: str, stream=None) -> Iterator[None]:
    """Say what is waited for, and for how long already, once a second after the first ``SILENT`` ones."""
    stream, done, began = stream or sys.stderr, threading.Event(), time.perf_counter()

    def say() -> None:
        pause, last = SILENT, ""
        while not done.wait(pause):
            pause, last = min(SILENT, 1.0), "\r\033[K"
            stream.write(f"\r\033[K{title}, {time.perf_counter() - began:.0f} s")
            stream.flush()
        stream.write(last)

    if not stream.isatty():
        yield
        return
    watch = threading.Thread(target=say, daemon=True, name="newtonlite progress")
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()
