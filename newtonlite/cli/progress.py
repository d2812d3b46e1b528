"""Progress bar on standard error, where that is a terminal."""

import sys
import time

WIDTH = 32
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
