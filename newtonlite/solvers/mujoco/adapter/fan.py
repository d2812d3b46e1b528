"""What SolverMuJoCo shows of its engines: of the only one, or of all together."""

from functools import reduce
from operator import add

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.memory import MemoryReport


class FanMethods:
    """The engine's parts, where all worlds have one structure, and what is asked of every engine."""

    @property
    def only(self):
        """The engine of all worlds; ModelError where worlds have several structures."""
        if len(self.groups) > 1:
            sizes = ", ".join(f"groups[{k}]: {engine.nworld} worlds" for k, engine in enumerate(self.groups))
            raise ModelError(f"SolverMuJoCo: worlds have {len(self.groups)} structures, each with a model and data of its own; use {sizes}")
        return self.groups[0]

    @property
    def mj_model(self):
        """The compiled model of the first world as plain NumPy, as the engine has it now."""
        return self.only.mj_model

    @property
    def mjw_model(self):
        """The engine's model, under MuJoCo's names."""
        return self.only.mjw_model

    @property
    def mjw_data(self):
        """The engine's data, under MuJoCo's names, one row per world."""
        return self.only.mjw_data

    @property
    def schedule(self):
        """How the engine runs."""
        return self.only.schedule

    def check_capacity(self, policy: str | None = None) -> bool:
        """Look whether contacts or rows were lost since the last look; waits for the device. True if nothing was lost.

        ``policy`` (the solver's ``overflow`` when None): ``"warn"``, ``"raise"`` CapacityError, or ``"grow"``, which makes room for
        what was needed and goes on.
        """
        return all([engine.check_capacity(policy) for engine in self.groups])

    def check_model(self) -> None:
        """Raise StateError where a change of the model that a recorded ``notify_model_changed`` followed needs another engine: a type, a link,
        a friction or limit where there was none. Waits for the device.
        """
        for engine in self.groups:
            engine.check_model()

    def memory_report(self, nworld: int | None = None) -> MemoryReport:
        """Bytes the engines take for ``nworld`` worlds (its own number when None) of this scene; ``print`` shows them. Nothing is allocated.

        Worlds of several structures are taken in the proportions of this scene, the first ones getting what does not divide.
        """
        counts = [engine.nworld for engine in self.groups]
        if nworld is not None:
            total = sum(counts)
            counts = [nworld * n // total for n in counts]
            counts = [n + (k < nworld - sum(counts)) for k, n in enumerate(counts)]
        reports = [engine.memory_report(n) for engine, n in zip(self.groups, counts, strict=True) if n]
        return reduce(add, reports)
