"""Simulation: the worlds of an environment on the engine, stepped, reset and recomputed for some of them, with names
for their parts.
"""

import functools
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtCone, MjtIntegrator, MjtJoint, MjtSolver
from newtonlite.envs.capture import Counted
from newtonlite.envs.entity import builder_of, matches, model_of, start_of
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.data_view import DataView
from newtonlite.solvers.mujoco.kernels.sense.forces import contact_forces, rne_postconstraint
from newtonlite.solvers.mujoco.kernels.sense.frames import camera_frames, sensor_camera_frames
from newtonlite.solvers.mujoco.live_model import LiveModel
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.start import WHOLE, Start, keyframes

OUTSIDE = {"cfrc_ext", "cfrc_int"}
FRAMES = {"cam_xpos", "cam_xmat", "light_xpos", "light_xdir"}
COUNTERS = ("nbp_max", "ncon_max", "nefc_max", "overflow", "lost", "bad_count", "lost_digits", "world_mask")


class Joints(NamedTuple):
    """Joints of one coordinate each: where they are in ``qpos`` and ``qvel``, their names, poses at reset, and limits."""

    names: tuple
    q: wp.array
    v: wp.array
    default: wp.array
    low: wp.array
    high: wp.array

    @property
    def count(self) -> int:
        """Number of joints."""
        return len(self.names)


class Root(NamedTuple):
    """The first free joint: its address in ``qpos`` and ``qvel``, and its body."""

    q: int
    v: int
    body: int


def compiled_from(source):
    """A compiled model of a path, MJCF text, a ModelBuilder, a compiled model, or a function that returns one of these."""
    if callable(source) and not isinstance(source, ModelBuilder):
        source = source()
    if isinstance(source, (str, Path)):
        source = builder_of(source)
    return compile_model(source.finalize(device="cpu")) if isinstance(source, ModelBuilder) else source


WORDS = {
    "integrator": {
        "euler": MjtIntegrator.EULER,
        "rk4": MjtIntegrator.RK4,
        "implicit": MjtIntegrator.IMPLICIT,
        "implicitfast": MjtIntegrator.IMPLICITFAST,
    },
    "cone": {"pyramidal": MjtCone.PYRAMIDAL, "elliptic": MjtCone.ELLIPTIC},
    "solver": {"pgs": MjtSolver.PGS, "cg": MjtSolver.CG, "newton": MjtSolver.NEWTON},
}
"""Options that have words for numbers."""


def set_options(compiled, options: dict) -> None:
    """Set options of a compiled model, under MJCF's names. ModelError names an option or a word that there is not."""
    for name, value in options.items():
        if not hasattr(compiled.opt, name):
            known = ", ".join(sorted(n for n in vars(compiled.opt) if not n.startswith("_")))
            raise ModelError(f"options: there is no option {name!r}; there are: {known}")
        if isinstance(value, str):
            words = WORDS.get(name, {})
            if value.lower() not in words:
                raise ModelError(f"options: {name}={value!r}; expected {', '.join(words) or 'a number'}")
            value = words[value.lower()]
        setattr(compiled.opt, name, np.asarray(value, float) if np.ndim(value) else value)


