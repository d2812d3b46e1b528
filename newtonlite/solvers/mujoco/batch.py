"""Batch: the worlds of one model on a device, and what is done with them: run programs, put worlds back, show arrays."""

import functools
import weakref
from collections.abc import Callable, Iterable

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.types import cell_shape
from newtonlite.solvers.mujoco import model_constants, pipeline
from newtonlite.solvers.mujoco.assigned import host_numbers
from newtonlite.solvers.mujoco.data import FIELDS, EngineData, fit, make_data
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.executor.views import as_numbers
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.state_io.reset import choose_rows, choose_rows_by_number, choose_worlds
from newtonlite.solvers.mujoco.model import EngineModel
from newtonlite.solvers.mujoco.start import Start

OF_THE_SCENE = (
    "nq nv nu na nactuator nbody njnt ngeom nsite ncam nlight ntendon nwrap neq nmocap nsensordata nhistory".split()
)
"""Sizes that neither options nor parameters change."""
WIDTHS = {"nvp": "nv", "njp": "njmax"}
DENSE_WIDTHS = {"nMcol": "nv", "nJcol": "nv", "ntenJcol": "nv"}
"""Padded sizes, and those without the pad; the latter of matrices that may be sparse."""
MOST_SCHEDULES = 16
"""Schedules that are kept for a batch, which may be used with several models."""
MOST_VIEWS = 64


