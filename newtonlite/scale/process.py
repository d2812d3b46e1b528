"""Worker process of the local backend: frames of requests on its standard input, replies on its standard output.

It ends with the process that started it, whose end of the pipe the system closes however that one ends.
"""

import json
import os
import queue
import signal
import sys
import threading

from newtonlite.scale.pipes import receive, send


def main(settings: str) -> None:
    """Serve a job. ``settings``: JSON with ``device``, ``threads`` and ``cores`` (those to run on, all when None)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's interruption is meant for the one who started it
    given = json.loads(settings)
    replies, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # what others print is not for the pipe
    if given["cores"] and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, given["cores"])
    waiting: queue.Queue = queue.Queue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True, name="requests").start()

    # after the pipe is watched: what is imported takes seconds, in which the one who started it may end
    import warp as wp

    from newtonlite.core.warp_log import quiet
    from newtonlite.scale.worker import Worker

    quiet()
    wp.init()
    worker = Worker(waiting.get()[0], device_of(given["device"], given["number"]), given["threads"])
    send(replies, [worker.hello()])
    while True:
        send(replies, [worker.answer(*waiting.get())])


def device_of(wanted: str | None, number: int) -> str:
    """Device of the worker of a number: the one that was named, or a GPU of its own where there are any."""
    import warp as wp

    if wanted not in (None, "cuda"):
        return wanted
    gpus = wp.get_cuda_devices()
    if wanted == "cuda" and not gpus:
        raise ValueError("device='cuda': there is no GPU that Warp can use")
    return gpus[number % len(gpus)].alias if gpus else "cpu"


def _listen(pipe, waiting: queue.Queue) -> None:
    while (parts := receive(pipe)) is not None:
        waiting.put(parts)
    sys.stderr.flush()
    os._exit(0)