class Simulation(Counted):
    """``nworld`` worlds of one model.

    ``model`` and ``data`` are the engine's under MuJoCo's names: ``data.qpos`` is ``[nworld, nq]``, and what is assigned to a
    parameter, an option or a field takes effect with the next call. ``batch`` runs them. ``keep`` names further results of a step that can be read; ``per_world`` parameters of the model
    that may differ between worlds. ``keyframe`` is the pose that worlds start from, ``qpos0`` when None.
    """

    def __init__(
        self,
        source,
        nworld: int,
        *,
        timestep: float | None = None,
        keyframe: str | None = None,
        init_state=None,
        options: dict | None = None,
        keep: tuple = (),
        per_world: tuple = (),
        nconmax: int | None = None,
        njmax: int | None = None,
        device=None,
        threads: int | None = None,
    ):
        self.compiled, self.nworld = compiled_from(source), nworld
        set_options(self.compiled, {**(options or {}), **({} if timestep is None else {"timestep": timestep})})
        made = put_model(self.compiled, nworld, device, tuple(per_world))
        if OUTSIDE & set(keep):
            made.sizes.update(nrne=1, ncontactforce=1)
        self.model = LiveModel(made.sizes, made.arrays, made.device, made.source)
        self.device = self.model.device
        self.batch = Batch(
            self.model, nworld, nconmax=nconmax, njmax=njmax, scratch="shared", kept_fields=tuple(keep), threads=threads
        )
        self.data, self.schedule = DataView(self.batch), self.batch.schedule
        self.encoder_bias = None  # [nworld, nq], where a term adds one
        self.timestep = float(self.compiled.opt.timestep)
        kept, forward = set(keep), with_cameras(pipeline.FORWARD) if FRAMES & set(keep) else pipeline.FORWARD
        self.batch.add("env_step", functools.cache(lambda integrator: step_stages(integrator, kept)), masked=True)
        self.batch.add("env_forward", lambda integrator: (forward,), masked=True)
        rows = self._start_rows(keyframe, init_state)
        names = [name for name in WHOLE if name not in COUNTERS]
        self._start = Start(self.model, self.batch.data, names, rows, fixed=True)
        self.start = wp.array(self.start_qpos, dtype=float, device=self.device)
        self._things: dict = {}

    # what worlds do

    def step(self, count: int, mask: wp.array) -> None:
        """Advance the worlds of the mask by ``count`` time steps."""
        self.batch.run("env_step", count, None, mask)

    def forward(self, mask: wp.array) -> None:
        """Recompute all that follows from the states of the worlds of the mask."""
        self.batch.run("env_forward", 1, None, mask)

    def set_const(self, mask: wp.array) -> None:
        """Recompute parameters that follow from others in the worlds of the mask; ``forward`` then restores what a step
        leaves.
        """
        self.batch.set_const(mask)

    def copy(self, target: wp.array, source: wp.array) -> None:
        """Copy an array onto one of its shape."""
        self.batch.copy(target, source)

    def host(self, array: wp.array) -> np.ndarray:
        """An array as NumPy; on the CPU a view, which is there as long as the array is."""
        return self.batch.host(array)

    def reset(self, mask: wp.array) -> None:
        """Put the worlds of the mask to their start; counters of faults go on."""
        self.batch.reset(self.batch.choose(mask), self._start)

    def _start_rows(self, keyframe: str | None, init_state) -> dict:
        """Rows of a keyframe by field, and coordinates of an initial state."""
        rows = {}
        if keyframe is not None:
            index = self.find("key", keyframe)[0]
            rows = {name: r[index : index + 1] for name, r in keyframes(self.compiled).items() if name != "time"}
        qpos = rows["qpos"][0].astype(float) if rows else np.array(self.compiled.qpos0, float)
        self.start_qpos = start_of(self.compiled, self.names("joint"), qpos, init_state)
        return rows | ({} if init_state is None else {"qpos": self.start_qpos.astype(np.float32)[None]})

    # what parts are called

    def names(self, kind: str) -> list:
        """Names of all bodies, joints, geoms, sites, actuators, sensors, tendons or keys, in MuJoCo's order."""
        found = getattr(self.compiled, f"names_{kind}", None)
        if found is None:  # a model of MuJoCo's own
            count = {"joint": "njnt", "actuator": "nu"}.get(kind, f"n{kind}")
            found = [getattr(self.compiled, kind)(i).name for i in range(getattr(self.compiled, count))]
        return list(found)

    def find(self, kind: str, pattern) -> list:
        """Numbers of the parts whose whole names, or what follows the last slash, match a pattern, or one of several.
        ModelError where a pattern finds none.
        """
        return matches(kind, pattern, self.names(kind))

    def indices(self, kind: str, pattern) -> wp.array:
        """``find`` as an array on the device, made once."""
        return self.cached(
            ("indices", kind, _key(pattern)), lambda: wp.array(self.find(kind, pattern), dtype=int, device=self.device)
        )

    def joints(self, pattern=".*") -> Joints:
        """Slides and hinges whose names match. ModelError where there are none."""
        return self.cached(("joints", _key(pattern)), lambda: self._joints(pattern))

    def _joints(self, pattern) -> Joints:
        mj = self.compiled
        types = np.asarray(mj.jnt_type)
        found = [j for j in self.find("joint", pattern) if types[j] > 1]
        if not found:
            raise ModelError(f"joints={pattern!r}: only free and ball joints are called so; expected slides or hinges")
        names, q, v = self.names("joint"), np.asarray(mj.jnt_qposadr)[found], np.asarray(mj.jnt_dofadr)[found]
        limited = np.asarray(mj.jnt_limited)[found] != 0
        low, high = (
            np.where(limited, np.asarray(mj.jnt_range)[found, side], bound)
            for side, bound in ((0, -np.inf), (1, np.inf))
        )
        ints, floats = (
            [wp.array(a, dtype=t, device=self.device) for a in group]
            for t, group in ((int, (q, v)), (float, (self.start_qpos[q], low, high)))
        )
        return Joints(tuple(names[j] for j in found), *ints, *floats)

    @cached_property
    def root(self) -> Root:
        """The first free joint. ModelError where there is none."""
        mj = self.compiled
        free = np.flatnonzero(np.asarray(mj.jnt_type) == MjtJoint.FREE)
        if not len(free):
            raise ModelError(
                "the model has no free joint, and so no root that moves; set the task's floating=True, or name a body or a joint instead"
            )
        j = free[0]
        return Root(int(mj.jnt_qposadr[j]), int(mj.jnt_dofadr[j]), int(mj.jnt_bodyid[j]))

    def numbers(self, field: str) -> wp.array:
        """An array of the engine's data as numbers ``[nworld, n]``, without a copy."""
        return self.cached(("numbers", field), lambda: self.batch.as_numbers(field))

    def sensor(self, name: str) -> tuple:
        """(first number, count) of a sensor in ``sensordata``."""
        i = self.find("sensor", name)[0]
        return int(self.compiled.sensor_adr[i]), int(self.compiled.sensor_dim[i])

    def sensor_places(self, pattern) -> wp.array:
        """First numbers of the sensors whose names match, in ``sensordata``."""
        adr = np.asarray(self.compiled.sensor_adr)
        return self.cached(
            ("sensors", _key(pattern)),
            lambda: wp.array(adr[self.find("sensor", pattern)], dtype=int, device=self.device),
        )

    def soft_limits(self, pattern, share: float) -> tuple:
        """Bands in the middle of the ranges of joints, as wide as a share of them: (low, high)."""
        return self.cached(("soft", _key(pattern), share), lambda: self._soft_limits(self.joints(pattern), share))

    def _soft_limits(self, joints: Joints, share: float) -> tuple:
        low, high = joints.low.numpy().astype(float), joints.high.numpy().astype(float)
        with np.errstate(invalid="ignore"):
            middle, half = np.where(np.isfinite(high - low), (low + high) / 2, 0.0), (high - low) / 2 * share
        return tuple(wp.array(middle + sign * half, dtype=float, device=self.device) for sign in (-1, 1))

    def cached(self, key, make: Callable):
        """Value of ``make()``, which is called when it is first asked for under this key."""
        if key not in self._things:
            self._things[key] = make()
        return self._things[key]


