"""Worker of the background: the one process that compiles kernels into a kernel cache, for all programs that use it."""

import importlib
import json
import os
import shutil
import sys
from pathlib import Path

import warp as wp

from newtonlite.core import kernel_module
from newtonlite.core.compile_queue import BOOT, BUILD, CompileQueue
from newtonlite.core.compile_server import CompileServer
from newtonlite.solvers.mujoco.executor.cpu import kernel_cache, kernel_chain


def request(part: tuple) -> dict:
    """Request to compile a part (name, stages, features folded out), by names."""
    name, stages, folded = part
    names = [[s.func.__module__, s.func.__name__] for s in stages]
    return {"name": kernel_cache.key(*part), "part": name, "stages": names, "folded": folded}


def part_of(request: dict) -> tuple:
    """The part that a request names. Raises ValueError for stages that are not the package's."""
    # a queue is a file: what it names is imported from the package alone
    stages = []
    for module, stage in request["stages"]:
        if not module.startswith(f"{kernel_cache.PACKAGE.name}."):
            raise ValueError(f"{module}.{stage}: expected a stage of {kernel_cache.PACKAGE.name}")
        stages.append(getattr(importlib.import_module(module), stage))
    return request["part"], tuple(stages), tuple(map(tuple, request["folded"]))


def compile_request(request: dict) -> None:
    """Compile a request into the kernel cache. Raises what is in the way."""
    kernel_chain.compile_parts([part_of(request)])
    if not kernel_cache.is_kept(request["name"]):
        raise OSError(f"{kernel_cache.places()[0]} cannot be written to")


def main(text: str) -> None:
    """Serve the queue that the settings name, until nobody waits."""
    # programs come first: their steps run beside this
    settings = json.loads(text)
    if hasattr(os, "nice"):
        os.nice(settings["niceness"])
    for name, value in settings["options"].items():
        setattr(wp.config, name, value)

    # Warp's cache of this process is a folder of the queue, so that half a kernel is never found by a program
    queue = CompileQueue(Path(settings["queue"]))
    place = queue.folder.parent
    shutil.rmtree(queue.folder / BUILD, ignore_errors=True)
    wp.config.kernel_cache_dir = str(queue.folder / BUILD)
    wp.config.log_level = wp.LOG_WARNING
    wp.init()

    # kernels are kept where the programs look; sources that have changed since would give others
    kernel_module.own_folders, kernel_cache.user = False, place
    if kernel_cache.folder(None) != place.name:
        raise SystemExit("the sources of the package changed since the program began; start it anew")

    # until nobody waits, or until modules of many models fill the memory, and it begins anew
    anew = CompileServer(queue, compile_request, kernel_cache.is_kept).run()
    shutil.rmtree(queue.folder / BUILD, ignore_errors=True)
    if anew:
        settings["niceness"] = 0  # which stays
        os.set_inheritable(settings["lock"], True)
        code = BOOT.format(module=__name__)
        os.execv(sys.executable, [sys.executable, "-c", code, sys.argv[1], json.dumps(settings)])
    sys.stderr.flush()
    os._exit(0)  # without waiting for what is still being compiled
