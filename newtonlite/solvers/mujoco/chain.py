"""A chain: one program of the CPU as several kernels, which are compiled at the same time and run in turn for one world after the other.

Warp compiles a module on one core, and the one kernel of all stages is most of a cold start (docs/decisions/0002).
"""

import ast
import ctypes
import functools
import os
from collections.abc import Callable

import warp as wp

from newtonlite.solvers.mujoco.pack import Pack, alone, pack

MOST = 4
WORTH = 8000  # nodes of source: with less in a part, reading Warp's headers again takes as long as is won
ENTRIES = ("1.19.",)
"""Versions of Warp whose CPU kernels are known to be entered as ``kernel(bounds, arguments)``; with others a program stays one kernel."""


class Chain:
    """Parts of a program, each a pack, and the kernel that runs them."""

    def __init__(self, name: str, parts: list, level: int):
        self.stages = tuple(s for p in parts for s in p)
        self.packs = [Pack(f"{name}_{i}", p, 1, level, is_told=True) for i, p in enumerate(parts)]
        self.kernel = alone(in_turn, 1, level)
        self.loaded = False

    def record(self, value: Callable, nworld: int, device) -> wp.Launch:
        """A launch for ``nworld`` worlds, with views filled by ``value(owner, field)``. Raises Warp's error for a part that does not compile."""
        if not self.loaded:
            wp.force_load(device, [p.kernel.module for p in (self, *self.packs)], block_dim=1, max_workers=os.cpu_count())
            self.loaded = True
        value = functools.cache(value)  # parts share most fields
        world = wp.zeros(1, dtype=int, device=device)
        parts = [p.record(value, 1, device, world) for p in self.packs]
        entries = wp.array([_addresses(p) for p in parts], dtype=wp.uint64, device=device)
        launch = wp.launch(self.kernel, dim=nworld, inputs=[entries, world], block_dim=1, device=device, record_cmd=True)
        launch.kept = parts, entries, world  # live as long as the launch
        return launch


@wp.func_native("((void (*)(void*, void*))entry)((void*)bounds, (void*)arguments);")
def enter(entry: wp.uint64, bounds: wp.uint64, arguments: wp.uint64):
    """Run a kernel, by the addresses of its code, launch bounds and arguments."""
    ...


def in_turn(entries: wp.array2d(dtype=wp.uint64), world: wp.array(dtype=int)):
    """Run kernels, of which ``entries`` has a row of addresses each, for the world of this thread, which they find in ``world``."""
    world[0] = wp.tid()
    for i in range(entries.shape[0]):
        enter(entries[i, 0], entries[i, 1], entries[i, 2])


def _addresses(launch: wp.Launch) -> tuple:
    """What ``enter`` takes of a recorded launch, which keeps it alive."""
    values = launch.params[1:]
    launch.arguments = _struct(tuple(map(type, values)))(*values)
    return ctypes.cast(launch.hooks.forward, ctypes.c_void_p).value, ctypes.addressof(launch.bounds), ctypes.addressof(launch.arguments)


@functools.cache
def _struct(kinds: tuple) -> type:
    return type("Arguments", (ctypes.Structure,), {"_fields_": [(f"a{i}", kind) for i, kind in enumerate(kinds)]})


@functools.cache
def chain(name: str, stages: tuple, level: int = 2) -> Chain | Pack:
    """The chain of these stages, optimised to ``level``; where there is too little for two parts, a pack. Made once per process."""
    parts = cut(stages)
    return Chain(name, parts, level) if len(parts) > 1 else pack(name, stages, 1, level)


def cut(stages: tuple) -> list:
    """``stages`` as consecutive parts with about the same amount of source each."""
    sizes = [source_size(s) for s in stages]
    total, before = sum(sizes), 0
    count = max(1, min(MOST, total // WORTH)) if wp.__version__.startswith(ENTRIES) else 1
    parts = [[] for _ in range(count)]
    for stage, size in zip(stages, sizes):
        parts[(2 * before + size) * count // (2 * total)].append(stage)
        before += size
    return [tuple(p) for p in parts if p]


def source_size(stage: wp.Function) -> int:
    """Nodes in the source of a stage and all it calls: the time to compile it is about in proportion (docs/decisions/0002)."""
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
