"""A CUDA device of Warp's that lies in host memory and runs kernels by emulation.

Everything above the driver is Warp's own: code generation for CUDA, NVRTC, modules, packing of arguments, recorded launches. Below, calls of the
native library that would reach the driver (``wp_cuda_*``, ``*_device``) are answered here.
"""

import contextlib
import ctypes
import ctypes.util
from pathlib import Path

import numpy as np
import warp as wp

from ptxemu.build import Program
from ptxemu.counts import Counts

context = wp._src.context
H100 = {"name": "NVIDIA H100 (emulated)", "arch": 90, "sm_count": 132, "shared": 232448, "memory": 80 << 30}
NOTHING = ("unload_module", "stream_destroy", "stream_synchronize", "stream_wait_event", "stream_wait_stream", "event_destroy", "event_synchronize", "context_set_current",
           "context_push_current", "context_pop_current", "context_synchronize", "context_set_stream", "context_check", "stream_register", "stream_unregister",
           "set_kernel_cluster_attrs", "profiler_start", "profiler_stop", "device_set_mempool_release_threshold", "synchronize")  # fmt: skip


NO_CONTEXT = tuple(
    f"wp_{name}"
    for name in (
        *("array_scan", "array_sum", "array_inner", "radix_sort_pairs", "segmented_sort_pairs", "runlength_encode"),
        *("mesh_destroy", "mesh_refit", "mesh_set", "bvh_destroy", "bvh_refit", "bvh_rebuild"),
    )
)
"""Functions of Warp's library that take no context in front."""


class Settings:
    """How launches run. ``check`` looks for accesses out of bounds and ``races`` for lanes that do not wait for each other; both are slow."""

    def __init__(self):
        self.check, self.races, self.count, self.poison, self.stop = False, False, True, True, False
        self.on_fault = "raise"  # or "keep": collected in ``faults``


