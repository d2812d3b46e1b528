"""Schedule: stages become kernels (one per stage, a chain on the CPU, a few on the GPU), worlds are spread over threads
and waves.
"""

from collections.abc import Callable

from newtonlite.core.errors import StateError
from newtonlite.core.mujoco import MjtSolver
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import EngineData, fit
from newtonlite.solvers.mujoco.derive.integrate import LISTS
from newtonlite.solvers.mujoco.executor import fence
from newtonlite.solvers.mujoco.executor.backend import Recipe
from newtonlite.solvers.mujoco.executor.partition import Scratch, partition
from newtonlite.solvers.mujoco.executor.python_pool import launch_all
from newtonlite.solvers.mujoco.executor.specialize import features
from newtonlite.solvers.mujoco.executor.views import worlds
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.model import FIELDS as MODEL_FIELDS
from newtonlite.solvers.mujoco.model import EngineModel

MOST_RECORDED = 64


class Bound(dict):
    """Arrays bound to fields of a program, not changed once it is made: schedules know it again by its identity."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


UNBOUND = Bound()


def identity(bound: dict):
    """Key of a set of bound arrays: itself, or the addresses in it."""
    return bound if isinstance(bound, Bound) else tuple(sorted((k, a.ptr) for k, a in bound.items()))


class Shard:
    """Worlds ``first`` to ``last - 1``: their slices of the kept arrays, scratch to use in their turn, their recorded
    launches.
    """

    def __init__(self, schedule: "Schedule", first: int, last: int, scratch: Scratch):
        self.schedule, self.first, self.last, self.scratch = schedule, first, last, scratch
        self.recorded: dict = {}

    def array(self, owner: str, name: str, bound: dict, private: tuple | frozenset = ()):
        """Value of a view's field for this shard; ``private`` are fields that are scratch though the data has them."""
        m, d = self.schedule.model, self.schedule.data
        if owner == "island":
            return self.scratch.of_island(name)
        if name in bound:
            return worlds(bound[name], self.first, self.last)
        if owner == "m":
            return m.sizes[name] if name in m.sizes else self._of_model(m, name)
        if name in d.sizes:
            return d.sizes[name]
        if name in d.arrays and name not in private:
            return worlds(d.arrays[name], self.first, self.last)
        return self.scratch.array(name, self.last - self.first)

    def _of_model(self, m: EngineModel, name: str):
        return m.arrays[name] if MODEL_FIELDS[name].role == "index" else worlds(m.arrays[name], self.first, self.last)

    def launches(self, program: tuple, bound: dict, private: tuple | frozenset = ()) -> list:
        """Recorded launches of a program over this shard, made once per set of bound arrays; outside of a graph that
        the caller records.
        """
        # a launch is recorded for these arrays: others, such as a new State, take another recording
        key = program, identity(bound)
        if key not in self.recorded:
            if len(self.recorded) >= MOST_RECORDED:  # callers that make new states all the time
                self.recorded.clear()

            # views are filled here; an array that is made now must not become part of a graph that is being recorded
            count, device = self.last - self.first, self.schedule.model.device
            with outside_capture(device):
                self.recorded[key] = [
                    p.record(lambda owner, name: self.array(owner, name, bound, private), count, device)
                    for p in program
                ]
        return self.recorded[key]


