"""Engine: one group of worlds of equal structure, compiled, put on the device and stepped behind the scene's arrays."""

from dataclasses import dataclass, field

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.adapter.arguments import check_sleeping, multiccd, set_sleeping
from newtonlite.solvers.mujoco.adapter.capacity import CapacityMethods
from newtonlite.solvers.mujoco.adapter.copy_parameters import (
    REAL_OPTIONS,
    copy_parameters,
    present_options,
    same_structure,
    set_rows,
    take_over,
)
from newtonlite.solvers.mujoco.adapter.export_contacts import KEPT, ContactExport
from newtonlite.solvers.mujoco.adapter.external_contacts import ExternalContacts
from newtonlite.solvers.mujoco.adapter.ignored_poses import IgnoredPoses
from newtonlite.solvers.mujoco.adapter.model_update import ModelUpdater
from newtonlite.solvers.mujoco.adapter.newton_limits import apply_caveats
from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH, program
from newtonlite.solvers.mujoco.adapter.reference_pose import keep_relations, show_placed
from newtonlite.solvers.mujoco.adapter.reset import MEMORY, put_state, reset_state
from newtonlite.solvers.mujoco.adapter.state_binding import StateBinding
from newtonlite.solvers.mujoco.adapter.world_rows import WorldRows
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.compile import Worlds, compile_worlds
from newtonlite.solvers.mujoco.compile.per_world_fields import split_worlds
from newtonlite.solvers.mujoco.data import capacities
from newtonlite.solvers.mujoco.derive.float64 import loses_digits
from newtonlite.solvers.mujoco.derive.keep_features import KeepFeatures
from newtonlite.solvers.mujoco.executor import plan
from newtonlite.solvers.mujoco.fields import DATA
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import welded_groups
from newtonlite.solvers.mujoco.kernels.state_io.gather_rows import gather_mask
from newtonlite.solvers.mujoco.model import put_model

FEW_WORLDS = 16
"""Up to so many worlds all arrays of a step are kept for those who look at ``mjw_data``; of more worlds only results
are.
"""


@dataclass
class SolverSettings:
    """Settings of a solver, for all of its engines."""

    options: dict = field(default_factory=dict)
    disabled: int = 0
    multiccd: bool | None = None
    sleeping: bool | None = None
    nvmax: int | None = None
    own_contacts: bool = True
    skip_visual: bool = True
    include_sites: bool = True
    mode: str = "auto"
    threads: int | None = None
    scratch: str = "auto"
    overflow: str = "warn"
    watch_bodies: bool = False
    sensor_noise: bool = False
    reference: dict = field(default_factory=dict)
    """Frames of fixed roots in the reference pose (``reference_frames``)."""
    ignored: IgnoredPoses | None = None


