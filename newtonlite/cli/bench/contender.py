"""Contenders of a race: engines that hold their worlds in Warp arrays, newtonlite among them.

``NewtonLite`` is what a user calls, ``mjwarp.step``; ``NewtonLiteEngine`` the schedule below it, without what a call
looks at and without intermediate results. A contender has ``name``, ``threads``, ``warm()`` (the first step), ``reset()``, ``run()`` (the whole workload),
``acceleration()`` [nworld, nv] and ``report()``: failures and sizes. Peers are in the project's ``benchmarks`` folder
and follow the same pattern.
"""

import os

import numpy as np
import warp as wp

from newtonlite import mjwarp
from newtonlite.cli.bench.workload import Workload, wide
from newtonlite.core.kernel_module import kernel_module
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.model import put_model

kernel_module(__name__)


@wp.kernel
def restore(rows: wp.array[int], source: wp.array2d[float], target: wp.array2d[float]):
    """Copy the named rows."""
    i, column = wp.tid()
    target[rows[i], column] = source[rows[i], column]


class WarpWorlds:
    """Worlds in Warp arrays. A subclass sets ``name``, ``threads``, gives ``arrays()`` and ``advance()``."""

    def __init__(self, work: Workload, device):
        self.work, self.device = work, wp.get_device(device)
        self.graph = None
        self.state = self.arrays()
        self.start = [self._kept(wide(a, b)) for a, b in zip(self.starts(), self.state)]
        self.control = work.control if self.device.is_cpu else [self._kept(c) for c in work.control]
        self.controlled = self.state[3].numpy() if self.device.is_cpu else self.state[3]  # a view, not a copy
        self.everyone = wp.array(np.arange(work.nworld), dtype=int, device=self.device)
        self.resets = [wp.array(r, dtype=int, device=self.device) for r in work.resets]

    def _kept(self, values: np.ndarray) -> wp.array:
        return wp.array(values, dtype=float, device=self.device)

    def arrays(self):
        """(qpos, qvel, qacc_warmstart, ctrl), each [nworld, n or more]."""
        raise NotImplementedError

    def starts(self):
        """Initial values of the first three arrays."""
        return self.work.qpos, self.work.qvel, self.work.warmstart

    def advance(self) -> None:
        """Launch one step of all worlds."""
        raise NotImplementedError

    def reset(self) -> None:
        """All worlds to the start of the workload."""
        self._restore(self.everyone)
        wp.synchronize_device(self.device)

    def _restore(self, rows: wp.array) -> None:
        for source, target in zip(self.start, self.state):
            wp.launch(restore, dim=(len(rows), source.shape[1]), inputs=[rows, source, target], device=self.device)

    def warm(self) -> None:
        """One step from the start, which compiles; on a GPU the step is then captured, to be replayed."""
        self.reset()
        self.advance()
        if self.device.is_cuda:
            with wp.ScopedCapture(device=self.device) as capture:
                self.advance()
            self.graph = capture.graph

    def steer(self, k: int) -> None:
        """Controls of step ``k``; on a CPU as MuJoCo's get theirs, without a launch."""
        if self.work.mj.nu and self.device.is_cpu:
            self.controlled[:] = self.control[k]
        elif self.work.mj.nu:
            wp.copy(self.controlled, self.control[k])

    def step(self) -> None:
        """One step, as in a run."""
        if self.graph is None:
            self.advance()
        else:
            wp.capture_launch(self.graph)

    def run(self) -> None:
        """The whole workload, to its last result."""
        for k in range(self.work.nstep):
            self.steer(k)
            self.step()
            if self.resets:
                self._restore(self.resets[k])
        wp.synchronize_device(self.device)


class NewtonLite(WarpWorlds):
    """This package as a user has it: ``mjwarp.step``, which leaves all intermediate results."""

    name = "newtonlite"

    def __init__(self, work: Workload, device, threads: int | None = None):
        differ = ("body_mass", "body_inertia", "geom_friction") if work.mass is not None else ()
        self.threads = (threads or os.cpu_count() or 1) if wp.get_device(device).is_cpu else 1
        self._make(work, device, differ)
        if differ:
            self._randomise(work)
        super().__init__(work, device)

    def _make(self, work: Workload, device, differ: tuple) -> None:
        self.model = mjwarp.put_model(work.mj, dict.fromkeys(differ, work.nworld), device=device)
        self.call = mjwarp.make_data(
            self.model, work.nworld, work.nconmax, njmax=work.njmax, threads=self.threads, device=device
        )
        self.data = self.call.engine

    def _randomise(self, work: Workload) -> None:
        mj = work.mj
        self.model.set("body_mass", work.mass * np.asarray(mj.body_mass))
        self.model.set("body_inertia", work.mass[:, :, None] * np.asarray(mj.body_inertia))
        self.model.set("geom_friction", scaled_friction(mj, work))

    def arrays(self):
        """The engine's state and controls."""
        d = self.data
        return d.qpos, d.qvel, d.qacc_warmstart, d.ctrl

    def advance(self) -> None:
        mjwarp.step(self.model, self.call)

    def acceleration(self) -> np.ndarray:
        """[nworld, nv] of the last step."""
        return self.data.qacc.numpy()[:, : self.work.mj.nv]

    def report(self) -> dict:
        """Failures since the start, and sizes met."""
        d = self.data
        return {
            "overflows": int(d.overflow.numpy().sum()),
            "bad": int((d.bad_count.numpy() > 0).sum()),
            "ncon_max": int(d.ncon_max.numpy().max()),
            "nefc_max": int(d.nefc_max.numpy().max()),
            "iterations_mean": float(d.solver_niter.numpy().mean()),
            "data_bytes": int(sum(a.capacity for a in d.arrays.values())),
        }


class NewtonLiteEngine(NewtonLite):
    """The engine alone: ``Schedule.step``, intermediate results in the cache."""

    name = "engine"

    def _make(self, work: Workload, device, differ: tuple) -> None:
        self.model = put_model(work.mj, work.nworld, device=device, per_world=differ)
        self.batch = Batch(self.model, work.nworld, nconmax=work.nconmax, njmax=work.njmax, threads=self.threads)
        self.data, self.schedule = self.batch.data, self.batch.schedule

    def advance(self) -> None:
        self.schedule.step()


def scaled_friction(mj, work: Workload) -> np.ndarray:
    """[nworld, ngeom, 3] friction with the sliding coefficient of each world scaled."""
    friction = np.tile(np.asarray(mj.geom_friction, np.float32), (work.nworld, 1, 1))
    friction[:, :, 0] *= work.friction[:, None]
    return friction
