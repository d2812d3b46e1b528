"""Notice of compilation: one line on standard error that says what a call waits for, how much of it is left, and about how
long that takes.

Nothing is said of what takes less than ``SILENT`` seconds. On a terminal the line is drawn anew in its place; elsewhere
there are a few plain lines. The setting ``NEWTONLITE_PROGRESS=0`` says nothing.
"""

import contextlib
import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator

from newtonlite.core.settings import setting

SILENT = 2.0  # [s]
TICK = 0.2  # [s] between two drawings
REPEAT = 10.0  # [s] after the first plain line; twice that after the second, and so on
LINGER = 1.0  # [s] of a pause that does not end a wait: modules are compiled one after the other
HASH = re.compile(r"_[0-9a-f]{8}$")
TYPICAL = 0.7
"""CPU seconds to compile a module of kernels, of those not listed."""
SECONDS = {
    "convex_triangle": 7,
    "narrow_phase": 6,
    "sdf_contact": 5,
    "narrowphase": 5,
    "solve_dual_newton": 4,
    "solve_primal": 4,
    "push_input": 3,
    "push_state": 3,
    "smooth": 3,
    "hydroelastic": 3,
}
"""The same of large ones, by the last part of a module's name without its hash."""


class Notice:
    """Names of what is being compiled in this process, and the thread that says them."""

    def __init__(self, stream=None):
        self.stream, self.lock = stream, threading.Lock()
        self.waiting: Counter = Counter()
        self.thread: threading.Thread | None = None
        self._reset()

    def _reset(self) -> None:
        self.met: Counter = Counter()
        self.began, self.next, self.pause, self.drawn = time.monotonic(), 0.0, REPEAT, False

    @contextlib.contextmanager
    def compiling(self, names: Iterable[str]) -> Iterator[None]:
        """Names of modules that are compiled within; they may be given for several at first, and then for each."""
        all_names = Counter(names)
        with self.lock:
            new = all_names - self.waiting
            self.waiting += new
            if new and self.thread is None:
                self._reset()
                self.thread = threading.Thread(target=self._watch, daemon=True, name="newtonlite notice")
                self.thread.start()
        try:
            yield
        finally:
            self.end(all_names)

    def end(self, names: Iterable[str]) -> None:
        """Mark names as compiled."""
        with self.lock:
            done = Counter(names) & self.waiting
            self.waiting -= done
            self.met += done

    def _watch(self) -> None:
        ended = None
        while True:
            time.sleep(TICK)
            with self.lock:
                now = time.monotonic()
                ended = None if self.waiting else ended or now
                if ended and now - ended > LINGER:
                    self._say_end(ended)
                    self.thread = None
                    return
                if not ended and now - self.began > SILENT:
                    self._say(now)
                elif ended:
                    self._erase()

    def _say(self, now: float) -> None:
        text = self.text(now)
        if self._is_terminal():
            self._write(f"\r\033[K{text}")
            self.drawn = True
        elif now > self.next:
            self._write(f"{text}\n")
            self.next, self.pause = now + self.pause, 2.0 * self.pause

    def text(self, now: float) -> str:
        """The line at a time."""
        total, met = self.waiting.total() + self.met.total(), self.met.total()
        names = [_short(name) for name in self.waiting]
        others = f" and {len(names) - 2} more" if len(names) > 2 else ""
        return (
            f"newtonlite: compiling kernels for this machine, once: {met} of {total} done, "
            f"about {self._left(now):.0f} s left ({', '.join(names[:2])}{others})"
        )

    def _left(self, now: float) -> float:
        elapsed = now - self.began
        left, met = (sum(_seconds(name) * k for name, k in some.items()) for some in (self.waiting, self.met))
        threads = max(1, min(os.cpu_count() or 1, self.waiting.total()))
        return max(1.0, elapsed * left / met if met else max(left / threads - elapsed, elapsed))

    def _say_end(self, ended: float) -> None:
        self._erase()
        if self.next:
            self._write(f"newtonlite: {self.met.total()} modules of kernels ready after {ended - self.began:.0f} s\n")

    def _erase(self) -> None:
        if self.drawn:
            self._write("\r\033[K")
            self.drawn = False

    def _is_terminal(self) -> bool:
        with contextlib.suppress(AttributeError, OSError, ValueError):
            return (self.stream or sys.stderr).isatty()
        return False

    def _write(self, text: str) -> None:
        """Write, where there is a stream that takes it."""
        if not setting("NEWTONLITE_PROGRESS"):
            return
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream = self.stream or sys.stderr
            stream.write(text)
            stream.flush()


def _short(name: str) -> str:
    """The last part of a module's name, and a kernel's without its hash."""
    return HASH.sub("", name.rpartition(".")[2]).removeprefix("fused_")


def _seconds(name: str) -> float:
    return SECONDS.get(_short(name), TYPICAL)


notice = Notice()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=notice.__init__)
