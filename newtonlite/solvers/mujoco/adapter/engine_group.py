"""Engine group: attributes of SolverMuJoCo over its engines, one or several."""

from functools import reduce
from operator import add

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.executor.memory import MemoryReport


class Package:
    """One of the packages of ``import_mujoco``, as an attribute of the class and of its objects."""

    def __init__(self, place: int):
        self.place = place

    def __get__(self, solver, owner):
        return owner.import_mujoco()[self.place]


class EngineGroupMethods:
    """The engine's parts, where all worlds have one structure, and what is asked of every engine."""

    _mujoco, _mujoco_warp = Package(0), Package(1)

    @property
    def only(self):
        """The engine of all worlds; ModelError where worlds have several structures."""
        if len(self.groups) > 1:
            sizes = ", ".join(f"groups[{k}]: {engine.nworld} worlds" for k, engine in enumerate(self.groups))
            raise ModelError(
                f"SolverMuJoCo: worlds have {len(self.groups)} structures, each with a model and data of its own; use {sizes}"
            )
        return self.groups[0]

    @property
    def mj_model(self):
        """The compiled model of the first world as plain NumPy, as its engine has it now."""
        return self.groups[0].mj_model

    @property
    def mjw_model(self):
        """The engine's model, under MuJoCo Warp's names: ``mjw_model.opt``, parameters ``[nworld, ...]``. Where worlds
        have several structures, those of all engines as one, padded, to be read only.
        """
        from newtonlite.mjwarp.joined import joined_model
        from newtonlite.mjwarp.shown import ShownModel

        self._shown = True
        if len(self.groups) > 1:
            return joined_model(self.groups)
        return ShownModel.of(self.only)

    @property
    def mjw_data(self):
        """The engine's data, under MuJoCo Warp's names, one row per world: ``mjw_data.qpos``, ``.contact``, ``.efc``,
        ``.nacon``. Where worlds have several structures, those of all engines as one, padded, to be read only.
        """
        from newtonlite.mjwarp.joined import joined_data
        from newtonlite.mjwarp.shown import show_data

        if len(self.groups) > 1:
            return joined_data(self.groups)
        self.only.place()
        return show_data(self.only)

    @property
    def mj_data(self):
        """The first world's data as NumPy, under MuJoCo's names: on the CPU views of the engine's arrays, as they are
        now.
        """
        from newtonlite.mjwarp.host import MjData

        return MjData.of(self.only.mj_model, self.mjw_model, self.mjw_data)

    @classmethod
    def import_mujoco(cls) -> tuple:
        """(``newtonlite.mjwarp.host``, ``newtonlite.mjwarp``): MuJoCo's and MuJoCo Warp's names over this engine.
        Neither package is imported.
        """
        from newtonlite import mjwarp
        from newtonlite.mjwarp import host

        return host, mjwarp

    @property
    def schedule(self):
        """Schedule of the engine."""
        return self.only.schedule

    def check_capacity(self, policy: str | None = None) -> bool:
        """Look whether contacts or rows were lost since the last look; waits for the device. True if nothing was lost.

        ``policy`` (the solver's ``overflow`` when None): ``"warn"``, ``"raise"`` CapacityError, or ``"grow"``, which
        allocates what was needed and goes on.
        """
        return all([engine.check_capacity(policy) for engine in self.groups])  # noqa: C419  every engine is checked

    def check_model(self) -> None:
        """Raise StateError where a change of the model that a recorded ``notify_model_changed`` followed needs another
        engine: a type, a link, a friction or limit where there was none. Waits for the device.
        """
        for engine in self.groups:
            engine.check_model()

    def memory_report(self, nworld: int | None = None) -> MemoryReport:
        """Bytes the engines take for ``nworld`` worlds (its own number when None) of this scene; ``print`` shows them.
        Nothing is allocated.

        Worlds of several structures are taken in the proportions of this scene, the first ones getting what does not
        divide.
        """
        counts = [engine.nworld for engine in self.groups]
        if nworld is not None:
            total = sum(counts)
            counts = [nworld * n // total for n in counts]
            counts = [n + (k < nworld - sum(counts)) for k, n in enumerate(counts)]
        reports = [engine.memory_report(n) for engine, n in zip(self.groups, counts, strict=True) if n]
        return reduce(add, reports)
