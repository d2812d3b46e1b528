"""How stages become kernels: one per stage, a chain for all (CPU), or a few packs (GPU); worlds spread over threads and waves."""

from concurrent.futures import ThreadPoolExecutor

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco import pipeline, variants
from newtonlite.solvers.mujoco.chain import chain
from newtonlite.solvers.mujoco.data import Data
from newtonlite.solvers.mujoco.model import FIELDS as MODEL_FIELDS
from newtonlite.solvers.mujoco.model import Model
from newtonlite.solvers.mujoco.pack import pack
from newtonlite.solvers.mujoco.spread import Scratch, spread
from newtonlite.solvers.mujoco.variants import features, fold
from newtonlite.solvers.mujoco.views import worlds

MOST_RECORDED = 64
PACKED = frozenset(s for stages in pipeline.GPU_PACKS.values() for s in stages)
"""Stages that belong to a pack; a program with others, which few ask for, has a kernel per stage."""


class Shard:
    """Worlds ``first`` to ``last - 1``: their slices of the kept arrays, scratch to use in their turn, their recorded launches."""

    def __init__(self, schedule: "Schedule", first: int, last: int, scratch: Scratch):
        self.schedule, self.first, self.last, self.scratch = schedule, first, last, scratch
        self.recorded: dict = {}

    def array(self, owner: str, name: str, border: dict):
        """Value of a view's field for this shard."""
        m, d = self.schedule.model, self.schedule.data
        if name in border:
            return worlds(border[name], self.first, self.last)
        if owner == "m":
            return m.sizes[name] if name in m.sizes else self._of_model(m, name)
        if name in d.sizes:
            return d.sizes[name]
        if name in d.arrays:
            return worlds(d.arrays[name], self.first, self.last)
        return self.scratch.array(name, self.last - self.first)

    def _of_model(self, m: Model, name: str):
        return m.arrays[name] if MODEL_FIELDS[name].role == "index" else worlds(m.arrays[name], self.first, self.last)

    def launches(self, program: tuple, border: dict) -> list:
        """Recorded launches of a program over this shard, made once per set of border arrays."""
        key = (program, tuple(sorted((k, a.ptr) for k, a in border.items())))
        if key not in self.recorded:
            if len(self.recorded) >= MOST_RECORDED:  # callers that make new states all the time
                self.recorded.clear()
            count, device = self.last - self.first, self.schedule.model.device
            self.recorded[key] = [p.record(lambda owner, name: self.array(owner, name, border), count, device) for p in program]
        return self.recorded[key]


