"""Data view: the arrays of a batch's data under MuJoCo's names, read without pads and written by assignment."""

from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.data import FIELDS, EngineData


class DataView:
    """State, inputs and results of a batch's worlds; ``d.qpos`` is a Warp array ``[nworld, nq]``.

    Arrays stay where they are: assigning to a field copies the numbers. StateError for a field that is not kept per world.
    """

    def __init__(self, batch: Batch):
        self.batch, self.nworld = batch, batch.nworld

    @property
    def engine(self) -> EngineData:
        """The engine's data."""
        return self.batch.data

    def __getattr__(self, name):
        if name.startswith("_") or "batch" not in self.__dict__:
            raise AttributeError(name)
        return self.batch.view(name)

    def __setattr__(self, name, value):
        if name in FIELDS:
            self.batch.write(name, value)
        else:
            super().__setattr__(name, value)

    def __repr__(self):
        return f"DataView({self.batch.data!r})"
