"""Fused kernel: stages compiled into one kernel, as generated Python that calls them in turn, one world per team.

Sizes are run-time values, so models with the same features (``specialize``) share one compiled binary.
"""

import linecache
from collections.abc import Callable

import warp as wp

from newtonlite.core.kernel_module import adopted
from newtonlite.solvers.mujoco.executor import plan
from newtonlite.solvers.mujoco.executor.generated_code import DEFINED, cpu_preamble, cuda_preamble, define_values
from newtonlite.solvers.mujoco.executor.partition import blocks_per_sm
from newtonlite.solvers.mujoco.executor.parts import Parts
from newtonlite.solvers.mujoco.executor.plan import WARP
from newtonlite.solvers.mujoco.executor.specialize import is_folded
from newtonlite.solvers.mujoco.executor.views import fields_used, view_struct
from newtonlite.solvers.mujoco.kernels.primitives.team import lane_id, sync

least_block = WARP  # lanes; with less, teams that would share a warp have one each (conformance/emulate.py)
GPU_LEVEL = 3  # NVRTC takes less as "compile fast": loop-invariant code stays in loops, nothing is fused
# a call that is not inlined copies both views, some 10 kB; straight-line vectors are written out in kernels/dense
CPU_FLAGS = {0: "", 2: "-mllvm=-inline-threshold=30000 -mllvm=-inline-cold-callsite-threshold=3000 -fno-slp-vectorize"}
_kernels: dict = {}


class StageKernel:
    """A kernel of stages, and the views it takes. ``stages``: those that are left of it where features are folded out;
    ``fields``: names that it reads or writes, of the model (``"m"``) and the data (``"d"``).
    """

    def __init__(self, name: str, stages: tuple, nlane: int, fields: dict[str, tuple]):
        self.name, self.stages, self.nlane, self.fields = name, stages, nlane, fields
        self.views = {o: view_struct(f"View_{o}_{name}_{nlane}", o, fields[o]) for o in "md"}

    def record(self, value: Callable, nworld: int, device) -> "RecordedLaunch":
        """A launch for ``nworld`` worlds on ``device``, with views filled by ``value(owner, field)``."""
        raise NotImplementedError


class RecordedLaunch:
    """A launch that Warp has recorded, with the views that it points to."""

    def __init__(self, recorded: wp.Launch, views: list):
        self.recorded, self.views, self.launch = recorded, views, recorded.launch


