"""``Model``: the engine's model with MuJoCo Warp's attribute access, made from a host model or a file."""

from pathlib import Path

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.mjwarp.callback import Callback
from newtonlite.mjwarp.enums import BroadphaseFilter, BroadphaseType
from newtonlite.solvers.mujoco import model as engine
from newtonlite.solvers.mujoco.derive import derived
from newtonlite.solvers.mujoco.derive.keep_features import FEATURE_PARAMETERS, KeepFeatures
from newtonlite.solvers.mujoco.model import FIELDS


class Options:
    """``m.opt``: options as MuJoCo Warp has them; numbers are ints, reals are arrays ``[nworld or 1]`` on the device."""

    def __init__(self, model):
        self.__dict__["_model"] = model

    @property
    def broadphase(self) -> BroadphaseType:
        """How pairs that may touch are found; contacts are the same. Set it before data is made; both kinds of sweeping
        are one here.
        """
        return BroadphaseType.SAP_TILE if self._model.nsap else BroadphaseType.NXN

    @broadphase.setter
    def broadphase(self, value: int) -> None:
        kinds = {BroadphaseType.NXN: "nxn", BroadphaseType.SAP_TILE: "sap", BroadphaseType.SAP_SEGMENTED: "sap"}
        if value not in kinds:
            raise ModelError(f"opt.broadphase: {value!r}; expected a BroadphaseType")
        engine.choose_broadphase(self._model, kinds[value])

    @property
    def broadphase_filter(self) -> BroadphaseFilter:
        """What pairs are looked at with before they are collided: spheres and planes. Contacts do not depend on it, and
        it cannot be changed.
        """
        return BroadphaseFilter.PLANE | BroadphaseFilter.SPHERE

    @broadphase_filter.setter
    def broadphase_filter(self, value: int) -> None:
        BroadphaseFilter(value)

    def __getattr__(self, name):
        m = self.__dict__["_model"]
        if f"opt_{name}" in FIELDS:
            return getattr(m, f"opt_{name}")
        return getattr(m.source.opt, name)

    def __setattr__(self, name, value):
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            if f"opt_{name}" not in FIELDS:
                raise ModelError(
                    f"opt.{name}: not an option that can be set here; set it in the host model, and call put_model again"
                )
            setattr(self._model, f"opt_{name}", value)

    def __dir__(self):
        return sorted(
            {n[4:] for n in FIELDS if n.startswith("opt_")}
            | {"broadphase", "broadphase_filter"}
            | set(dir(self._model.source.opt))
        )


class Model(engine.Model):
    """A model on the device. Fields the engine does not read (names, colours, ...) are those of the host model.

    Assigning a parameter (an array ``[nworld or 1, ...]``, or numbers) or a whole-number option takes effect with the
    next call; options that decide what the model is made of (cone, solver, integrator, some flags) raise.
    """

    def __init__(self, sizes: dict, arrays: dict, device, source):
        super().__init__(sizes, arrays, device, source)
        self.callback = Callback()

    @property
    def opt(self) -> Options:
        """Options."""
        return Options(self)

    @property
    def stat(self):
        """Statistics of the host model."""
        return self.source.stat

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_") or "source" not in self.__dict__:
                raise
            return getattr(self.source, name)

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

    def _choose(self, name: str, value: int) -> None:
        """Take over an option; ModelError where the model would need other arrays or lists with it."""
        now, then = (
            {n[4:]: v for n, v in (self.sizes | changed).items() if n.startswith("opt_")}
            for changed in ({}, {name: value})
        )
        one, two = (derived(KeepFeatures(self.source, options=options)) for options in (now, then))
        differ = [n for n, v in two.items() if n not in self.arrays and int(v) != int(one[n])]
        if differ or name in ("opt_cone", "opt_solver", "opt_noslip_iterations") and value != self.sizes[name]:
            raise ModelError(
                f"{name.replace('_', '.', 1)}={value}: decides what the model is made of; set it in the host model, and call put_model again"
            )
        self.sizes[name] = value
        self.version += 1

    def _replace(self, name: str, field, value) -> None:
        """Take over an array of the right type as it is, copy anything else."""
        old = self.arrays[name]
        if (
            isinstance(value, wp.array)
            and value.dtype == old.dtype
            and value.shape[1:] == old.shape[1:]
            and value.device == self.device
        ):
            switch = FEATURE_PARAMETERS.get(name)
            if switch and not self.sizes[switch] and value.numpy().any():
                raise ModelError(f"model.{name}: {engine.ABSENT}")
            self.arrays[name] = value
            self.version += 1
        else:
            self.set(name, value.numpy() if isinstance(value, wp.array) else value)


def put_model(mjm, batch_sizes: dict[str, int] | None = None, *, keep: tuple = (), device=None) -> Model:
    """The model on the device.

    ``mjm`` is a ``mujoco.MjModel`` or a compiled model of this package; ``batch_sizes`` gives, per field, how many
    worlds have a value of their own.  ``keep`` names parameters that are 0 now and will be set later, such as
    ``opt_density``.  Raises ModelError for anything the engine does not simulate, by name.
    """
    batch = dict(batch_sizes or {})
    count = max(batch.values(), default=1)
    if any(n not in (1, count) for n in batch.values()):
        raise ModelError(
            f"batch_sizes: expected one number of worlds for all fields, got {sorted(set(batch.values()))}"
        )
    made = engine.put_model(mjm, count, device, tuple(name for name, n in batch.items() if n > 1), keep=keep)
    return Model(made.sizes, made.arrays, made.device, made.source)


def load(source: str | Path, assets: dict[str, bytes] | None = None):
    """Compiled model of an MJCF or URDF file, or of MJCF text, without a builder of one's own: what ``put_model``
    takes.

    ``assets`` are files in memory, looked at before the disk. Raises ParseError or ModelError with the place in the
    file.
    """
    from newtonlite.importers.files import add_file
    from newtonlite.sim.builder import ModelBuilder
    from newtonlite.solvers.mujoco.attributes import register
    from newtonlite.solvers.mujoco.compile import compile_model

    builder = ModelBuilder()
    register(builder)
    options = {} if assets is None else {"assets": assets}
    if str(source).lstrip().startswith("<"):
        builder.add_mjcf(str(source), **options)
    else:
        add_file(builder, source, **options)
    return compile_model(builder.finalize(device="cpu"))
