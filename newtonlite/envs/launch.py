"""Launches of an environment: kernels that are entered again with the arguments of an earlier step.

Warp's launch of a kernel on the CPU takes ten times as long as a small kernel runs. What it packs is kept here by kernel,
size and arguments: arrays count by their identity, numbers and structs by their values.
"""

import ctypes
import functools

import warp as wp
from warp._src.codegen import StructInstance

from newtonlite.solvers.mujoco.executor import native_call

NUMBERS = {int, float, bool}
UNKNOWN = object()
MOST_KEPT = 1024


class Launcher:
    """``launch(kernel, dim, inputs, outputs)`` for one device, as ``wp.launch`` does it."""

    def __init__(self, device):
        self.device = device
        self.native = device.is_cpu and wp.__version__.startswith(native_call.ENTRIES)
        self.kept: dict = {}

    def __call__(self, kernel: wp.Kernel, dim, inputs: list, outputs: list | tuple = ()) -> None:
        """Launch a kernel."""
        key = (kernel, dim, *[id(a) if a.__class__ is wp.array else _value(a) for a in (*inputs, *outputs)])
        if UNKNOWN in key or not self.native or self.device.is_capturing:
            wp.launch(kernel, dim, inputs, outputs, device=self.device)
            return
        found = self.kept.get(key)
        if found is None:
            found = self._record(key, kernel, dim, inputs, outputs)
        found()

    def _record(self, key: tuple, kernel: wp.Kernel, dim, inputs: list, outputs: list | tuple):
        """The call of a launch, which keeps its arguments, and so their identities."""
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        made = wp.launch(kernel, dim, inputs, outputs, device=self.device, record_cmd=True)
        if made is None or not made.bounds.size:
            return lambda: None
        code, *places = native_call.addresses(made)
        call = functools.partial(ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code), *places)
        call.kept = made, inputs, outputs
        self.kept[key] = call
        return call


def _value(argument):
    """Key of an argument that is no array: the value of a number, the bytes of a struct, UNKNOWN for others."""
    if argument.__class__ in NUMBERS:
        return argument
    if isinstance(argument, StructInstance):
        return argument._cls.key, bytes(argument._ctype)
    return UNKNOWN
