"""``Data``: the engine's data as MuJoCo Warp shows it, and the ways between it and a host ``mujoco.MjData``."""

import sys

import numpy as np
import warp as wp

from newtonlite.core.errors import CapacityError, StateError
from newtonlite.mjwarp.contacts import OPTIONAL, Contacts, Rows, clear
from newtonlite.mjwarp.islands import FIELDS as ISLANDS
from newtonlite.mjwarp.islands import find_islands, islands_into
from newtonlite.mjwarp.reset import reset_worlds
from newtonlite.mjwarp.strings import tendons_into
from newtonlite.solvers.mujoco import data as engine
from newtonlite.solvers.mujoco import model as engine_model
from newtonlite.solvers.mujoco.data import FIELDS
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.executor.specialize import features

WIDTHS = {"nvp": "nv", "njp": "njmax"}
NOT_HOST = ("M", "ncon", "nefc", "ne", "nf", "nl", "solver_niter", "time")
NO_SPARSE = ("actuator_moment", "ten_J")


class Data:
    """State, inputs and results of ``nworld`` worlds; ``d.qpos`` is a Warp array ``[nworld, nq]``.

    Fields are written into (``assign``, ``wp.copy``, kernels), not replaced. ``contact`` and ``efc`` are views under
    MuJoCo Warp's names.
    """

    def __init__(self, made: engine.Data):
        self.engine, self.nworld = made, made.nworld
        self.naconmax = made.nworld * made.nconmax
        self._views: dict = {}
        self._filtered: Contacts | None = None
        self._schedules: dict = {}
        self.held: list = []  # arrays that graphs of the caller read

    def __getattr__(self, name):
        if name.startswith("_") or "engine" not in self.__dict__:
            raise AttributeError(name)
        if name in ISLANDS:
            find_islands(self)
        if name == "efc_J":
            e = self.engine
            wp.launch(clear, e.efc_J.shape, [e.nefc, e.efc_block], [e.efc_J], device=e.device)
        if name not in self._views:
            value = getattr(self.engine, name)
            if not isinstance(value, wp.array):
                return value
            self._views[name] = self._unpadded(name, value)
        return self._views[name]

    def __setattr__(self, name, value):
        if name in FIELDS:
            raise StateError(
                f"data.{name}: arrays stay where they are; write into it with data.{name}.assign(values) or wp.copy"
            )
        super().__setattr__(name, value)

    def __repr__(self):
        return f"mjwarp.{self.engine!r}"

    def _unpadded(self, name: str, array: wp.array) -> wp.array:
        """The array without the pad at the end of its rows."""
        width = WIDTHS.get((FIELDS[name].dims or "").split(" ")[-1])
        if width is None or array.size == 0:
            return array
        n = self.njmax if width == "njmax" else self.engine.model.nv
        return (
            array[(slice(None),) * (array.ndim - 1) + (slice(0, n),)]
            if n
            else wp.zeros((*array.shape[:-1], 0), dtype=array.dtype, device=array.device)
        )

    @property
    def contact(self) -> Contacts:
        """Contacts of all worlds, one after the other, as they are now; within a contact filter always the same, which
        it may change.
        """
        return self.__dict__.get("_filtered") or Contacts(self)

    @property
    def nacon(self) -> wp.array:
        """Contacts of all worlds together, ``[1]``."""
        return Contacts(self).nacon

    @property
    def efc(self) -> Rows:
        """Constraint rows, ``[nworld, njmax]``."""
        return Rows(self)

    def schedule(self, m, **wanted: int) -> Schedule:
        """What runs programs for this data with the model ``m``; StateError where they do not belong together.

        ``wanted`` sizes or options take the place of the model's: stages that it has no use for then run all the same.
        """
        if m is not self.engine.model:
            self._rebind(m)
        asked = tuple(sorted((n, v) for n, v in wanted.items() if m.sizes[n] != v))
        key = (id(m), m.version if asked else 0, features(m))
        if self._schedules.get(asked, (None,))[0] != key:
            self._schedules[asked] = (key, self._made_for(m, dict(asked)))
        return self._schedules[asked][1]

    def _made_for(self, m, asked: dict) -> Schedule:
        """A schedule for the model as it is, or for one with other sizes over the same arrays."""
        if not asked:
            return Schedule(m, self.engine)
        self.engine.model = engine_model.Model({**m.sizes, **asked}, m.arrays, m.device, m.source)
        try:
            return Schedule(self.engine.model, self.engine)
        finally:
            self.engine.model = m

    def _rebind(self, m) -> None:
        """Use the data with another model of the same sizes."""
        differ = [n for n, v in m.sizes.items() if not n.startswith("opt_") and self.engine.model.sizes.get(n) != v]
        if differ or m.device != self.engine.device:
            what = ", ".join(differ) or "device"
            raise StateError(
                f"data: made for a model with other {what}; make it from the same model as put_model was given"
            )
        self.engine.model = m