def step_stages(integrator: int, keep: set) -> tuple:
    """The groups of stages of a step that leaves the results named in ``keep``. Forces on bodies and frames of cameras
    are those of the last of Runge and Kutta's four passes, as all else that is kept.
    """
    groups = pipeline.step_groups(integrator)
    if len(groups) == 1:
        return (with_cameras(groups[0]),) if keep & FRAMES else groups
    more = (contact_forces, rne_postconstraint) if keep & OUTSIDE else ()
    more += (camera_frames,) if keep & FRAMES else ()
    at = groups[-2].index(pipeline.runge_kutta.runge_kutta)
    return (*groups[:-2], (*groups[-2][:at], *more, *groups[-2][at:]), groups[-1])


def with_cameras(stages: tuple) -> tuple:
    """The stages with frames of all cameras and lights in place of those that sensors need."""
    return tuple(camera_frames if stage is sensor_camera_frames else stage for stage in stages)


def _key(pattern):
    return pattern if isinstance(pattern, str) else tuple(pattern)


def scene_of(task, worlds: int):
    """A scene's model with copies of a task's model, for pictures. ModelError where the task has a compiled model
    alone.
    """
    scene = ModelBuilder()
    scene.replicate(builder_of(model_of(task)), worlds)
    return scene.finalize(device="cpu")
