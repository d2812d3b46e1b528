"""Capacity for contacts and constraint rows, and for digits of the mass matrix: what did not fit, and how much would have
been enough.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.core.errors import CapacityError, NewtonWarning, external
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.adapter.programs import PUSH, without_collision
from newtonlite.solvers.mujoco.data import capacities
from newtonlite.solvers.mujoco.executor.memory import MemoryReport, memory_report


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


@dataclass
class LostDigits:
    """Worlds in which the factor of the mass matrix has lost its digits since the counters were cleared."""

    nworld: int
    worlds: int
    float64: bool  # whether the engine has the mass matrix in double

    def text(self) -> str:
        """One line: who, what was lost, what to do."""
        cure = (
            "the engine was made for other masses, or shorter reaches; make the solver anew with these, or with overflow='grow', and it computes them in double"
            if not self.float64
            else "double does not hold them either; let masses along a chain differ less, or give light joints armature"
        )
        return (
            f"{self.worlds} of {self.nworld} worlds have inertias so different on one chain that the mass matrix has lost "
            f"its digits, and with them the motion of the light bodies: {cure}"
        )


def find_lost_digits(m, d) -> LostDigits | None:
    """Loss of digits in any world of the data, or None. Waits for the device."""
    worlds = int(np.count_nonzero(d.lost_digits.numpy()))
    return LostDigits(d.nworld, worlds, m.nfloat64 > 0) if worlds else None


def hold_first_state(engine: Any, nconmax: int | None, njmax: int | None) -> None:
    """Raise ``nconmax`` and ``njmax`` that the contacts and rows of the model's own state do not fit into, and warn.

    Contacts that the caller finds are not known yet. Waits for the device, where a capacity was given that is below what
    the model has by itself.
    """
    own = capacities(engine.mjw_model, engine.nworld, None, None)
    asked = {name: n for name, n in (("nconmax", nconmax), ("njmax", njmax)) if n is not None and n < own[name]}
    if not asked:
        return
    stages = pipeline.ROWS if engine.settings.own_contacts else without_collision(pipeline.ROWS)
    state, control = engine.model.state(), engine.model.control()

    # contacts that did not fit had no rows: count again until all do
    while shortage := _shortage_at(engine, state, control, stages):
        d = engine.mjw_data
        engine.renew(max(d.nconmax, shortage.contacts), max(d.njmax, shortage.rows), shortage.pairs or None)
    engine.batch.reset(engine.batch.choose(None))
    for name, n in asked.items():
        if engine.mjw_data.sizes[name] > n:
            text = f"Value for {name} is changed from {n} to {engine.mjw_data.sizes[name]}"
            warnings.warn(f"SolverMuJoCo: {text}, which the model's state needs", NewtonWarning, stacklevel=external())


def _shortage_at(engine: Any, state, control, stages: tuple) -> Shortage | None:
    """Shortage at a state, by the stages and kernels of a step up to its rows."""
    arrays = engine.binding.bind(state, state, control)
    for copy in engine.binding.moves[0]:
        copy.fill()
    engine.schedule.add("rows", stages, prologue=PUSH)
    engine.schedule.run("rows", 1, arrays)
    return find_shortage(engine.mjw_data)


class CapacityMethods:
    """Overflow handling of an engine: checks and growth when contacts, rows or digits did not fit."""

    def check_capacity(self, policy: str | None = None) -> bool:
        """Look whether contacts, rows or digits were lost since the last look; waits for the device. True if nothing
        was lost.

        ``policy`` (the solver's ``overflow`` when None): ``"warn"``, ``"raise"`` CapacityError, or ``"grow"``, which
        allocates what was needed and goes on.
        """
        shortage = find_shortage(self.mjw_data)
        digits = find_lost_digits(self.mjw_model, self.mjw_data)
        if shortage is None and digits is None:
            return True
        policy = policy or self.settings.overflow
        if policy == "raise":
            raise CapacityError(_text(shortage, digits))
        if policy == "grow":
            if shortage:
                self._grow(shortage)
            if digits:
                self._widen(digits)
        else:
            warnings.warn(_text(shortage, digits), NewtonWarning, stacklevel=4)
            self.mjw_data.clear_counters(("overflow", "lost", "ncon_max", "nefc_max", "nbp_max", "lost_digits"))
            self._warned = False
        return False

    def memory_report(self, nworld: int | None = None) -> MemoryReport:
        """Bytes the engine takes for ``nworld`` worlds (its own number when None) of this scene; ``print`` shows them.
        Nothing is allocated.
        """
        d, schedule, nworld = self.mjw_data, self.schedule, nworld or self.nworld
        capacity = {"nconmax": d.nconmax, "njmax": d.njmax, "scratch": d.scratch, "keep": self.kept_fields(nworld)}
        how = {"stages": schedule.stages("step"), "over": schedule.spread, "updater": self._updater.memory(nworld)}
        return memory_report(self.mjw_model, nworld, **capacity, **how)

    def follow_policy(self) -> None:
        """Apply the overflow policy to a step that lost something: raise, grow, or warn the first time; the counters go
        on counting."""
        if self.settings.overflow != "warn":
            self.check_capacity()
        elif not self._warned:
            found = find_shortage(self.mjw_data), find_lost_digits(self.mjw_model, self.mjw_data)
            warnings.warn(_text(*found), NewtonWarning, stacklevel=3)
            self._warned = True

    def _grow(self, shortage) -> None:
        """Grow the data to what was needed and some more; what is carried from step to step goes along."""
        self.renew(*shortage.enough(self.mjw_model))

    def _widen(self, digits: LostDigits) -> None:
        """Go on with the mass matrix in double; where it is, warn once."""
        if not digits.float64:
            old = self.mjw_data
            self.put_in_double()
            self.renew(old.nconmax, old.njmax, old.nbpmax or None)
        elif not self._warned:
            warnings.warn(digits.text(), NewtonWarning, stacklevel=5)
            self._warned = True


def _text(*found: Shortage | LostDigits | None) -> str:
    """Message of what was lost, one line."""
    return "; ".join(f.text() for f in found if f)
