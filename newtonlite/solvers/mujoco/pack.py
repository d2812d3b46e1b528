"""A pack: stages compiled into one kernel, as generated Python that runs them one after the other for one world per team.

Sizes are run-time values, so models with the same features (``variants``) share one compiled binary.
"""

import ctypes
import linecache
from collections.abc import Callable

import warp as wp

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.kernels.team import lane_id, sync
from newtonlite.solvers.mujoco.spread import BLOCKS_PER_SM, blocks_per_sm
from newtonlite.solvers.mujoco.views import fields_used, view_struct

FEW_BLOCKS = 8  # 255 registers for 32 lanes
# a call that is not inlined copies both views, some 10 kB; straight-line vectors are written out in kernels/dense
CPU_FLAGS = {
    0: "-march=native",
    2: "-march=native -mllvm=-inline-threshold=30000 -mllvm=-inline-cold-callsite-threshold=3000 -fno-slp-vectorize",
}
_packs: dict = {}


class Pack:
    """Stages compiled into one kernel, with the views it takes.

    Where one lane does a world, stages are functions of their own that are not inlined, and find the views in memory: compilers need
    far longer for one function that holds all stages and views (docs/decisions/0002).  ``is_told``: a further argument names the world.
    """

    def __init__(self, name: str, stages: tuple, nlane: int, level: int, is_told: bool = False):
        used = frozenset().union(*(fields_used(s) for s in stages), {("d", "team_f")})
        self.name, self.stages, self.nlane, self.apart, self.is_told = name, stages, nlane, nlane == 1, is_told
        self.fields = {owner: tuple(sorted(f for o, f in used if o == owner)) for owner in "md"}
        self.views = {o: view_struct(f"View_{o}_{name}_{nlane}", o, self.fields[o]) for o in "md"}
        self.kernel = self._kernel(nlane, level)

    def record(self, value: Callable, nworld: int, device, *more) -> wp.Launch:
        """A launch for ``nworld`` worlds on ``device``, with views filled by ``value(owner, field)``, and ``more`` arguments."""
        nlane, views = self.nlane, self.arguments(value, device)
        launch = wp.launch(self.kernel, dim=nworld * nlane, inputs=[*views, *more], block_dim=nlane, device=device, record_cmd=True)
        launch.views = views  # lives as long as the launch
        return launch

    def arguments(self, value: Callable, device) -> list:
        """Views for a launch on ``device``, filled by ``value(owner, field)``."""
        found = []
        for owner, struct in self.views.items():
            view = struct()
            for name in self.fields[owner]:
                setattr(view, name, value(owner, name))
            found.append(_in_memory(view, struct, device) if self.apart else view)
        return found

    def _kernel(self, nlane: int, level: int) -> wp.Kernel:
        scope = {"wp": wp, "sync": sync, "lane_id": lane_id, "ViewM": self.views["m"], "ViewD": self.views["d"]}
        scope.update({f"s{i}": s for i, s in enumerate(self.stages)}, __name__=__name__)
        if self.apart:
            scope.update(ViewM=wp.array(dtype=self.views["m"]), ViewD=wp.array(dtype=self.views["d"]), Told=wp.array(dtype=int))
            self._keep_apart(scope)
        calls = "".join(f"    s{i}(m, d, world, lane, nlane)\n    sync()\n" for i in range(len(self.stages)))
        more, world = (", told: Told", "told[0]") if self.is_told else ("", "wp.tid() / nlane")
        source = (
            f"def pack_{self.name}(m: ViewM, d: ViewD{more}):\n    nlane = wp.block_dim()\n"
            f"    world = {world}\n    lane = lane_id()\n{calls}"
        )
        _define(source, f"<pack {self.name} {nlane}>", scope)
        blocks = FEW_BLOCKS if self.name.split("_")[-1] in pipeline.ROOMY else BLOCKS_PER_SM
        bounds = {} if nlane == 1 else {"launch_bounds": (nlane, blocks_per_sm(nlane, blocks))}
        return alone(scope[f"pack_{self.name}"], nlane, level, **bounds)

    def _keep_apart(self, scope: dict) -> None:
        """Put every stage into a function that is not inlined."""
        for i in range(len(self.stages)):
            source = f"def run{i}(m: ViewM, d: ViewD, world: int, lane: int, nlane: int):\n    stage{i}(m[0], d[0], world, lane, nlane)\n"
            scope[f"stage{i}"] = scope[f"s{i}"]
            _define(source, f"<stage {i} of {self.name}>", scope)
            scope[f"s{i}"] = wp.func(scope[f"run{i}"], module="unique", inline=False)


def alone(function: Callable, nlane: int, level: int, **bounds) -> wp.Kernel:
    """A kernel in a module of its own, without derivatives."""
    options = {"enable_backward": False, "block_dim": nlane, "cpu_compiler_flags": CPU_FLAGS[level], "optimization_level": level}
    return wp.kernel(function, enable_backward=False, grid_stride=False, module="unique", module_options=options, **bounds)


def _in_memory(view, struct, device) -> wp.array:
    """An array with one struct, which on the CPU is the one given."""
    array = wp.array(ptr=ctypes.addressof(view.__ctype__()), dtype=struct, shape=(1,), device="cpu").to(device)
    array.owner = view
    return array


def _define(source: str, file: str, scope: dict) -> None:
    """Run generated source in ``scope``, and keep it where Warp looks for it."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)


def pack(name: str, stages: tuple, nlane: int = 1, level: int = 2) -> Pack:
    """The pack of these stages for teams of ``nlane`` lanes, optimised to ``level`` (0: quick to compile); made once per process."""
    key = (name, tuple(stages), nlane, level)
    if key not in _packs:
        _packs[key] = Pack(name, tuple(stages), nlane, level)
    return _packs[key]
