"""SolverMuJoCo: a scene's states stepped by the engine, MuJoCo's physics behind Newton's interface."""

import math
import warnings

import numpy as np
import warp as wp

from newtonlite.core.enums import (
    CtrlSource,
    CtrlType,
    EqType,
    ModelFlags,
    OverflowBits,
    SleepPolicy,
    StateFlags,
    TrnType,
)
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, NewtonWarning, StateError, WrongTypeError
from newtonlite.core.limits import SINGLE, SMALLEST
from newtonlite.core.mujoco import MjtDisableBit, MjtEnableBit, MjtIntegrator
from newtonlite.solvers.mujoco.adapter.arguments import OPTIONS, check_numbers, check_only, check_together
from newtonlite.solvers.mujoco.adapter.capacity import hold_first_state
from newtonlite.solvers.mujoco.adapter.damping_ratio import publish_damping
from newtonlite.solvers.mujoco.adapter.engine import Engine, SolverSettings, options_of, take_along
from newtonlite.solvers.mujoco.adapter.engine_group import EngineGroupMethods
from newtonlite.solvers.mujoco.adapter.ignored_poses import IgnoredPoses
from newtonlite.solvers.mujoco.adapter.index_maps import IndexMapMethods
from newtonlite.solvers.mujoco.adapter.observables import OF_BODIES
from newtonlite.solvers.mujoco.adapter.outputs import OutputMethods, requested
from newtonlite.solvers.mujoco.adapter.reference_pose import reference_frames
from newtonlite.solvers.mujoco.adapter.save import save_models
from newtonlite.solvers.mujoco.attributes import register
from newtonlite.solvers.mujoco.compile.structure_groups import group_worlds
from newtonlite.solvers.mujoco.compile.validate import (
    check_gravity_outside,
    check_nothing_global,
    check_switched,
    check_worlds,
    kinematic_bodies,
    warn_driven_free_joints,
    warn_limit_references,
    warn_world_roots,
)
from newtonlite.solvers.solver import SolverBase, described

LIMITS = ModelFlags.JOINT_DOF_PROPERTIES | ModelFlags.JOINT_DOF_FORCE_PROPERTIES
"""Flags by which references of limits change."""