class Batch:
    """``nworld`` worlds of an engine model: its data, the schedule that runs programs over them, and views of arrays.

    The capacities ``nconmax``, ``njmax``, ``nbpmax``, ``scratch`` and ``kept_fields`` are those of ``make_data``;
    ``running`` are arguments of the schedule. ``data`` may be replaced (``renew``); what hangs on it is then made anew.
    ``every`` is the mask of all worlds, which nobody writes to.
    """

    def __init__(
        self,
        model: EngineModel,
        nworld: int = 1,
        *,
        nconmax: int | None = None,
        njmax: int | None = None,
        nbpmax: int | None = None,
        scratch: str = "auto",
        kept_fields: tuple = (),
        **running,
    ):
        self._kept = {"scratch": scratch, "keep": kept_fields}
        self._begin(model, make_data(model, nworld, nconmax, njmax, nbpmax=nbpmax, **self._kept), running)

    @classmethod
    def around(cls, model: EngineModel, data: EngineData, **running) -> "Batch":
        """Another batch over data that there is."""
        batch = object.__new__(cls)
        batch._kept = {"scratch": data.scratch, "keep": data.kept_fields}
        batch._begin(model, data, running)
        return batch

    def _begin(self, model: EngineModel, data: EngineData, running: dict) -> None:
        self.model, self.nworld, self.device = model, data.nworld, model.device
        self._running = running
        self.recorded: list = []  # what graphs of the caller read
        self.launch = functools.partial(wp.launch, device=model.device)
        self._hosts: dict = {}
        self.every = wp.full(data.nworld, True, dtype=wp.bool, device=model.device)
        self._choice: wp.array | None = None
        self._take(data)

    def _take(self, data: EngineData) -> None:
        self.data, self._all_run = data, False
        self.__dict__.pop("schedule", None)
        self._schedules: dict = {}  # with the count of changes of the model, by model and sizes that were asked for
        self._views: dict = {}
        self._viewed = data.changes.count

    def __repr__(self):
        return f"Batch({self.data!r})"

    def renew(self, nconmax: int | None = None, njmax: int | None = None, nbpmax: int | None = None) -> None:
        """Make data with other capacities, at the start of all worlds."""
        self._take(make_data(self.model, self.nworld, nconmax, njmax, nbpmax=nbpmax, **self._kept))

    # programs

    @functools.cached_property
    def schedule(self) -> Schedule:
        """Schedule of the batch's own model."""
        return self.schedule_of(self.model)

    def schedule_of(self, m: EngineModel, **wanted: int) -> Schedule:
        """Schedule that runs programs over the worlds with the model ``m``; StateError where they do not belong together.

        ``wanted`` sizes or options take the place of the model's: stages that it has no use for then run all the same.
        """
        m.follow()
        if m.changes is not self.data.model.changes:
            self._check_scene(m)
        fit(m, self.data)  # takes the model over
        asked = tuple(sorted((n, v) for n, v in wanted.items() if m.sizes[n] != v))
        version, schedule = self._schedules.get((id(m.changes), asked), (-1, None))
        if schedule is None or asked and version != m.version:
            if len(self._schedules) >= MOST_SCHEDULES:
                self._schedules.clear()
            schedule = Schedule(m.variant(dict(asked)) if asked else m, self.data, **self._running)
            self._schedules[id(m.changes), asked] = m.version, schedule
        return schedule

    def _check_scene(self, m: EngineModel) -> None:
        """Raise StateError for a model of something else."""
        differ = [n for n in OF_THE_SCENE if m.sizes[n] != self.data.model.sizes[n]]
        if differ or m.device != self.device:
            what = ", ".join(differ) or "device"
            raise StateError(
                f"data: made for a model with other {what}; make it from the same model as put_model was given"
            )

    def run(self, program: str, count: int = 1, binding: dict | None = None, mask: wp.array | None = None) -> None:
        """Run a program of the schedule; with a ``mask`` one that was added as masked, for these worlds."""
        if mask is not None:
            self.copy_mask(mask)
        self.schedule.run(program, count, binding)

    def add(self, program: str, groups: Callable, *, masked: bool = False) -> None:
        """Add a program of groups of stages, which are ``groups(integrator)``."""
        self.schedule.add_step(program, groups, masked=masked)

    def copy_mask(self, mask: wp.array) -> None:
        """Take the worlds of a mask ``[nworld]`` as those that masked programs run for."""
        if mask is self.every and self._all_run:
            return
        self._all_run = mask is self.every
        chosen = self.data.arrays["world_mask"]
        if self.device.is_cpu and not self.device.is_capturing:
            self.host(chosen)[:] = self.host(mask)
        else:
            self.launch(choose_worlds, self.nworld, [mask, chosen], [])

    def set_const(self, mask: wp.array) -> None:
        """Recompute parameters that follow from others in the worlds of the mask; a forward pass then restores what a step
        leaves.
        """
        model_constants.prepare(self.model, self.nworld)
        self.add("masked_set_const", lambda integrator: (pipeline.SET_CONST,), masked=True)
        self.run("masked_set_const", 1, {"qpos": self.model.qpos0}, mask)

    # going back

    def choose(self, mask: wp.array | None, row: int = 0) -> wp.array:
        """Row 0 for the worlds of a mask of bools or numbers, -1 for the others; without a mask ``row`` for all. Kept until
        the next call, but where a graph is recorded.
        """
        if self._choice is None or self.device.is_capturing:
            with outside_capture(self.device):
                self._choice = wp.zeros(self.nworld, dtype=int, device=self.device)
            if self.device.is_capturing:
                self.recorded.append(self._choice)
        if mask is None:
            self._choice.fill_(row)
        else:
            kernel = choose_rows if mask.dtype in (wp.bool, bool) else choose_rows_by_number
            self.launch(kernel, self.nworld, [mask, self._choice], [])
        return self._choice

    def reset(self, choice: wp.array, start: Start | None = None, names: Iterable[str] | None = None) -> None:
        """Put worlds back to the rows of a start that they choose (``choose``); without one to the model's initial values,
        in the fields ``names`` (all when None).
        """
        if start is None:
            start = Start(self.model, self.data) if names is None else Start(self.model, self.data, names)
        if self.device.is_capturing:
            self.recorded.append(start)
        start.put(choice, self.launch)

    def carry(self, sources: list[tuple], worlds: np.ndarray, names: Iterable[str] | None = None) -> None:
        """Take over what worlds carry from step to step, and what callers set, or the fields ``names``, from other data.

        ``sources`` are pairs of a data and the numbers of its worlds; ``worlds`` are the numbers of the batch's own. A
        field that has another size there, or is not there for all worlds, stays as it is.
        """
        for name in names or carried(self.data):
            own = self.data.arrays[name]
            alike = [(d.arrays[name], n) for d, n in sources if name in d.arrays]
            alike = [(array, n) for array, n in alike if own.size and array.shape[1:] == own.shape[1:]]
            same = next((array for array, n in alike if np.array_equal(n, worlds)), None)
            if same is not None:
                wp.copy(own, same)
                continue
            rows = {w: row for array, n in alike for w, row in zip(n.tolist(), array.numpy(), strict=True)}
            if own.size and rows.keys() >= set(worlds.tolist()):
                own.assign(np.stack([rows[w] for w in worlds.tolist()]))

    # arrays

    def view(self, name: str):
        """A field of the data without the pad at the end of its rows; a number where it is one. StateError where it is not
        kept per world.
        """
        if self._viewed != self.data.changes.count:
            self._viewed = self.data.changes.count
            self._views.clear()
        if name not in self._views:
            value = getattr(self.data, name)
            if not isinstance(value, wp.array):
                return value
            self._views[name] = self.unpadded(name, value)
        return self._views[name]

    def unpadded(self, name: str, array: wp.array) -> wp.array:
        """An array of a field without the pad at the end of its rows."""
        known = WIDTHS if self.data.model.nsparse else WIDTHS | DENSE_WIDTHS
        width = known.get((FIELDS[name].dims or "").split(" ")[-1])
        if width is None or array.size == 0:
            return array
        n = self.data.njmax if width == "njmax" else self.data.model.nv
        shape = (*array.shape[:-1], n)
        if not n:
            return wp.zeros(shape, dtype=array.dtype, device=array.device)
        if array.size == array.shape[-1]:  # one row is contiguous, and can be copied as such
            row = wp.array(ptr=array.ptr, dtype=array.dtype, shape=shape, device=array.device, capacity=array.capacity)
            row.owner = array
            return row
        return array[(slice(None),) * (array.ndim - 1) + (slice(0, n),)]

    def as_numbers(self, name: str) -> wp.array:
        """A field as numbers ``[nworld, n]``, without its pad and without a copy; whole numbers stay such."""
        array = getattr(self.data, name)
        array = self.view(name) if array.ndim == 2 else array
        return as_numbers(array, array.dtype if array.dtype in (int, wp.int32) else float)

    def write(self, name: str, value) -> None:
        """Copy numbers into a field; a pad of zeros may be among them. StateError for another shape."""
        write(f"data.{name}", self.view(name), value)

    def host(self, array: wp.array) -> np.ndarray:
        """An array as NumPy; on the CPU a view, which is there as long as the array is."""
        known = self._hosts.get(id(array))
        if known is not None and known[0]() is array:
            return known[1]
        values = array.numpy()
        if self.device.is_cpu:
            if len(self._hosts) >= MOST_VIEWS:
                self._hosts.clear()
            self._hosts[id(array)] = weakref.ref(array), values
        return values

    def copy(self, target: wp.array, source: wp.array) -> None:
        """Copy an array onto one of its shape."""
        if self.device.is_cpu and not self.device.is_capturing:
            self.host(target)[...] = self.host(source)
        else:
            wp.copy(target, source)


def write(where: str, target: wp.array, value) -> None:
    """Copy numbers into an array; a pad of zeros may be among them. StateError for another shape or type."""
    if isinstance(value, wp.array) and value.shape == target.shape and value.dtype == target.dtype:
        wp.copy(target, value)
        return
    values = host_numbers(where, value, target.dtype, StateError)
    shape = (*target.shape, *cell_shape(target.dtype))
    if values.ndim == len(shape) and all(a >= b for a, b in zip(values.shape, shape)):
        inner = values[tuple(slice(0, n) for n in shape)]
        values = inner if np.count_nonzero(values) == np.count_nonzero(inner) else values  # a pad of zeros
    if values.shape != shape:
        raise StateError(f"{where}: expected shape {shape}, got {values.shape}")
    kind = np.int32 if target.dtype is wp.int32 else np.float32
    wp.copy(target, wp.array(np.ascontiguousarray(values, kind), dtype=target.dtype, device=target.device))


def carried(d: EngineData) -> list[str]:
    """Arrays that a world carries from step to step, and those that callers set."""
    return [f.name for f in FIELDS.values() if f.role in ("state", "input") and f.name in d.arrays]
