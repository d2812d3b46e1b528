"""Partition of worlds over threads, waves and lanes, and the scratch of worlds in flight."""

import math
import os
from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.data import FIELDS, EngineData, check_elements
from newtonlite.solvers.mujoco.executor import plan
from newtonlite.solvers.mujoco.executor.views import share, worlds
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES
from newtonlite.solvers.mujoco.model import FIELDS as MODEL_FIELDS
from newtonlite.solvers.mujoco.model import EngineModel

MODES = ("auto", "fused", "staged", "gpu")
HITS_PER_LANE = 8
ALIGNMENT = 64  # bytes of a SIMD vector
ROUNDS = 6  # of resident teams in a wave, 8192 on an H100: launches are few, and what a step needs in between is more than the L2 holds anyway


def team_size(m: EngineModel) -> int:
    """Lanes of a team: one on the CPU; on the GPU 32, 64 above 96 dofs, 128 above 160."""
    return 1 if m.device.is_cpu else gpu_team_size(m.nv)


def gpu_team_size(nv: int) -> int:
    """Lanes of a team on a GPU, for so many dofs."""
    return 32 if nv <= 96 else 64 if nv <= 160 else 128


def blocks_per_sm(nlane: int, blocks: int | None = None) -> int:
    """Teams of ``nlane`` lanes that a multiprocessor holds where it holds ``blocks`` of 32."""
    return max(1, (blocks or plan.BLOCKS_PER_SM) * plan.WARP // nlane)


@dataclass(frozen=True)
class Partition:
    """``mode``, lanes of a team, CPU threads, and ``wave``: worlds that go through a program together, all of a thread
    when None.
    """

    mode: str
    nlane: int
    threads: int
    wave: int | None

    @property
    def one_by_one(self) -> bool:
        """A thread takes a world through all stages before the next."""
        return self.mode == "fused" and self.nlane == 1

    def cuts(self, nworld: int, scratch: str) -> list:
        """For every thread its waves, as pairs (first world, last world + 1). Results kept per world need no waves."""
        # equal shares, which differ by one world at most; no thread without a world
        count = min(self.threads, nworld)
        ends = [nworld * i // count for i in range(count + 1)]

        # waves bound the scratch of worlds in flight: nothing to bound with one world at a time, or where results are kept
        most = nworld if self.wave is None or self.one_by_one or scratch == "per_world" else self.wave
        return [[(k, min(k + most, b)) for k in range(a, b, most)] for a, b in zip(ends, ends[1:])]

    def copies(self, waves: list) -> int:
        """Worlds that need scratch at a time, of a thread with these waves."""
        return 1 if self.one_by_one else max(b - a for a, b in waves)


def partition(
    m: EngineModel, mode: str = "auto", threads: int | None = None, nlane: int | None = None, wave: int | None = None
) -> Partition:
    """Partition of a model's worlds over its device; a GPU takes ROUNDS times as many worlds together as its
    multiprocessors hold teams.

    Raises StateError for an unknown mode and counts below one.
    """
    if mode not in MODES:
        raise StateError(f"mode: expected one of {', '.join(MODES)}, got {mode!r}")
    for name, value in (("threads", threads), ("wave", wave)):
        if value is not None and value < 1:
            raise StateError(f"{name}: expected at least 1, got {value}")

    # defaults by device: a GPU runs a few kernels over as many worlds as keep it busy
    cpu = m.device.is_cpu
    nlane = nlane or team_size(m)
    if mode == "auto":
        mode = "fused" if cpu else "gpu"
    if wave is None and not cpu:
        wave = ROUNDS * m.device.sm_count * blocks_per_sm(nlane)
    return Partition(mode, nlane, (threads or os.cpu_count() or 1) if cpu else 1, wave)


def scratch_sizes(m: EngineModel, sizes: dict, nlane: int) -> dict:
    """Sizes that shape scratch: those of the model, the data's ``sizes``, and those of a team."""
    hits = {"nhit": HITS_PER_LANE * nlane, "nelementhits": m.nelementhit * nlane}
    return {**m.sizes, **sizes, **hits, "nlane": nlane, "nccdlane": min(nlane, CCD_LANES)}


def zeros(shape: tuple, dtype: type, device) -> wp.array:
    """Zeroed array; on the CPU in memory that is taken page by page where something is written."""
    size = math.prod(shape) * wp.types.type_size_in_bytes(dtype)
    if not device.is_cpu or size == 0:
        return wp.zeros(shape, dtype=dtype, device=device)

    # the system gives zeroed pages when they are touched: capacity that no world fills costs nothing
    pages = np.zeros(size + ALIGNMENT, np.uint8)
    first = pages.ctypes.data + -pages.ctypes.data % ALIGNMENT
    array = wp.array(ptr=first, dtype=dtype, shape=shape, device=device, capacity=size)
    array.owner = pages
    return array


class Scratch:
    """Arrays for results within a step, one copy for each world that is on its way at a time; waves take turns with
    them.
    """

    def __init__(self, m: EngineModel, d: EngineData, nlane: int, copies: int):
        self.device, self.sizes, self.copies = m.device, scratch_sizes(m, d.sizes, nlane), copies
        self.arrays: dict = {}

    def array(self, name: str, count: int) -> wp.array:
        """Field ``name`` for a wave of ``count`` worlds."""
        if name not in self.arrays:
            # made when the first stage that uses it is recorded, for as many worlds as are in flight
            field = FIELDS[name]
            check_elements(f"{self.copies} worlds at a time", [field], self.copies, self.sizes)
            self.arrays[name] = zeros((self.copies, *field.shape(self.sizes)), field.dtype, self.device)
        base = self.arrays[name]
        return share(base, count) if self.copies == 1 else worlds(base, 0, count)

    def of_island(self, name: str) -> wp.array:
        """Field ``name`` for one island at a time, as large as that of a world (island_call.py)."""
        key = f"island.{name}"
        if key not in self.arrays:
            field = FIELDS.get(name) or MODEL_FIELDS[name]

            # lists of the model have no dimension of worlds
            shape = field.shape(self.sizes)
            whole = shape if field.role == "index" else (1, *shape)
            self.arrays[key] = zeros(whole, field.dtype, self.device)
        return self.arrays[key]
