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

BEFORE, ENGINE, AFTER = wp.constant(0), wp.constant(1), wp.constant(2)
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
    far longer for one function that holds all stages and views (docs/decisions/0002).  ``phases``, where given, has the phase of each stage: a
    further argument then says which worlds, and the phase whose stages run (``chain``).
    """

    def __init__(self, name: str, stages: tuple, nlane: int, level: int, phases: tuple = ()):
        used = frozenset().union(*(fields_used(s) for s in stages), {("d", "team_f")})
        self.name, self.stages, self.nlane, self.apart, self.phases = name, stages, nlane, nlane == 1, phases
        self.fields = {owner: tuple(sorted(f for o, f in used if o == owner)) for owner in "md"}
        self.views = {o: view_struct(f"View_{o}_{name}_{nlane}", o, self.fields[o]) for o in "md"}
        self.kernel = self._kernel(nlane, level)

    def record(self, value: Callable, nworld: int, device, *more) -> wp.Launch:
        """A launch for ``nworld`` worlds on ``device``, with views filled by ``value(owner, field)``, and ``more`` arguments."""
        nlane, views = self.nlane, [self._view(owner, value) for owner in "md"]
        if self.apart:
            views = [_in_memory(v, self.views[owner], device) for v, owner in zip(views, "md")]
        inputs = [*(v.ptr if self.apart else v for v in views), *more]
        launch = wp.launch(self.kernel, dim=nworld * nlane, inputs=inputs, block_dim=nlane, device=device, record_cmd=True)
        launch.views = views  # live as long as the launch
        return launch

    def _view(self, owner: str, value: Callable):
        view = self.views[owner]()
        for name in self.fields[owner]:
            setattr(view, name, value(owner, name))
        return view

    def _kernel(self, nlane: int, level: int) -> wp.Kernel:
        scope = {"wp": wp, "sync": sync, "lane_id": lane_id, "ViewM": self.views["m"], "ViewD": self.views["d"], "Told": wp.array(dtype=int)}
        scope.update({f"s{i}": s for i, s in enumerate(self.stages)}, __name__=__name__)
        if self.apart:
            self._keep_apart(scope)
        taken = ("m: wp.uint64, d: wp.uint64" if self.apart else "m: ViewM, d: ViewD") + ", told: Told" * bool(self.phases)
        which = "for world in range(told[0], told[1]):" if self.phases else "world = wp.tid() / nlane"
        source = f"def pack_{self.name}({taken}):\n    nlane = wp.block_dim()\n    lane = lane_id()\n    {which}\n{self._calls()}"
        _define(source, f"<pack {self.name} {nlane}>", scope)
        blocks = FEW_BLOCKS if self.name.split("_")[-1] in pipeline.ROOMY else BLOCKS_PER_SM
        bounds = {} if nlane == 1 else {"launch_bounds": (nlane, blocks_per_sm(nlane, blocks))}
        return alone(scope[f"pack_{self.name}"], nlane, level, **bounds)

    def _calls(self) -> str:
        """Lines that run the stages in turn, those of a phase where ``told`` asks for it."""
        lines, indent = "", "    "
        for i in range(len(self.stages)):
            if self.phases and self.phases[i] not in self.phases[:i]:
                lines, indent = f"{lines}        if told[2] == {self.phases[i]}:\n", "            "
            lines += f"{indent}s{i}(m, d, world, lane, nlane)\n{indent}sync()\n"
        return lines

    def _keep_apart(self, scope: dict) -> None:
        """Put every stage into a function that is not inlined, and takes addresses: arrays are passed by value, and copied at every call."""
        for i in range(len(self.stages)):
            source = (
                f"def run{i}(m: wp.uint64, d: wp.uint64, world: int, lane: int, nlane: int):\n"
                "    view_m = wp.array(ptr=m, shape=(1,), dtype=ViewM)\n    view_d = wp.array(ptr=d, shape=(1,), dtype=ViewD)\n"
                f"    stage{i}(view_m[0], view_d[0], world, lane, nlane)\n"
            )
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