class FusedKernel(StageKernel):
    """Stages compiled into one kernel, with the views it takes.

    Where one lane does a world, one thread does worlds ``first`` to ``last - 1``, the last two arguments; stages are
    functions of their own that are not inlined, and find the views in memory: compilers need far longer for one function
    that holds all stages and views (docs/decisions/0002). With ``masked``, only worlds whose ``d.world_mask`` is not 0
    run.
    """

    def __init__(self, name: str, stages: tuple, nlane: int, level: int, masked: bool = False, soft: bool = False):
        # fields of all stages; teams need a place for their sums, masks one for the mask
        used = frozenset().union(
            *(fields_used(s) for s in stages), {("d", "team_f")}, {("d", "world_mask")} if masked else ()
        )
        super().__init__(
            name, stages, nlane, {owner: tuple(sorted(f for o, f in used if o == owner)) for owner in "md"}
        )
        self.apart, self.masked, self.soft = nlane == 1, masked, soft
        self.split = nlane > 1 and any(map(self.is_split, self.stages))
        self.block = block_lanes(nlane)
        self.kernel = self._kernel(nlane, level)

    def record(self, value: Callable, nworld: int, device) -> RecordedLaunch:
        views = kept = [self._view(owner, value) for owner in "md"]
        inputs, dim = views, nworld * self.nlane

        # one thread for all worlds: it takes the addresses of the views, which lie on the device; so do parts of stages
        if self.apart or self.split:
            arrays = [wp.array([view], dtype=self.views[o], device=device) for o, view in zip("md", views)]
            addresses, kept = [a.ptr for a in arrays], [*views, *arrays]
            inputs, dim = ([*addresses, 0, nworld], 1) if self.apart else ([*views, *addresses], dim)
        recorded = wp.launch(self.kernel, dim=dim, inputs=inputs, block_dim=self.block, device=device, record_cmd=True)
        return RecordedLaunch(recorded, kept)

    def _view(self, owner: str, value: Callable):
        view = self.views[owner]()
        for name in self.fields[owner]:
            field = value(owner, name)
            check_side_by_side(f"{owner}.{name}", field)
            setattr(view, name, field)
        return view

    def is_split(self, stage: wp.Function) -> bool:
        """Whether what a stage calls is compiled by itself on a GPU."""
        name = stage.func.__name__
        soft = self.soft or ("m", "nsparse") in fields_used(stage)
        return name in plan.IN_PARTS or (soft and name in plan.SOFT_IN_PARTS)

    def _kernel(self, nlane: int, level: int) -> wp.Kernel:
        # names that the source below refers to
        scope = {"wp": wp, "sync": sync, "lane_id": lane_id, "ViewM": self.views["m"], "ViewD": self.views["d"]}
        scope.update({f"s{i}": s for i, s in enumerate(self.stages)}, __name__=__name__)
        if self.apart:
            self._keep_apart(scope)
        if self.split:
            parts = Parts(self.views, plan.IN_PARTS, define)
            scope.update({f"s{i}": parts.loop(s) for i, s in enumerate(self.stages) if self.is_split(s)})

        # one world per team, or one thread for all of them
        taken = "m: wp.uint64, d: wp.uint64, first: int, last: int" if self.apart else "m: ViewM, d: ViewD"
        taken += ", m_at: wp.uint64, d_at: wp.uint64" if self.split else ""
        which = "for world in range(first, last):" if self.apart else "world = wp.tid() / nlane"
        lanes = nlane if 1 < nlane < WARP else "wp.block_dim()"
        source = f"def fused_{self.name}({taken}):\n    nlane = {lanes}\n    lane = lane_id()\n    {which}\n{self._choice(scope)}{self._calls()}"
        define(source, f"<fused {self.name} {nlane}>", scope)

        # on a GPU the registers of a lane follow from how many teams a multiprocessor shall hold
        blocks = plan.teams_per_sm(self.name, any(is_folded(s) for s in self.stages), self.soft)
        bounds = {} if nlane == 1 else {"launch_bounds": (self.block, blocks_per_sm(self.block, blocks))}
        return self._compiled_as(scope[f"fused_{self.name}"], nlane, level, bounds)

    def _compiled_as(self, function: Callable, nlane: int, level: int, bounds: dict) -> wp.Kernel:
        """The kernel of the generated function."""
        return unique_kernel(function, nlane, level, parted=self.split, **bounds)

    def _choice(self, scope: dict) -> str:
        """Lines that pass over worlds which are masked out, where only some run."""
        if not self.masked:
            return ""
        taken, view = (
            ("d: wp.uint64", "wp.array(ptr=d, shape=(1,), dtype=ViewD)[0]") if self.apart else ("d: ViewD", "d")
        )
        define(
            f"def world_mask(world: int, {taken}):\n    return {view}.world_mask[world]\n",
            f"<world_mask of {self.name} {self.nlane}>",
            scope,
        )
        scope["world_mask"] = wp.func(scope["world_mask"], module="unique")
        return (
            "        if world_mask(world, d) == 0:\n            continue\n"
            if self.apart
            else "    if world_mask(world, d) == 0:\n        return\n"
        )

    def _calls(self) -> str:
        """Lines that run the stages in turn."""
        indent = "        " if self.apart else "    "
        taken = "m, d, world" if self.apart else "m, d, world, lane, nlane"
        lines = []
        for i, stage in enumerate(self.stages):
            more = ", m_at, d_at" if self.split and self.is_split(stage) else ""
            lines.append(f"{indent}s{i}({taken}{more})\n{indent}sync()\n")
        return "".join(lines)

    def _keep_apart(self, scope: dict) -> None:
        """Put every stage into a function that is not inlined, and takes addresses: arrays are passed by value, and
        copied at every call. There the compiler knows that the lane is the only one.
        """
        for i in range(len(self.stages)):
            source = (
                f"def run{i}(m: wp.uint64, d: wp.uint64, world: int):\n"
                "    view_m = wp.array(ptr=m, shape=(1,), dtype=ViewM)\n    view_d = wp.array(ptr=d, shape=(1,), dtype=ViewD)\n"
                f"    stage{i}(view_m[0], view_d[0], world, 0, 1)\n"
            )
            scope[f"stage{i}"] = scope[f"s{i}"]
            define(source, f"<stage {i} of {self.name}>", scope)
            scope[f"s{i}"] = wp.func(scope[f"run{i}"], module="unique", inline=False)


