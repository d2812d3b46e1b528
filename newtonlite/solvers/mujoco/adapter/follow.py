"""Following the scene's model on the device, for every flag of ``notify_model_changed``, and all that depends on it.

What is written has one copy per world from the first time on, so that later calls allocate nothing and can be recorded in a graph.
Numbers are moved by the table in ``moves``, the others converted here. Worlds in which nothing changed keep all their bits.
"""

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.core.errors import StateError
from newtonlite.sim.attributes import find_attribute
from newtonlite.solvers.mujoco import constant, pipeline
from newtonlite.solvers.mujoco.adapter import conversions, moves
from newtonlite.solvers.mujoco.adapter.flat import flat, width_of, width_of_attribute
from newtonlite.solvers.mujoco.adapter.loads import Loads
from newtonlite.solvers.mujoco.adapter.watch import Watch
from newtonlite.solvers.mujoco.compile.worlds import kind_of
from newtonlite.solvers.mujoco.kernels.convert.follow import move_words, restore_rows
from newtonlite.solvers.mujoco.views import share


class Follower:
    """Device copies of the tables that following needs; made for one compiled model of an engine."""

    def __init__(self, engine):
        self.engine, self.model, self.device, self.nworld = engine, engine.model, engine.device, engine.nworld
        self.mj = mj = engine.mj_model
        view = engine.view()
        self.asleep = engine.mjw_model.nsleep > 0
        self.override = engine.mjw_model.noverride > 0
        self.loads = Loads(mj)
        self.ratio = (np.asarray(mj.actuator_dampratio).reshape(-1, mj.nactuator) > 0).any(0) if mj.nactuator else np.zeros(0, bool)
        band = view.get_or("mujoco:jnt_actfrcrange", (0.0, 0.0), "dof")[..., mj.newton_dof[mj.jnt_dofadr] if mj.njnt else [], :]
        self.authored_band = band.reshape(-1, mj.njnt, 2).any((0, 2)) if mj.njnt else np.zeros(0, bool)
        self.used_sizes = moves.used_sizes(mj, view)
        self.authored_lengths = self._authored_lengths(view)
        self.plastic_tendons = engine.mjw_model.tendon_plasticadr.numpy()
        self.changed = wp.zeros(self.nworld, dtype=int, device=self.device)
        self.watch = Watch(self)
        self._found: dict = {}
        self._moves: dict = {}
        self._tables: dict = {}
        self._backups: dict = {}

    def _authored_lengths(self, view) -> np.ndarray:
        """Outputs whose range of lengths is the author's."""
        own = np.repeat(self.mj.newton_actuator, self.mj.actuator_outnum)
        if not (own >= 0).any() or not view.has("mujoco:actuator_lengthrange"):
            return np.zeros(len(own), bool)
        told = view.first("mujoco:actuator_lengthrange")[np.maximum(own, 0)]
        has = np.asarray(self.mj.actuator_lengthrange)
        return (has.reshape(-1, len(own), 2)[0] == told).all(-1)

    # the scene's arrays

    def has(self, name: str) -> bool:
        """Does the scene carry an attribute?"""
        space, _, key = name.rpartition(":")
        return getattr(getattr(self.model, space, None) if space else self.model, key, None) is not None

    def rows(self, name: str, default=None) -> wp.array:
        """An attribute of the model with one row per world; ``default`` everywhere where the model lacks it."""
        if default is not None and not self.has(name):
            return self._default(name, default)
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
        return flat(self.rows(name), dtype)

    def _default(self, name: str, default) -> wp.array:
        """The same value for everything of a world."""
        if name not in self._found:
            kind, value = default
            one = wp.full((1, max(1, self.engine.rows.size(kind))), value, dtype=type(value), device=self.device)
            self._found[name] = share(one, self.nworld)
        return self._found[name]

    def table(self, values) -> wp.array:
        """Integers on the device."""
        return wp.array(np.ascontiguousarray(values, np.int32), dtype=int, device=self.device)

    def tables(self, name: str, make) -> tuple:
        """Tables made once: integers, or arrays as they are."""
        if name not in self._tables:
            self._tables[name] = tuple(x if isinstance(x, wp.array) else self.table(x) for x in make())
        return self._tables[name]

    # following

    def prepare(self, flags: int) -> None:
        """Give what will be written a copy per world; StateError where that is needed while a graph is recorded."""
        m = self.engine.mjw_model
        narrow = [name for name in sorted(self.written(flags)) if m.arrays[name].size and m.arrays[name].shape[0] != self.nworld]
        fresh = self.weighs(flags) and set(self.results()) - set(self._backups)
        if (narrow or fresh) and self.device.is_capturing:
            raise StateError("notify_model_changed: needs room for values per world; call it once with these flags before recording a graph")
        for name in narrow:
            widen(m, name, self.nworld)
        if flags & moves.SHAPE and not self.override:
            self.engine.border.widen_gains()
        for name in self.results() if self.weighs(flags) else ():
            if name not in self._backups:
                self._backups[name] = wp.empty_like(flat(m.arrays[name]))

    def written(self, flags: int) -> set:
        """Fields that following these flags writes, world by world."""
        found = {row.field for row in self.chosen(flags)} | conversions.written(self, flags)
        return found | set(self.results()) if self.weighs(flags) else found

    def memory(self, nworld: int) -> tuple[int, int]:
        """(bytes taken beside the engine's own arrays, bytes that the first notification of everything takes more), for so many worlds."""
        arrays, gains = self.engine.mjw_model.arrays, self.engine.border.fixed["geom_gains"]
        shared = [arrays[name] for name in self.written(Flag.ALL) if arrays[name].size and arrays[name].shape[0] == 1]
        shared += [gains] if gains.size and len(gains) == 1 and not self.override else []
        names = [name for name in self.results() if arrays[name].size]
        taken = sum(bytes_of_world(arrays[name]) for name in names if name in self._backups)
        more = sum(bytes_of_world(arrays[name]) for name in names if name not in self._backups)
        return nworld * (4 + taken) + (len(gains) > 1) * (nworld - 1) * bytes_of_world(gains), nworld * more + (nworld - 1) * sum(map(bytes_of_world, shared))

    def chosen(self, flags: int) -> list:
        """Rows of the table of moves that flags ask for and this engine has something for."""
        return [row for row in moves.MOVES if row.flags & flags and self.has(row.attribute) and self._made(row)]

    def _made(self, row) -> tuple:
        """Device tables of a move; () where it moves nothing."""
        if row not in self._moves:
            m = self.engine.mjw_model
            width = width_of(m.arrays[row.field])
            made = moves.words(self, row, width, width_of_attribute(find_attribute(self.model, row.attribute)))
            target, source, factor, rows = made
            if len(target):
                plus = rows if row.plus and self.has(row.plus) else np.full(len(rows), -1)
                scale = wp.array(factor, dtype=float, device=self.device)
                self._moves[row] = (self.table(target), self.table(source), scale, self.table(plus))
            else:
                self._moves[row] = ()
        return self._moves[row]

    def follow(self, flags: int) -> None:
        """Write what the flags name, and recompute what follows from it."""
        self.prepare(flags)
        m = self.engine.mjw_model
        self.changed.zero_()
        conversions.before(self, flags)
        for row in self.chosen(flags):
            where, first, scale, second = self._made(row)
            source = self.words(row.attribute)
            offset = self.words(row.plus) if row.plus and self.has(row.plus) else source
            self.launch(move_words, len(where), [where, first, scale, second, source, offset, self.changed, flat(m.arrays[row.field])])
        conversions.after(self, flags)
        if self.weighs(flags):
            self.weigh()
        conversions.last(self, flags)

    def weighs(self, flags: int) -> bool:
        """Whether inverse weights and the like may change."""
        if flags & moves.SHAPE and (self.asleep or self.mj.nsite and (self.mj.ntendon or self.mj.nactuator)):
            return True
        return bool(flags & conversions.WEIGHING)

    def results(self) -> tuple:
        """Fields that follow from masses and reference poses."""
        mj = self.mj
        more = ("eq_data",) * bool(mj.neq) + ("dof_length",) * self.asleep + ("actuator_biasprm",) * bool(self.ratio.any())
        return (*constant.RESULTS, *more, *("tendon_lengthspring",) * bool(mj.ntendon and np.any(mj.tendon_slack)))

    def weigh(self) -> None:
        """Recompute them, of worlds in which something changed."""
        m, schedule = self.engine.mjw_model, self.engine.schedule
        for name in self.results():
            wp.copy(self._backups[name], flat(m.arrays[name]))
        schedule.add("follow", pipeline.FOLLOW)
        schedule.run("follow", 1, {"qpos": m.qpos0})
        if self.mj.ntendon and np.any(self.mj.tendon_slack):
            schedule.add("slack", pipeline.SLACK)
            schedule.run("slack", 1, {"qpos": m.qpos_spring})
        for name in self.results():
            kept = self._backups[name]
            if kept.size:
                self.launch(restore_rows, kept.shape[1], [self.changed, kept, flat(m.arrays[name])])

    def launch(self, kernel, count: int, inputs: list) -> None:
        """A kernel for ``count`` things of every world."""
        if count:
            wp.launch(kernel, dim=(self.nworld, count), inputs=inputs, device=self.device)


def bytes_of_world(array: wp.array) -> int:
    """Bytes of one world's row."""
    return array.size // len(array) * wp.types.type_size_in_bytes(array.dtype)


def widen(m, name: str, nworld: int) -> None:
    """A copy of a shared parameter for every world, made on the device."""
    old = m.arrays[name]
    new = wp.empty((nworld, *old.shape[1:]), dtype=old.dtype, device=old.device)
    wp.copy(new, share(old, nworld))
    m.arrays[name] = new
    m.version += 1