class Core:
    """Warp's native library, with the driver's part done here."""

    CONTEXT, STREAM = 0x1000, 0x2000

    def __init__(self, real, emulator):
        self._real, self._e = real, emulator
        self._cache = {}

    def __getattr__(self, name):
        own = type(self).__dict__.get("do_" + name)
        if own is not None:
            f = own.__get__(self)
        elif name.startswith("wp_cuda_") and name[8:] in NOTHING:
            f = lambda *a: 1
        elif name.endswith("_device") and not name.startswith("wp_cuda") and hasattr(self._real, name[:-7] + "_host"):
            real = getattr(self._real, name[:-7] + "_host")
            f = real if name.startswith(NO_CONTEXT) else lambda ctx, *a: real(*a)
        else:
            return getattr(self._real, name)
        self.__dict__[name] = f
        return f

    # the device

    def do_wp_cuda_device_get_count(self):
        return 1

    def do_wp_cuda_device_get_name(self, i):
        return H100["name"].encode()

    def do_wp_cuda_device_get_arch(self, i):
        return H100["arch"]

    def do_wp_cuda_device_get_sm_count(self, i):
        return H100["sm_count"]

    def do_wp_cuda_device_get_max_shared_memory(self, i):
        return H100["shared"]

    def _one(self, *a):
        return 1

    def _zero(self, *a):
        return 0

    do_wp_cuda_device_is_uva = do_wp_cuda_driver_is_initialized = do_wp_cuda_context_is_primary = _one
    do_wp_cuda_device_get_pageable_memory_access = do_wp_cuda_device_get_direct_managed_mem_access_from_host = _zero
    do_wp_cuda_device_get_host_native_atomic_supported = do_wp_cuda_device_get_managed_memory_supported = _zero
    do_wp_cuda_device_get_concurrent_managed_access_supported = do_wp_cuda_device_is_mempool_supported = (
        do_wp_cuda_device_is_ipc_supported
    ) = _zero
    do_wp_cuda_device_get_pci_domain_id = do_wp_cuda_device_get_pci_bus_id = do_wp_cuda_device_get_pci_device_id = _zero
    do_wp_cuda_stream_is_capturing = do_wp_cuda_stream_get_capture_id = do_wp_cuda_stream_get_priority = _zero
    do_wp_cuda_is_peer_access_supported = do_wp_cuda_is_mempool_access_enabled = do_wp_cuda_is_peer_access_enabled = (
        _zero
    )
    do_wp_cuda_stream_query = do_wp_cuda_event_query = _zero
    do_wp_cuda_device_get_uuid = _zero
    do_wp_is_mathdx_enabled = (
        _zero  # tiles multiply and factor in plain code: cuBLASDx and cuSOLVERDx do not come as PTX
    )

    def do_wp_cuda_driver_version(self):
        return 13040

    def do_wp_cuda_context_get_current(self):
        return self.CONTEXT

    def do_wp_cuda_device_get_primary_context(self, i):
        return self.CONTEXT

    def do_wp_cuda_context_get_device_ordinal(self, c):
        return 0

    def do_wp_cuda_stream_create(self, c, priority=0):
        return self.STREAM

    def do_wp_cuda_context_get_stream(self, c):
        return self.STREAM

    def do_wp_cuda_event_create(self, *a):
        return 0x3000

    def do_wp_cuda_event_record(self, *a):
        return 1

    def do_wp_cuda_event_elapsed_time(self, *a):
        return 0.0

    def do_wp_cuda_device_get_memory_info(self, i, free, total):
        for p in (free, total):
            if p is not None:
                p._obj.value = H100["memory"]

    def do_wp_cuda_pointer_get_memory_kind(self, *a):
        return 0

    # memory

    def do_wp_alloc_device_default(self, ctx, size, tag=None):
        return self._e.allocate(size)

    def do_wp_alloc_device(self, ctx, size, tag=None):
        return self._e.allocate(size)

    def do_wp_alloc_device_async(self, ctx, size, tag=None):
        return self._e.allocate(size)

    def do_wp_free_device_default(self, ctx, ptr):
        self._e.free(ptr)

    do_wp_free_device = do_wp_free_device_async = do_wp_free_device_default

    def do_wp_alloc_pinned(self, size, tag=None):
        return self._real.wp_alloc_host(size, tag)

    def do_wp_free_pinned(self, ptr):
        self._real.wp_free_host(ptr)

    def do_wp_memcpy_h2d(self, ctx, dest, src, n, stream=None):
        return self._real.wp_memcpy_h2h(dest, src, n)

    do_wp_memcpy_d2h = do_wp_memcpy_d2d = do_wp_memcpy_h2d

    def do_wp_memcpy_p2p(self, c1, dest, c2, src, n, stream=None):
        return self._real.wp_memcpy_h2h(dest, src, n)

    def do_wp_memset_device(self, ctx, dest, value, n, stream=None):
        return self._real.wp_memset_host(dest, value, n)

    def do_wp_array_copy_device(self, ctx, *a):
        return self._real.wp_array_copy_host(*a[:5])

    # modules and launches

    def do_wp_cuda_load_module(self, ctx, path):
        return self._e.load(path.decode())

    def do_wp_cuda_get_kernel(self, ctx, module, name):
        return self._e.kernel(module, name.decode())

    def do_wp_cuda_configure_kernel_shared_memory(self, kernel, size):
        return 1

    def do_wp_cuda_get_kernel_static_shared_memory(self, ctx, kernel):
        return self._e.kernels[kernel][0].t.shared_static

    def do_wp_cuda_get_max_shared_memory(self, ctx):
        return H100["shared"]

    def do_wp_cuda_get_max_cluster_dim(self, *a):
        return 1

    def do_wp_cuda_get_kernel_properties(self, ctx, kernel, out, n):
        return 0

    def do_wp_cuda_get_suggested_block_size(self, *a):
        return 256

    def do_wp_cuda_launch_kernel(
        self, ctx, kernel, size, max_blocks, block, stride, cluster, shared, params, stream, apic=None
    ):
        return self._e.launch(kernel, size, max_blocks, block, stride, shared, params)


