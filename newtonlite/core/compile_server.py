"""Server of a queue of compilation: one process that compiles what living programs ask for, and ends when nobody waits."""

import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from newtonlite.core.compile_queue import BUILD, FAILED, TRIES, UNREADY, CompileQueue

MOST_THREADS = 4  # each compiles with up to some 100 MB
LOOK = 0.25  # [s] between two looks at who waits
LINGER = 1.0  # [s] without a request until it ends; models are often loaded one after the other
GRACE = 5.0  # [s] for what is being compiled when the last program ends: so short programs get ahead, too
MOST_TRIES = 3
"""Workers that may be killed over a request."""
MOST_COMPILED = 40
"""Requests until a worker begins anew, in the same process: what was compiled stays in its memory."""
STALE = 3600.0  # [s] of age of files that somebody left half-written


class CompileServer:
    """Compiles requests of a queue by ``compile(request)``, which raises what is in the way, in several threads.
    ``is_met(name)``: whether nothing is left to do for a request.
    """

    def __init__(self, queue: CompileQueue, compile: Callable, is_met: Callable, most: int = MOST_COMPILED):
        self.queue, self.compile, self.is_met, self.most = queue, compile, is_met, most
        self.threads = max(1, min(os.cpu_count() or 1, MOST_THREADS))
        self.pool = ThreadPoolExecutor(self.threads)
        self.running: dict[Future, str] = {}
        self.begun: set[str] = set()

    def run(self) -> bool:
        """Work until nobody waits; whether there is more to do for a worker that begins anew."""
        self.clear()
        idle = time.monotonic()
        while True:
            wanted, programs = self.queue.wanted()
            if not programs:
                wait(self.running, GRACE)
                if not self.queue.wanted()[1]:
                    self._give_up()
                    return False
            waiting = [request for name, request in wanted.items() if self._is_waiting(name)]
            if self.running or waiting:
                idle = time.monotonic()
            elif time.monotonic() - idle > LINGER:
                return False
            full = len(self.begun) >= self.most
            if full and waiting and not self.running:
                return True
            if not full:
                self._begin(waiting)
            self._end()

    def _is_waiting(self, name: str) -> bool:
        return not (name in self.begun or self.is_met(name) or self.queue.failure(name))

    def _begin(self, waiting: list[dict]) -> None:
        """Start requests in the free threads; those that nobody was killed over come first."""
        waiting.sort(key=lambda request: self.queue.tries(request["name"]))
        for request in waiting[: self.threads - len(self.running)]:
            name = request["name"]
            self.begun.add(name)
            if self.queue.tries(name) >= MOST_TRIES:
                self.queue.fail(name, f"{MOST_TRIES} workers ended while they compiled it: is there enough memory?")
                continue
            self.queue.begin(name)
            self.running[self.pool.submit(self.compile, request)] = name

    def _end(self) -> None:
        if not self.running:
            return time.sleep(LOOK)
        for future in wait(self.running, LOOK, FIRST_COMPLETED).done:
            name, problem = self.running.pop(future), future.exception()
            self.queue.forget(name)
            if problem is not None:
                self.queue.fail(name, f"{type(problem).__name__}: {' '.join(str(problem).split())}")

    def _give_up(self) -> None:
        """Forget what is still being compiled: it ends with this process."""
        for name in self.running.values():
            self.queue.forget(name)

    def clear(self) -> None:
        """Remove what killed programs and workers left half-written, and what nobody asked for lately."""
        folder = self.queue.folder
        shutil.rmtree(folder / BUILD, ignore_errors=True)
        endings = (".part", UNREADY, FAILED, TRIES)
        for file in (*folder.parent.glob("*.part"), *(f for ending in endings for f in folder.glob("*" + ending))):
            try:
                if time.time() - file.stat().st_mtime > STALE:
                    file.unlink()
            except OSError:
                continue
