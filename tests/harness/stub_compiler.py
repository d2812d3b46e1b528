"""Stub of a compiler: a worker of a queue that writes a file for each request, to test queues without kernels."""

import json
import os
import time
from pathlib import Path

from newtonlite.core import compile_server
from newtonlite.core.compile_queue import CompileQueue, Program


def program(folder: Path, **settings) -> Program:
    """This process in a queue whose worker is the stub; ``wait``: seconds that a request takes."""
    return Program(CompileQueue(folder / "queue"), folder / "worker.lock", __name__, settings)


def main(text: str) -> None:
    """Serve the queue that the settings name."""
    settings = json.loads(text)
    queue = CompileQueue(Path(settings["queue"]))
    folder = queue.folder.parent
    with open(folder / "workers", "a") as said:
        said.write(f"{os.getpid()}\n")

    def compile(request: dict) -> None:
        time.sleep(settings.get("wait", 0.0))
        if request["name"].startswith("bad"):
            raise ValueError("a source that\nno compiler takes")
        if request["name"].startswith("deadly"):
            os._exit(3)
        (folder / request["name"]).touch()

    compile_server.GRACE = settings.get("grace", 0.2)
    compile_server.LINGER = 0.2
    server = compile_server.CompileServer(queue, compile, lambda name: (folder / name).exists())
    server.run()
    os._exit(0)
