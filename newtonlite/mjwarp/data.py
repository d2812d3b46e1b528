"""``Data``: the engine's data as MuJoCo Warp shows it, and the ways between it and a host ``mujoco.MjData``."""

import functools
import sys

import numpy as np
import warp as wp

from newtonlite.core.errors import CapacityError, NotKeptError, StateError
from newtonlite.core.types import cell_shape
from newtonlite.mjwarp.contacts import OPTIONAL, SOFT, ContactView, EfcRows, rows_of
from newtonlite.mjwarp.declared import of_data
from newtonlite.mjwarp.from_host import fill_worlds, has_sparse_rows, jacobian_into, put_results
from newtonlite.mjwarp.host_version import of_version
from newtonlite.mjwarp.island_lists import LISTS, SLEEP, never_asleep
from newtonlite.mjwarp.islands import FIELDS as ISLANDS
from newtonlite.mjwarp.islands import find_islands, islands_into
from newtonlite.mjwarp.kept_fields import engine_fields
from newtonlite.mjwarp.layout import ENGINES, GROUPS, LAYOUTS, WRITTEN
from newtonlite.mjwarp.reset import reset_worlds
from newtonlite.mjwarp.start_frames import put_frames_at
from newtonlite.mjwarp.typed_views import engine_form, typed_view
from newtonlite.mjwarp.written_rows import COUNTS, follow_counts
from newtonlite.solvers.mujoco import data as engine
from newtonlite.solvers.mujoco import model as engine_model
from newtonlite.solvers.mujoco.batch import Batch, write
from newtonlite.solvers.mujoco.data import FIELDS
from newtonlite.solvers.mujoco.data_view import DataView
from newtonlite.solvers.mujoco.executor.schedule import Schedule

MADE = tuple(name for name in LAYOUTS if name not in ENGINES)
NOT_HOST = ("efm_as", "efm_ts", "nJ", "ncon", "nefc", "ne", "nf", "nl", "solver_niter", "time")


