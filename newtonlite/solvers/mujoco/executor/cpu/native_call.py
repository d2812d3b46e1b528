"""Native calls: CPU kernels that are entered by the address of their code, without Warp in between."""

import ctypes
import functools
from collections.abc import Callable

import warp as wp
from warp._src import context
from warp._src.codegen import StructInstance
from warp._src.types import launch_bounds_t

from newtonlite.solvers.mujoco.executor.fused_kernel import RecordedLaunch

NUMBERS = {int, float, bool}


class NativeCall:
    """A call of a CPU kernel by one thread. ``values``: its arguments as ctypes numbers; ``kept`` lives as long as the
    call does. ``enter()`` runs the kernel, without Python's lock, and keeps all that it points to.
    """

    def __init__(self, code: int, values: list, kept=None):
        # what a kernel is entered with: one thread, and its arguments in a struct in their order
        bounds = launch_bounds_t(1)
        arguments = _struct(tuple(map(type, values)))(*values)
        self.kept = kept
        self.addresses = code, ctypes.addressof(bounds), ctypes.addressof(arguments)

        # ctypes releases Python's lock around the call
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code)
        self.enter = functools.partial(function, *self.addresses[1:])
        self.enter.kept = bounds, arguments, kept

    def launch(self) -> None:
        """Run the kernel, without Python's lock."""
        self.enter()


def addresses(launch: NativeCall | RecordedLaunch | wp.Launch) -> tuple:
    """Addresses of code, bounds and arguments of a call, or of a recorded launch on the CPU; it keeps them alive."""
    if isinstance(launch, NativeCall):
        return launch.addresses
    launch = launch.recorded if isinstance(launch, RecordedLaunch) else launch

    # behind the bounds come the arguments, as ctypes numbers; another call of this launch may have their address
    if not hasattr(launch, "arguments"):
        values = launch.params[1:]
        launch.arguments = _struct(tuple(map(type, values)))(*values)
    code = ctypes.cast(launch.hooks.forward, ctypes.c_void_p).value
    return code, ctypes.addressof(launch.bounds), ctypes.addressof(launch.arguments)


def call_of(launch: wp.Launch | None, kept) -> Callable[[], None]:
    """A recorded launch on the CPU as a function without arguments, which keeps ``kept``; nothing to do where there is
    none. ``recorded`` is the launch.
    """
    if launch is None or not launch.bounds.size:
        call, launch = functools.partial(int), None
    else:
        code, *places = addresses(launch)
        call = functools.partial(ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code), *places)
    call.recorded, call.kept = launch, kept
    return call


def value_key(argument):
    """Key of an argument that is no array: the value of a number, the bytes of a struct; None for others."""
    if argument.__class__ in NUMBERS:
        return argument
    if isinstance(argument, StructInstance):
        return argument._cls.key, bytes(argument._ctype)
    return None


@functools.cache
def _struct(kinds: tuple) -> type:
    return type("Arguments", (ctypes.Structure,), {"_fields_": [(f"a{i}", kind) for i, kind in enumerate(kinds)]})


def compiled(kernel: wp.Kernel) -> tuple[int, str, str]:
    """A kernel's code on the CPU, compiled where Warp's cache does not have it: its address, the object file it is in,
    and its symbol there.
    """
    # Warp's own way: hash the source, look in its cache, compile
    module = kernel.module.load(wp.get_device("cpu"), 1)
    hooks = module.get_kernel_hooks(kernel)
    return (
        ctypes.cast(hooks.forward, ctypes.c_void_p).value,
        module.binary_path,
        kernel.get_mangled_name() + "_cpu_forward",
    )


@functools.cache
def loaded(file: str, symbol: str) -> int:
    """Address of the code of a symbol in an object file. Raises OSError for a file that is not one."""
    runtime = context.runtime

    # Warp's linker takes the file as it is, without a source to hash
    handle = f"newtonlite_{file}".encode()
    if runtime.llvm.wp_load_obj(file.encode(), handle, wp.config.legacy_cpu_linker):
        raise OSError(f"{file}: not an object file")
    return runtime.llvm.wp_lookup(handle, symbol.encode())
