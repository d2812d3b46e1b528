"""Native kernel: a kernel of stages that is entered by the address of its code; found in the kernel cache, or compiled."""

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path

import warp as wp

from newtonlite.core.kernel_module import load_all
from newtonlite.solvers.mujoco.executor.cpu import kernel_cache
from newtonlite.solvers.mujoco.executor.cpu.native_call import NativeCall, compiled
from newtonlite.solvers.mujoco.executor.fused_kernel import FusedKernel, StageKernel, check_side_by_side, unique_kernel
from newtonlite.solvers.mujoco.kernels.primitives import team

GANG_KERNEL = "gang"
SPMD = Path(team.__file__).with_name("spmd.h").read_text(encoding="utf-8")
_kernels: dict = {}


class NativeKernel(StageKernel):
    """A kernel of stages of one lane a world, which has an address."""

    @property
    def code(self) -> int:
        """Address of the code on the CPU, which is compiled and loaded when first asked for."""
        raise NotImplementedError

    def call(self, value: Callable, nworld: int, device) -> NativeCall:
        """A call for ``nworld`` worlds on the CPU, with views filled by ``value(owner, field)``."""
        views = [self._view_in_memory(owner, value, device) for owner in "md"]
        return NativeCall(
            self.code, [*(ctypes.c_uint64(v.ptr) for v in views), ctypes.c_int32(0), ctypes.c_int32(nworld)], views
        )

    def _view_in_memory(self, owner: str, value: Callable, device) -> wp.array:
        """The bytes of a view; without Warp's struct, which makes every array it has once more."""
        struct = self.views[owner]
        view, kept = struct.ctype(), []
        for name in self.fields[owner]:
            field, kind = value(owner, name), struct.vars[name].type
            if not isinstance(field, wp.array):
                setattr(view, name, field)
                continue

            # what Warp's struct would refuse, and what the kernels' array access does not know
            if field.ndim != kind.ndim or not wp.types.types_equal(field.dtype, kind.dtype):
                raise TypeError(f"{owner}.{name}: expected {wp.types.type_repr(kind)}, got {field.ndim}D {field.dtype}")
            check_side_by_side(f"{owner}.{name}", field)
            setattr(view, name, field.__ctype__())
            kept.append(field)
        size = ctypes.sizeof(view)
        array = wp.array(ptr=ctypes.addressof(view), dtype=wp.uint8, shape=(size,), device="cpu").to(device)
        array.owner = view, kept
        return array


class CachedKernel(NativeKernel):
    """A kernel of the kernel cache: an entry that was found there, for stages of which those that are left are named in
    it.
    """

    def __init__(self, name: str, stages: tuple, entry: dict):
        # what was folded away when it was compiled is named nowhere in the entry
        left = tuple(s for s in stages if s.key in entry["stages"])
        super().__init__(name, left, 1, {o: tuple(entry[o]) for o in "md"})
        self.entry = entry

    @property
    def code(self) -> int:
        return self.entry["code"]


class CompiledKernel(FusedKernel, NativeKernel):
    """A fused kernel with an address. ``key`` is the name under which the kernel cache keeps it. The kernel
    ``GANG_KERNEL`` works on a gang of worlds: its numbers are vectors (``spmd.h``).
    """

    def __init__(self, name: str, stages: tuple, level: int, key: str | None = None):
        self.key = key
        super().__init__(name, stages, 1, level)

    @functools.cached_property
    def code(self) -> int:
        """As in NativeKernel; kept in the kernel cache."""
        # unoptimised ones, and stages that are not the package's own: they may change under the same name
        if self.key is None:
            return compiled(self.kernel)[0]
        return kernel_cache.keep(self.key, self.kernel, stages=[s.key for s in self.stages], **self.fields)

    def _compiled_as(self, function: Callable, nlane: int, level: int, bounds: dict) -> wp.Kernel:
        # the same source; in a gang every number is one of 16 worlds
        preamble = SPMD if self.name == GANG_KERNEL else ""
        return unique_kernel(function, nlane, level, kernel_cache.processor(), preamble, **bounds)

    def _calls(self) -> str:
        return super()._calls() + ("        end_spmd()\n" if self.name == GANG_KERNEL else "")

    def _keep_apart(self, scope: dict) -> None:
        super()._keep_apart(scope)
        scope["end_spmd"] = end_spmd


@wp.func_native("#undef bool\n")
def end_spmd():
    """After the stages of a gang: what Warp writes around them has truths of its own."""
    ...


def compiled_kernel(name: str, stages: tuple, level: int) -> CompiledKernel:
    """The kernel of these stages that no cache keeps, made once per process."""
    key = (name, tuple(stages), level)
    if key not in _kernels:
        _kernels[key] = CompiledKernel(name, tuple(stages), level)
    return _kernels[key]


def load_kernels(kernels: list, device) -> None:
    """Compile what is missing of these, in as many threads as there are cores."""
    modules = [k.kernel.module for k in kernels if isinstance(k, CompiledKernel)]
    if modules:
        load_all(modules, device)


def number_kernel(function: Callable) -> wp.Kernel:
    """A kernel of numbers alone."""
    return unique_kernel(function, 1, 2, kernel_cache.processor())


@functools.cache
def native_code(function: Callable) -> int:
    """Address of a kernel of numbers, from the kernel cache or compiled."""
    # chains and pools are needed before anything else: Warp's way to a compiled kernel takes longer than a first step
    key = kernel_cache.key(function.__name__, ())
    found = kernel_cache.find(key)
    return found["code"] if found else kernel_cache.keep(key, number_kernel(function))
