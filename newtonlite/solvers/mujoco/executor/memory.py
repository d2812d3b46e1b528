"""Memory report: bytes that the engine needs for a number of worlds, before any of it is allocated."""

from dataclasses import dataclass

import warp as wp

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import FIELDS, capacities, check_elements, kept
from newtonlite.solvers.mujoco.executor import fence
from newtonlite.solvers.mujoco.executor.partition import Partition, partition, scratch_sizes
from newtonlite.solvers.mujoco.executor.specialize import constant_fold, features
from newtonlite.solvers.mujoco.executor.views import fields_used
from newtonlite.solvers.mujoco.fields import DATA, MODEL
from newtonlite.solvers.mujoco.model import FIELDS as MODEL_FIELDS

SHOWN = 8
ROLES = {f.name: f.role for f in MODEL}
SCRATCH = ("scratch", "team")


@dataclass
class MemoryReport:
    """Bytes of the engine's arrays for ``nworld`` worlds: ``model`` once (with what differs between worlds), ``data``
    by field.

    ``scratch``, by field, is what a step needs for the worlds that are on their way at a time. ``following`` comes on
    top with the first ``notify_model_changed(ModelFlags.ALL)``: copies per world of what is followed, and buffers to
    restore what did not change.
    """

    nworld: int
    model: int
    data: dict[str, int]
    scratch: dict[str, int]
    following: int = 0

    def __add__(self, other: "MemoryReport") -> "MemoryReport":
        """Sum over the worlds of two structures."""
        joined = [
            {name: a.get(name, 0) + b.get(name, 0) for name in a | b}
            for a, b in ((self.data, other.data), (self.scratch, other.scratch))
        ]
        return MemoryReport(
            self.nworld + other.nworld, self.model + other.model, *joined, self.following + other.following
        )

    @property
    def total(self) -> int:
        """All bytes but ``following``."""
        return self.model + sum(self.data.values()) + sum(self.scratch.values())

    @property
    def per_world(self) -> float:
        """Bytes for one world, but for the model."""
        return (self.total - self.model) / self.nworld

    def __str__(self) -> str:
        # totals, then the fields that take most
        mib = [x / 2**20 for x in (self.total, self.model, sum(self.scratch.values()))]
        most = sorted((self.data | self.scratch).items(), key=lambda item: -item[1])[:SHOWN]
        lines = [
            f"{self.nworld} worlds: {mib[0]:.1f} MiB, {self.per_world / 1000:.1f} kB per world, model {mib[1]:.1f} MiB, scratch {mib[2]:.1f} MiB"
        ]
        if self.following:
            lines.append(f"  {self.following / 2**20:.1f} MiB more once changes of all of the model are followed")
        return "\n".join(lines + [f"  {name:20} {size / 2**20:8.1f} MiB" for name, size in most])


def memory_report(
    m,
    nworld: int,
    nconmax: int | None = None,
    njmax: int | None = None,
    scratch: str = "auto",
    keep: tuple = (),
    stages: tuple = pipeline.STEP,
    over: Partition | None = None,
    nbpmax: int | None = None,
    updater: tuple[int, int] = (0, 0),
) -> MemoryReport:
    """Memory that ``make_data`` with these arguments takes, that steps of ``stages`` spread ``over`` the device (as it
    is by default) need, and that the model has, in bytes; nothing is allocated. ``updater``: bytes taken by, and still
    to come for, following changes.

    Raises CapacityError as ``make_data`` does.
    """
    # arrays that the data will have, for every world
    over = over or partition(m)
    capacity = capacities(m, nworld, nconmax, njmax, nbpmax)
    data = {f.name: f for f in DATA if f.role != "size" and kept(f, scratch, keep)}

    # scratch that stages use beside them, for the worlds in flight on all threads
    used = {name for s in constant_fold(stages, features(m)) for owner, name in fields_used(s) if owner == "d"}
    within = [FIELDS[name] for name in sorted(used) if FIELDS[name].role in SCRATCH and name not in data]
    threads = over.cuts(nworld, scratch)
    copies = sum(over.copies(waves) for waves in threads)

    # the model is there already; sizes give what the rest will take
    model = updater[0] + sum(bytes_of(m, name, nworld) for name in m.arrays)
    sizes = scratch_sizes(m, capacity, over.nlane)
    check_elements(f"nworld={nworld}", list(data.values()), nworld, sizes)

    # a thread that solves island by island has one island more of what solvers use
    islands = {
        f"island.{n}": len(threads) * one(_field(n), sizes)
        for n in fence.backend(m, over).fields_of_islands(stages, set(data))
    }
    return MemoryReport(
        nworld,
        model,
        {f.name: nworld * one(f, sizes) for f in data.values()},
        {f.name: copies * one(f, sizes) for f in within} | islands,
        updater[1],
    )


def _field(name: str):
    return FIELDS.get(name) or MODEL_FIELDS[name]


def bytes_of(m, name: str, nworld: int) -> int:
    """Bytes of an array of the model for so many worlds."""
    array = m.arrays[name]
    size = array.size * wp.types.type_size_in_bytes(array.dtype)
    return size // len(array) * nworld if size and ROLES.get(name) == "param" and len(array) > 1 else size


def one(field, sizes: dict) -> int:
    """Bytes of a field for one world."""
    count = wp.types.type_size_in_bytes(field.dtype)
    for size in field.shape(sizes):
        count *= size
    return count
