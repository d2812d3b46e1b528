"""Background compilation: the kernels of a model's features, compiled by a process of their own while the model runs.

``NEWTONLITE_KERNELS`` chooses: ``background`` (where it is not set), ``wait`` until they are compiled before the first
step, or go on with the ``general`` kernels, those of all features. It matters only where the kernel cache has general
kernels (``newtonlite warmup``); without them a first step waits. One such process compiles at a time, whatever the
number of programs: others wait for it as long as theirs run.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import warp as wp

from newtonlite.core.errors import NewtonWarning
from newtonlite.core.settings import setting
from newtonlite.solvers.mujoco.executor import kernel_cache

PAUSE = 0.05  # [s] between two looks
NICENESS = 5  # of the process that compiles: with all cores busy it gets some 30 % of one


def policy() -> str:
    """Policy for a model whose kernels are not compiled yet. Raises SettingError for anything else in the environment."""
    return setting("NEWTONLITE_KERNELS")


class Compilation:
    """Compilation of parts (name, stages, features folded out) in a process that goes on when this one ends; those of
    an ``earlier`` one are awaited too.
    """

    def __init__(self, parts: tuple, earlier: "Compilation | None" = None):
        self.keys = {kernel_cache.key(*part) for part in parts}
        self.earlier, self.looked = earlier, time.monotonic()
        settings = {name: getattr(wp.config, name) for name in ("kernel_cache_dir", *kernel_cache.OPTIONS)}
        request = {"settings": settings, "parts": [_as_names(part) for part in parts], "niceness": NICENESS}
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.said
        )
        pipe = self.process.stdin
        assert pipe
        pipe.write(json.dumps(request).encode())
        pipe.close()

    def is_done(self) -> bool:
        """Whether all are compiled; looks now and then. Warns where the process ended without."""
        now = time.monotonic()
        if now - self.looked < PAUSE:
            return False
        self.looked = now
        if self.process.poll() is None or (self.earlier and not self.earlier.is_done()):
            return False
        if any(kernel_cache.find(key) is None for key in self.keys):
            warnings.warn(
                f"kernels: their compilation in the background ended with exit code {self.process.returncode} ({self._last_line()}); "
                "set NEWTONLITE_KERNELS=wait to compile them before the first step, or =general to go on without",
                NewtonWarning,
                stacklevel=2,
            )
        return True

    def __del__(self):
        self.said.close()

    def _last_line(self) -> str:
        self.said.seek(0)
        lines = self.said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def _as_names(part: tuple) -> list:
    name, stages, folded = part
    return [name, [[s.func.__module__, s.func.__name__] for s in stages], folded]


def main() -> None:
    """Compile the parts that standard input names into the kernel cache."""
    from newtonlite.solvers.mujoco.executor import kernel_chain

    request = json.load(sys.stdin)
    if hasattr(os, "nice"):
        os.nice(request["niceness"])
    wp.init()
    for name, value in request["settings"].items():
        setattr(wp.config, name, value)
    program = os.getppid()
    with kernel_cache.lock(lambda: os.getppid() == program) as held:
        if held:
            kernel_chain.compile_parts([_from_names(*part) for part in request["parts"]])


def _from_names(name: str, stages: list, folded: list) -> tuple:
    stages = tuple(getattr(importlib.import_module(module), stage) for module, stage in stages)
    return name, stages, tuple(map(tuple, folded))


if __name__ == "__main__":
    main()
