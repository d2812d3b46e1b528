"""SolverMuJoCo: a scene's states stepped by the engine, MuJoCo's physics behind Newton's interface."""

import math

import numpy as np
import warp as wp

from newtonlite.core.enums import EqType, ModelFlags, StateFlags
from newtonlite.core.errors import ModelError, StateError
from newtonlite.solvers.mujoco.adapter import words
from newtonlite.solvers.mujoco.adapter.caveats import apply_caveats
from newtonlite.solvers.mujoco.adapter.follow import Follower
from newtonlite.solvers.mujoco.adapter.given import Given
from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH, program
from newtonlite.solvers.mujoco.adapter.observables import OF_BODIES
from newtonlite.solvers.mujoco.adapter.report import KEPT
from newtonlite.solvers.mujoco.adapter.reset import reset_state
from newtonlite.solvers.mujoco.adapter.save import save_model
from newtonlite.solvers.mujoco.adapter.show import ShowMethods, requested
from newtonlite.solvers.mujoco.arguments import OPTIONS, check_numbers, check_only, multiccd, set_sleeping
from newtonlite.solvers.mujoco.attributes import register
from newtonlite.solvers.mujoco.border import Border
from newtonlite.solvers.mujoco.capacity import CapacityMethods
from newtonlite.solvers.mujoco.compile import Worlds, compile_worlds
from newtonlite.solvers.mujoco.compile.split import split_worlds
from newtonlite.solvers.mujoco.compile.validate import check_worlds
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.enums import DISABLE_CONTACT, DISABLE_SENSOR
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.refresh import copy_parameters, place_mocap, same_structure, take_over
from newtonlite.solvers.mujoco.schedule import Schedule
from newtonlite.solvers.solver import SolverBase


