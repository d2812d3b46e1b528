"""Queue of compilation: what programs ask one worker process to compile, as files in a folder.

A program has a file of its own, with one request to a line, and holds it locked as long as it lives: however it ends,
the system lets go of the lock, and what it asked for is wanted no more. A worker holds the lock of its own file, which
the program that starts it takes and hands on: there is one at a time, whatever the number of programs. What could not
be compiled has a file that says why.
"""

import atexit
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Iterator
from pathlib import Path

from newtonlite.core.replacing import replace_file

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

REQUESTS, FAILED, TRIES, BUILD = ".requests", ".failed", ".tries", "build"
UNREADY = ".new"  # a file of requests until its program has locked it
LOOK = 1.0  # [s] between two looks of a program whether somebody works
MOST_STARTS = 5
"""Workers that a program starts one after the other while nothing gets compiled; more than one request may kill."""
BOOT = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from {module} import main; main(sys.argv[2])"
"""Program of a worker: it finds modules where the program that started it does."""
usable = fcntl is not None and not getattr(sys, "frozen", False)
"""Whether there are locks, and an interpreter that runs a worker."""


class CompileQueue:
    """The files of a queue: those of programs, of failures, and of tries that have not ended yet."""

    def __init__(self, folder: Path):
        self.folder = folder

    def wanted(self) -> tuple[dict, int]:
        """Requests by name of all programs that live, those they made first in front, and the number of programs.
        Files of programs that ended go.
        """
        lists = [lines for file in sorted(self.folder.glob("*" + REQUESTS)) if (lines := _of_living(file)) is not None]
        asked = sorted(((k, r) for lines in lists for k, r in enumerate(_requests(lines))), key=lambda pair: pair[0])
        return {request["name"]: request for _, request in asked}, len(lists)

    def failure(self, name: str) -> str | None:
        """Reason why a request was not met; None where there is none."""
        with contextlib.suppress(OSError):
            return (self.folder / (name + FAILED)).read_text(encoding="utf-8", errors="replace")

    def fail(self, name: str, why: str) -> None:
        """Say why a request was not met."""
        with contextlib.suppress(OSError):
            replace_file(self.folder / (name + FAILED), why.encode())

    def forget(self, name: str) -> None:
        """Remove what is known of a request."""
        for ending in (FAILED, TRIES):
            (self.folder / (name + ending)).unlink(missing_ok=True)

    def tries(self, name: str) -> int:
        """Number of times that a request was begun and not ended: its worker was killed."""
        try:
            return int((self.folder / (name + TRIES)).read_text())
        except (OSError, ValueError):
            return 0

    def begin(self, name: str) -> None:
        """Count a try of a request."""
        with contextlib.suppress(OSError):
            replace_file(self.folder / (name + TRIES), b"%d" % (self.tries(name) + 1))