class Engine(CapacityMethods):
    """Steps the worlds ``worlds`` of a model (None: the whole scene as one).

    ``mj_model`` is the compiled model of the first of them as plain NumPy, ``mjw_model`` and ``mjw_data`` are arrays
    under MuJoCo's names, ``[len(worlds), ...]``.
    """

    def __init__(self, model, worlds, settings: SolverSettings, nconmax=None, njmax=None, options: dict | None = None):
        self.model, self.device, self.settings = model, model.device, settings
        self.worlds = None if worlds is None else np.asarray(worlds, np.int32)
        self.nworld = 1 if worlds is None else len(self.worlds)
        self._double = False  # whether the mass matrix is in double, however masses are
        self._stale = False
        self._recorded: dict = {}  # what graphs of the caller point to, which do not keep it
        self._compiled, made = self._put(options or {})
        capacity = {"nconmax": self._contact_capacity(made, nconmax), "njmax": njmax, "scratch": settings.scratch}
        running = {"mode": settings.mode, "threads": settings.threads, "prologue": PUSH, "epilogue": PULL}
        kept = self.kept_fields(self.nworld)
        self.batch = Batch(made, self.nworld, kept_fields=kept, **capacity, **running)
        self._seed_noise()
        self.mask_of_group = None if worlds is None else wp.zeros(self.nworld, dtype=wp.bool, device=self.device)
        self._true = wp.ones((1, 1), dtype=int, device=self.device)
        self._connect()

    def __repr__(self):
        d = self.mjw_data
        return f"<Engine {self.nworld} worlds, nv={self._compiled.nv}, nconmax={d.nconmax}, njmax={d.njmax}, {self.device}>"

    @property
    def mjw_model(self):
        """The engine's model."""
        return self.batch.model

    @property
    def mjw_data(self):
        """The engine's data."""
        return self.batch.data

    @property
    def mj_model(self):
        """The compiled model of the first world as plain NumPy, as the engine has it now."""
        if self._stale:
            opt = self._compiled.opt
            self._compiled, self._stale = self._compile()[0], False
            opt.gravity, self._compiled.opt = self._compiled.opt.gravity, opt
            show_placed(self._compiled, self.mjw_model)
        return self._compiled

    # construction

    @property
    def worlds_view(self) -> Worlds:
        """The engine's worlds of the scene, as it is now; fixed roots stand where they do in the reference pose."""
        return Worlds(self.model, self.worlds, self.settings.reference)

    def _compile(self):
        """(compiled first world, parameters that differ between worlds) of the model as it is now."""
        settings = self.settings
        choices = {
            "skip_visual": settings.skip_visual,
            "include_sites": settings.include_sites,
            "flat": not settings.own_contacts,
        }
        compiled = compile_worlds(self.worlds_view, **choices, **settings.options)
        on = multiccd(compiled, settings.multiccd)
        set_sleeping(compiled, settings.sleeping)
        check_sleeping(compiled, settings.sleeping, settings.own_contacts, settings.nvmax)
        compiled.opt.disableflags |= settings.disabled
        apply_caveats(compiled, settings.own_contacts, on)
        compiled.watch_bodies = settings.watch_bodies
        compiled.adds_noise = settings.sensor_noise
        compiled.loses_digits = self._double or loses_digits(compiled)  # in any of the worlds
        return split_worlds(compiled)

    def _put(self, options: dict):
        """(compiled first world, engine model) of the scene as it is now; ``options`` are those that the engine was given
        since it was made, whose lists it needs.
        """
        compiled, varied = self._compile()
        source = KeepFeatures(compiled, options=options) if options else compiled
        return compiled, put_model(source, self.nworld, self.device, varied)

    def _contact_capacity(self, m, nconmax: int | None) -> int | None:
        """Contacts per world when None: where the caller finds them, at least a world's share of what the scene's
        ``contacts()`` holds.
        """
        if nconmax is not None or self.settings.own_contacts:
            return nconmax
        share = -(-self.model.contact_capacity // (1 if self.worlds is None else self.model.world_count))
        return max(share, capacities(m, self.nworld, None, None)["nconmax"])

    def kept_fields(self, nworld: int) -> tuple:
        """Arrays that are kept per world after a step."""
        few = nworld <= FEW_WORLDS and self.device.is_cpu
        return (*KEPT, *(f.name for f in DATA if f.role == "scratch")) if few else KEPT

    def _seed_noise(self) -> None:
        """Give worlds the seeds of their numbers in the scene."""
        if self.worlds is not None and self.mjw_data.noise_seed.size:
            self.mjw_data.noise_seed.assign(self.worlds[:, None])

    def renew(self, nconmax: int | None, njmax: int | None = None, nbpmax: int | None = None, names=None) -> None:
        """Other data, with what worlds carry from step to step, or with the fields ``names`` alone, and what hangs on it."""
        old = self.mjw_data
        self.batch.renew(nconmax, njmax, nbpmax)
        self._seed_noise()
        numbers = np.arange(self.nworld)
        self.batch.carry([(old, numbers)], numbers, names)
        self._connect()

    def _connect(self) -> None:
        """Schedule and binding for the present engine model and data."""
        settings, view = self.settings, self.worlds_view
        self.schedule = self.batch.schedule
        self.rows = WorldRows(view, self.device)
        self.binding = StateBinding(self.model, self.mj_model, self.rows, settings.ignored)
        self.shapes = view.rows("shape")[:, np.asarray(self.mj_model.newton_geom, int)]
        self.external_contacts = (
            None
            if settings.own_contacts
            else ExternalContacts(
                self.model, self.shapes, self.worlds, welded_groups(self.mj_model)[2][self.mj_model.geom_bodyid]
            )
        )
        self._report, self._report_version, self._updater = None, -1, ModelUpdater(self)
        counters = (self.mjw_data.overflow, self.mjw_data.lost_digits)
        self._overflow_counts = [c.numpy() for c in counters] if self.device.is_cpu else []  # views of the counters
        self._warned = self._placed = False
        self.steps = 0

    # stepping

    def step(self, state_in, state_out, control, contacts, wanted: dict, interval: int) -> None:
        """One step of all worlds; ``wanted`` are arrays to fill with what is observed, positions are read at each
        ``interval``.
        """
        contact_rows = None
        if self.external_contacts is not None:
            contact_rows = self.external_contacts.prepare(contacts)
            self.external_contacts.sort(contacts)
        arrays = self.binding.bind(state_in, state_out, control, contact_rows, wanted or None)
        resync = self.steps == 0 or interval > 0 and self.steps % interval == 0
        if resync and interval != 1:
            self.binding.resync.zero_()
        before, after = self.binding.moves
        for copy in before:
            copy.fill()
        self.schedule.run(program(self.schedule, resync, contact_rows is not None, bool(wanted)), 1, arrays)
        for copy in after:
            copy.write_back()
        if self.schedule.captured:
            self._keep_recorded()
        self.steps += 1

    def _keep_recorded(self) -> None:
        """Keep what a graph that is being recorded points to as long as the engine, whatever takes its place."""
        if self.device.is_capturing:
            parts = self.schedule, self.binding, self.rows, self.external_contacts, self._report, self._updater
            arrays = {**self.mjw_model.arrays}, {**self.mjw_data.arrays}
            self._recorded.setdefault((self.schedule.version, *map(id, parts)), (parts, arrays))

    def lost_something(self) -> bool:
        """Whether a step lost contacts, rows or digits; on the CPU, where looking takes no time."""
        for counts in self._overflow_counts:
            if np.count_nonzero(counts):  # the quickest look at a few numbers
                return True
        return False

    def place(self) -> None:
        """Poses and lengths in the data before the first step, once after each change of the model: those of its ``qpos``."""
        if self._placed or self.steps or self.device.is_capturing:
            return
        self._placed = True
        self.schedule.add("place", plan.CPU_KERNELS["position"])
        self.schedule.run("place", 1)

    def reset(self, state, mask, flags) -> None:
        """Put the worlds in ``mask`` (of all worlds of the scene, or of these) back to their start."""
        if self.mask_of_group is not None and len(mask) != self.nworld:
            wp.launch(
                gather_mask,
                dim=self.nworld,
                inputs=[self.rows.index("world").flatten(), mask, self.mask_of_group],
                device=self.device,
            )
            mask = self.mask_of_group
        choice = self.batch.choose(mask)
        reset_state(self.model, self.rows, state, choice, flags)
        self.batch.reset(choice, names=MEMORY)
        put_state(choice, self._true, self.binding.resync, [])
        self._keep_recorded()

    def write_forces(self, contacts, force, own: bool, first: bool) -> None:
        """Wrenches of the contacts into ``force``; with ``own`` all else of the list too. All but the ``first`` engine
        add to the list.
        """
        version = self.schedule.version
        if self._report is None or self._report_version != version:
            with outside_capture(self.device):
                self._report, self._report_version = ContactExport(self.model, self.mjw_data, self.shapes), version
        if own or self.external_contacts is None:
            self._report.write(contacts, force, first)
        else:
            self._report.write_given(contacts, self.external_contacts, force, first)
        self._keep_recorded()

    # following the model

    def notify(self, flags: int) -> None:
        """Update the engine by what ``flags`` name of the scene's model.

        In a graph that is being recorded it happens once outside of it first, where these flags are new: that
        allocates memory. Raises StateError where the graph has steps in it already, which would not know of that memory.
        """
        if self.device.is_capturing:
            if flags not in self._updater.followed:
                if self.schedule.captured:
                    raise StateError(
                        "notify_model_changed: makes room for values per world the first time, and steps are in a graph already; call it once with these flags before recording one"
                    )
                with outside_capture(self.device):
                    self.notify(flags)
            self._updater.update(flags)
            self._updater.watch.run(flags)
            self._keep_recorded()
            return
        self._updater.update(flags)
        self._stale, self._placed = True, False
        self._updater.watch.run(flags)
        if self._updater.watch.read(flags):
            self.compile_anew()
        self._updater.followed.add(flags)

    def check_model(self) -> None:
        """Raise StateError where a change that was followed in a graph needs another engine; waits for the device."""
        what = self._updater.watch.read(0)
        if what:
            raise StateError(
                f"model.{what.replace(':', '.')}: its change alters what the engine has; call notify_model_changed outside of the graph, and record anew"
            )

    def compile_anew(self) -> None:
        """Follow changes of structure: compile on the host, and start anew where lists of the engine changed."""
        compiled, fresh = self._put(present_options(self.mjw_model))
        keep_relations(self.mjw_model, fresh)
        old, self._stale = self._compiled.opt, False
        old.gravity = compiled.opt.gravity
        compiled.opt, self._compiled = old, compiled
        if same_structure(self.mjw_model, fresh):
            copy_parameters(self.mjw_model, fresh)
            self.binding.retable(compiled)
            self._updater = ModelUpdater(self)
        else:
            self._replace(fresh)
        self._updater.place_roots()

    def put_in_double(self) -> None:
        """The same scene, with the mass matrix in double."""
        self._double = True
        take_over(self.mjw_model, self._put(present_options(self.mjw_model))[1])

    def _replace(self, fresh) -> None:
        """The lists of the engine changed: take over everything but the options, and start with new data."""
        take_over(self.mjw_model, fresh)
        self.renew(self.mjw_data.nconmax, names=("time",))


def options_of(engines: list[Engine], world: int) -> dict:
    """Options, as they are now, of the engine that steps a world; none where none does."""
    return next((present_options(e.mjw_model) for e in engines if e.worlds is not None and world in e.worlds), {})


def take_along(old: list[Engine], new: list[Engine]) -> None:
    """Copy what worlds carry from step to step to other engines; what is of another size there starts anew. Options of
    each world go along likewise.
    """
    kept: dict = {}
    for engine in old:
        for name in REAL_OPTIONS:
            rows = engine.mjw_model.arrays[name].numpy()
            kept |= {(name, world): rows[k % len(rows)] for k, world in enumerate(engine.worlds.tolist())}
    for engine in new:
        for name in REAL_OPTIONS:
            set_rows(engine.mjw_model, name, np.stack([kept[name, world] for world in engine.worlds.tolist()]))
        engine.batch.carry([(e.mjw_data, e.worlds) for e in old], engine.worlds)
        engine.binding.resync.fill_(1)
