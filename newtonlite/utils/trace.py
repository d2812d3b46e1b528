"""Tracing of functions: how long those that are marked with ``event_scope`` take, within each other."""

import functools
import time
from collections.abc import Callable
from typing import Any

import warp as wp

from newtonlite.core.errors import ModelError

EVENTS: Any = wp
"""Warp's module, whose declared types lack its events."""


class EventTracer:
    """Elapsed times of marked functions while it is entered; one at a time.

    ``trace`` is a tree: name to the times of its calls [ms] and the tree of what these called. A disabled one measures
    nothing. Raises ModelError where another is measuring.
    """

    active: "EventTracer | None" = None

    def __init__(self, enabled: bool = True):
        if enabled and EventTracer.active is not None:
            raise ModelError("EventTracer: another one is measuring; leave its with block first")
        self.enabled = bool(enabled)
        self._calls: dict[str, tuple[list, dict]] = {}
        if enabled:
            EventTracer.active = self

    def __enter__(self) -> "EventTracer":
        return self

    def __exit__(self, *error) -> None:
        self._calls = {}
        if EventTracer.active is self:
            EventTracer.active = None

    def trace(self) -> dict:
        """Times [ms] of each function's calls, and the same of what was called within them."""
        return _times(self._calls)

    def add_trace(self, stack: dict, new_stack: dict) -> dict:
        """Sum of the times of two traces; the first is a sum already, and may be empty."""
        found = {}
        for name, (times, within) in new_stack.items():
            before, before_within = stack.get(name, (0, {}))
            found[name] = before + sum(times), self.add_trace(before_within, within)
        return found


def event_scope(fn: Callable, name: str = "") -> Callable:
    """``fn``, whose calls an ``EventTracer`` measures under ``name``, or its own."""
    label = name or fn.__name__

    @functools.wraps(fn)
    def measured(*args, **kwargs) -> Any:
        tracer = EventTracer.active
        if tracer is None:
            return fn(*args, **kwargs)
        outer, tracer._calls = tracer._calls, {}
        began = _now()
        try:
            return fn(*args, **kwargs)
        finally:
            ended, within = _now(), tracer._calls
            tracer._calls = outer
            calls, known = outer.setdefault(label, ([], {}))
            calls.append((began, ended))
            _merge(known, within)

    return measured


def _now() -> Any:
    """A moment: an event in the stream of a GPU, or the clock, as kernels of the CPU have run when a launch returns."""
    if wp.get_device().is_cuda:
        return EVENTS.record_event(EVENTS.Event(enable_timing=True))
    return time.perf_counter()


def _elapsed(began: Any, ended: Any) -> float:
    return 1.0e3 * (ended - began) if isinstance(began, float) else EVENTS.get_event_elapsed_time(began, ended)


def _times(calls: dict) -> dict:
    return {name: (tuple(_elapsed(*pair) for pair in pairs), _times(within)) for name, (pairs, within) in calls.items()}


def _merge(into: dict, calls: dict) -> None:
    """Add calls to those that a function of the same name made before."""
    for name, (pairs, within) in calls.items():
        known, known_within = into.setdefault(name, ([], {}))
        known.extend(pairs)
        _merge(known_within, within)