def check_side_by_side(name: str, field) -> None:
    """Raise TypeError for an array whose last dimension has gaps, which ``array_access.h`` does not know."""
    if isinstance(field, wp.array) and field.ndim > 1 and field.size:
        size = wp.types.type_size_in_bytes(field.dtype)
        if field.strides[-1] != size:
            raise TypeError(
                f"{name}: expected elements of the last dimension side by side, got {field.strides[-1]} bytes from one "
                f"to the next where an element has {size}; use array.contiguous()"
            )


def unique_kernel(
    function: Callable,
    nlane: int,
    level: int,
    processor: str = "-march=native",
    preamble: str = "",
    parted: bool = False,
    **bounds,
) -> wp.Kernel:
    """A kernel in a module of its own, without derivatives; teams of less than a warp share one. ``processor`` is the
    compiler's flag for it, ``preamble`` what comes before the code on a CPU beside ``generated_code``; ``parted``: it calls
    functions that are not inlined on a GPU.
    """
    # headers that take the place of parts of generated code; none with the fence down
    shared = f"#define SHARED_WARP_LANES {nlane}\n" if 1 < nlane < WARP else ""
    after = (
        DEFINED if parted and cuda_preamble() else ""
    )  # as one function it would take the compiler four times as long
    before = {"extra_cpu_preamble": cpu_preamble() + preamble, "extra_cuda_preamble": shared + cuda_preamble() + after}

    # a module of its own: kernels are compiled side by side, and each once for all who have its stages
    options = {
        "enable_backward": False,
        "block_dim": block_lanes(nlane),
        "cpu_compiler_flags": f"{processor} {CPU_FLAGS[min(level, 2)]}".rstrip(),
        "optimization_level": level,
    }
    if any(before.values()):
        options["extra_build_options"] = wp.ModuleBuildOptions(**before)
    made = wp.kernel(
        function, enable_backward=False, grid_stride=False, module="unique", module_options=options, **bounds
    )
    adopted(made.module, define_values if after else None)
    return made


def define(source: str, file: str, scope: dict) -> None:
    """Run generated source in ``scope``, and keep it where Warp looks for it."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)


def block_lanes(nlane: int) -> int:
    """Lanes of a thread block of teams of ``nlane``."""
    return nlane if nlane == 1 else max(nlane, least_block)


def fused_kernel(
    name: str, stages: tuple, nlane: int = 1, level: int = 2, masked: bool = False, soft: bool = False
) -> FusedKernel:
    """The fused kernel of these stages for teams of ``nlane`` lanes, optimised to ``level`` (0: quick to compile); made
    once per process. ``soft``: of a model with flexes.
    """
    key = (name, tuple(stages), nlane, level, masked, soft, block_lanes(nlane))
    if key not in _kernels:
        _kernels[key] = FusedKernel(name, tuple(stages), nlane, level, masked=masked, soft=soft)
    return _kernels[key]
