"""How much memory the engine needs for so many worlds, said before any of it is taken."""

from dataclasses import dataclass

import warp as wp

from newtonlite.solvers.mujoco.data import capacities, kept
from newtonlite.solvers.mujoco.fields import DATA

SHOWN = 8


@dataclass
class MemoryReport:
    """Bytes of the engine's arrays for ``nworld`` worlds: ``model`` once (with what differs between worlds), ``data`` by field."""

    nworld: int
    model: int
    data: dict[str, int]

    @property
    def total(self) -> int:
        """All bytes."""
        return self.model + sum(self.data.values())

    @property
    def per_world(self) -> float:
        """Bytes of data for one world."""
        return sum(self.data.values()) / self.nworld

    def __str__(self) -> str:
        most = sorted(self.data.items(), key=lambda item: -item[1])[:SHOWN]
        lines = [f"{self.nworld} worlds: {self.total / 2**20:.1f} MiB, {self.per_world / 1000:.1f} kB per world, model {self.model / 2**20:.1f} MiB"]
        return "\n".join(lines + [f"  {name:20} {size / 2**20:8.1f} MiB" for name, size in most])


def memory_report(m, nworld: int, nconmax: int | None = None, njmax: int | None = None, scratch: str = "auto", keep: tuple = ()) -> MemoryReport:
    """What ``make_data`` with these arguments takes, and what the model has, in bytes; nothing is allocated.

    Raises CapacityError as ``make_data`` does.
    """
    if scratch == "auto":
        scratch = "shared" if m.device.is_cpu else "per_world"
    sizes = {**m.sizes, **capacities(m, nworld, nconmax, njmax)}
    data = {}
    for field in DATA:
        if field.role != "size" and kept(field, scratch, keep):
            count = nworld
            for size in field.shape(sizes):
                count *= size
            data[field.name] = count * wp.types.type_size_in_bytes(field.dtype)
    model = sum(array.size * wp.types.type_size_in_bytes(array.dtype) for array in m.arrays.values())
    return MemoryReport(nworld, model, data)