class Schedule:
    """Runs programs (lists of stages) over all worlds of a Data.

    Sizes, options and arrays of the model or the data may change between two runs: both count their changes, and where
    a count differs from that of the last run, the programs, the data and what was recorded are made to fit
    (``follow``). Numbers in arrays are read where they are.

    ``mode``: "fused" all in one (a chain on the CPU), "staged" one per stage, "gpu" the fused kernels of the plan,
    "auto" by device. ``threads``: CPU threads (all cores when None).  ``wave``: worlds that go through the kernels of a
    program together, where scratch is shared (on a GPU as many as it holds at a time when None).  ``prologue`` and
    ``epilogue`` are stages joined to the step, such as a solver's push and pull, which find and leave nothing in
    scratch; the arrays they name are given to ``run`` as ``bound``, as are arrays to use in place of a field's own.
    """

    def __init__(
        self,
        m: EngineModel,
        d: EngineData,
        mode: str = "auto",
        threads: int | None = None,
        prologue: tuple = (),
        epilogue: tuple = (),
        nlane: int | None = None,
        wave: int | None = None,
    ):
        check_match(m, d)
        fit(m, d)

        # how worlds are spread over the device, and who makes kernels for it
        self.spread = partition(m, mode, threads, nlane, wave)
        self.model, self.data, self.mode, self.nlane = m, d, self.spread.mode, self.spread.nlane
        self.device, self._changes = m.device, (m.changes, d.changes)
        self.backend = fence.backend(m, self.spread)
        self.captured: list = []  # launches in graphs of the caller, which do not keep what they point to

        # recipes stay; programs are made of them anew when what they were made of has changed
        self.features, self.integrator = features(m), m.opt_integrator
        self.recipes = {"step": Recipe(pipeline.step_groups, prologue, epilogue)}
        self.programs = {"step": self._program("step", self.recipes["step"])}
        self._shard()

    @property
    def version(self) -> int:
        """Count of changes of the model and the data."""
        model, data = self._changes
        return model.count + data.count

    def _program(self, name: str, recipe: Recipe) -> tuple:
        """Kernels of a recipe, of the features that the model has now."""
        return self.backend.program(name, recipe, self.features)

    def add(self, name: str, *groups: tuple, prologue: tuple = (), epilogue: tuple = (), masked: bool = False) -> None:
        """Make a program of these groups of stages, once; where results may cross kernels, all worlds go
        through one stage after the other.

        With ``masked`` it runs for worlds whose ``data.world_mask`` is not 0, and touches no others.
        """
        if name not in self.programs:
            self.add_step(name, lambda integrator: groups, prologue=prologue, epilogue=epilogue, masked=masked)

    def add_step(
        self, name: str, groups: Callable, *, prologue: tuple = (), epilogue: tuple = (), masked: bool = False
    ) -> None:
        """``add`` for groups of stages that depend on the model's integrator: ``groups(integrator)``."""
        if name not in self.programs:
            # who asks for scratch per world looks at it between stages, for all worlds
            apart = self.data.scratch == "per_world" and self.mode == "fused"
            self.recipes[name] = Recipe(groups, prologue, epilogue, apart, masked)
            self.programs[name] = self._program(name, self.recipes[name])

    def _take_over(self) -> None:
        """Go on with kernels that were awaited, where they are there."""
        found = self.backend.improved(self.programs)
        if found is not None:
            self.programs.update(found)
            self.ready.clear()

    def stages(self, name: str) -> tuple:
        """The stages of a program, as they run."""
        return tuple(s for p in self.programs[name] for s in p.stages)

    def _shard(self) -> None:
        self.shards = []  # of every thread its waves

        # worlds never move between threads: each has its share, and scratch that its waves use in turn
        for waves in self.spread.cuts(self.data.nworld, self.data.scratch):
            scratch = Scratch(self.model, self.data, self.nlane, self.spread.copies(waves))
            self.shards.append([Shard(self, a, b, scratch) for a, b in waves])
        self.pool = self.backend.pool(len(self.shards))

        # everything recorded pointed into the old shards
        self.jobs: dict = {}
        self.ready: dict = {}  # jobs by the program and the arrays that they are of, for those that run again
        self.followed = self.version

    def follow(self) -> None:
        """Fit data, programs and recorded launches to sizes, options and arrays that have changed since the last run.
        StateError where model and data do not belong together.
        """
        if self.version == self.followed:
            return
        with outside_capture(self.device):
            check_match(self.model, self.data)
            fit(self.model, self.data)

            # other sizes are numbers in views and need no other kernels
            made_of = features(self.model), self.model.opt_integrator
            if made_of != (self.features, self.integrator):
                self.features, self.integrator = made_of
                self.programs = {name: self._program(name, recipe) for name, recipe in self.recipes.items()}
            self._shard()

    def run(self, name: str, count: int = 1, bound: dict | None = None) -> None:
        """Run a program ``count`` times; worlds never wait for each other in between."""
        if self.model.lent:
            self.model.follow()

        # the short way of a step like the last one: two look-ups and a sum, no Python below
        job = self.ready.get((id(self.programs.get(name)), id(bound)))
        model, data = self._changes
        stale = (
            job is None or self.backend.awaited or model.count + data.count != self.followed or self.device.is_capturing
        )
        if stale or count.__class__ is not int or count < 0:
            job = self._prepare(name, count, bound or UNBOUND)
        if job:
            self.pool.run(job, count)

    def _prepare(self, name: str, count: int, bound: dict):
        """The jobs of a program for the pool, with the kernels and arrays there are now; none where the caller records
        a graph, which gets the launches.
        """
        if count.__class__ is not int or count < 0:
            raise StateError(f"count: expected a whole number of times, got {count!r}")
        if name not in self.programs:
            raise StateError(f"program: expected one of {', '.join(self.programs)}, got {name!r}")
        self.follow()

        # programs may change here and nowhere else, so that all worlds of a run have the same kernels
        if self.backend.awaited and not self.model.device.is_capturing:
            self._take_over()
        program = self.programs[name]
        if self.model.device.is_capturing:  # Warp records the launches of one thread
            jobs = self._jobs(name, bound)
            self.captured.append(jobs)
            for job in jobs:
                launch_all(job, count)
            return None

        # otherwise the launches of all threads, in the form that the pool takes
        key = program, identity(bound)
        if key not in self.jobs:
            if len(self.jobs) >= MOST_RECORDED:
                self.jobs.clear()
                self.ready.clear()
            self.jobs[key] = self.pool.prepare(self._jobs(name, bound))

        # the next call with the same objects takes the short way
        if isinstance(bound, Bound):  # which the key above keeps, as it does the program
            self.ready[id(program), id(None if bound is UNBOUND else bound)] = self.jobs[key]
        return self.jobs[key]

    def _jobs(self, name: str, bound: dict) -> list:
        """Launches of a program, for every thread by waves. A program that is not made of parts of a step has no use for
        what it keeps of others between its own stages.
        """
        # fields kept for others alone are scratch within a whole step: they stay in the cache that way
        whole = name in self.recipes and not self.recipes[name].apart and self.spread.one_by_one
        private = self.data.private if whole else ()
        return [[s.launches(self.programs[name], bound, private) for s in waves] for waves in self.shards]

    def step(self, count: int = 1) -> None:
        """Advance every world by ``count`` time steps."""
        self.run("step", count)

    def forward(self) -> None:
        """Forward dynamics: everything up to the acceleration; the state stays."""
        if "forward" not in self.programs:
            self.recipes["forward"] = Recipe(lambda integrator: (pipeline.FORWARD,))
            self.programs["forward"] = self._program("forward", self.recipes["forward"])
        self.run("forward")

    def inverse(self) -> None:
        """``qfrc_inverse``, and the constraint forces, of the accelerations in ``qacc``."""
        self.add("inverse", pipeline.INVERSE)
        self.run("inverse")


def check_match(m: EngineModel, d: EngineData) -> None:
    """Raise StateError unless the data was made for this model, its per-world parameters fit, and it has the lists that
    its options call for.
    """
    if d.model.changes is not (m.origin or m).changes:
        raise StateError("data: made for another model; use make_data(m, ...) with this one")
    for size, (option, value) in LISTS.items():
        if m.sizes[option] == value and m.nv and not m.sizes[size]:
            raise StateError(
                f"model.{option}: {int(value)} was written past what it needs ({size} is 0); set it as model.opt.{option[4:]}"
            )
    if m.nsparse and (m.opt_solver == MjtSolver.PGS or m.opt_noslip_iterations):
        raise StateError(
            "model.opt_solver, opt_noslip_iterations: rows of this model are sparse, which PGS and noslip do not take; set them in the scene"
        )
    for name, array in m.arrays.items():
        if MODEL_FIELDS[name].role == "param" and array.shape[0] not in (1, d.nworld):
            raise StateError(
                f"model.{name}: has {array.shape[0]} worlds, the data {d.nworld}; put_model with nworld={d.nworld}"
            )