class Program:
    """This process in a queue: its file of requests, and the worker that it starts where nobody works.

    ``module`` has the worker's ``main``, which is given ``settings`` and the lock it holds. ``lock``: the file that a
    worker keeps locked, of which there may be one for several queues. Raises OSError where the folder cannot be
    written to.
    """

    def __init__(self, queue: CompileQueue, lock: Path, module: str, settings: dict):
        self.queue, self.lock, self.module, self.settings = queue, lock, module, settings
        self.looked = self.starts = self.met = 0
        self.asked: dict[str, bytes] = {}
        self.code: int | None = None
        self._open()
        _programs.add(self)

    def _open(self) -> None:
        folder = self.queue.folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        own = folder / (uuid.uuid4().hex + UNREADY)
        self.file = open(own, "xb", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.path = own.with_suffix(REQUESTS)
            os.rename(own, self.path)
        except OSError:
            own.unlink(missing_ok=True)
            raise

    def ask(self, requests: list[dict]) -> None:
        """Request what the queue does not have of this program yet: dictionaries with a ``name``."""
        if not self.path.exists():  # somebody emptied the folder
            self.file.close()
            self._open()
            self._write(b"".join(self.asked.values()))
        new = [r for r in requests if r["name"] not in self.asked]
        for request in new:
            self.queue.forget(request["name"])
        lines = {r["name"]: _line(r) for r in new}
        self._write(b"".join(lines.values()))
        self.asked |= lines

    def _write(self, content: bytes) -> None:
        length = self.file.tell()
        try:
            if self.file.write(content) != len(content):
                raise OSError(f"{self.path}: no room for what is to be compiled")
        except OSError:
            self.file.truncate(length)
            self.file.seek(length)
            raise

    def tend(self, missing: int) -> str | None:
        """Have somebody work on the requests, of which so many are not met; gives what is in the way, or None. Looks
        now and then.
        """
        now = time.monotonic()
        if now - self.looked < LOOK:
            return None
        self.looked = now
        met = len(self.asked) - missing
        if met > self.met:
            self.met, self.starts = met, 0
        with self._worker_lock() as held:
            if held is None:
                return None
            if self.starts >= MOST_STARTS:
                return (
                    f"{self.starts} workers ended without it, the last with exit code {self.code} ({self.last_line()})"
                )
            self.starts += 1
            return self._start(held)

    @contextlib.contextmanager
    def _worker_lock(self) -> Iterator[int | None]:
        """The lock of the one who works; None where somebody has it. A child of a fork is not to keep it."""
        try:
            handle = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            yield None
            return
        _handles.add(handle)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield None
            else:
                yield handle
        finally:
            _handles.discard(handle)
            os.close(handle)

    def _start(self, lock: int) -> str | None:
        found = "\n".join(os.path.abspath(p) for p in sys.path)
        settings = json.dumps({**self.settings, "queue": str(self.queue.folder), "lock": lock})
        command = [sys.executable, "-c", BOOT.format(module=self.module), found, settings]
        try:
            with open(self.log, "wb") as said:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                    pass_fds=[lock],
                    cwd=self.queue.folder,
                    env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
                    start_new_session=True,  # a terminal's interruption is meant for the program
                )
        except (OSError, ValueError) as problem:
            return f"its worker cannot be started ({problem})" if self.starts >= MOST_STARTS else None
        threading.Thread(target=self._await, args=(process,), daemon=True, name="newtonlite compiler").start()
        return None

    def _await(self, process: subprocess.Popen) -> None:
        self.code = process.wait()

    @property
    def log(self) -> Path:
        """File of what the worker says."""
        return self.lock.with_suffix(".log")

    def last_line(self) -> str:
        """Last line of what the worker said."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError:
            lines = []
        return lines[-1] if lines else "it said nothing"

    def end(self) -> None:
        """Want nothing any more."""
        self.file.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


_programs: weakref.WeakSet = weakref.WeakSet()
_handles: set[int] = set()


def _end_all() -> None:
    for program in list(_programs):
        program.end()


def _after_fork() -> None:
    """A child lets go of its parent's locks, which it would hold beyond the parent's life; it has requests of its own."""
    for program in list(_programs):
        program.file.close()
    for handle in _handles:
        with contextlib.suppress(OSError):
            os.close(handle)
    _programs.clear()
    _handles.clear()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _line(request: dict) -> bytes:
    """A request with a checksum, so that what is left of a damaged line is not taken for one."""
    text = json.dumps(request)
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}\n".encode()


def _requests(lines: bytes) -> Iterator[dict]:
    for line in lines.splitlines():
        total, _, text = line.partition(b" ")
        if total == hashlib.sha256(text).hexdigest()[:16].encode():
            yield json.loads(text)


def _of_living(file: Path) -> bytes | None:
    """The lines of a program's file; None for one that ended, whose file goes."""
    try:
        with open(file, "rb") as opened:
            try:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return opened.read()
        file.unlink(missing_ok=True)
    except OSError:
        pass
    return None
