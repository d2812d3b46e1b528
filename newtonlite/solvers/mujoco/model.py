"""Engine model: a compiled model's numbers as Warp arrays, shared by all worlds or one copy per world.

``put_model`` takes anything with MuJoCo's field names (``CompiledModel``, or a ``mujoco.MjModel``), derives the walks
the stages need and refuses, by name, what the engine does not do.
"""

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonlite.core.device import find_device
from newtonlite.core.errors import CapacityError, ModelError
from newtonlite.core.limits import beyond
from newtonlite.core.types import cell_shape, scalar_type
from newtonlite.core.versioned import Version, VersionedDict
from newtonlite.solvers.mujoco.derive import derived, geom
from newtonlite.solvers.mujoco.derive.keep_features import FEATURE_PARAMETERS, KeepFeatures
from newtonlite.solvers.mujoco.field_types import EngineModelFields
from newtonlite.solvers.mujoco.fields import MODEL
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.unsupported import check_supported

FIELDS = {f.name: f for f in MODEL}
ABSENT = "the model was put with 0, and its kernels leave out what is absent; name it in put_model's keep, or put it with another value"


class EngineModel(EngineModelFields):
    """Sizes as ints and arrays under MuJoCo's names; ``m.body_mass`` is ``[nworld or 1, nbody]``.

    ``changes`` counts sizes that were set and arrays that were replaced: what was recorded before is stale.
    """

    followed: frozenset = frozenset()  # parameters whose lists are made anew where one that was 0 is set

    origin: "EngineModel | None" = None  # the model that this is a variant of
    lent: frozenset | set = frozenset()  # parameters that decide on sizes and lists, and may be written into unseen
    follower: Callable | None = None  # what looks at them

    def __init__(self, sizes: dict, arrays: dict, device, source):
        self.changes = Version()
        self.sizes, self.arrays = VersionedDict(sizes, self.changes), VersionedDict(arrays, self.changes)
        self.device, self.source = find_device(device), source

    def __getattr__(self, name):
        for table in ("sizes", "arrays"):
            if name in self.__dict__.get(table, ()):
                return self.__dict__[table][name]
        raise AttributeError(f"the engine model has no field {name!r}")

    @property
    def version(self) -> int:
        """Count of changes of sizes and arrays."""
        return self.changes.count

    def follow(self) -> None:
        """Make other lists where parameters that were lent call for them."""
        if self.follower:
            self.follower(self)

    def variant(self, sizes: dict) -> "EngineModel":
        """A model with other sizes over the arrays that this one has now, for the same data."""
        made = EngineModel({**self.sizes, **sizes}, self.arrays, self.device, self.source)
        made.origin = self
        return made

    def __repr__(self):
        s = self.sizes
        return f"Model(nbody={s['nbody']}, nv={s['nv']}, nu={s['nu']}, ngeom={s['ngeom']}, device={self.device})"

    def set(self, name: str, values) -> None:
        """Write a ``param`` field: ``[...]`` for all worlds, or ``[nworld, ...]``, which makes the field per world.

        It is written now, also where a graph is being recorded.
        """
        field = FIELDS.get(name)
        if field is None or field.role != "param":
            raise ModelError(f"model.{name}: not a parameter; parameters are listed in fields.MODEL")
        old = self.arrays[name]
        values = np.asarray(values, dtype=np.float32)
        switch = FEATURE_PARAMETERS.get(name)
        if switch and name not in self.followed and not self.sizes[switch] and np.any(values):
            raise ModelError(f"model.{name}: {ABSENT}")
        one = tuple(old.shape[1:]) + cell_shape(field.dtype)
        if values.shape == one:
            values = np.broadcast_to(values, (old.shape[0], *one))
        if values.shape[1:] != one:
            raise ModelError(f"model.{name}: expected shape {one} or (nworld, *{one}), got {values.shape}")
        with outside_capture(self.device):
            if values.shape[0] == old.shape[0]:
                old.assign(wp.array(np.ascontiguousarray(values), dtype=field.dtype, device="cpu"))
                return
            self.arrays[name] = wp.array(np.ascontiguousarray(values), dtype=field.dtype, device=self.device)


