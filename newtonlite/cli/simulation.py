"""Simulation of many copies of one model under a control signal, for rollout and demo."""

import time
from dataclasses import asdict, dataclass

import warp as wp

from newtonlite import ModelBuilder
from newtonlite.core.device import find_device
from newtonlite.envs.control_signal import Drive, ranges
from newtonlite.importers.files import add_file
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.compile import CompiledModel, compile_model


def scene(file, worlds: int, **options) -> ModelBuilder:
    """A builder with ``worlds`` copies of an MJCF, URDF or USD file; every actuator listens to ``control.mujoco.ctrl``.
    ``options`` go to ``add_mjcf``.
    """
    robot = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(robot)
    add_file(robot, file, ctrl_direct=True, **options)
    builder = ModelBuilder()
    builder.replicate(robot, worlds)
    return builder


def compile_file(file) -> CompiledModel:
    """The engine's view of an MJCF file."""
    return compile_model(scene(file, 1).finalize(device="cpu"))


@dataclass
class Outcome:
    """Result of a rollout. The first step, which compiles, is not part of the speed."""

    model: str
    device: str
    worlds: int
    steps: int
    threads: int
    timestep: float  # [s]
    build_s: float  # reading, building, finalizing
    first_step_s: float  # compiling or loading kernels, and one step
    run_s: float  # all other steps
    steps_per_second: float
    real_time_factor: float
    overflows: int  # steps of worlds in which contacts or rows did not fit
    bad_worlds: int  # worlds that had to be reset
    ncon_max: int  # most contacts in a world
    nefc_max: int  # most constraint rows in a world

    def line(self) -> str:
        """The closing line of a command."""
        return (
            f"{self.worlds} worlds, {self.steps} steps on {self.device}: {self.steps_per_second:,.0f} steps/s, "
            f"{self.real_time_factor:,.0f} x real time, {self.overflows} overflows, {self.bad_worlds} bad worlds, "
            f"at most {self.ncon_max} contacts"
        )

    def dict(self) -> dict:
        """Dictionary for JSON."""
        return asdict(self)


class SolverRun:
    """A model on a device with its solver, two states and a control signal."""

    def __init__(
        self,
        file,
        worlds: int,
        control: str,
        *,
        device=None,
        threads=None,
        seed=0,
        nconmax=None,
        njmax=None,
        overflow="warn",
        **options,
    ):
        began = time.perf_counter()
        self.file, self.worlds = file, worlds
        self.device = find_device(device)
        self.model = scene(file, worlds, **options).finalize(device=self.device)
        self.solver = SolverMuJoCo(self.model, nconmax=nconmax, njmax=njmax, threads=threads, overflow=overflow)
        self.state, self.next_state = self.model.state(), self.model.state()
        self.control = self.model.control()
        mj = self.solver.mj_model
        self.timestep = float(mj.opt.timestep)
        self.seed = seed
        self.drive = self.drive_of(control)
        self.ctrl = self.control.mujoco.ctrl.reshape((worlds, mj.nu)) if mj.nu else None
        self.build_s = time.perf_counter() - began

    def drive_of(self, kind: str) -> Drive:
        """A control signal for the actuators."""
        return Drive(kind, *ranges(self.solver.mj_model), self.timestep, seed=self.seed, device=self.device)

    def step(self) -> None:
        """One time step of all worlds."""
        if self.ctrl is not None:
            self.drive.write(self.ctrl)
        self.solver.step(self.state, self.next_state, self.control, None, self.timestep)
        self.state, self.next_state = self.next_state, self.state

    def run(self, steps: int, progress=lambda share, note: None, watch=lambda step: None) -> Outcome:
        """``steps`` steps; ``watch`` is called before each with its number and, at the end, with ``steps``."""
        began = time.perf_counter()
        watch(0)
        self.step()
        wp.synchronize_device(self.device)
        first = time.perf_counter()
        for k in range(1, steps):
            watch(k)
            self.step()
            if k % 10 == 0:
                progress(k / steps, f"{k * self.worlds / (time.perf_counter() - first):,.0f} steps/s")
        wp.synchronize_device(self.device)
        run_s = time.perf_counter() - first
        watch(steps)
        return self._outcome(steps, first - began, run_s)

    def _outcome(self, steps: int, first_step_s: float, run_s: float) -> Outcome:
        d = self.solver.mjw_data
        speed = (steps - 1) * self.worlds / run_s if steps > 1 else self.worlds / first_step_s
        return Outcome(
            model=self.file.stem,
            device=self.device.name if self.device.is_cuda else "cpu",
            worlds=self.worlds,
            steps=steps,
            threads=self.solver.schedule.spread.threads,
            timestep=round(self.timestep, 9),
            build_s=self.build_s,
            first_step_s=first_step_s,
            run_s=run_s,
            steps_per_second=speed,
            real_time_factor=speed * self.timestep,
            overflows=int(d.overflow.numpy().sum()),
            bad_worlds=int((d.bad_count.numpy() > 0).sum()),
            ncon_max=int(d.ncon_max.numpy().max()),
            nefc_max=int(d.nefc_max.numpy().max()),
        )
