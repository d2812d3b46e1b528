"""SolverMuJoCo: a scene's states stepped by the engine, MuJoCo's physics behind Newton's interface."""

import math
import warnings
from collections.abc import Callable
from enum import IntEnum

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags, StateFlags
from newtonlite.core.errors import CapacityError, ModelError, NewtonWarning, StateError
from newtonlite.solvers.mujoco.arguments import OPTIONS, check_numbers, check_only
from newtonlite.solvers.mujoco.attributes import register
from newtonlite.solvers.mujoco.border import Border
from newtonlite.solvers.mujoco.capacity import find_shortage
from newtonlite.solvers.mujoco.compile import Worlds, compile_worlds
from newtonlite.solvers.mujoco.compile.split import split_worlds
from newtonlite.solvers.mujoco.compile.validate import check_worlds
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.enums import DISABLE_CONTACT, DISABLE_SENSOR
from newtonlite.solvers.mujoco.kernels.convert.pull import pull
from newtonlite.solvers.mujoco.kernels.convert.push import push
from newtonlite.solvers.mujoco.kernels.convert.reset import reset_rows, zero_counters, zero_rows
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.refresh import copy_parameters, place_mocap, same_structure, take_over
from newtonlite.solvers.mujoco.schedule import Schedule
from newtonlite.solvers.solver import SolverBase

RESET = {
    "joint_q": StateFlags.JOINT_Q,
    "joint_qd": StateFlags.JOINT_QD,
    "body_q": StateFlags.BODY_Q,
    "body_qd": StateFlags.BODY_QD,
}


