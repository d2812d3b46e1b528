"""Live model: an engine model whose parameters and options are written to between steps, and followed.

Where a change needs other lists or kernels (another cone or integrator, friction where there was none), they are made with
the next call, and data that was made before gets the arrays that it lacks.
"""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtCtrlInput, MjtDyn
from newtonlite.core.versioned import Version
from newtonlite.solvers.mujoco import model as engine
from newtonlite.solvers.mujoco.assigned import parameter
from newtonlite.solvers.mujoco.derive.keep_features import ACTUATOR_KINDS, FEATURE_PARAMETERS, STRUCTURAL, KeepFeatures
from newtonlite.solvers.mujoco.model import FIELDS


class LiveOptions:
    """Options of a live model under MuJoCo's names: numbers are ints, reals are arrays ``[nworld or 1]`` on the device. What is
    set takes effect with the next call, by another program where the one in use cannot do it.
    """

    def __init__(self, model):
        self.__dict__["_model"] = model

    def __getattr__(self, name):
        m = self.__dict__["_model"]
        return getattr(m, f"opt_{name}") if f"opt_{name}" in FIELDS else getattr(m.source.opt, name)

    def __setattr__(self, name, value):
        if f"opt_{name}" in FIELDS:
            setattr(self._model, f"opt_{name}", value)
        elif hasattr(self._model.source.opt, name):
            parameter(f"opt.{name}", value, float)
            self._model.restructure({name: value})
        else:
            raise ModelError(f"opt.{name}: not an option; options: {', '.join(dir(self))}")

    def __dir__(self):
        return sorted({n[4:] for n in FIELDS if n.startswith("opt_")} | set(dir(self._model.source.opt)))