@of_data
class Data(DataView):
    """State, inputs and results of ``nworld`` worlds; ``d.qpos`` is a Warp array ``[nworld, nq]``.

    Arrays stay where they are: assigning to a field copies the numbers. ``contact``, ``efc`` and the arrays of
    ``layout.LAYOUTS`` (sparse matrices, points of tendons' paths) are made anew from the engine's when they are read.
    """

    def __init__(self, batch: Batch):
        super().__init__(batch)
        made = batch.data
        self.naconmax = made.nworld * made.nconmax
        self.naccdmax = self.naconmax  # capacity for contacts of the convex search: all
        self._filtered = None
        self._changes = made.changes.count
        self._last: dict = {}  # what a function did the last time it was called
        self._layouts: dict = {}  # arrays in MuJoCo Warp's form, and index arrays of their entries
        self.handed: dict = {}  # contacts that were read since the last program, by field
        width = int(getattr(made.model.source, "nuserdata", 0))
        self.userdata = wp.zeros((made.nworld, width), dtype=float, device=made.device)
        self.undone: set = set()  # arrays that the last programs left to be computed when they are read

    def __getattr__(self, name):
        if name.startswith("_") or "batch" not in self.__dict__:
            raise AttributeError(name)
        if self._changes != self.engine.changes.count:
            self._changes = self.engine.changes.count
            self._layouts.clear()
        if name == "nefc":  # rows asked for, also those that have no room, as MuJoCo Warp counts them
            return self.batch.view("nefc_needed")
        if name in LAYOUTS:
            self._layouts[name] = LAYOUTS[name](self, self._layouts.get(name))
            return self._layouts[name]
        if name in SLEEP and not self.engine.model.nsleep:
            self._layouts[name] = never_asleep(name)(self, self._layouts.get(name))
            return self._layouts[name]
        if name in ISLANDS:
            find_islands(self)
        if name == "efc_J":
            rows = rows_of(self.engine)
            if self.engine.model.nsparse:
                return rows
        if name in self.engine.private:
            raise NotKeptError(
                f"data.{name}: scratch of the solvers and of collision, which a step does not leave per world"
            )
        return typed_view(name, self.batch.view(name))

    def __setattr__(self, name, value):
        if name in WRITTEN and name not in self.engine.private:
            WRITTEN[name](self, value)
        elif name in COUNTS and "efc_cost" in self.engine.arrays:
            before = wp.clone(self.engine.nefc)
            super().__setattr__("nefc_needed" if name == "nefc" else name, value)
            follow_counts(self, before)
        elif name in MADE:
            raise StateError(f"data.{name}: made from other arrays when it is read; nothing can be written into it")
        elif name == "userdata" and name in self.__dict__:
            write("data.userdata", self.userdata, value)
        else:
            super().__setattr__(name, engine_form(name, value))

    def __repr__(self):
        return f"mjwarp.{self.engine!r}"

    def layout_group(self, name: str) -> tuple:
        """Arrays of ``layout.GROUPS``, as they are now."""
        self._layouts[name] = GROUPS[name](self, self._layouts.get(name))
        return self._layouts[name]

    def kept_index(self, name: str, values: np.ndarray | None) -> wp.array:
        """A table of whole numbers on the device, made once; None where it is there for sure."""
        if name not in self._layouts:
            self._layouts[name] = wp.array(np.ascontiguousarray(values), dtype=int, device=self.engine.device)
        return self._layouts[name]

    def put_contacts_back(self, m) -> None:
        """Take over what was written into ``contact`` since the last program, for the next one with this model."""
        handed = dict(self.handed)
        self.schedule(m)
        for name, contacts in handed.items():
            contacts.put_back(name)

    def run(self, m, name: str, stages: tuple) -> None:
        """Run stages for all worlds, as the program of this name."""
        schedule = self.schedule(m)
        schedule.add(name, stages)
        schedule.run(name)

    @property
    def njmax_pad(self) -> int:
        """Rows of one world, rounded up to whole vectors."""
        return self.engine.njp

    @property
    def njmax_nnz(self) -> int:
        """Entries of one world's ``efc.J`` for which there is room: all."""
        return self.engine.njmax * self.engine.model.nv

    @property
    def nvmax(self) -> int:
        """Degrees of freedom of awake trees for which there is room: all."""
        return self.engine.model.nv

    @property
    def contact(self) -> ContactView:
        """Contacts of all worlds, one after the other, as they are now; within a contact filter always the same, which
        it may change.
        """
        return self.__dict__.get("_filtered") or ContactView(self)

    @property
    def nacon(self) -> wp.array:
        """Contacts of all worlds together, ``[1]``."""
        return ContactView(self).nacon

    @property
    def efc(self) -> EfcRows:
        """Constraint rows, ``[nworld, njmax]``."""
        return EfcRows(self)

    def schedule(self, m, **wanted: int) -> Schedule:
        """Schedule that runs programs for this data with the model ``m``; StateError where they do not belong together.

        ``wanted`` sizes or options take the place of the model's: stages that it has no use for then run all the same.
        """
        self.handed.clear()
        return self.batch.schedule_of(m, **wanted)

    def remember(self, m, name: str, schedule: Schedule, undone: tuple) -> None:
        """Keep the program that the function ``name`` runs as long as nothing changes."""
        self._last[name] = m, m.changes.count + m.settings.count + self.engine.changes.count, schedule, undone

    def again(self, m, name: str) -> bool:
        """Do what the function ``name`` did the last time, unless something has changed since that may decide what it
        is; whether it is done.
        """
        known = self._last.get(name)
        if known is None or known[0] is not m or m.callback.active:
            return False
        if m.lent or m.list_copies:
            m.follow()
        if known[1] != m.changes.count + m.settings.count + self.engine.changes.count:
            return False
        self.handed.clear()
        known[2].run(name)
        self.undone.update(known[3])
        return True


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
    kept_fields: tuple[str, ...] = (),
    threads: int | None = None,
    device=None,
) -> Data:
    """Data of ``nworld`` worlds at qpos0.

    ``mjm`` is what ``put_model`` was given, or its result. ``nconmax`` and ``njmax`` are capacities per world,
    ``naconmax`` of all worlds together; ``nccdmax``, ``naccdmax``, ``njmax_nnz`` and ``nvmax`` limit arrays that this
    engine does not have: they are checked and not used. ``scratch="shared"`` keeps results between stages in the cache of the CPU,
    which is faster; only state, inputs, outputs and the ``kept_fields`` (names such as ``"xpos"``, and ``"contact"``, ``"efc"``
    for all of them) can then be read. ``threads`` of the CPU step the worlds (all cores when None). Raises CapacityError
    for counts that are not positive or beyond int32 indexing, StateError for names that cannot be kept alone.
    """
    m = mjm if isinstance(mjm, engine_model.EngineModel) else engine_model.put_model(of_version(mjm), device=device)
    engine_model.check_count("nworld", nworld, 1)
    unused = {"nccdmax": nccdmax, "naccdmax": naccdmax, "njmax_nnz": njmax_nnz, "nvmax": nvmax}
    for name, value in unused.items():
        if value is not None:
            engine_model.check_count(name, value, 0)
    if nvmax is not None and nvmax > m.nv:
        raise StateError(f"nvmax ({nvmax}) must be in [0, nv ({m.nv})]")
    for few, many, names in ((nccdmax, nconmax, "nccdmax nconmax"), (naccdmax, naconmax, "naccdmax naconmax")):
        if few is not None and many is not None and few > many:
            raise StateError("{0}: {2} is more than {1}={3}".format(*names.split(), few, many))
    if naconmax is not None:
        engine_model.check_count("naconmax", naconmax, 0)
        nconmax = -(-naconmax // nworld)
    keep = engine_fields(kept_fields)
    batch = Batch(m, nworld, nconmax=nconmax, njmax=njmax, scratch=scratch, kept_fields=keep, threads=threads)
    batch.data.private = engine.PRIVATE if scratch == "per_world" else batch.data.private
    d = Data(batch)
    if naccdmax is not None or nccdmax is not None:
        d.naccdmax = nccdmax * nworld if naccdmax is None else naccdmax
    return d


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
    threads: int | None = None,
    device=None,
) -> Data:
    """Data whose worlds all begin with the state, inputs, results, contacts and rows of ``mjd``.

    Raises CapacityError where the contacts or rows of ``mjd`` would not fit.
    """
    for name, most, has in (("nconmax", nconmax, mjd.ncon), ("njmax", njmax, mjd.nefc)):
        if most is not None and most < has:
            raise CapacityError(f"{name}={most}: the data given has {has}; make room for them")
    if naconmax is not None and naconmax < nworld * mjd.ncon:
        raise CapacityError(f"naconmax={naconmax}: {nworld} worlds of the data given have {nworld * mjd.ncon}")
    checked = {"naccdmax": naccdmax, "njmax_nnz": njmax_nnz, "nvmax": nvmax}
    make = functools.partial(make_data, mjm, nworld, **checked, scratch=scratch, threads=threads, device=device)
    d = make(nconmax, nccdmax, njmax, naconmax=naconmax)
    if mjd.ncon > d.engine.nconmax or mjd.nefc > d.engine.njmax:
        d = make(max(mjd.ncon, d.engine.nconmax), nccdmax, max(mjd.nefc, d.engine.njmax))
    for name, array in d.engine.arrays.items():
        if FIELDS[name].role == "bound" or name in (*NOT_HOST, *ISLANDS, *MADE) or not hasattr(mjd, name):
            continue
        value = np.asarray(getattr(mjd, name))
        cell = int(np.prod(cell_shape(array.dtype), dtype=int))
        view = d.batch.unpadded(name, array)
        if view.size and value.size == view.size // nworld * cell:
            fill_worlds(view, value.reshape((*view.shape[1:], *cell_shape(array.dtype))), nworld)
    if not np.any(mjd.xquat):  # nothing has run on it
        put_frames_at(d, mjd.qpos)
    d.time.fill_(float(mjd.time))
    if d.userdata.size:
        fill_worlds(d.userdata, mjd.userdata, nworld)
    if scratch == "per_world":
        put_results(mjm, mjd, d)
    if d.engine.model.nsleep:  # what sleeps there sleeps on
        for name, value in (("asleep_qpos", mjd.qpos), ("asleep_xpos", mjd.xpos), ("asleep_xquat", mjd.xquat)):
            fill_worlds(getattr(d, name), value, nworld)
        d.sleep_fresh.zero_()
    return d


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
            or name in (*NOT_HOST, *ISLANDS, *MADE)
            or name.startswith(("efc_", "contact_"))
            or not hasattr(result, name)
        ):
            continue
        _into(result, d, name, world_id)
    if d.engine.scratch == "per_world":
        for name in MADE:
            if name not in (*LISTS, "qH") and np.ndim(getattr(result, name, 0)):
                _into(result, d, name, world_id)
        if d.engine.model.ndiscretedof:  # MuJoCo keeps the factor in place
            result.qH[:] = d.qHLD.numpy()[world_id]
    if "efc_island" in d.engine.arrays:
        islands_into(result, d, world_id)
    result.userdata[:] = d.userdata.numpy()[world_id]
    result.time = float(d.time.numpy()[world_id])
    result.solver_niter[0] = int(d.solver_niter.numpy()[world_id])


