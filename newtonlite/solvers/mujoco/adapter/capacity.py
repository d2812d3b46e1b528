"""Capacity for contacts and constraint rows: what did not fit, and how much would have been enough."""

import warnings
from dataclasses import dataclass

import warp as wp

from newtonlite.core.errors import CapacityError, NewtonWarning
from newtonlite.solvers.mujoco.data import capacities
from newtonlite.solvers.mujoco.executor.memory import MemoryReport, memory_report
from newtonlite.solvers.mujoco.fields import DATA


@dataclass
class Shortage:
    """Contacts, rows or near pairs of geoms that were lost since the counters were cleared."""

    nworld: int
    worlds: int  # that lost any
    contacts: int  # most that a world needed
    rows: int
    pairs: int  # that the broad phase found
    nconmax: int  # the capacity that there was
    njmax: int
    nbpmax: int

    def text(self) -> str:
        """One line: who, how much was needed, how much there was, what to do."""
        pairs = f" and {self.pairs} near pairs (nbpmax={self.nbpmax})" if self.pairs > self.nbpmax else ""
        return (
            f"{self.worlds} of {self.nworld} worlds had more contacts or constraint rows than fit: up to {self.contacts} contacts "
            f"(nconmax={self.nconmax}) and {self.rows} rows (njmax={self.njmax}){pairs} were needed; the deepest stayed; pass larger nconmax and njmax"
        )

    def enough(self, m) -> tuple[int, int, int]:
        """(nconmax, njmax, nbpmax) with half as much again. Contacts that were lost would have had rows too."""
        nconmax = max(self.nconmax, self.contacts + self.contacts // 2)
        rows = capacities(m, self.nworld, nconmax, None)["njmax"]
        return nconmax, max(rows, self.rows + self.rows // 2), max(self.nbpmax, self.pairs + self.pairs // 2)


def find_shortage(d) -> Shortage | None:
    """Shortage of capacity in any world of the data, or None. Waits for the device."""
    lost = d.overflow.numpy()
    if not lost.any():
        return None
    most = [int(getattr(d, name).numpy().max()) for name in ("ncon_max", "nefc_max", "nbp_max")]
    return Shortage(d.nworld, int((lost > 0).sum()), *most, d.nconmax, d.njmax, d.nbpmax)


class CapacityMethods:
    """Overflow handling of an engine: checks and growth when contacts or rows did not fit."""

    def check_capacity(self, policy: str | None = None) -> bool:
        """Look whether contacts or rows were lost since the last look; waits for the device. True if nothing was lost.

        ``policy`` (the solver's ``overflow`` when None): ``"warn"``, ``"raise"`` CapacityError, or ``"grow"``, which
        allocates what was needed and goes on.
        """
        shortage = find_shortage(self.mjw_data)
        if shortage is None:
            return True
        policy = policy or self.settings.overflow
        if policy == "raise":
            raise CapacityError(shortage.text())
        if policy == "grow":
            self._grow(shortage)
        else:
            warnings.warn(shortage.text(), NewtonWarning, stacklevel=4)
            self.mjw_data.clear_counters(("overflow", "lost", "ncon_max", "nefc_max", "nbp_max"))
            self._warned = False
        return False

    def memory_report(self, nworld: int | None = None) -> MemoryReport:
        """Bytes the engine takes for ``nworld`` worlds (its own number when None) of this scene; ``print`` shows them.
        Nothing is allocated.
        """
        d, schedule, nworld = self.mjw_data, self.schedule, nworld or self.nworld
        capacity = {"nconmax": d.nconmax, "njmax": d.njmax, "scratch": d.scratch, "keep": self.keep(nworld)}
        how = {"stages": schedule.stages("step"), "over": schedule.spread, "updater": self._updater.memory(nworld)}
        return memory_report(self.mjw_model, nworld, **capacity, **how)

    def follow_policy(self) -> None:
        """Apply the overflow policy to a step that lost something: raise, grow, or warn the first time; the counters go
        on counting."""
        if self.settings.overflow != "warn":
            self.check_capacity()
        elif not self._warned:
            warnings.warn(find_shortage(self.mjw_data).text(), NewtonWarning, stacklevel=3)
            self._warned = True

    def _grow(self, shortage) -> None:
        """Grow the data to what was needed and some more; what is carried from step to step goes along."""
        old = self.mjw_data
        self.mjw_data = self._make_data(*shortage.enough(self.mjw_model))
        for name in carried(old):
            wp.copy(getattr(self.mjw_data, name), getattr(old, name))
        self._connect()


def carried(d) -> list[str]:
    """Arrays that a world carries from step to step, and those that callers set."""
    return [f.name for f in DATA if f.role in ("state", "input") and f.name in d.arrays]