def put_model(
    mj, nworld: int = 1, device=None, per_world: tuple | dict = (), broadphase: str = "auto", keep: tuple = ()
) -> EngineModel:
    """Engine model on ``device``; fields named in ``per_world`` get ``nworld`` copies that may then differ: those of a dictionary
    get its values.

    ``broadphase`` is ``"nxn"`` (every candidate is looked at), ``"sap"`` (sweep and prune) or ``"auto"``: which one is
    faster. Contacts are the same. Parameters that are 0 and whose effect is then left out (``promised``) can be
    changed later where they are named in ``keep`` or ``per_world``.

    Raises ModelError for anything the engine does not simulate, CapacityError for sizes beyond int32 indexing.
    """
    check_supported(mj)
    check_count("nworld", nworld, 1)
    processor = "cpu" if find_device(device).is_cpu else "gpu"
    values = {
        **_copied(mj),
        **derived(mj, broadphase, processor),
        **promised(mj, {*keep, *per_world} & FEATURE_PARAMETERS.keys(), broadphase, processor),
    }
    sizes = {f.name: int(values.pop(f.name)) for f in MODEL if f.role == "size"}
    sizes.update({name: int(value) for name, value in values.items() if name not in FIELDS})
    for name in (*per_world, *keep):
        if name not in FIELDS or FIELDS[name].role != "param":
            raise ModelError(f"per_world and keep: {name!r} is not a parameter of the model; see fields.MODEL")
    arrays = {
        f.name: make_array(f, values.get(f.name), sizes, nworld if f.name in per_world else 1, device)
        for f in MODEL
        if f.role != "size"
    }
    made = EngineModel(sizes, arrays, device or wp.get_device(), mj)
    for name in per_world if isinstance(per_world, dict) else ():
        made.set(name, per_world[name])
    return made


def choose_broadphase(m: EngineModel, broadphase: str) -> None:
    """Another broad phase for a model for which no data is made yet. Raises ModelError for an unknown one."""
    values = geom.derive(m.source, broadphase, "cpu" if m.device.is_cpu else "gpu")
    m.sizes.update({name: int(value) for name, value in values.items() if name not in m.arrays})
    m.arrays.update(
        {
            name: make_array(FIELDS[name], value, m.sizes, 1, m.device)
            for name, value in values.items()
            if name in m.arrays
        }
    )


def promised(mj, names: set, broadphase: str, processor: str) -> dict:
    """Sizes and lists of a model in which the named parameters are not 0."""
    if not names:
        return {}
    structure = derived(KeepFeatures(mj, names), broadphase, processor)
    return {name: value for name, value in structure.items() if name not in FIELDS or FIELDS[name].role != "param"}


def check_count(name: str, value, least: int) -> None:
    """Raise CapacityError unless ``value`` is an integer of at least ``least``."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise CapacityError(f"{name}: expected an integer of at least {least}, got {value!r}")


def make_array(field, value, sizes, copies, device):
    """Warp array of a field, with the world dimension in front for parameters."""
    cell = cell_shape(field.dtype)
    shape = field.shape(sizes)
    if value is None and 0 not in shape:
        raise KeyError(f"model.{field.name}: neither the compiled model nor derive/ has it")
    integer = field.dtype is int or scalar_type(field.dtype) is wp.int32
    kind = np.int32 if integer else np.float32
    try:
        with np.errstate(over="raise"):
            data = np.zeros((*shape, *cell), kind) if value is None else np.asarray(value, dtype=kind)
    except (FloatingPointError, OverflowError):
        raise ModelError(
            f"model.{field.name}: has a number beyond {'int32' if integer else 'single precision'}; "
            "look for sizes, masses or positions that are far too large"
        ) from None
    data = data.reshape((*shape, *cell))
    if field.role == "param" and kind is np.float32 and not np.isfinite(data).all():
        raise ModelError(f"model.{field.name}: {beyond(data)}")
    if field.role == "param":
        data = np.broadcast_to(data, (copies, *data.shape))
    return wp.array(np.ascontiguousarray(data), dtype=field.dtype, device=device)


def _copied(mj) -> dict:
    """Fields that keep MuJoCo's name and meaning; options with ``opt_`` in front."""
    out = {f.name: getattr(mj, f.name) for f in MODEL if hasattr(mj, f.name)}
    for f in MODEL:
        if f.name.startswith("opt_") and hasattr(mj.opt, f.name[4:]):
            out[f.name] = getattr(mj.opt, f.name[4:])
    out["opt_impratio_invsqrt"] = 1.0 / np.sqrt(mj.opt.impratio)
    out.setdefault("stat_meaninertia", mean_inertia(mj))
    return out


def mean_inertia(mj) -> float:
    """Mean diagonal of M at ``qpos0``, which tolerances are relative to. What a file says of it scales nothing, as in
    MuJoCo 4.0.
    """
    heavy = np.any(mj.tendon_armature) or np.any(getattr(mj, "actuator_armature", 0.0))
    return mj.stat.meaninertia if heavy or not len(mj.dof_M0) else np.mean(mj.dof_M0)
