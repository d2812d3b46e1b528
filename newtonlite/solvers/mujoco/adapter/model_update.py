"""Updates of an engine's parameters from the scene's model, on the device, for every flag of ``notify_model_changed``.

All rows of ``solvers/mujoco/bindings`` that the flags name are launched, and what follows from masses and reference
poses is recomputed. What holds between things in the reference pose (``RELATIONS``) stays while that does. What is written has one copy per world from the first time on, so that later calls allocate nothing
and can be recorded in a graph. Worlds in which nothing changed keep all their bits.
"""

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.schema.columns import columns
from newtonlite.sim.attributes import find_attribute
from newtonlite.sim.namespace.registration import DTYPES
from newtonlite.solvers.mujoco import model_constants, pipeline
from newtonlite.solvers.mujoco.adapter.numeric_views import width_of, width_of_attribute
from newtonlite.solvers.mujoco.adapter.reference_pose import RELATIONS
from newtonlite.solvers.mujoco.adapter.structure_check import StructureCheck
from newtonlite.solvers.mujoco.bindings import BINDS, DERIVED, Bind, Derived, body
from newtonlite.solvers.mujoco.bindings.flags import SHAPE, WEIGHT
from newtonlite.solvers.mujoco.bindings.geom import override
from newtonlite.solvers.mujoco.bindings.option import GRAVITY
from newtonlite.solvers.mujoco.bindings.table import move_words, selection, values_of
from newtonlite.solvers.mujoco.bindings.update_kernel import UpdateKernel
from newtonlite.solvers.mujoco.compile.worlds import kind_of
from newtonlite.solvers.mujoco.data import INITIAL
from newtonlite.solvers.mujoco.executor.views import as_numbers, share
from newtonlite.solvers.mujoco.kernels.state_io.model_update import (
    mark_changed,
    move_flags,
    restore_rows,
    restore_ties,
    wake_changed,
)

REFERENCE = frozenset(("qpos0", "qpos_spring"))
"""Fields that are the reference pose, of bodies and of springs."""


