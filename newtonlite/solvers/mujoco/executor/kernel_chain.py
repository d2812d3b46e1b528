"""Kernel chain: a program of the CPU as several kernels, and a kernel that calls them, world after world.

The kernels are compiled side by side, each once for all programs and models that have its stages with the same features
(docs/decisions/0016). Stages that hand over only what is kept per world run for a block of worlds, while their code is
in the cache (docs/decisions/0013).
"""

import functools
import itertools
import os
from collections.abc import Callable

import warp as wp

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.fused_kernel import FusedKernel, addresses, fused_kernel, unique_kernel

WORLD_BLOCK = 16  # worlds in a row: what a step keeps of them fits the second cache several times
ENTRIES = ("1.19.",)
"""Versions of Warp whose CPU kernels are known to be entered as ``kernel(bounds, arguments)``; with others a program
is one kernel.
"""
PART_OF = {s.key.split(".")[-1]: name for name, stages in pipeline.CPU_KERNELS.items() for s in stages}


class KernelChain:
    """The kernels of a program's stages, and the kernel that calls them.

    ``rounds`` are pairs ``(stages, together)``. For each block of ``block`` worlds (all worlds when None) the rounds
    run in turn: one world after the other through all stages of a round, or where ``together``, all worlds of the block
    through one stage after the other. With ``masked``, only worlds whose ``d.world_mask`` is not 0 run.
    """

    def __init__(self, rounds: list, level: int, block: int | None = WORLD_BLOCK, masked: bool = False):
        self.stages = tuple(s for stages, _ in rounds for s in stages)
        self.rounds = [(cpu_kernels(stages, level), together) for stages, together in rounds]
        self.kernels = tuple(dict.fromkeys(k for kernels, _ in self.rounds for k in kernels))
        self.block, self.masked = block, masked
        self.kernel = _caller(level)
        self.loaded = False

    def record(self, value: Callable, nworld: int, device) -> wp.Launch:
        """A launch for ``nworld`` worlds, with views filled by ``value(owner, field)``. Raises Warp's error for a stage
        that does not compile.
        """
        if not self.loaded:
            wp.force_load(
                device, [p.kernel.module for p in (self, *self.kernels)], block_dim=1, max_workers=os.cpu_count()
            )
            self.loaded = True
        value = functools.cache(value)  # stages share most fields
        parts = {k: k.record(value, nworld, device) for k in self.kernels}
        where = {k: addresses(p) for k, p in parts.items()}
        entries = wp.array([where[k] for kernels, _ in self.rounds for k in kernels], dtype=wp.uint64, device=device)
        start = wp.array([0, *itertools.accumulate(len(k) for k, _ in self.rounds)], dtype=int, device=device)
        together = wp.array([int(t) for _, t in self.rounds], dtype=int, device=device)
        mask = value("d", "world_mask") if self.masked else wp.zeros(0, dtype=int, device=device)
        block = min(self.block or nworld, nworld)
        launch = wp.launch(
            self.kernel,
            dim=-(-nworld // block),
            inputs=[entries, start, together, mask, nworld, block],
            block_dim=1,
            device=device,
            record_cmd=True,
        )
        launch.kept = parts, entries, start, together, mask  # live as long as the launch
        return launch


@functools.cache
def cpu_kernels(stages: tuple, level: int) -> list[FusedKernel]:
    """The kernels of stages in turn: those of the pipeline page, or where nothing is optimised, one for each stage."""
    names = (s.key.split(".")[-1] for s in stages)
    named = [(PART_OF.get(name, name) if level else name, s) for name, s in zip(names, stages)]
    parts = itertools.groupby(named, lambda pair: pair[0])
    return [fused_kernel(name, tuple(s for _, s in part), 1, level) for name, part in parts]


@wp.func_native(
    """
const size_t* entry = (const size_t*)entries.data + 3 * i;
*(int*)(entry[2] + 16) = first;
*(int*)(entry[2] + 20) = last;
((void (*)(void*, void*))entry[0])((void*)entry[1], (void*)entry[2]);
"""
)
def enter(entries: wp.array2d(dtype=wp.uint64), i: int, first: int, last: int):
    """Run kernel ``i`` for worlds ``first`` to ``last - 1``: by the addresses of its code, launch bounds and arguments,
    of which the third and the fourth are the worlds.
    """
    ...


def run_in_turn(
    entries: wp.array2d(dtype=wp.uint64),
    start: wp.array(dtype=int),
    together: wp.array(dtype=int),
    mask: wp.array(dtype=int),
    nworld: int,
    block: int,
):
    """Run kernels for the worlds of this thread's block. ``entries`` has their addresses, from ``start[r]`` on those of
    round ``r``.
    """
    first = wp.tid() * block
    last = wp.min(first + block, nworld)
    for r in range(start.shape[0] - 1):
        count = wp.where(together[r] != 0 and mask.shape[0] == 0, block, 1)
        for world in range(first, last, count):
            if mask.shape[0] == 0 or mask[world] != 0:
                for i in range(start[r], start[r + 1]):
                    enter(entries, i, world, wp.min(world + count, last))


@functools.cache
def _caller(level: int) -> wp.Kernel:
    return unique_kernel(run_in_turn, 1, level)