class Schedule:
    """Runs programs (lists of stages) over all worlds of a Data.

    ``mode``: "fused" all in one (a chain on the CPU), "staged" one per stage, "gpu" the packs of the pipeline page, "auto" by device.
    ``threads``: CPU threads (all cores when None).  ``wave``: worlds that go through the kernels of a program together, where scratch is
    shared (on a GPU as many as it holds at a time when None).  ``before`` and ``after`` are stages joined to the step, such as a
    solver's push and pull, which find and leave nothing in scratch; the arrays they name are given to ``run`` as ``border``, as are arrays
    to use in place of a field's own.
    """

    def __init__(self, m: Model, d: Data, mode: str = "auto", threads: int | None = None, before: tuple = (), after: tuple = (),
                 nlane: int | None = None, wave: int | None = None):  # fmt: skip
        check_match(m, d)
        self.spread = spread(m, mode, threads, nlane, wave)
        self.model, self.data, self.mode, self.nlane = m, d, self.spread.mode, self.spread.nlane
        self.programs = {"step": self._program("step", pipeline.step_groups(m.opt_integrator), before, after)}
        self._shard()

    def _program(self, name: str, groups: tuple, before: tuple = (), after: tuple = (), mode: str | None = None) -> tuple:
        """Packs that run ``before``, groups of stages and ``after`` in this mode."""
        mode = mode or self.mode
        if mode == "gpu" and not all(s in PACKED for group in groups for s in group):
            mode = "staged"
        folded, level = features(self.model), 2 if variants.specialise or not self.model.device.is_cpu else 0
        last = len(groups) - 1
        ends = {0: f"{name}_first", last: f"{name}_last"} if last else {}
        parts = [(ends.get(i, name), before if i == 0 else (), g, after if i == last else ()) for i, g in enumerate(groups)]
        if mode == "fused" and self.nlane == 1 and self.model.device.is_cpu:
            found = [(k, fold(b, folded), fold(g, folded), fold(a, folded)) for k, b, g, a in parts]
            return tuple(chain(k, g, level, b, a) for k, b, g, a in found if b or g or a)
        whole = [(k, (*b, *g, *a)) for k, b, g, a in parts]
        if mode == "gpu":
            whole = [(f"{name}_{k}", p) for _, g in whole for k, p in gpu_groups(g, before, after, self.model.nsleep > 0)]
        found = [(k, fold(g, folded)) for k, g in whole]
        if mode == "staged":
            found = [(s.key.split(".")[-1], (s,)) for _, g in found for s in g]
        return tuple(pack(k, g, self.nlane, level) for k, g in found if g)

    def add(self, name: str, *groups: tuple, before: tuple = (), after: tuple = ()) -> None:
        """Make a program of these groups of stages, once; where results may cross kernels, one kernel per stage, which programs share."""
        if name not in self.programs:
            apart = self.data.scratch == "per_world" and self.mode == "fused"
            self.programs[name] = self._program(name, groups, before, after, "staged" if apart else self.mode)

    def stages(self, name: str) -> tuple:
        """The stages of a program, as they run."""
        return tuple(s for p in self.programs[name] for s in p.stages)

    def _shard(self) -> None:
        self.shards = []  # of every thread its waves
        for waves in self.spread.cuts(self.data.nworld, self.data.scratch):
            scratch = Scratch(self.model, self.data, self.nlane, self.spread.copies(waves))
            self.shards.append([Shard(self, a, b, scratch) for a, b in waves])
        if getattr(self, "pool", None) is not None:
            self.pool.shutdown()
        self.pool = ThreadPoolExecutor(len(self.shards) - 1) if len(self.shards) > 1 else None
        self.version = self.model.version

    def run(self, name: str, count: int = 1, border: dict | None = None) -> None:
        """Run a program ``count`` times; worlds never wait for each other in between."""
        if name not in self.programs:
            raise StateError(f"program: expected one of {', '.join(self.programs)}, got {name!r}")
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise StateError(f"count: expected a whole number of times, got {count!r}")
        if self.model.version != self.version:
            check_match(self.model, self.data)
            self._shard()
        jobs = [[s.launches(self.programs[name], border or {}) for s in waves] for waves in self.shards]
        if self.pool is None:
            _repeat(jobs[0], count)
            return
        for job in [self.pool.submit(_repeat, j, count) for j in jobs[1:]] + [_Done(_repeat, jobs[0], count)]:
            job.result()

    def step(self, count: int = 1) -> None:
        """Advance every world by ``count`` time steps."""
        self.run("step", count)

    def forward(self) -> None:
        """Everything up to the acceleration; the state stays."""
        if "forward" not in self.programs:
            self.programs["forward"] = self._program("forward", (pipeline.FORWARD,))
        self.run("forward")

    def inverse(self) -> None:
        """``qfrc_inverse``, and the constraint forces, of the accelerations in ``qacc``."""
        self.add("inverse", pipeline.INVERSE)
        self.run("inverse")


def gpu_groups(stages: tuple, before: tuple, after: tuple, sleeping: bool = False) -> list:
    """``stages`` as the packs of the pipeline page: ``before`` goes into the first pack there is, ``after`` into the last."""
    packs = {k: [s for s in g if s in stages] for k, g in (pipeline.SLEEP_PACKS if sleeping else pipeline.GPU_PACKS).items()}
    packs = {k: g for k, g in packs.items() if g} or {"border": []}
    first, last = next(iter(packs)), list(packs)[-1]
    packs[first] = [*(s for s in before if s in stages), *packs[first]]
    packs[last] = [*packs[last], *(s for s in after if s in stages)]
    return [(k, tuple(g)) for k, g in packs.items()]


def check_match(m: Model, d: Data) -> None:
    """Raise StateError unless the data was made for this model and its per-world parameters fit."""
    if d.model is not m:
        raise StateError("data: made for another model; use make_data(m, ...) with this one")
    if d.nearmax and bool(d.nprunenear) != bool(m.nprune):
        raise StateError("data: made before the model's broad phase was chosen; make it afterwards")
    for name, array in m.arrays.items():
        if MODEL_FIELDS[name].role == "param" and array.shape[0] not in (1, d.nworld):
            raise StateError(f"model.{name}: has {array.shape[0]} worlds, the data {d.nworld}; put_model with nworld={d.nworld}")


class _Done:
    """The calling thread's own share of the work, in the shape of a future."""

    def __init__(self, work, *args):
        self.value = work(*args)

    def result(self):
        return self.value


def _repeat(waves: list, count: int) -> None:
    for launches in waves:
        for _ in range(count):
            for launch in launches:
                launch.launch()
