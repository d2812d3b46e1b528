"""Thread pool: recorded launches run by several threads, begun by one call and without Python in between.

Each worker is a thread of Python's, parked in a native function that waits for work (``thread_pool.h``). The caller
does the jobs of workers that are still on their way when it is done with its own, so that short jobs do not wait for
the machine. Where it has no futex, Python starts the jobs. A process that is forked has none of these threads, and
perhaps locks that another thread held: its pools begin anew.
"""

import ctypes
import functools
import os
import platform
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import warp as wp
from warp._src import codegen

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.executor.cpu.c_struct import c_struct
from newtonlite.solvers.mujoco.executor.cpu.native_call import NativeCall, addresses
from newtonlite.solvers.mujoco.executor.cpu.native_kernel import native_code
from newtonlite.solvers.mujoco.executor.python_pool import PythonPool

FUTEX = {"x86_64": 202, "aarch64": 98}
"""Number of Linux' system call, by machine."""

SPINS = 400  # a few microseconds of waiting before a thread goes to sleep, which takes as long

native = header(
    __file__, FUTEX=FUTEX.get(platform.machine(), 0), FUTEX_WAIT_PRIVATE=128, FUTEX_WAKE_PRIVATE=129, SPINS=SPINS
)


Control = c_struct(Path(__file__).with_suffix(".h"), "Control")


@wp.func_native(native("work"))
def work(control: wp.uint64, index: int):
    """Wait for work of thread ``index`` and do it, for ever."""
    ...


@wp.func_native(native("run_round"))
def run_round(control: wp.uint64, nworker: int):
    """Do the job of thread 0 while ``nworker`` workers do theirs."""
    ...


def worker(control: wp.uint64, index: int):
    """A worker's thread."""
    work(control, index)


def leader(control: wp.uint64, nworker: int):
    """One call of the pool."""
    run_round(control, nworker)


class NativePool(PythonPool):
    """A pool whose threads wait in native code; launches are of one thread each."""

    def forget(self) -> None:
        """As in PythonPool; the next call starts threads."""
        self.control, self.lock = None, threading.Lock()

    def _start(self) -> None:
        """Start the workers: at the first call, and again in a process that was forked."""
        # what all threads share, and which of them has taken which job of a round
        self.control = Control()
        self.claims = (ctypes.c_int32 * self.nthread)()
        self.control.claims = ctypes.addressof(self.claims)
        self.control.syscall = ctypes.cast(ctypes.CDLL(None).syscall, ctypes.c_void_p).value

        # workers are threads of Python's, each within one native call for as long as the process lives
        self.call = _call(leader, self.control, self.nthread - 1, self.claims)
        for i in range(1, self.nthread):
            threading.Thread(
                target=_call(worker, self.control, i, self.claims), daemon=True, name=f"newtonlite worker {i}"
            ).start()

    def prepare(self, jobs: list) -> tuple:
        """As in PythonPool: addresses, and the launches that own what they point to."""
        # a job as numbers: how many waves, of each how many launches, of each three addresses
        flat = [[len(job), *(n for wave in job for n in _addresses_of(wave))] for job in jobs]
        flat = [(ctypes.c_int64 * len(numbers))(*numbers) for numbers in flat]
        table = (ctypes.c_int64 * len(flat))(*map(ctypes.addressof, flat))
        return ctypes.addressof(table), table, flat, jobs

    def run(self, jobs: tuple, count: int) -> None:
        with self.lock:
            # the control block has room for one call at a time
            if self.control is None:
                self._start()
            self.control.jobs, self.control.count = jobs[0], count
            self.call()


class CallersThread(NativePool):
    """A pool without workers, which needs no lock."""

    def __init__(self):
        super().__init__(1)

    def forget(self) -> None:
        """There are no threads that a fork would lose."""
        self._start()

    def run(self, jobs: tuple, count: int) -> None:
        # no worker that would see a second call: nothing to lock
        self.control.jobs, self.control.count = jobs[0], count
        self.call()


def thread_pool(nthread: int) -> PythonPool:
    """A pool of so many threads; native ones are the process's, since their threads last as long as it does."""
    # waiting is a system call of Linux, by its number
    if not (sys.platform == "linux" and platform.machine() in FUTEX):
        return PythonPool(nthread)
    return _shared_pool(nthread) if nthread > 1 else CallersThread()


_shared_pool = functools.cache(NativePool)


def in_turn(launches: list) -> Callable[[], None]:
    """Recorded launches, one after the other, as a function without arguments: one call, without Python's lock."""
    pool = CallersThread()
    job = pool.prepare([[launches]])
    pool.control.jobs, pool.control.count = job[0], 1
    call = functools.partial(pool.call)
    call.kept = pool.call, job
    return call


def _addresses_of(wave: list) -> list:
    return [len(wave), *(a for launch in wave for a in addresses(launch))]


def _call(function, control: ctypes.Structure, number: int, claims=None):
    """A call of a kernel with the control block and a number, without Python's lock; it keeps what it points to."""
    values = [ctypes.c_uint64(ctypes.addressof(control)), ctypes.c_int32(number)]
    return NativeCall(native_code(function), values, (control, claims)).enter


def compile_pool() -> None:
    """Have the kernel cache hold the pool's own kernels."""
    for function in (leader, worker):
        native_code(function)


_generating = getattr(codegen, "_codegen_lock", None) or threading.RLock()
"""Warp's lock around the generation of code: a fork waits until no other thread holds it, or the child would for ever."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_generating.acquire, after_in_parent=_generating.release, after_in_child=_generating.release
    )