class SolverMuJoCo(SolverBase):
    """Steps all worlds of a model at once with MuJoCo's physics.

    ``mj_model`` is the compiled model of the first world as plain NumPy, ``mjw_model`` and ``mjw_data`` are the engine's
    arrays under MuJoCo's names, ``[nworld, ...]``. Options are read once, here: an argument, else ``model.mujoco.<option>``,
    else MuJoCo's default (``integrator``: implicitfast).

    ``njmax`` and ``nconmax`` are capacities per world; ``overflow`` says what happens when they do not suffice:
    ``"warn"``, ``"raise"`` or ``"grow"``. On the CPU every step looks; on a GPU, where looking means waiting, ``check_capacity``
    does, and every step where ``strict_capacity`` is set.
    ``mode``, ``threads`` and ``scratch`` choose how the engine runs (see ``schedule`` and ``data``).

    Raises ModelError for models, and values of arguments, that are not supported.
    """

    class CtrlSource(IntEnum):
        """Where the control of an actuator of the ``mujoco`` namespace comes from."""

        JOINT_TARGET = 0
        CTRL_DIRECT = 1

    class CtrlType(IntEnum):
        """What such an actuator does with a joint target."""

        POSITION = 0
        VELOCITY = 1
        GENERAL = 2
        DCMOTOR = 3

    class TrnType(IntEnum):
        """What such an actuator acts on."""

        UNDEFINED = -1
        JOINT = 0
        JOINT_IN_PARENT = 1
        TENDON = 2
        SITE = 3
        BODY = 4
        SLIDERCRANK = 5

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
        check_requests(model)
        if overflow not in ("warn", "raise", "grow"):
            raise ModelError(f"SolverMuJoCo: overflow={overflow!r}; expected 'warn', 'raise' or 'grow'")
        self.overflow, self.strict_capacity = overflow, strict_capacity
        self._options = {name: given[name] for name in OPTIONS}
        self._disabled = DISABLE_CONTACT * bool(disable_contacts) + DISABLE_SENSOR * bool(disable_sensors)
        self._skip_visual, self._include_sites = skip_visual_only_geoms, include_sites
        self._mode, self._threads, self._scratch = mode, threads, scratch
        self.separate_worlds = model.world_count > 1 if separate_worlds is None else bool(separate_worlds)
        self.nworld = max(1, model.world_count) if self.separate_worlds else 1
        if self.nworld > 1:
            check_worlds(model)
        self._build(nconmax, njmax)

    def __repr__(self):
        d = self.mjw_data
        return f"<SolverMuJoCo {self.nworld} worlds, nv={self.mj_model.nv}, nconmax={d.nconmax}, njmax={d.njmax}, {self.device}>"

    # construction

    def _compile(self):
        """(compiled first world, parameters that differ between worlds) of the model as it is now."""
        worlds = Worlds(self.model, range(self.nworld) if self.nworld > 1 or self.separate_worlds and self.model.world_count else None)
        compiled = compile_worlds(worlds, skip_visual=self._skip_visual, include_sites=self._include_sites, **self._options)
        compiled.opt.disableflags |= self._disabled
        return split_worlds(compiled)

    def _build(self, nconmax, njmax) -> None:
        """Engine model, data, schedule and border, from the model as it is now."""
        self.mj_model, varied = self._compile()
        self.mjw_model = put_model(self.mj_model, self.nworld, self.device, tuple(varied))
        for name, values in varied.items():
            self.mjw_model.set(name, values)
        self._dt = float(self.mj_model.opt.timestep)
        self.mjw_data = make_data(self.mjw_model, self.nworld, nconmax, njmax, scratch=self._data_scratch())
        self._connect()

    def _data_scratch(self) -> str:
        """Kernels that hand results to each other need them per world."""
        return "per_world" if self._scratch == "auto" and self._mode in ("staged", "gpu") else self._scratch

    def _connect(self) -> None:
        """Schedule and border for the present engine model and data."""
        self.schedule = Schedule(self.mjw_model, self.mjw_data, self._mode, self._threads, before=(push,), after=(pull,))
        self._border = Border(self.model, self.mj_model, self.nworld)
        self._every = wp.full(self.nworld, True, dtype=wp.bool, device=self.device)
        self._lost = self.mjw_data.overflow.numpy() if self.device.is_cpu else None  # a view of the counters
        self._warned = False

    # stepping

    def step(self, state_in, state_out, control, contacts=None, dt: float | None = None, *, observables=None) -> None:
        """Advance every world by ``dt`` seconds (the file's time step when None): push, integrate, pull.

        ``contacts`` is accepted and not read: the engine finds its own. Nothing is allocated and nothing waits for the
        device; the first call with new states or controls checks and binds them. Raises StateError for arrays that do not
        belong to the model.
        """
        if observables is not None:
            raise StateError("observables: not supported by SolverMuJoCo; read solver.mjw_data after the step")
        self._set_dt(dt)
        self.schedule.run("step", 1, self._border.bind(state_in, state_out, control))
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
        velocities of bodies; forces become zero. The worlds' warm start, clock and fault flags are cleared in any case.
        """
        mask = self._mask(world_mask)
        flags = StateFlags.ALL if flags is None else StateFlags(flags)
        for name, flag in RESET.items():
            if flags & flag:
                self._launch_rows(reset_rows, mask, getattr(self.model, name), getattr(state, name))
        if flags & StateFlags.BODY_F and state.body_f is not None:
            self._launch_rows(zero_rows, mask, state.body_f)
        d = self.mjw_data
        wp.launch(zero_rows, dim=d.qacc_warmstart.shape, inputs=[mask, d.qacc_warmstart], device=self.device)
        wp.launch(zero_counters, dim=self.nworld, inputs=[mask, d.time, d.bad], device=self.device)

    def _mask(self, world_mask) -> wp.array:
        """The mask to reset by; StateError for one of another shape, type or device."""
        if world_mask is None:
            return self._every
        ok = isinstance(world_mask, wp.array) and world_mask.dtype == wp.bool and world_mask.shape == (self.nworld,)
        if not ok or world_mask.device != self.device:
            raise StateError(f"world_mask: expected a wp.bool array [{self.nworld}] on {self.device}, got {described(world_mask)}")
        return world_mask

    def _launch_rows(self, kernel: Callable, mask, *arrays) -> None:
        """Launch a kernel over the numbers of arrays with one row per world."""
        rows = [floats(a, self.nworld) for a in arrays]
        if rows[0].size:
            wp.launch(kernel, dim=rows[-1].shape, inputs=[mask, *rows], device=self.device)

    # following the model

    def notify_model_changed(self, flags: ModelFlags | int = ModelFlags.ALL) -> None:
        """Bring the engine up to date after the model's arrays were written to. Not for use inside a step or a graph.

        Numbers are copied into the engine's arrays; whatever follows from them (inverse weights, limit gains, bounds) is
        recomputed. Options keep the values they had at construction. Where the change alters which rows the engine has
        (dry friction where there was none), the engine is rebuilt and its memory of the last step is lost.
        """
        if not ModelFlags(flags):
            return
        compiled, varied = self._compile()
        fresh = put_model(compiled, self.nworld, self.device, tuple(varied))
        for name, values in varied.items():
            fresh.set(name, values)
        self.mj_model.opt.gravity = compiled.opt.gravity
        compiled.opt = self.mj_model.opt
        self.mj_model = compiled
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
        self.mjw_data = make_data(self.mjw_model, self.nworld, old.nconmax, None, scratch=self._data_scratch())
        wp.copy(self.mjw_data.time, old.time)
        self._connect()

    # capacity

    def check_capacity(self, policy: str | None = None) -> bool:
        """Look whether contacts or rows were lost since the last look; waits for the device. True if nothing was lost.

        ``policy`` (the solver's ``overflow`` when None): ``"warn"``, ``"raise"`` CapacityError, or ``"grow"``, which makes room for
        what was needed and goes on.
        """
        shortage = find_shortage(self.mjw_data)
        if shortage is None:
            return True
        policy = policy or self.overflow
        if policy == "raise":
            raise CapacityError(shortage.text())
        if policy == "grow":
            self._grow(shortage)
        else:
            warnings.warn(shortage.text(), NewtonWarning, stacklevel=2)
            self.mjw_data.clear_counters(("overflow", "ncon_max", "nefc_max"))
            self._warned = False
        return False

    def _follow_policy(self) -> None:
        """What a step does that lost something: raise, grow, or warn the first time; the counters go on counting."""
        if self.overflow != "warn":
            self.check_capacity()
        elif not self._warned:
            warnings.warn(find_shortage(self.mjw_data).text(), NewtonWarning, stacklevel=3)
            self._warned = True

    def _grow(self, shortage) -> None:
        """Data with room for what was needed and some more; warm start and clock are carried over."""
        old = self.mjw_data
        nconmax, njmax = shortage.enough(self.mjw_model)
        self.mjw_data = make_data(self.mjw_model, self.nworld, nconmax, njmax, scratch=self._data_scratch())
        for name in ("time", "qacc_warmstart"):
            wp.copy(getattr(self.mjw_data, name), getattr(old, name))
        self._connect()

    def get_max_contact_count(self) -> int:
        """How many contacts fit in all worlds together."""
        return self.mjw_data.nconmax * self.nworld

    @classmethod
    def register_custom_attributes(cls, builder) -> None:
        """Declare the ``mujoco`` namespace on a builder: call it before anything is added."""
        register(builder)


def check_requests(model) -> None:
    """Raise ModelError for state attributes that were requested and that this solver does not fill."""
    wanted = set(model.get_requested_state_attributes()) if hasattr(model, "get_requested_state_attributes") else set()
    if wanted:
        raise ModelError(f"state attributes {', '.join(sorted(wanted))}: SolverMuJoCo does not compute them; do not request them")


def floats(array: wp.array, nworld: int) -> wp.array:
    """The numbers of a flat array, one row per world, without copying."""
    count = array.size * wp.types.type_size(array.dtype)
    return wp.array(ptr=array.ptr, dtype=float, shape=(nworld, count // nworld), device=array.device, capacity=array.capacity)


def described(value) -> str:
    """Type, shape and device of what was passed, for messages."""
    if isinstance(value, wp.array):
        return f"{value.dtype.__name__}{list(value.shape)} on {value.device}"
    return type(value).__name__