class SolverMuJoCo(OutputMethods, EngineGroupMethods, IndexMapMethods, SolverBase):
    """Steps all worlds of a model at once with MuJoCo's physics.

    ``mj_model`` is the compiled model of the first world as plain NumPy, ``mjw_model`` and ``mjw_data`` are the
    engine's arrays under MuJoCo's names, ``[nworld, ...]``; ``mjc_body_to_newton`` and its like say what each is in the
    scene. Where worlds have several structures, ``groups`` has an engine for each, with these names;
    ``separate_worlds=True`` refuses such a model. Options are read once, here: an argument, else
    ``model.mujoco.<option>``, else MuJoCo's default (``integrator``: implicitfast).

    ``njmax`` and ``nconmax`` are capacities per world. Where the model's own state needs more they are raised to that,
    with a warning, unless what is lost is an error; ``overflow`` says what happens when they do not suffice later:
    ``"warn"``, ``"raise"`` or ``"grow"``. On the CPU every step looks; on a GPU, where looking means waiting,
    ``check_capacity`` does, and every step where ``strict_capacity`` is set. ``update_data_interval`` is how many steps
    lie between two readings of positions and velocities from the states passed in (1: every step reads them; 0: none
    does, after the first); forces and controls are read in every step. ``use_mujoco_contacts=False`` takes the contacts
    passed to ``step`` in place of the engine's own. ``nconmax`` is then a world's share of ``model.contact_capacity``
    if that is more than its geoms suggest: pass it where worlds differ much, or a pipeline lists more. ``njmax_nnz``
    and ``nvmax`` (with sleeping) are capacities of Newton's engine that this one has no need of. ``save_to_mjcf`` is the
    file that the first world goes to; of worlds of several structures the first of each, to ``name_0.xml``,
    ``name_1.xml`` ... ``sensor_noise=True`` adds noise of their own deviation to sensors, from the seeds
    ``mjw_data.noise_seed`` of the worlds. ``mode``, ``threads`` and ``scratch`` choose how the engine runs (see
    ``schedule`` and ``data``).

    Raises ModelError for models, and values of arguments, that are not supported.
    """

    CtrlSource, CtrlType, TrnType = CtrlSource, CtrlType, TrnType
    SleepPolicy, OverflowBits, EqType = SleepPolicy, OverflowBits, EqType

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
        sensor_noise: bool = False,
        overflow: str = "warn",
        mode: str = "auto",
        threads: int | None = None,
        scratch: str = "auto",
    ):
        given = dict(locals())
        super().__init__(model)
        check_only(given)
        check_numbers(given)
        check_together(given)
        self._requested = requested(model)
        if overflow not in ("warn", "raise", "grow"):
            raise ModelError(f"SolverMuJoCo: overflow={overflow!r}; expected 'warn', 'raise' or 'grow'")
        self.overflow, self.strict_capacity, self.use_mujoco_cpu = overflow, strict_capacity, bool(use_mujoco_cpu)
        self._settings = SolverSettings(
            options={name: given[name] for name in OPTIONS},
            disabled=MjtDisableBit.CONTACT * bool(disable_contacts) + MjtDisableBit.SENSOR * bool(disable_sensors),
            multiccd=enable_multiccd,
            sleeping=enable_sleeping,
            nvmax=nvmax,
            own_contacts=bool(use_mujoco_contacts),
            skip_visual=skip_visual_only_geoms,
            include_sites=include_sites,
            mode=mode,
            threads=threads,
            scratch=scratch,
            overflow=overflow,
            watch_bodies=bool(set(self._requested) & set(OF_BODIES)),
            sensor_noise=bool(sensor_noise),
            reference=reference_frames(model),
            ignored=IgnoredPoses(model),
        )
        if update_data_interval is not None:
            warn_interval()
        self.nvmax = model.joint_dof_count if nvmax is None else nvmax
        self._interval = 1 if update_data_interval is None else int(update_data_interval)
        self.separate_worlds = (
            model.world_count > 1 and not use_mujoco_cpu if separate_worlds is None else bool(separate_worlds)
        )
        self.nworld = max(1, model.world_count) if self.separate_worlds else 1
        self._kinematic = None if kinematic_switchable_roots else kinematic_bodies(model)
        warn_world_roots(model)
        warn_driven_free_joints(model)
        warn_limit_references(model)
        check_gravity_outside(model)
        self._asked = (separate_worlds, nconmax, njmax)
        self._retired: list[Engine] = []  # that graphs of the caller point to
        self._make_engines(self._grouped(separate_worlds), [])
        publish_damping(model, self.groups)
        if overflow != "raise" and not strict_capacity:
            for engine in self.groups:
                hold_first_state(engine, nconmax, njmax)
        self._dt, self._shown = float(self.groups[0].mj_model.opt.timestep), False
        self._every = wp.full(self.nworld, True, dtype=wp.bool, device=self.device)
        if (
            not (use_mujoco_contacts or disable_contacts)
            and self.groups[0].mj_model.opt.integrator == MjtIntegrator.RK4
        ):
            text = "SolverMuJoCo: RK4 keeps the caller's contacts in its intermediate stages"
            warnings.warn(f"{text}; use another integrator, or use_mujoco_contacts=True", NewtonWarning, stacklevel=2)
        if save_to_mjcf is not None:
            save_models(self.groups, save_to_mjcf)

    def _grouped(self, separate: bool | None) -> list:
        """The worlds of each engine, [None] for the scene as one world.

        Worlds that were asked to be separate must be alike, as Newton has it; otherwise those of each structure get an
        engine.
        """
        if self.nworld == 1:
            return [range(1) if self.separate_worlds and self.model.world_count else None]
        if separate:
            check_worlds(self.model)
        check_nothing_global(self.model)
        return group_worlds(self.model)

    def __repr__(self):
        return f"<SolverMuJoCo {self.nworld} worlds: {', '.join(map(repr, self.groups))}>"

    @property
    def update_data_interval(self) -> int:
        """Steps between two readings of positions and velocities from the states passed in; 0: only the first step
        reads. Deprecated.
        """
        warn_interval()
        return self._interval

    @update_data_interval.setter
    def update_data_interval(self, value: int) -> None:
        warn_interval()
        check_numbers({"update_data_interval": value})
        self._interval = int(value)

    @property
    def enable_sleeping(self) -> bool:
        """Whether trees at rest may fall asleep."""
        return bool(self.groups[0].mj_model.opt.enableflags & MjtEnableBit.SLEEP)

    @property
    def use_mujoco_contacts(self) -> bool:
        """Whether the engine finds the contacts; otherwise ``step`` takes the caller's."""
        return self._settings.own_contacts

    def _make_engines(self, groups: list, old: list[Engine]) -> None:
        """An engine for each group of worlds, with the options that its first world has in ``old`` ones."""
        _, nconmax, njmax = self._asked
        self.groups = [
            Engine(self.model, worlds, self._settings, nconmax, njmax, options_of(old, worlds[0]) if old else {})
            for worlds in groups
        ]
        self._version = self.model.shape_version

    def _follow_variants(self) -> None:
        """Group the worlds anew after ``select_body_variants``: those that have become unlike get engines of their own.
        What worlds carry from step to step goes along, but for the time step, which ``step`` sets.
        """
        if self.device.is_capturing:
            raise StateError("notify_model_changed: other variants need other engines; call it outside of the graph")
        groups, old = self._grouped(self._asked[0]), self.groups
        self._version = self.model.shape_version
        if len(groups) == len(old) and all(np.array_equal(g, e.worlds) for g, e in zip(groups, old) if g is not None):
            return
        self._make_engines(groups, old)
        self._retired += [engine for engine in old if engine._recorded]
        take_along(old, self.groups)
        for engine in self.groups:
            engine._updater.place_roots()
        self._dt = math.nan

    # stepping

    def step(self, state_in, state_out, control, contacts=None, dt: float | None = None, *, observables=None) -> None:
        """Advance every world by ``dt`` seconds (the file's time step when None): push, integrate, pull.

        ``contacts`` are read where ``use_mujoco_contacts`` is False. ``observables`` (see ``observables()``) are
        filled. Nothing is allocated and nothing waits for the device; the first call with new states, controls or
        contacts checks and binds them. A step can be recorded in a graph (``wp.ScopedCapture``), the first one too.
        Raises StateError for arrays that do not belong to the model.
        """
        if dt is not None:
            self._set_dt(dt)
        if observables is not None:
            self.validate_observables(observables, observables.contacts if contacts is None else contacts)
        watched = observables is not None or self._requested
        wanted = self._watched(state_out, observables) if watched else {}
        for engine in self.groups:
            engine.step(state_in, state_out, control, contacts, wanted, self._interval)
        if observables is not None and observables.contact_f is not None:
            self._write_forces(observables.contacts, observables.contact_f)
        if self.device.is_capturing:
            return  # what is lost shows when the graph has run: check_capacity
        if self.strict_capacity:
            self.check_capacity("raise")
        else:
            for engine in self.groups:
                if engine.lost_something():
                    engine.follow_policy()

    def _set_dt(self, dt: float) -> None:
        """Write a new time step to the device; nothing happens while it stays the same, unless the engine's model was
        handed out and its time step may have been written to. A recorded graph keeps the time step it was recorded
        with.
        """
        capturing = self.device.is_capturing
        if dt == self._dt and not capturing and not self._shown:
            return
        if not (math.isfinite(dt) and SMALLEST <= dt <= SINGLE):
            raise StateError(f"dt: expected a positive number of seconds, got {dt!r}")
        for engine in self.groups:
            engine.mjw_model.opt_timestep.fill_(dt)
        self._dt = (
            math.nan if capturing or math.isnan(self._dt) else float(dt)
        )  # a graph, once recorded, writes its own

    def reset(self, state, world_mask=None, flags: StateFlags | int | None = None) -> None:
        """Put worlds of ``state`` back to the model's initial state, on the device.

        ``flags`` choose what is restored (``StateFlags``, all when None): coordinates and speeds of joints, poses and
        velocities of bodies; forces become zero. What the engine remembers of the worlds (warm start, activations,
        clock, fault flags) goes back to its start in any case, and the next step reads positions and velocities
        whatever ``update_data_interval`` says.
        """
        mask, flags = self._mask(world_mask), StateFlags.ALL if flags is None else int(flags)
        for engine in self.groups:
            engine.reset(state, mask, flags)

    def _mask(self, world_mask) -> wp.array:
        """The mask to reset by; StateError for one of another shape or device, WrongTypeError for one of no flags."""
        if world_mask is None:
            return self._every
        if not isinstance(world_mask, wp.array) or world_mask.dtype != wp.bool:
            raise WrongTypeError(f"world_mask: expected a wp.bool array [{self.nworld}], got {described(world_mask)}")
        if world_mask.shape not in ((self.nworld,), (self.nworld + 1,)) or world_mask.device != self.device:
            raise StateError(
                f"world_mask: expected a wp.bool array [{self.nworld}] on {self.device}, got {described(world_mask)}"
            )
        return world_mask[: self.nworld]

    # following the model

    def notify_model_changed(self, flags: ModelFlags | int = ModelFlags.ALL) -> None:
        """Update the engine after the model's arrays were written to.

        All numbers go into the engine's arrays on the device, each world its own, and whatever follows from them
        (inverse weights, limit gains, lengths, poses of ties) is recomputed; worlds in which nothing changed keep their
        bits. The first call with a flag gives what it names a copy per world; from then on nothing is allocated, and
        the call can be recorded in a graph. Options keep the values they had at construction, and so do ranges of
        lengths that were simulated then: a warning says, by name, when such a change is not followed. A change of
        structure (a type, a link, a limit or dry friction where there was none, the laws of motors, sizes of meshes,
        cameras) is seen on the device too: the model is then compiled anew on the host, and where lists of the engine
        change, its memory of the last step is lost. In a recorded graph that cannot be; ``check_model`` tells of it.
        """
        if int(flags) & ModelFlags.BODY_PROPERTIES and self._kinematic is not None:
            check_switched(self.model, self._kinematic)
        if int(flags) & LIMITS and self.device.is_cpu:
            warn_limit_references(self.model)
        if int(flags) & ModelFlags.SHAPE_TYPE_AND_SOURCE and self._version != self.model.shape_version:
            self._follow_variants()
        if int(flags):
            for engine in self.groups:
                engine.notify(int(flags))

    def get_max_contact_count(self) -> int:
        """Maximum number of contacts in all worlds together."""
        return sum(engine.mjw_data.nconmax * engine.nworld for engine in self.groups)

    @classmethod
    def register_custom_attributes(cls, builder) -> None:
        """Declare the ``mujoco`` namespace on a builder: call it before anything is added."""
        register(builder)


def warn_interval() -> None:
    """Say to the caller's caller that intervals are on their way out."""
    text = "SolverMuJoCo.update_data_interval is deprecated: states are cheap to read, leave it out, or pass the same state as input and output"
    warnings.warn(text, NewtonDeprecationWarning, stacklevel=3)