class ModelUpdater:
    """Device copies of the tables that updates need; made for one compiled model of an engine."""

    def __init__(self, engine):
        self.engine, self.model, self.device, self.nworld = engine, engine.model, engine.device, engine.nworld
        self.mj = engine.mj_model
        self.asleep, self.override = engine.mjw_model.nsleep > 0, bool(override(self.mj))
        self.ratio = bool(np.any(np.asarray(self.mj.actuator_dampratio) > 0))
        self.changed = wp.zeros(self.nworld, dtype=int, device=self.device)
        self.reference = wp.zeros(self.nworld, dtype=int, device=self.device)
        self.unmarked = wp.zeros(self.nworld, dtype=int, device=self.device)
        self.roots = self._reference_roots()
        self.watch = StructureCheck(self)
        self._found: dict = {}
        self._tables: dict = {}
        self._backups: dict = {}
        self.followed: set[int] = set()  # flags whose arrays are allocated

    def _reference_roots(self) -> dict:
        """Poses of the mocap bodies in the reference pose, by field of the data."""
        m, d = self.engine.mjw_model, self.engine.mjw_data
        initial = {name: INITIAL[name](m) for name in ("mocap_pos", "mocap_quat") if m.nmocap}
        rows = {name: np.broadcast_to(v, (self.nworld, v.shape[1])) for name, v in initial.items()}
        return {
            name: wp.array(v.reshape(self.nworld, m.nmocap, -1), dtype=d.arrays[name].dtype, device=self.device)
            for name, v in rows.items()
        }

    # arrays of the scene and of the engine

    def has(self, name: str) -> bool:
        """Whether the scene carries an attribute."""
        space, _, key = name.rpartition(":")
        return getattr(getattr(self.model, space, None) if space else self.model, key, None) is not None

    def rows(self, name: str) -> wp.array:
        """An attribute of the model with one row per world; its default everywhere where the model lacks it."""
        if not self.has(name):
            return self._default(name)
        array = find_attribute(self.model, name)
        key = (name, array.ptr)
        if key not in self._found:
            self._found[key] = self.engine.rows.bring(array, kind_of(self.model.get_attribute_frequency(name)))
        rows, copy = self._found[key]
        if copy is not None:
            copy.fill()
        return rows

    def words(self, name: str, dtype=float) -> wp.array:
        """The same, number by number."""
        return as_numbers(self.rows(name), dtype)

    def _default(self, name: str) -> wp.array:
        """The default for everything of a world."""
        if name not in self._found:
            values = self.engine.worlds_view.read(name)
            dtype = DTYPES[columns()[name.partition(":")[2]].dtype]
            one = wp.array(values[None] if len(values) else [[0]], dtype=dtype, device=self.device)
            self._found[name] = share(one, self.nworld)
        return self._found[name]

    def field(self, name: str) -> wp.array:
        """An array of the engine."""
        if name == "geom_gains":
            return self.engine.binding.fixed[name]
        arrays = self.engine.mjw_model.arrays
        return arrays[name] if name in arrays else getattr(self.engine.mjw_data, name)

    def table(self, values) -> wp.array:
        """Integers on the device."""
        return wp.array(np.ascontiguousarray(values, np.int32), dtype=int, device=self.device)

    # rows of the bindings

    def tables(self, row: Bind | Derived) -> tuple[int, dict]:
        """(number of things, device tables by name) of a row; made once."""
        if row not in self._tables:
            values = self._words_of(row) if isinstance(row, Bind) else row.tables(self.mj)
            count, kinds = len(next(iter(values.values()))), kernel_of(row).kinds
            made = {k: wp.array(v, dtype=kinds.get(k, int), device=self.device) for k, v in values.items() if count}
            self._tables[row] = (count, made)
        return self._tables[row]

    def _words_of(self, bind: Bind) -> dict:
        """Tables of ``move_words``: words of the field, words of the attribute, factors, rows of what is added."""
        width = width_of(self.field(bind.field))
        of_width = width_of_attribute(find_attribute(self.model, bind.attribute))
        rows = values_of(bind.rows, self.mj).astype(int)
        parts = bind.parts or tuple((k, k, 1.0) for k in range(min(width, of_width)))
        things = np.flatnonzero(rows >= 0)
        to, of, factor = (np.array(x) for x in zip(*parts, strict=True))
        chosen = np.ones((len(rows), width), bool) & ~selection(bind.unless, self.mj, width)
        chosen &= selection(bind.mask, self.mj, width) if bind.mask else True
        target = (things[:, None] * width + to).ravel()
        keep = chosen.ravel()[target]
        plus = np.repeat(rows[things], len(parts))[keep]
        return {
            "to": target[keep],
            "of": (rows[things][:, None] * of_width + of).ravel()[keep],
            "scale": np.tile(factor, len(things))[keep],
            "plus": plus if bind.plus and self.has(bind.plus) else np.full(len(plus), -1),
        }

    def chosen(self, flags: int) -> list:
        """Rows that flags ask for and this engine has something for."""
        binds = [row for row in BINDS if row.flags & flags and self.has(row.attribute)]
        return [row for row in (*binds, *DERIVED) if row.flags & flags and self.tables(row)[0]]

    def launch_row(self, row: Bind | Derived) -> None:
        """Update the fields of a row."""
        count, tables = self.tables(row)
        if isinstance(row, Bind) and find_attribute(self.model, row.attribute).dtype == wp.bool:
            inputs = [tables["to"], tables["of"], self.rows(row.attribute), self.field(row.field)]
            self.launch(move_flags, count, inputs)
        else:
            inputs = kernel_of(row).inputs(lambda view, name: self._array(row, view, name))
            self.launch(kernel_of(row).kernel, count, inputs)

    def _array(self, row: Bind | Derived, view: str, name: str) -> wp.array:
        """Array of a row's kernel under a name of a view, or as a plain argument."""
        if view == "t":
            return self.tables(row)[1][name]
        if view == "m":
            array = self.field(name)
            return share(array, self.nworld) if array.ndim > 1 and len(array) != self.nworld else array
        if view:
            return self.rows(name if view == "s" else f"mujoco:{name}")
        if name == "changed":
            return self._marks(row)
        source = self._arrays_of(row)[name]
        return as_numbers(self._array(row, "m", source[2:])) if source.startswith("m.") else self.words(source)

    def _marks(self, row: Bind | Derived) -> wp.array:
        """Marks of the worlds in which a row changes something that others follow from."""
        if row is GRAVITY or row is body.mocap_poses:
            return self.unmarked
        return self.reference if isinstance(row, Derived) and REFERENCE & {*row.fields.split()} else self.changed

    def _arrays_of(self, row: Bind | Derived) -> dict:
        """Arrays that are plain arguments of a row's kernel, by parameter."""
        if isinstance(row, Derived):
            return row.arrays
        plus = row.plus if row.plus and self.has(row.plus) else row.attribute
        return {"source": row.attribute, "offset": plus, "target": f"m.{row.field}"}

    def launch(self, kernel, count: int, inputs: list) -> None:
        """A kernel for ``count`` things of every world."""
        if count:
            wp.launch(kernel, dim=(self.nworld, count), inputs=inputs, device=self.device)

    # updating

    def update(self, flags: int) -> None:
        """Write what the flags name, and recompute what follows from it."""
        self.prepare(flags)
        self.changed.zero_()
        self.reference.zero_()
        if self.mj.neq and self.changes_constants(flags):
            wp.copy(self._backups["eq_data"], as_numbers(self.engine.mjw_model.arrays["eq_data"]))
        chosen = self.chosen(flags)
        late = [row for row in chosen if isinstance(row, Derived) and row.late]
        for row in chosen:
            if row not in late:
                self.launch_row(row)
        wp.launch(mark_changed, self.nworld, [self.reference, self.changed], device=self.device)
        if self.changes_constants(flags):
            self.recompute_constants()
        for row in (*late, GRAVITY) if flags & GRAVITY.flags else late:
            self.launch_row(row)
        if self.asleep:
            every = int(bool(flags & Flag.MODEL_PROPERTIES))
            asleep = self.engine.mjw_data.tree_asleep
            self.launch(wake_changed, asleep.shape[1], [self.changed, every, asleep])

    def place_roots(self) -> None:
        """Put mocap bodies where the scene has them now."""
        if self.tables(body.mocap_poses)[0]:
            self.launch_row(body.mocap_poses)

    def prepare(self, flags: int) -> None:
        """Give what will be written a copy per world."""
        m = self.engine.mjw_model
        narrow = [
            name for name in sorted(self.written(flags)) if m.arrays[name].size and len(m.arrays[name]) != self.nworld
        ]
        for name in narrow:
            widen(m, name, self.nworld)
        if flags & SHAPE and not self.override:
            self.engine.binding.widen_gains()
        for name in self.constants() if self.changes_constants(flags) else ():
            if name not in self._backups:
                self._backups[name] = wp.empty_like(as_numbers(m.arrays[name]))

    def written(self, flags: int) -> set:
        """Parameters that an update for these flags writes, world by world."""
        chosen = [GRAVITY, *self.chosen(flags)] if flags & GRAVITY.flags else self.chosen(flags)
        names = {name for row in chosen for name in (row.field if isinstance(row, Bind) else row.fields).split()}
        return (
            names | set(self.constants() if self.changes_constants(flags) else ())
        ) & self.engine.mjw_model.arrays.keys()

    def memory(self, nworld: int) -> tuple[int, int]:
        """(bytes taken beside the engine's own arrays, bytes that the first notification of everything takes more), for
        so many worlds.
        """
        arrays, gains = self.engine.mjw_model.arrays, self.engine.binding.fixed["geom_gains"]
        shared = [arrays[name] for name in self.written(Flag.ALL) if arrays[name].size and arrays[name].shape[0] == 1]
        shared += [gains] if gains.size and len(gains) == 1 and not self.override else []
        names = [name for name in self.constants() if arrays[name].size]
        taken = sum(bytes_of_world(arrays[name]) for name in names if name in self._backups)
        more = sum(bytes_of_world(arrays[name]) for name in names if name not in self._backups)
        return nworld * (4 + taken) + (len(gains) > 1) * (nworld - 1) * bytes_of_world(gains), nworld * more + (
            nworld - 1
        ) * sum(map(bytes_of_world, shared))

    # what follows from masses and reference poses

    def changes_constants(self, flags: int) -> bool:
        """Whether inverse weights and the like may change."""
        if flags & SHAPE and (self.asleep or self.mj.nsite and (self.mj.ntendon or self.mj.nactuator)):
            return True
        return bool(flags & WEIGHT)

    def constants(self) -> tuple:
        """Fields that follow from masses and reference poses."""
        mj = self.mj
        more = ("eq_data",) * bool(mj.neq) + ("dof_length",) * self.asleep + ("actuator_biasprm",) * self.ratio
        return (
            *model_constants.RESULTS,
            *more,
            *("tendon_lengthspring",) * bool(mj.ntendon and np.any(mj.tendon_slack)),
        )

    def recompute_constants(self) -> None:
        """Recompute inverse weights and the like, of worlds in which something changed."""
        m, schedule = self.engine.mjw_model, self.engine.schedule
        for name in self.constants():
            if name != "eq_data":  # which is kept from before its rows
                wp.copy(self._backups[name], as_numbers(m.arrays[name]))
        schedule.add("model_update", pipeline.MODEL_UPDATE)
        schedule.run("model_update", 1, {"qpos": m.qpos0} | self.roots)
        if self.mj.ntendon and np.any(self.mj.tendon_slack):
            schedule.add("spring_lengths", pipeline.SPRING_LENGTHS)
            schedule.run("spring_lengths", 1, {"qpos": m.qpos_spring} | self.roots)
        for name in self.constants():
            kept, marks = self._backups[name], self.reference if name in RELATIONS else self.changed
            if name != "eq_data" and kept.size:
                self.launch(restore_rows, kept.shape[1], [marks, kept, as_numbers(m.arrays[name])])
        if self.mj.neq:
            data = m.arrays["eq_data"]
            kept = self._backups["eq_data"].reshape(data.shape)
            self.launch(restore_ties, m.neq, [self.reference, m.eq_posed, m.eq_type, kept, data])


def kernel_of(row: Bind | Derived) -> UpdateKernel:
    """Kernel of a row."""
    return row.kernel if isinstance(row, Derived) else move_words


def bytes_of_world(array: wp.array) -> int:
    """Bytes of one world's row."""
    return array.size // len(array) * wp.types.type_size_in_bytes(array.dtype)


def widen(m, name: str, nworld: int) -> None:
    """A copy of a shared parameter for every world, made on the device."""
    old = m.arrays[name]
    new = wp.empty((nworld, *old.shape[1:]), dtype=old.dtype, device=old.device)
    wp.copy(new, share(old, nworld))
    m.arrays[name] = new
