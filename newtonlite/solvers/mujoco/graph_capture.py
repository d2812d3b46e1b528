"""Graph capture: what may be done while a caller records a graph, and what is done before or beside it.

Kernels are compiled and loaded, arrays are allocated and numbers of the host are uploaded outside of the recording:
they happen once, now, and a replay of the graph finds them done.
"""

import contextlib
from collections.abc import Iterator

import warp as wp

from newtonlite.core import warp_internals
from newtonlite.core.errors import StateError

FIRST = "take one step (or reset, or notification) with these arrays before recording the graph"


@contextlib.contextmanager
def outside_capture(device) -> Iterator[None]:
    """Pause a recording on ``device``, so that what runs within happens now and is no part of the graph; nothing else
    where none is going on.

    Raises StateError where a program other than Warp records on a CUDA stream, which cannot be paused here.
    """
    device = wp.get_device(device)
    if not device.is_capturing:
        yield
        return
    if device.is_cuda and device.stream not in device.captures:
        raise StateError(
            f"graph capture: {FIRST}; this one was begun outside of Warp and cannot be paused to prepare it"
        )
    if not warp_internals.used():
        raise StateError(f"graph capture: {FIRST}; Warp's public interface cannot pause a recording")
    from warp._src.context import capture_pause, capture_resume

    graph = capture_pause(device)
    try:
        yield
    finally:
        capture_resume(graph, device)