class LiveModel(engine.EngineModel):
    """A model on the device. Assigning a parameter (an array ``[nworld or 1, ...]``, or numbers) or an option takes effect
    with the next call.
    """

    followed = frozenset(STRUCTURAL) - {"sensor_noise"}  # noise is added where it was asked for

    def __init__(self, sizes: dict, arrays: dict, device, source):
        super().__init__(sizes, arrays, device, source)
        self.begin()

    def begin(self) -> None:
        """Give the engine's model what only this class has."""
        self.settings = Version()  # counts changes of what decides how a call runs its programs
        self.broadphase, self.keep = "auto", ()
        self.lent: set = set()  # parameters that decide on lists, and may be written into
        self._seen, self._views = b"", (None, [])  # the bytes of these when they were looked at
        self.shape = self._features()

    @property
    def opt(self) -> LiveOptions:
        """Options."""
        return LiveOptions(self)

    def __getattr__(self, name):
        if "lent" in self.__dict__ and (name in STRUCTURAL or name in ACTUATOR_KINDS):
            self.lent.add(name)
        return super().__getattr__(name)

    def __setattr__(self, name, value):
        field = FIELDS.get(name)
        if field is None:
            super().__setattr__(name, value)
        elif field.role == "param":
            self._replace(name, field, value)
        elif field.role == "size" and name.startswith("opt_"):
            self._choose(name, int(value))
        else:
            raise ModelError(
                f"model.{name}: part of the model's structure; change the file or the host model, and call put_model again"
            )

    def set(self, name: str, values) -> None:
        """Write a parameter: ``[...]`` for all worlds, or ``[nworld, ...]``, which makes the field per world."""
        if name in STRUCTURAL:
            self.lent.add(name)
        super().set(name, values)

    def follow(self) -> None:
        """Make other lists where parameters that may have been written into call for them; not while a graph is recorded."""
        if self.device.is_capturing or not self.lent:
            return
        seen = b"".join([a.tobytes() for a in self._watched()])
        if seen == self._seen and "shape" in self.__dict__:
            return
        self._seen = seen
        self.add_shares()
        if self._features() != self.__dict__.get("shape"):
            self.restructure({})

    def add_shares(self) -> None:
        """Write parameters that are sums of others; nothing, where there are no others."""

    def _watched(self) -> list:
        """Arrays that may have been written into, as NumPy; on the CPU always the same views until one is replaced."""
        key = self.changes.count, self.settings.count, len(self.lent)
        if self.device.is_cpu and self._views[0] == key:
            return self._views[1]
        self._views = key, [a.numpy() for a in self.lent_arrays()]
        return self._views[1]

    def lent_arrays(self) -> list:
        """Arrays that may have been written into."""
        return [self.arrays[n] for n in sorted(self.lent) if n in self.arrays]

    def choose_broadphase(self, kind: str) -> None:
        """Take ``"nxn"``, ``"sap"`` or ``"auto"``."""
        self.__dict__["broadphase"] = kind
        engine.choose_broadphase(self, kind)

    def restructure(self, options: dict) -> None:
        """Sizes and lists anew, with other options and parameters as they are now. ModelError for what the engine does
        not simulate.
        """
        now = {n[4:]: v for n, v in self.sizes.items() if n.startswith("opt_")}
        values = {name: np.abs(self.arrays[name].numpy()).max(axis=0) for name in STRUCTURAL if name in self._present()}
        host = getattr(self.source, "host", self.source)
        if self._kinds_changed(host):
            laws = ("actuator_dynprm", "actuator_gainprm", "actuator_biasprm")
            values |= {name: self.arrays[name].numpy() for name in ACTUATOR_KINDS}
            values |= {name: self.arrays[name].numpy()[0] for name in laws}
            plain = (values["actuator_dyntype"] == MjtDyn.DCMOTOR) & (np.asarray(host.actuator_ctrlspec) == 0)
            values["actuator_ctrlspec"] = np.where(plain, MjtCtrlInput.VOLTAGE, host.actuator_ctrlspec)
        values |= self.host_values()
        before = getattr(self.source, "options", {})
        changed = KeepFeatures(host, options={**before, **now, **options}, values=values)
        made = engine.put_model(changed, 1, self.device, broadphase=self.broadphase, keep=self.keep)
        for name, array in made.arrays.items():
            kept = FIELDS[name].role == "param" or name in ACTUATOR_KINDS
            if not kept or self.arrays[name].shape[1:] != array.shape[1:]:
                self.arrays[name] = array
        self.sizes.clear()
        self.sizes.update(made.sizes)
        self.__dict__["source"] = changed
        self.__dict__["shape"] = self._features()

    def host_values(self) -> dict:
        """Fields of the host model that were given other values, which lists are made from."""
        return {}

    def _present(self) -> set:
        return {name for name in STRUCTURAL if name in self.arrays and self.arrays[name].size}

    def _features(self) -> tuple:
        """Features of the model: the kinds of its actuators, and the zeros among the parameters that decide on
        lists."""
        kinds = tuple(self.arrays[n].numpy().tobytes() for n in ACTUATOR_KINDS)
        return kinds, *((n, (self.arrays[n].numpy() != 0).any(axis=0).tobytes()) for n in sorted(self._present()))

    def _kinds_changed(self, host) -> bool:
        """Whether laws of actuators are no longer those of the host model."""
        return any(self.arrays[n].numpy().tolist() != np.asarray(getattr(host, n)).tolist() for n in ACTUATOR_KINDS)

    def _choose(self, name: str, value: int) -> None:
        """Take over an option, with other sizes and lists where it calls for them."""
        if value != self.sizes[name]:
            self.restructure({name[4:]: value})

    def _replace(self, name: str, field, value) -> None:
        """Take over an array of the right type as it is, copy anything else."""
        old = self.arrays[name]
        if name in STRUCTURAL:
            self.lent.add(name)
        if (
            isinstance(value, wp.array)
            and value.dtype == old.dtype
            and value.shape[1:] == old.shape[1:]
            and value.strides[1:] == old.strides[1:]
            and value.device == self.device
        ):
            switch = FEATURE_PARAMETERS.get(name)
            if switch and name not in self.followed and not self.sizes[switch] and value.numpy().any():
                raise ModelError(f"model.{name}: {engine.ABSENT}")
            self.arrays[name] = value
        else:
            self.set(name, parameter(f"model.{name}", value, old.dtype))