class SolverMuJoCo(ShowMethods, CapacityMethods, SolverBase):
    """Steps all worlds of a model at once with MuJoCo's physics.

    ``mj_model`` is the compiled model of the first world as plain NumPy, ``mjw_model`` and ``mjw_data`` are the engine's
    arrays under MuJoCo's names, ``[nworld, ...]``. Options are read once, here: an argument, else ``model.mujoco.<option>``,
    else MuJoCo's default (``integrator``: implicitfast).

    ``njmax`` and ``nconmax`` are capacities per world; ``overflow`` says what happens when they do not suffice:
    ``"warn"``, ``"raise"`` or ``"grow"``. On the CPU every step looks; on a GPU, where looking means waiting, ``check_capacity``
    does, and every step where ``strict_capacity`` is set.
    ``update_data_interval`` is how many steps lie between two readings of positions and velocities from the states passed in (1: every
    step reads them; 0: none does, after the first); forces and controls are read in every step.
    ``use_mujoco_contacts=False`` takes the contacts passed to ``step`` in place of the engine's own.
    ``mode``, ``threads`` and ``scratch`` choose how the engine runs (see ``schedule`` and ``data``).

    Raises ModelError for models, and values of arguments, that are not supported.
    """

    CtrlSource, CtrlType, TrnType = words.CtrlSource, words.CtrlType, words.TrnType
    SleepPolicy, OverflowBits, EqType = words.SleepPolicy, words.OverflowBits, EqType

    def __init__(
        self,
        model,
        *,
        separate_worlds: bool | None = None,
        njmax: int | None = None,
        njmax_nnz: int | None = None,
        nconmax: int | None = None,
        iterations: int | None = None,
        ls_iterations: int | None = None,
        ccd_iterations: int | None = None,
        sdf_iterations: int | None = None,
        sdf_initpoints: int | None = None,
        solver: int | str | None = None,
        integrator: int | str | None = None,
        cone: int | str | None = None,
        jacobian: int | str | None = None,
        impratio: float | None = None,
        tolerance: float | None = None,
        ls_tolerance: float | None = None,
        ccd_tolerance: float | None = None,
        density: float | None = None,
        viscosity: float | None = None,
        wind: tuple | None = None,
        magnetic: tuple | None = None,
        use_mujoco_cpu: bool = False,
        enable_multiccd: bool | None = None,
        enable_sleeping: bool | None = None,
        nvmax: int | None = None,
        sleep_tolerance: float | None = None,
        disable_contacts: bool | None = None,
        disable_sensors: bool | None = None,
        update_data_interval: int | None = None,
        save_to_mjcf: str | None = None,
        use_mujoco_contacts: bool = True,
        use_speculative_contacts: bool = False,
        include_sites: bool = True,
        skip_visual_only_geoms: bool = True,
        deterministic=None,
        strict_capacity: bool = False,
        kinematic_switchable_roots: bool = True,
        overflow: str = "warn",
        mode: str = "auto",
        threads: int | None = None,
        scratch: str = "auto",
    ):
        given = dict(locals())
        super().__init__(model)
        check_only(given)
        check_numbers(given)
        self._requested = requested(model)
        self._watch_bodies = bool(set(self._requested) & set(OF_BODIES))
        if overflow not in ("warn", "raise", "grow"):
            raise ModelError(f"SolverMuJoCo: overflow={overflow!r}; expected 'warn', 'raise' or 'grow'")
        self.overflow, self.strict_capacity = overflow, strict_capacity
        self._options = {name: given[name] for name in OPTIONS}
        self._disabled = DISABLE_CONTACT * bool(disable_contacts) + DISABLE_SENSOR * bool(disable_sensors)
        self._multiccd, self._own_contacts = enable_multiccd, bool(use_mujoco_contacts)
        self._sleeping = enable_sleeping
        self._skip_visual, self._include_sites = skip_visual_only_geoms, include_sites
        self._mode, self._threads, self._scratch = mode, threads, scratch
        self._interval = 1 if update_data_interval is None else int(update_data_interval)
        self.separate_worlds = model.world_count > 1 if separate_worlds is None else bool(separate_worlds)
        self.nworld = max(1, model.world_count) if self.separate_worlds else 1
        if self.nworld > 1:
            check_worlds(model)
        self._build(nconmax, njmax)
        if save_to_mjcf is not None:
            save_model(self._worlds(), self.mj_model, save_to_mjcf)

    def __repr__(self):
        d = self.mjw_data
        return f"<SolverMuJoCo {self.nworld} worlds, nv={self.mj_model.nv}, nconmax={d.nconmax}, njmax={d.njmax}, {self.device}>"

    @property
    def update_data_interval(self) -> int:
        """Steps between two readings of positions and velocities from the states passed in; 0: only the first step reads."""
        return self._interval

    @property
    def use_mujoco_contacts(self) -> bool:
        """Whether the engine finds the contacts; otherwise ``step`` takes the caller's."""
        return self._own_contacts

    @property
    def mj_model(self):
        """The compiled model of the first world as plain NumPy, as the engine has it now."""
        if self._stale:
            opt = self._compiled.opt
            self._compiled, self._stale = self._compile()[0], False
            opt.gravity, self._compiled.opt = self._compiled.opt.gravity, opt
        return self._compiled

    # construction

    def _worlds(self) -> Worlds:
        """The scene's worlds that the engine steps side by side."""
        separate = self.nworld > 1 or self.separate_worlds and self.model.world_count
        return Worlds(self.model, range(self.nworld) if separate else None)

    def _compile(self):
        """(compiled first world, parameters that differ between worlds) of the model as it is now."""
        compiled = compile_worlds(self._worlds(), skip_visual=self._skip_visual, include_sites=self._include_sites, **self._options)
        on = multiccd(compiled, self._multiccd)
        set_sleeping(compiled, self._sleeping)
        compiled.opt.disableflags |= self._disabled
        apply_caveats(compiled, self._own_contacts, on)
        compiled.watch_bodies = self._watch_bodies
        return split_worlds(compiled)

    def _build(self, nconmax, njmax) -> None:
        """Engine model, data, schedule and border, from the model as it is now."""
        self._compiled, varied = self._compile()
        self._stale = False
        self.mjw_model = put_model(self.mj_model, self.nworld, self.device, tuple(varied))
        for name, values in varied.items():
            self.mjw_model.set(name, values)
        self._dt = float(self.mj_model.opt.timestep)
        self.mjw_data = self._make_data(nconmax, njmax)
        self._connect()

    def _make_data(self, nconmax, njmax, nearmax=None):
        """Data of the engine, with what is shown of a step."""
        return make_data(self.mjw_model, self.nworld, nconmax, njmax, self._scratch, KEPT, nearmax)

    def _connect(self) -> None:
        """Schedule and border for the present engine model and data."""
        self.schedule = Schedule(self.mjw_model, self.mjw_data, self._mode, self._threads, before=PUSH, after=PULL)
        self._border = Border(self.model, self.mj_model, self.nworld)
        self._shapes = self._worlds().rows("shape")[:, np.asarray(self.mj_model.newton_geom, int)]
        self._given = None if self._own_contacts else Given(self.model, self._shapes)
        self._report, self._follower = None, Follower(self)
        self._every = wp.full(self.nworld, True, dtype=wp.bool, device=self.device)
        self._lost = self.mjw_data.overflow.numpy() if self.device.is_cpu else None  # a view of the counters
        self._warned = False
        self._steps = 0

    # stepping

    def step(self, state_in, state_out, control, contacts=None, dt: float | None = None, *, observables=None) -> None:
        """Advance every world by ``dt`` seconds (the file's time step when None): push, integrate, pull.

        ``contacts`` are read where ``use_mujoco_contacts`` is False. ``observables`` (see ``observables()``) are filled. Nothing is
        allocated and nothing waits for the device; the first call with new states, controls or contacts checks and binds them.
        Raises StateError for arrays that do not belong to the model.
        """
        self._set_dt(dt)
        given = None
        if self._given is not None:
            given = self._given.prepare(contacts)
            self._given.sort(contacts)
        wanted = self._watched(state_out, observables)
        border = self._border.bind(state_in, state_out, control, given, self._border.watch(wanted) if wanted else None)
        resync = self._steps == 0 or self._interval > 0 and self._steps % self._interval == 0
        self.schedule.run(program(self.schedule, resync, given is not None, bool(wanted)), 1, border)
        self._steps += 1
        if observables is not None and observables.contact_f is not None:
            self._write_forces(observables.contacts, observables.contact_f)
        if self.strict_capacity:
            self.check_capacity("raise")
        elif self._lost is not None and self._lost.any():
            self._follow_policy()

    def _set_dt(self, dt: float | None) -> None:
        """Write a new time step to the device; nothing happens while it stays the same."""
        if dt is None or dt == self._dt:
            return
        if not (math.isfinite(dt) and dt > 0):
            raise StateError(f"dt: expected a positive number of seconds, got {dt!r}")
        self.mjw_model.set("opt_timestep", np.float32(dt))
        self._dt = float(dt)

    def reset(self, state, world_mask=None, flags: StateFlags | int | None = None) -> None:
        """Put worlds of ``state`` back to the model's initial state, on the device.

        ``flags`` choose what is restored (``StateFlags``, all when None): coordinates and speeds of joints, poses and
        velocities of bodies; forces become zero. What the engine remembers of the worlds (warm start, activations, clock, fault flags)
        goes back to its start in any case, and the next step reads positions and velocities whatever ``update_data_interval`` says.
        """
        reset_state(self.model, self.mjw_model, self.mjw_data, state, self._mask(world_mask), flags)
        self._steps = 0

    def _mask(self, world_mask) -> wp.array:
        """The mask to reset by; StateError for one of another shape, type or device."""
        if world_mask is None:
            return self._every
        ok = isinstance(world_mask, wp.array) and world_mask.dtype == wp.bool and world_mask.shape == (self.nworld,)
        if not ok or world_mask.device != self.device:
            raise StateError(f"world_mask: expected a wp.bool array [{self.nworld}] on {self.device}, got {described(world_mask)}")
        return world_mask

    # following the model

    def notify_model_changed(self, flags: ModelFlags | int = ModelFlags.ALL) -> None:
        """Bring the engine up to date after the model's arrays were written to.

        Numbers are copied into the engine's arrays; whatever follows from them (inverse weights, limit gains, bounds) is
        recomputed. Options keep the values they had at construction. Masses and inertias, armature and gravity
        (``BODY_INERTIAL_PROPERTIES``, ``JOINT_DOF_INERTIAL_PROPERTIES``, ``MODEL_PROPERTIES``) are followed on the device; once called with
        these flags it can be recorded in a graph. All else is compiled anew on the host; where that alters which rows the engine
        has (dry friction where there was none), the engine is rebuilt and its memory of the last step is lost.
        """
        if not int(flags):
            return
        if self._follower.covers(int(flags)):
            self._follower.follow(int(flags))
            self._stale = True
            return
        if self.device.is_capturing:
            raise StateError(f"notify_model_changed: flags {int(flags)} are followed on the host; call it outside of the graph")
        compiled, varied = self._compile()
        fresh = put_model(compiled, self.nworld, self.device, tuple(varied))
        for name, values in varied.items():
            fresh.set(name, values)
        old, self._stale = self._compiled.opt, False
        old.gravity = compiled.opt.gravity
        compiled.opt, self._compiled = old, compiled
        if same_structure(self.mjw_model, fresh):
            copy_parameters(self.mjw_model, fresh)
            self._border.retable(compiled)
        else:
            self._replace(fresh)
        place_mocap(self.mjw_model, self.mjw_data, compiled.body_mocapid)

    def _replace(self, fresh) -> None:
        """The lists of the engine changed: take over everything but the options, and start with new data."""
        old = self.mjw_data
        take_over(self.mjw_model, fresh)
        self.mjw_data = self._make_data(old.nconmax, None)
        wp.copy(self.mjw_data.time, old.time)
        self._connect()

    def get_max_contact_count(self) -> int:
        """How many contacts fit in all worlds together."""
        return self.mjw_data.nconmax * self.nworld

    @classmethod
    def register_custom_attributes(cls, builder) -> None:
        """Declare the ``mujoco`` namespace on a builder: call it before anything is added."""
        register(builder)


def described(value) -> str:
    """Type, shape and device of what was passed, for messages."""
    if isinstance(value, wp.array):
        return f"{value.dtype.__name__}{list(value.shape)} on {value.device}"
    return type(value).__name__