class Emulator:
    """Memory, modules and launches of the emulated device."""

    def __init__(self):
        self.settings, self.counts, self.faults = Settings(), Counts(), []
        self.modules, self.kernels, self.names = {}, {}, {}
        self.memory: dict = {}
        self.ranges_stale = True

    def allocate(self, size: int) -> int:
        """Host memory with a margin on both sides that belongs to no array."""
        size = int(getattr(size, "value", size))
        raw = np.empty(size + 1024, np.uint8)
        raw[:] = 0xFF if self.settings.poison else 0  # NaN as floats
        at = -(-(raw.ctypes.data + 256) // 256) * 256
        self.memory[at] = (raw, size)
        self.ranges_stale = True
        return at

    def free(self, ptr) -> None:
        self.memory.pop(int(getattr(ptr, "value", ptr) or 0), None)
        self.ranges_stale = True

    def load(self, path: str) -> int:
        text = Path(path).read_bytes().rstrip(b"\0").decode()
        key = 0x10000 + len(self.modules)
        self.modules[key] = (path, text, None)
        return key

    def kernel(self, module: int, name: str):
        path, text, program = self.modules[module]
        if program is None:
            program = Program(text)
            program.path = path
            self.modules[module] = (path, text, program)
        if name not in program.entries:
            return None
        if (module, name) not in self.names:
            key = 0x100000 + len(self.kernels)
            self.kernels[key] = (program, name)
            self.names[module, name] = key
        return self.names[module, name]

    def launch(self, kernel: int, size: int, max_blocks: int, block: int, stride: int, shared: int, params) -> int:
        """What wp_cuda_launch_kernel does: one block per ``block`` threads, at most ``max_blocks``."""
        program, name = self.kernels[kernel]
        f = program.function(name)
        n = max(1, -(-size // block))
        grid = (n, 1, 1)
        if max_blocks > 0:
            grid = (min(n, max_blocks), 1, 1)
        elif not stride:
            most = (1 << 24) // block
            if n > most:
                raise RuntimeError("ptxemu: grids beyond one dimension are not emulated")
        values = [ctypes.string_at(params[i], p[2]) for i, p in enumerate(f.f.params)]
        s = self.settings
        if s.check:
            self._tell_ranges()
        program.reset()
        faults = program.launch(
            name, values, grid, block, shared, int(s.check) + 2 * int(s.races) + 4 * int(s.stop), s.count, int(s.poison)
        )
        if s.count:
            self.counts.add(program, name, grid[0], block, shared)
        if faults:
            self.faults += [{"kernel": name, **x} for x in faults]
            if s.on_fault == "raise" or any(x["kind"] == 5 for x in faults):
                raise RuntimeError(
                    "ptxemu: "
                    + name
                    + "\n"
                    + "\n".join(f"  {x['text']} [{x['ptx']}] {' < '.join(x['place'][:4])}" for x in faults[:8])
                )
        return 0

    def _tell_ranges(self) -> None:
        spans = sorted((at, at + size) for at, (_, size) in self.memory.items())
        spans += [(a, b) for k in self.modules.values() if k[2] for a, b in [k[2].static_range]]
        spans.sort()
        begin, end = np.array([a for a, _ in spans], np.uint64), np.array([b for _, b in spans], np.uint64)
        from ptxemu.build import runtime

        runtime().lib.emu_ranges(len(spans), ctypes.c_void_p(begin.ctypes.data), ctypes.c_void_p(end.ctypes.data))


_emulator = None


def emulator() -> Emulator:
    """The emulated device of this process, made on first use as ``cuda:0``."""
    global _emulator
    if _emulator is None:
        wp.init()
        runtime = context.runtime
        if runtime.cuda_devices:
            raise RuntimeError("ptxemu: this machine has a CUDA device")
        wp.config.lineinfo = True
        _emulator = Emulator()
        runtime.core = Core(runtime.core, _emulator)
        device = context.Device(runtime, "cuda:0", ordinal=0, is_primary=True)
        device.is_cubin_supported = False  # so that modules are PTX
        runtime.cuda_devices.append(device)
        runtime.cuda_primary_devices.append(device)
        runtime.device_map["cuda:0"] = device
        runtime.driver_version = runtime.toolkit_version
        runtime.default_ptx_arch = H100["arch"]
        runtime.cuda_custom_context_count = [0]
        device.context  # noqa: B018 makes streams
    return _emulator


@contextlib.contextmanager
def emulated(**settings):
    """Within, ``cuda:0`` is there, and Warp's default device; counts and faults begin anew. Keywords: check, races, count, poison, stop, on_fault."""
    e = emulator()
    e.counts, e.faults = Counts(), []
    old = dict(vars(e.settings))
    for name, value in settings.items():
        if name not in old:
            raise TypeError(f"emulated: unknown setting {name!r}; expected {', '.join(old)}")
        setattr(e.settings, name, value)
    before = context.runtime.default_device
    wp.set_device("cuda:0")
    try:
        yield e
    finally:
        vars(e.settings).update(old)
        wp.set_device(before)
