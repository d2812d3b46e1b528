"""Kernel chain: a program of the CPU as several kernels, compiled in parallel and run in turn, world after world.

Warp compiles a module on one core, and the one kernel of all stages is most of a cold start (docs/decisions/0002).
The prologue and the epilogue of a program hand over only what is kept per world; they run for a block of worlds, while
their code is in the cache (docs/decisions/0013).
"""

import ast
import ctypes
import functools
import itertools
import os
from collections.abc import Callable

import warp as wp

from newtonlite.solvers.mujoco.executor.fused_kernel import (
    ENGINE,
    EPILOGUE,
    PROLOGUE,
    FusedKernel,
    fused_kernel,
    unique_kernel,
)

MAX_KERNELS = 4
WORLD_BLOCK = 16  # worlds in a row: what a step keeps of them fits the second cache several times
MIN_SOURCE = 8000  # nodes of source: with less in a part, reading Warp's headers again takes as long as is won
ENTRIES = ("1.19.",)
"""Versions of Warp whose CPU kernels are known to be entered as ``kernel(bounds, arguments)``; with others a program
stays one kernel.
"""


class KernelChain:
    """The fused kernels of a program, and the kernel that calls them.

    ``phases`` has one for every stage (ENGINE when None). For each block of worlds the stages of phase PROLOGUE run
    first; then those of ENGINE, one world after the other through all kernels; then those of EPILOGUE.
    """

    def __init__(self, name: str, parts: list, level: int, phases: tuple | None = None, masked: bool = False):
        self.stages = tuple(s for p in parts for s in p)
        rest = iter(phases or [ENGINE] * len(self.stages))
        phases = [tuple(next(rest) for _ in p) for p in parts]
        self.kernels = [
            FusedKernel(f"{name}_{i}", p, 1, level, f, masked) for i, (p, f) in enumerate(zip(parts, phases))
        ]
        self.rounds = [[i for i, f in enumerate(phases) if phase in f] for phase in (PROLOGUE, ENGINE, EPILOGUE)]
        self.kernel = unique_kernel(run_in_turn, 1, level)
        self.loaded = False

    def record(self, value: Callable, nworld: int, device) -> wp.Launch:
        """A launch for ``nworld`` worlds, with views filled by ``value(owner, field)``. Raises Warp's error for a part
        that does not compile.
        """
        if not self.loaded:
            wp.force_load(
                device, [p.kernel.module for p in (self, *self.kernels)], block_dim=1, max_workers=os.cpu_count()
            )
            self.loaded = True
        value = functools.cache(value)  # parts share most fields
        work_item = wp.zeros(3, dtype=int, device=device)
        parts = [p.record(value, 1, device, work_item) for p in self.kernels]
        where = [_addresses(p) for p in parts]
        entries = wp.array([where[i] for r in self.rounds for i in r], dtype=wp.uint64, device=device)
        start = wp.array([0, *itertools.accumulate(map(len, self.rounds))], dtype=int, device=device)
        inputs = [entries, start, work_item, nworld, WORLD_BLOCK]
        launch = wp.launch(
            self.kernel, dim=-(-nworld // WORLD_BLOCK), inputs=inputs, block_dim=1, device=device, record_cmd=True
        )
        launch.kept = parts, entries, start, work_item  # live as long as the launch
        return launch


@wp.func_native("((void (*)(void*, void*))entry)((void*)bounds, (void*)arguments);")
def enter(entry: wp.uint64, bounds: wp.uint64, arguments: wp.uint64):
    """Run a kernel, by the addresses of its code, launch bounds and arguments."""
    ...


def run_in_turn(
    entries: wp.array2d(dtype=wp.uint64),
    start: wp.array(dtype=int),
    work_item: wp.array(dtype=int),
    nworld: int,
    row: int,
):
    """Run kernels for the worlds of this thread's row. ``entries`` has their addresses, from ``start[phase]`` on those
    of a phase; in ``work_item`` they find the first world, the one epilogue the last, and the phase.
    """
    first = wp.tid() * row
    last = wp.min(first + row, nworld)
    for phase in range(start.shape[0] - 1):
        work_item[2] = phase
        count = wp.where(phase == ENGINE, 1, row)
        for world in range(first, last, count):
            work_item[0] = world
            work_item[1] = wp.min(world + count, last)
            for i in range(start[phase], start[phase + 1]):
                enter(entries[i, 0], entries[i, 1], entries[i, 2])


def _addresses(launch: wp.Launch) -> tuple:
    """Arguments of ``enter`` for a recorded launch, which keeps them alive."""
    values = launch.params[1:]
    launch.arguments = _struct(tuple(map(type, values)))(*values)
    return (
        ctypes.cast(launch.hooks.forward, ctypes.c_void_p).value,
        ctypes.addressof(launch.bounds),
        ctypes.addressof(launch.arguments),
    )


@functools.cache
def _struct(kinds: tuple) -> type:
    return type("Arguments", (ctypes.Structure,), {"_fields_": [(f"a{i}", kind) for i, kind in enumerate(kinds)]})


@functools.cache
def kernel_chain(
    name: str, stages: tuple, level: int = 2, prologue: tuple = (), epilogue: tuple = (), masked: bool = False
) -> KernelChain | FusedKernel:
    """The chain of these stages, optimised to ``level``; where there is too little for two parts, a pack. Made once per
    process.

    ``prologue`` and ``epilogue`` run for a row of worlds at a time: they may use scratch, but find and leave nothing
    there.
    """
    whole = (*prologue, *stages, *epilogue)
    parts = split_stages(whole)
    phases = (*[PROLOGUE] * len(prologue), *[ENGINE] * len(stages), *[EPILOGUE] * len(epilogue))
    return (
        KernelChain(name, parts, level, phases, masked)
        if len(parts) > 1
        else fused_kernel(name, whole, 1, level, masked)
    )


def split_stages(stages: tuple) -> list:
    """``stages`` as consecutive parts with about the same amount of source each."""
    sizes = [source_size(s) for s in stages]
    total, done = sum(sizes), 0
    count = max(1, min(MAX_KERNELS, total // MIN_SOURCE)) if wp.__version__.startswith(ENTRIES) else 1
    parts = [[] for _ in range(count)]
    for stage, size in zip(stages, sizes):
        parts[(2 * done + size) * count // (2 * total)].append(stage)
        done += size
    return [tuple(p) for p in parts if p]


def source_size(stage: wp.Function) -> int:
    """Nodes in the source of a stage and all it calls: the time to compile it is about in proportion
    (docs/decisions/0002).
    """
    found, open_ = {stage}, [stage]
    while open_:
        new = _own_size(open_.pop())[1] - found
        found |= new
        open_ += new
    return sum(_own_size(f)[0] for f in found)


@functools.cache
def _own_size(function: wp.Function) -> tuple:
    """Nodes of a function's source, where 8 characters of C++ count as one, and the functions of ours it calls."""
    if function.native_snippet is not None:
        return len(function.native_snippet) // 8, frozenset()
    nodes = list(ast.walk(function.adj.tree))
    names = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    called = (function.func.__globals__.get(name) for name in names)
    return len(nodes), frozenset(f for f in called if isinstance(f, wp.Function) and not f.is_builtin())
