"""Launches of an environment: kernels that are entered again with the arguments of an earlier step.

Warp's launch of a kernel on the CPU takes ten times as long as a small kernel runs. What it packs is kept here by kernel,
size and arguments: arrays count by their identity, numbers and structs by their values.
"""

import functools
import itertools
from collections.abc import Callable

import warp as wp

from newtonlite.core import warp_internals
from newtonlite.solvers.mujoco.executor import fence

MOST_KEPT = 1024


class Launcher:
    """``launch(kernel, dim, inputs, outputs)`` for one device, as ``wp.launch`` does it.

    While ``calls`` is a list, what is launched is noted there, to be done again (``envs/capture.py``).
    """

    def __init__(self, device):
        self.device = device
        self.native = fence.opened("native_call") if device.is_cpu and warp_internals.used() else None
        self.value_key = self.native.value_key if self.native else None
        self.kept: dict = {}
        self.calls: list | None = None

    def __call__(self, kernel: wp.Kernel, dim, inputs: list, outputs: list | tuple = ()) -> None:
        """Launch a kernel."""
        if self.value_key is None or self.device.is_capturing:
            wp.launch(kernel, dim, inputs, outputs, device=self.device)
            return
        value_key = self.value_key
        key = (kernel, dim, *[id(a) if a.__class__ is wp.array else value_key(a) for a in (*inputs, *outputs)])
        if None in key:
            self.aside(wp.launch, kernel, dim, inputs, outputs, device=self.device)
            return
        found = self.kept.get(key)
        if found is None:
            found = self._record(key, kernel, dim, inputs, outputs)
        found()
        if self.calls is not None:
            self.calls.append(found)

    def aside(self, function: Callable, *args, **named):
        """Call a function that is no launch, or does not always launch the same: it is called each time."""
        calls = self.calls
        if calls is None:
            return function(*args, **named)
        self.calls = None
        calls.append(functools.partial(function, *args, **named))
        try:
            return function(*args, **named)
        finally:
            self.calls = calls

    def joined(self, calls: list) -> list[Callable[[], None]]:
        """Calls that were noted, with launches in a row as one."""
        found = []
        for launched, group in itertools.groupby(calls, lambda call: hasattr(call, "recorded")):
            if not launched:
                found += group
            elif launches := [call.recorded for call in group if call.recorded]:
                found.append(fence.opened("thread_pool").in_turn(launches))
        return found

    def _record(self, key: tuple, kernel: wp.Kernel, dim, inputs: list, outputs: list | tuple):
        """The call of a launch, which keeps its arguments, and so their identities."""
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        made = wp.launch(kernel, dim, inputs, outputs, device=self.device, record_cmd=True)
        self.kept[key] = call = self.native.call_of(made, (inputs, outputs))
        return call
