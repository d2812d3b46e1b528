"""Background compilation: the kernels of a model's features, compiled by a process of their own while the model runs.

``NEWTONLITE_KERNELS`` chooses: ``background`` (where it is not set), ``wait`` until they are compiled before the first
step, or go on with the ``general`` kernels, those of all features. It matters only where the kernel cache has general
kernels (``newtonlite warmup``); without them a first step waits. One process compiles for all programs that use a kernel
cache, and ends with the last of those that wait for it (docs/decisions/0020).
"""

import os
import time
import warnings
from pathlib import Path

import warp as wp

from newtonlite.core import compile_queue
from newtonlite.core.compile_queue import CompileQueue, Program
from newtonlite.core.errors import NewtonWarning
from newtonlite.core.kernel_folders import OPTIONS
from newtonlite.core.settings import setting
from newtonlite.solvers.mujoco.executor.cpu import compile_worker, kernel_cache

PAUSE = 0.05  # [s] between two looks
NICENESS = 5  # of the process that compiles: with all cores busy it gets some 30 % of one


def policy() -> str:
    """Policy for a model whose kernels are not compiled yet. Raises SettingError for anything else in the environment."""
    chosen = setting("NEWTONLITE_KERNELS")
    return chosen if compile_queue.usable or chosen != "background" else "wait"


class Compilation:
    """Compilation of parts (name, stages, features folded out) by another process; those of an ``earlier`` one are
    awaited too. ``failed``: it was given up, and a warning said why.
    """

    def __init__(self, parts: tuple, earlier: "Compilation | None" = None):
        self.requests = [*(earlier.requests if earlier else ()), *map(compile_worker.request, parts)]
        self.place, self.looked, self.failed = kernel_cache.places()[0], time.monotonic(), False
        self._tend(begin=True)

    def is_done(self) -> bool:
        """Whether all are compiled, or given up; looks now and then."""
        # asked before every step: look at the folder now and then only
        now = time.monotonic()
        if now - self.looked < PAUSE:
            return self.failed
        self.looked = now
        self._tend()
        return self.failed or not self.requests

    def _tend(self, begin: bool = False) -> None:
        """Have somebody work on what is missing. Warns where it is given up."""
        if self.failed:
            return
        try:
            # an entry that is there but damaged would never be asked for
            if begin:
                for request in self.requests:
                    kernel_cache.drop_damaged(request["name"])

            # done are those that are kept by now, whoever compiled them
            self.requests = [request for request in self.requests if not kernel_cache.is_kept(request["name"])]
            if not self.requests:
                return

            # the rest stays in the queue, with somebody alive to work on it; a request that failed is said so there
            program = _program(self.place)
            program.ask(self.requests)
            missing = sum(not kernel_cache.is_kept(name) for name in program.asked)
            failures = filter(None, (program.queue.failure(request["name"]) for request in self.requests))
            problem = next(failures, None) or program.tend(missing)
        except OSError as error:
            problem = (
                f"{self.place} cannot be written to ({error.strerror or error}); name another folder by WARP_CACHE_PATH"
            )
        if problem:
            self.failed = True
            _warn(problem)


_programs: dict[tuple, Program] = {}
_warned: set[str] = set()


def _program(place: Path) -> Program:
    """This process in the queue of a folder of the kernel cache."""
    key = os.getpid(), place
    if key not in _programs:
        # the worker compiles with the settings of this process, or its kernels would have other names
        options = {name: getattr(wp.config, name) for name in OPTIONS}
        settings = {"options": options, "niceness": NICENESS}
        queue = CompileQueue(place / "queue")
        _programs[key] = Program(queue, kernel_cache.home() / "worker.lock", compile_worker.__name__, settings)
    return _programs[key]


def _warn(problem: str) -> None:
    if problem not in _warned:
        _warned.add(problem)
        warnings.warn(
            f"kernels: those of the model's features are not compiled in the background: {problem}; the model goes on with "
            "the kernels of all features, which are some 14 % slower (NEWTONLITE_KERNELS=wait compiles before the first "
            "step, =general does not ask for others)",
            NewtonWarning,
            stacklevel=3,
        )