def _into(result, d: Data, name: str, world: int) -> None:
    """Write one world's numbers into an array of the same size."""
    target, value = getattr(result, name), getattr(d, name).numpy()[world]
    if target.size == value.size:
        target[...] = value.reshape(target.shape)


def _contacts_into(result, mjm, d: Data, world: int) -> None:
    """Contacts and rows of one world, where the data keeps them."""
    if "contact_dist" not in d.engine.arrays:
        return
    ncon, nefc = int(d.ncon.numpy()[world]), int(d.engine.nefc.numpy()[world])
    rows = EfcRows(d)
    J = d.efc_J.numpy()[world, :nefc]
    nJ = int(np.count_nonzero(J)) if has_sparse_rows(mjm) else J.size
    if ncon != result.ncon or nefc != result.nefc or nJ > result.efc_J.size:
        sys.modules["mujoco"]._functions._realloc_con_efc(result, ncon=ncon, nefc=nefc, nJ=nJ)
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
    if d.engine.model.nflexgroup:
        for name in SOFT:
            getattr(result.contact, name)[...] = getattr(d.engine, f"contact_{name}").numpy()[world, :ncon]
    for name in (name for name in OPTIONAL if hasattr(result.contact, name)):
        value = getattr(d, f"contact_{name}").numpy()[world, :ncon]
        getattr(result.contact, name)[...] = value if len(value) == ncon else 0.0
    for name in ("pos", "margin", "D", "aref", "frictionloss", "force", "vel", "type", "id"):
        getattr(result, f"efc_{name}")[...] = getattr(rows, name).numpy()[world, :nefc]
    jacobian_into(result, mjm, J)


def reset_data(m, d: Data, reset: wp.array | None = None) -> None:
    """Put all worlds, or those with a true entry in ``reset [nworld]``, back to qpos0 at rest. On the device.

    Raises StateError for a mask of another shape or type.
    """
    reset_worlds(m, d, reset, None)


def reset_data_keyframe(m, d: Data, key: int | wp.array) -> None:
    """Put worlds back to a keyframe: one for all, or ``[nworld]`` whole numbers, where -1 leaves a world as it is.

    Raises StateError for a keyframe that does not exist.
    """
    if key is None:
        raise StateError("key must be an int or a wp.array, got None; reset_data goes to the reference pose")
    reset_worlds(m, d, None, key)