def make_data(
    mjm,
    nworld: int = 1,
    nconmax: int | None = None,
    nccdmax: int | None = None,
    njmax: int | None = None,
    njmax_nnz: int | None = None,
    naconmax: int | None = None,
    naccdmax: int | None = None,
    nvmax: int | None = None,
    *,
    scratch: str = "per_world",
    device=None,
) -> Data:
    """Data of ``nworld`` worlds at qpos0.

    ``mjm`` is what ``put_model`` was given, or its result. ``nconmax`` and ``njmax`` are capacities per world,
    ``naconmax`` of all worlds together; ``nccdmax``, ``naccdmax``, ``njmax_nnz`` and ``nvmax`` limit arrays that this
    engine does not have and are not used. ``scratch="shared"`` keeps results between stages in the cache of the CPU,
    which is faster; only state, inputs and outputs can then be read. Raises CapacityError for counts that are not
    positive or beyond int32 indexing.
    """
    m = mjm if isinstance(mjm, engine_model.Model) else engine_model.put_model(mjm, device=device)
    engine_model.check_count("nworld", nworld, 1)
    if naconmax is not None:
        engine_model.check_count("naconmax", naconmax, 0)
        nconmax = -(-naconmax // nworld)
    return Data(engine.make_data(m, nworld, nconmax, njmax, scratch=scratch))


def put_data(
    mjm,
    mjd,
    nworld: int = 1,
    nconmax: int | None = None,
    nccdmax: int | None = None,
    njmax: int | None = None,
    njmax_nnz: int | None = None,
    naconmax: int | None = None,
    naccdmax: int | None = None,
    nvmax: int | None = None,
    *,
    scratch: str = "per_world",
    device=None,
) -> Data:
    """Data whose worlds all begin with the state, inputs and results of ``mjd``; contacts and rows come with the first
    ``forward``.

    Raises CapacityError where the contacts or rows of ``mjd`` would not fit.
    """
    for name, most, has in (("nconmax", nconmax, mjd.ncon), ("njmax", njmax, mjd.nefc)):
        if most is not None and most < has:
            raise CapacityError(f"{name}={most}: the data given has {has}; make room for them")
    d = make_data(mjm, nworld, nconmax, None, njmax, naconmax=naconmax, scratch=scratch, device=device)
    for name, array in d.engine.arrays.items():
        if FIELDS[name].role == "bound" or name in (*NOT_HOST, *ISLANDS) or not hasattr(mjd, name):
            continue
        value = np.asarray(getattr(mjd, name))
        view = getattr(d, name)
        cell = int(np.prod(getattr(array.dtype, "_shape_", ()), dtype=int))
        if view.size and value.size == view.size // nworld * cell:
            _fill(view, value, nworld)
    d.time.fill_(float(mjd.time))
    if d.engine.model.nsleep:  # what sleeps there sleeps on
        for name, value in (("asleep_qpos", mjd.qpos), ("asleep_xpos", mjd.xpos), ("asleep_xquat", mjd.xquat)):
            _fill(getattr(d, name), value, nworld)
        d.sleep_fresh.zero_()
    return d


def _fill(array: wp.array, value: np.ndarray, nworld: int) -> None:
    """Write the same numbers into every world of an array."""
    shape = (*array.shape[1:], *getattr(array.dtype, "_shape_", ()))
    kind = np.int32 if array.dtype in (int, wp.int32) else np.float32
    rows = np.broadcast_to(value.astype(kind).reshape(shape), (nworld, *shape))
    wp.copy(array, wp.array(np.ascontiguousarray(rows), dtype=array.dtype, device=array.device))


def get_data_into(result, mjm, d: Data, world_id: int = 0) -> None:
    """Write one world's state, inputs, results, contacts and rows into a host ``mujoco.MjData``.

    Raises StateError for a world that does not exist.
    """
    if not 0 <= world_id < d.nworld:
        raise StateError(f"world_id={world_id}: the data has worlds 0 to {d.nworld - 1}")
    _contacts_into(result, mjm, d, world_id)
    for name in d.engine.arrays:
        if (
            FIELDS[name].role == "bound"
            or name in (*NOT_HOST, *ISLANDS)
            or name.startswith(("efc_", "contact_"))
            or not hasattr(result, name)
        ):
            continue
        target = getattr(result, name)
        value = getattr(d, name).numpy()[world_id]
        if target.size == value.size and name not in NO_SPARSE:
            target[...] = value.reshape(target.shape)
    tendons_into(result, mjm, d, world_id)
    if "efc_island" in d.engine.arrays:
        islands_into(result, d, world_id)
    result.time = float(d.time.numpy()[world_id])
    result.solver_niter[0] = int(d.solver_niter.numpy()[world_id])


def _contacts_into(result, mjm, d: Data, world: int) -> None:
    """Contacts and rows of one world, where the data keeps them."""
    if "contact_dist" not in d.engine.arrays:
        return
    ncon, nefc = int(d.ncon.numpy()[world]), int(d.nefc.numpy()[world])
    if ncon != result.ncon or nefc != result.nefc:
        sys.modules["mujoco"]._functions._realloc_con_efc(result, ncon=ncon, nefc=nefc, nJ=nefc * mjm.nv)
    for name in ("ne", "nf", "nl"):
        setattr(result, name, int(getattr(d, name).numpy()[world]))
    for name in (
        "dist",
        "includemargin",
        "friction",
        "solref",
        "solreffriction",
        "solimp",
        "dim",
        "geom",
        "efc_address",
        "pos",
        "frame",
    ):
        value = getattr(d, f"contact_{name}").numpy()[world, :ncon]
        getattr(result.contact, name)[...] = value.reshape(np.shape(getattr(result.contact, name)))
    for name in OPTIONAL:
        value = getattr(d, f"contact_{name}").numpy()[world, :ncon]
        getattr(result.contact, name)[...] = value if len(value) == ncon else 0.0
    rows = Rows(d)
    for name in ("pos", "margin", "D", "aref", "frictionloss", "force", "vel", "type", "id"):
        getattr(result, f"efc_{name}")[...] = getattr(rows, name).numpy()[world, :nefc]
    if result.efc_J.size == nefc * mjm.nv:
        result.efc_J[...] = rows.J.numpy()[world, :nefc].reshape(result.efc_J.shape)


def reset_data(m, d: Data, reset: wp.array | None = None) -> None:
    """Put all worlds, or those with a true entry in ``reset [nworld]``, back to qpos0 at rest. On the device.

    Raises StateError for a mask of another shape or type.
    """
    reset_worlds(m, d, reset, None)


def reset_data_keyframe(m, d: Data, key: int | wp.array) -> None:
    """Put worlds back to a keyframe: one for all, or ``[nworld]`` whole numbers, where -1 leaves a world as it is.

    Raises StateError for a keyframe that does not exist.
    """
    reset_worlds(m, d, None, key)
