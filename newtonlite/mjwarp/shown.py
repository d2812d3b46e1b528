"""A solver's engine under MuJoCo Warp's names: what ``SolverMuJoCo.mjw_model`` and ``mjw_data`` are."""

from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.declared import SHARED_PARAMETERS
from newtonlite.mjwarp.model import Model
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.model import FIELDS


class ShownModel(Model):
    """The engine's own model, not a copy; parameters have one row per world from when they are first asked for here."""

    @classmethod
    def of(cls, engine) -> "ShownModel":
        """The model of one of the solver's engines."""
        shown = object.__new__(cls)
        shown.__dict__ = engine.mjw_model.__dict__
        if "callback" not in shown.__dict__:
            shown.begin()
            shown.__dict__["follower"] = follow_shown
        shown.__dict__["nworld"] = engine.nworld
        return shown

    @property
    def loaded(self) -> bool:
        """Never: damping and armature of actuators are the scene's, and what is shown here has them added."""
        return False

    def __getattr__(self, name):
        field = FIELDS.get(name)
        if field is not None and field.role == "param" and name not in SHARED_PARAMETERS:
            self._widen(name)
        return super().__getattr__(name)

    def _widen(self, name: str) -> None:
        """A row of the parameter for each world, where they share one."""
        from newtonlite.solvers.mujoco.adapter.model_update import widen

        shared = self.arrays[name]
        if shared.shape[0] != self.nworld and shared.size and not self.device.is_capturing:
            widen(self, name, self.nworld)


def follow_shown(m) -> None:
    """Follow what was lent of an engine's model, which is not one of this class."""
    shown = object.__new__(ShownModel)
    shown.__dict__ = m.__dict__
    shown.follow()


def show_data(engine) -> Data:
    """The engine's data, with contacts and rows as MuJoCo Warp has them; the same object until the engine makes other
    data.
    """
    shown = engine.__dict__.get("_shown")
    if shown is None or shown.engine is not engine.mjw_data:
        shown = engine.__dict__["_shown"] = Data(Batch.around(engine.mjw_model, engine.mjw_data))
    return shown
