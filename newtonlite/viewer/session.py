"""A simulation that a viewer steps: model, solver, state and control, with a clock."""

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonlite.sim.articulation import eval_fk
from newtonlite.viewer.clock import Clock
from newtonlite.viewer.push import Push


class Session:
    """Steps all worlds of a model, in one state.

    ``drives`` are functions of the session that write controls before each step; ``driving`` names the one that does,
    None for none. ``time`` [s] and ``steps`` count from the start or from the last reset of all worlds.
    """

    def __init__(
        self,
        model,
        solver,
        *,
        timestep: float,
        state=None,
        control=None,
        drives: dict[str, Callable] | None = None,
        driving: str | None = None,
        clock: Clock | None = None,
    ):
        self.model, self.solver, self.timestep = model, solver, float(timestep)
        self.drives, self.driving = dict(drives or {}), driving
        self.state = state or model.state()
        self.control = control or model.control()
        self.clock = clock or Clock()
        self.push = Push(model)
        self.time, self.steps = 0.0, 0
        self._controls: dict[int, tuple] = {}

    def step(self) -> None:
        """One time step of all worlds."""
        if self.driving is not None:
            self.drives[self.driving](self)
        self.push.apply(self.state)
        self.solver.step(self.state, self.state, self.control, None, self.timestep)
        self.steps += 1
        self.time = self.steps * self.timestep

    def reset(self, worlds=None) -> None:
        """Put some worlds, or all, back to the model's initial state."""
        if worlds is None:
            self.solver.reset(self.state)
            self.time, self.steps = 0.0, 0
            self.clock.anchor = None
            return
        mask = np.zeros(self.solver.nworld, bool)
        mask[list(worlds)] = True
        self.solver.reset(self.state, wp.array(mask, dtype=wp.bool, device=self.model.device))

    # what panels ask for

    def set_joint(self, row: int, value: float, world: int) -> None:
        """Give one coordinate of ``joint_q`` a value, and place the bodies of its world accordingly."""
        self.state.joint_q[row : row + 1].fill_(float(value))
        mask = wp.array(self.model.articulation_world.numpy() == world, dtype=wp.bool, device=self.model.device)
        eval_fk(self.model, self.state.joint_q, self.state.joint_qd, self.state, mask=mask)

    def engine_of(self, world: int):
        """The engine that steps a world; None for solvers without."""
        for engine in getattr(self.solver, "groups", ()):
            if engine.worlds is None or world in engine.worlds:
                return engine
        return None

    def row_of(self, engine, world: int) -> int:
        """Row of a world in the engine's arrays."""
        return 0 if engine.worlds is None else int(np.flatnonzero(engine.worlds == world)[0])

    def controls_of(self, world: int) -> tuple[np.ndarray, list[str], list[tuple[float, float]]]:
        """(rows of ``control.mujoco.ctrl``, names, ranges) of the actuators of a world that listen to it."""
        if world not in self._controls:
            self._controls[world] = self._find_controls(world)
        return self._controls[world]

    def _find_controls(self, world: int) -> tuple:
        mujoco, engine = getattr(self.model, "mujoco", None), self.engine_of(world)
        where = getattr(mujoco, "actuator_world", None)
        ctrl = getattr(getattr(self.control, "mujoco", None), "ctrl", None)
        if engine is None or where is None or ctrl is None or len(ctrl) != len(where):
            return np.zeros(0, int), [], []
        rows = np.flatnonzero(np.isin(where.numpy(), (world, -1)))
        mj = engine.mj_model
        if len(rows) != mj.nu:
            return np.zeros(0, int), [], []
        limited, bounds = (
            np.asarray(mj.actuator_ctrllimited, bool).reshape(-1),
            np.asarray(mj.actuator_ctrlrange, float).reshape(-1, 2),
        )
        ranges = [
            tuple(map(float, both)) if on and both[1] > both[0] else (-1.0, 1.0)
            for on, both in zip(limited, bounds, strict=True)
        ]
        listens = mujoco.ctrl_source.numpy()[rows] != 0
        pick = np.flatnonzero(listens)
        return rows[pick], [mujoco.actuator_label[rows[k]] for k in pick], [ranges[k] for k in pick]

    def control_values(self, world: int) -> np.ndarray:
        """[n] the controls of a world, in the order of ``controls_of``."""
        rows = self.controls_of(world)[0]
        return self.control.mujoco.ctrl.numpy()[rows] if len(rows) else np.zeros(0)

    def set_control(self, world: int, k: int, value: float) -> None:
        """Set one control of a world, by its place in ``controls_of``."""
        row = int(self.controls_of(world)[0][k])
        self.control.mujoco.ctrl[row : row + 1].fill_(float(value))

    def clear_controls(self) -> None:
        """All controls of all worlds to zero."""
        if len(self.controls_of(0)[0]):
            self.control.mujoco.ctrl.zero_()

    def sensors_of(self, world: int) -> np.ndarray:
        """[nsensordata] what the sensors of a world measure."""
        engine = self.engine_of(world)
        return engine.mjw_data.sensordata.numpy()[self.row_of(engine, world)]

    def sensor_names(self, world: int) -> list[str]:
        """A name for each number of ``sensors_of``."""
        mj, mujoco = self.engine_of(world).mj_model, self.model.mujoco
        labels = [
            label
            for label, where in zip(mujoco.sensor_label, mujoco.sensor_world.numpy(), strict=True)
            if where in (world, -1)
        ]
        dims = np.asarray(mj.sensor_dim, int)
        if len(labels) != len(dims):
            return []
        return [
            label if dim == 1 else f"{label} {k}" for label, dim in zip(labels, dims, strict=True) for k in range(dim)
        ]

    def contact_count(self, world: int) -> int:
        """Contacts of a world."""
        engine = self.engine_of(world)
        return int(engine.mjw_data.ncon.numpy()[self.row_of(engine, world)])

    def counters(self) -> dict[str, str]:
        """Contacts and what went wrong, over all worlds, to be read by people."""
        found = {"contacts": 0, "overflows": 0, "bad worlds": 0}
        for engine in getattr(self.solver, "groups", ()):
            data = engine.mjw_data
            found["contacts"] += int(data.ncon.numpy().sum())
            found["overflows"] += int(data.overflow.numpy().sum())
            found["bad worlds"] += int((data.bad_count.numpy() > 0).sum())
        return {name: f"{count:,}" for name, count in found.items()}
