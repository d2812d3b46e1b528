"""Local backend: workers are processes of this machine."""

import collections
import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from typing import NamedTuple

from newtonlite.core.errors import StateError
from newtonlite.scale.pipes import receive, send

BOOT = "import sys; sys.path[:] = sys.argv[1].split('\\n'); from {module} import main; main(sys.argv[2])"
"""Program of a process: it finds modules where the one that started it does."""
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""Threads of libraries in a worker, whose own threads step the worlds."""
LAST_WORDS = 2000
STARTS = 3
PROCESS = "newtonlite.scale.process"
"""Module of a worker process."""


class Event(NamedTuple):
    """Event of a backend: ``ready``, ``reply`` or ``dead``, the worker's number, and its message or why it is dead."""

    kind: str
    worker: int
    content: object


class LocalPool:
    """Worker processes for one job. ``threads`` step the worlds of each worker: its share of the cores when None."""

    dashboard = None

    def __init__(self, job: bytes, workers: int, device: str | None = None, threads: int | None = None):
        self.job, self.device, self.workers = job, device, workers
        cores = available_cores()
        self.threads = threads or max(1, len(cores) // workers)
        each = len(cores) // workers
        self.groups = [cores[i * each : (i + 1) * each] for i in range(workers)] if each > 1 else []
        self.processes: dict[int, Process] = {}
        self.events_waiting: queue.Queue = queue.Queue()
        self.started = 0

    def start(self) -> int:
        """Start a worker; its number."""
        number, self.started = self.started, self.started + 1
        place = self._free_place()
        settings = {
            "device": self.device,
            "threads": self.threads,
            "number": place,
            "cores": self.groups[place] if self.groups else None,
        }
        self.processes[number] = Process(number, place, settings, self.events_waiting)
        self.processes[number].put([self.job])
        return number

    def _free_place(self) -> int:
        """The first of the places, each with its cores or its GPU, that no worker has."""
        taken = {p.place for p in self.processes.values()}
        return next(i for i in range(len(taken) + 1) if i not in taken) % self.workers

    def share(self, data: bytes) -> bytes:
        """Handle of bytes that several requests carry."""
        return data

    def submit(self, worker: int, request: bytes, blobs: list) -> None:
        """Give a worker a request."""
        self.processes[worker].put([request, *blobs])

    def events(self, timeout: float) -> list[Event]:
        """Events that happened, after at most so many seconds."""
        found, end = [], time.monotonic() + timeout
        while not found:
            try:
                found.append(self.events_waiting.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                break
        while not self.events_waiting.empty():
            found.append(self.events_waiting.get())
        return [e for e in found if e.worker in self.processes]

    def stop(self, worker: int) -> None:
        """Kill a worker, or let go of one that is dead."""
        process = self.processes.pop(worker, None)
        if process:
            process.end()

    def close(self) -> None:
        """End all workers."""
        for number in list(self.processes):
            self.stop(number)

    def pid(self, worker: int) -> int:
        """Number of a worker's process."""
        return self.processes[worker].process.pid


class Process:
    """A worker process, with a thread that writes to it and one that reads from it: a worker that hangs holds up nobody
    else.
    """

    def __init__(self, number: int, place: int, settings: dict, events: queue.Queue):
        self.number, self.place, self.events_waiting = number, place, events
        self.said = tempfile.TemporaryFile()
        self.process = launched(PROCESS, settings, self.said)
        self.requests: queue.Queue = queue.Queue()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._read)]
        for thread in self.threads:
            thread.start()

    def put(self, parts: list) -> None:
        """Send a frame, as soon as the worker takes it."""
        self.requests.put(parts)

    def _write(self) -> None:
        while (parts := self.requests.get()) is not None:
            try:
                send(self.process.stdin, parts)
            except (OSError, ValueError):
                return  # its reader says that it is dead

    def _read(self) -> None:
        kind = "ready"
        try:
            while (parts := receive(self.process.stdout)) is not None:
                self.events_waiting.put(Event(kind, self.number, parts[0]))
                kind = "reply"
        except StateError:
            self.process.kill()
        code = self.process.wait()
        self.events_waiting.put(Event("dead", self.number, f"exit code {code}{self.last_words()}"))

    def last_words(self) -> str:
        """The end of what it said on standard error."""
        try:
            self.said.seek(0)
            lines = collections.deque(self.said.read()[-LAST_WORDS:].decode(errors="replace").strip().splitlines(), 1)
        except (OSError, ValueError):
            lines = None
        return f" ({lines[0]})" if lines else ""

    def end(self) -> None:
        """Kill it."""
        self.requests.put(None)
        self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        for file in (self.process.stdin, self.process.stdout, self.said):
            with contextlib.suppress(OSError):  # of what could not be written any more
                file.close()


def launched(module: str, settings: dict, said) -> subprocess.Popen:
    """A process that runs ``main`` of a module."""
    found = "\n".join(os.path.abspath(p) for p in sys.path)
    return subprocess.Popen(
        [sys.executable, "-c", BOOT.format(module=module), found, json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        env={**ALONE, **os.environ, **cache_settings()},
    )


def cache_settings() -> dict[str, str]:
    """Variables that give a process the kernel cache of this one."""
    warp = sys.modules.get("warp")
    place = warp.config.kernel_cache_dir if warp else None
    return {"WARP_CACHE_PATH": str(place)} if place else {}


def in_process(module: str, settings: dict) -> bytes:
    """The message that ``main`` of a module writes in a process of its own, whose memory is free again when it ends.

    StateError with its last words where it fails; one that was killed is started again.
    """
    for _ in range(STARTS):
        code, message, words = _attempt(module, settings)
        if code == 0 and message is not None:
            return message
        if code >= 0:
            break
    raise StateError(words or f"{module} ended with exit code {code}")


def _attempt(module: str, settings: dict) -> tuple:
    """(exit code, message or None, last line on standard error) of a process."""
    with tempfile.TemporaryFile() as said:
        process = launched(module, settings, said)
        with process.stdin, process.stdout:
            parts = receive(process.stdout)
        code = process.wait()
        said.seek(0)
        lines = said.read()[-LAST_WORDS:].decode(errors="replace").strip().splitlines()
    return code, parts[0] if parts else None, lines[-1] if lines else ""


def available_cores() -> list[int]:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
