"""Fused kernel: stages compiled into one kernel, as generated Python that calls them in turn, one world per team.

Sizes are run-time values, so models with the same features (``specialize``) share one compiled binary.
"""

import ctypes
import functools
import linecache
from collections.abc import Callable
from pathlib import Path

import warp as wp

from newtonlite.core.kernel_module import adopted
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import kernel_cache
from newtonlite.solvers.mujoco.executor.native_call import NativeCall, compiled
from newtonlite.solvers.mujoco.executor.partition import BLOCKS_PER_SM, FOLDED_BLOCKS, blocks_per_sm
from newtonlite.solvers.mujoco.executor.specialize import is_folded
from newtonlite.solvers.mujoco.executor.views import fields_used, view_struct
from newtonlite.solvers.mujoco.kernels.primitives.team import lane_id, sync

WARP = 32
least_block = WARP  # lanes; with less, teams that would share a warp have one each (conformance/emulate.py)
GPU_LEVEL = 3  # NVRTC takes less as "compile fast": loop-invariant code stays in loops, nothing is fused
# a call that is not inlined copies both views, some 10 kB; straight-line vectors are written out in kernels/dense
CPU_FLAGS = {0: "", 2: "-mllvm=-inline-threshold=30000 -mllvm=-inline-cold-callsite-threshold=3000 -fno-slp-vectorize"}
# Warp's access lets an index count from the end, and any stride; its addresses are much of what a stage computes
ARRAY_ACCESS, RANGE_LOOP, SPMD = (
    (Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("array_access.h", "range_loop.h", "spmd.h")
)
GANG_KERNEL = "gang"
_kernels: dict = {}


class StageKernel:
    """A kernel of stages: the views it takes, and how they are filled. ``stages``: those that are left of it where
    features are folded out; ``fields``: names that it reads or writes, of the model (``"m"``) and the data (``"d"``).
    """

    def __init__(self, name: str, stages: tuple, nlane: int, fields: dict[str, tuple]):
        self.name, self.stages, self.nlane, self.fields = name, stages, nlane, fields
        self.views = {o: view_struct(f"View_{o}_{name}_{nlane}", o, fields[o]) for o in "md"}

    @property
    def code(self) -> int:
        """Address of the code on the CPU, which is compiled and loaded when first asked for."""
        raise NotImplementedError

    def call(self, value: Callable, nworld: int, device) -> NativeCall:
        """A call for ``nworld`` worlds on the CPU, with views filled by ``value(owner, field)``."""
        views = [self._view_in_memory(owner, value, device) for owner in "md"]
        return NativeCall(
            self.code, [*(ctypes.c_uint64(v.ptr) for v in views), ctypes.c_int32(0), ctypes.c_int32(nworld)], views
        )

    def _view(self, owner: str, value: Callable):
        view = self.views[owner]()
        for name in self.fields[owner]:
            field = value(owner, name)
            _check_side_by_side(f"{owner}.{name}", field)
            setattr(view, name, field)
        return view

    def _view_in_memory(self, owner: str, value: Callable, device) -> wp.array:
        """The bytes of a view on a device; without Warp's struct, which makes every array it has once more."""
        struct = self.views[owner]
        view, kept = struct.ctype(), []
        for name in self.fields[owner]:
            field, kind = value(owner, name), struct.vars[name].type
            if not isinstance(field, wp.array):
                setattr(view, name, field)
                continue
            if field.ndim != kind.ndim or not wp.types.types_equal(field.dtype, kind.dtype):
                raise TypeError(f"{owner}.{name}: expected {wp.types.type_repr(kind)}, got {field.ndim}D {field.dtype}")
            _check_side_by_side(f"{owner}.{name}", field)
            setattr(view, name, field.__ctype__())
            kept.append(field)
        size = ctypes.sizeof(view)
        array = wp.array(ptr=ctypes.addressof(view), dtype=wp.uint8, shape=(size,), device="cpu").to(device)
        array.owner = view, kept
        return array


class CachedKernel(StageKernel):
    """A kernel of the kernel cache, of one lane a world: an entry that was found there, for stages of which those that
    are left are named in it.
    """

    def __init__(self, name: str, stages: tuple, entry: dict):
        left = tuple(s for s in stages if s.key in entry["stages"])
        super().__init__(name, left, 1, {o: tuple(entry[o]) for o in "md"})
        self.entry = entry

    @property
    def code(self) -> int:
        """Address of the code."""
        return self.entry["code"]


class FusedKernel(StageKernel):
    """Stages compiled into one kernel, with the views it takes.

    Where one lane does a world, one thread does worlds ``first`` to ``last - 1``, the last two arguments; stages are
    functions of their own that are not inlined, and find the views in memory: compilers need far longer for one function
    that holds all stages and views (docs/decisions/0002). With ``masked``, only worlds whose ``d.world_mask`` is not 0
    run. ``key`` is the name under which the kernel cache keeps it. The kernel ``GANG_KERNEL`` works on a gang of worlds.
    """

    def __init__(self, name: str, stages: tuple, nlane: int, level: int, masked: bool = False, key: str | None = None):
        used = frozenset().union(
            *(fields_used(s) for s in stages), {("d", "team_f")}, {("d", "world_mask")} if masked else ()
        )
        super().__init__(
            name, stages, nlane, {owner: tuple(sorted(f for o, f in used if o == owner)) for owner in "md"}
        )
        self.apart, self.masked, self.key = nlane == 1, masked, key
        self.block = block_lanes(nlane)
        self.kernel = self._kernel(nlane, level)

    @functools.cached_property
    def code(self) -> int:
        """Address of the code, which is kept in the kernel cache under the kernel's ``key``."""
        if self.key is None:
            return compiled(self.kernel)[0]
        return kernel_cache.keep(self.key, self.kernel, stages=[s.key for s in self.stages], **self.fields)

    def record(self, value: Callable, nworld: int, device) -> wp.Launch:
        """A launch for ``nworld`` worlds on ``device``, with views filled by ``value(owner, field)``."""
        if self.apart:
            views = [self._view_in_memory(owner, value, device) for owner in "md"]
            inputs, dim = [*(v.ptr for v in views), 0, nworld], 1
        else:
            inputs = views = [self._view(owner, value) for owner in "md"]
            dim = nworld * self.nlane
        launch = wp.launch(self.kernel, dim=dim, inputs=inputs, block_dim=self.block, device=device, record_cmd=True)
        launch.views = views  # live as long as the launch
        return launch

    def _kernel(self, nlane: int, level: int) -> wp.Kernel:
        scope = {"wp": wp, "sync": sync, "lane_id": lane_id, "ViewM": self.views["m"], "ViewD": self.views["d"]}
        scope.update({f"s{i}": s for i, s in enumerate(self.stages)}, __name__=__name__)
        if self.apart:
            self._keep_apart(scope)
        taken = "m: wp.uint64, d: wp.uint64, first: int, last: int" if self.apart else "m: ViewM, d: ViewD"
        which = "for world in range(first, last):" if self.apart else "world = wp.tid() / nlane"
        lanes = nlane if 1 < nlane < WARP else "wp.block_dim()"
        source = f"def fused_{self.name}({taken}):\n    nlane = {lanes}\n    lane = lane_id()\n    {which}\n{self._choice(scope)}{self._calls()}"
        _define(source, f"<fused {self.name} {nlane}>", scope)
        pack = self.name.split("_")[-1]
        blocks = pipeline.BLOCKS.get(pack, BLOCKS_PER_SM)
        if any(is_folded(s) for s in self.stages):
            blocks = FOLDED_BLOCKS.get(pack, blocks)
        bounds = {} if nlane == 1 else {"launch_bounds": (self.block, blocks_per_sm(self.block, blocks))}
        return unique_kernel(scope[f"fused_{self.name}"], nlane, level, self.name == GANG_KERNEL, **bounds)

    def _choice(self, scope: dict) -> str:
        """Lines that pass over worlds which are masked out, where only some run."""
        if not self.masked:
            return ""
        taken, view = (
            ("d: wp.uint64", "wp.array(ptr=d, shape=(1,), dtype=ViewD)[0]") if self.apart else ("d: ViewD", "d")
        )
        _define(
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
        calls = (f"{indent}s{i}({taken})\n{indent}sync()\n" for i in range(len(self.stages)))
        return "".join(calls) + (f"{indent}end_spmd()\n" if self.name == GANG_KERNEL else "")

    def _keep_apart(self, scope: dict) -> None:
        """Put every stage into a function that is not inlined, and takes addresses: arrays are passed by value, and
        copied at every call. There the compiler knows that the lane is the only one.
        """
        scope["end_spmd"] = end_spmd
        for i in range(len(self.stages)):
            source = (
                f"def run{i}(m: wp.uint64, d: wp.uint64, world: int):\n"
                "    view_m = wp.array(ptr=m, shape=(1,), dtype=ViewM)\n    view_d = wp.array(ptr=d, shape=(1,), dtype=ViewD)\n"
                f"    stage{i}(view_m[0], view_d[0], world, 0, 1)\n"
            )
            scope[f"stage{i}"] = scope[f"s{i}"]
            _define(source, f"<stage {i} of {self.name}>", scope)
            scope[f"s{i}"] = wp.func(scope[f"run{i}"], module="unique", inline=False)


def _check_side_by_side(name: str, field) -> None:
    """Raise TypeError for an array whose last dimension has gaps, which ARRAY_ACCESS does not know."""
    if isinstance(field, wp.array) and field.ndim > 1 and field.size:
        size = wp.types.type_size_in_bytes(field.dtype)
        if field.strides[-1] != size:
            raise TypeError(
                f"{name}: expected elements of the last dimension side by side, got {field.strides[-1]} bytes from one "
                f"to the next where an element has {size}; use array.contiguous()"
            )


@wp.func_native("#undef bool\n")
def end_spmd():
    """After the stages of a gang: what Warp writes around them has truths of its own."""
    ...


def unique_kernel(function: Callable, nlane: int, level: int, spmd: bool = False, **bounds) -> wp.Kernel:
    """A kernel in a module of its own, without derivatives; teams of less than a warp share one. With ``spmd`` its
    numbers are those of a gang of worlds.
    """
    processor = f"-target-cpu {kernel_cache.target}" if kernel_cache.target else "-march=native"
    shared = f"#define SHARED_WARP_LANES {nlane}\n" if 1 < nlane < WARP else ""
    options = {
        "enable_backward": False,
        "block_dim": block_lanes(nlane),
        "cpu_compiler_flags": f"{processor} {CPU_FLAGS[min(level, 2)]}".rstrip(),
        "optimization_level": level,
        "extra_build_options": wp.ModuleBuildOptions(
            extra_cpu_preamble=ARRAY_ACCESS + RANGE_LOOP + SPMD * spmd, extra_cuda_preamble=shared + ARRAY_ACCESS
        ),
    }
    made = wp.kernel(
        function, enable_backward=False, grid_stride=False, module="unique", module_options=options, **bounds
    )
    adopted(made.module)
    return made


def _define(source: str, file: str, scope: dict) -> None:
    """Run generated source in ``scope``, and keep it where Warp looks for it."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)


def block_lanes(nlane: int) -> int:
    """Lanes of a thread block of teams of ``nlane``."""
    return nlane if nlane == 1 else max(nlane, least_block)


def pack_lanes(name: str, nlane: int) -> int:
    """Lanes of a team of a GPU's kernel ``name``, of a model with teams of ``nlane``."""
    return pipeline.SHARED_WARP_LANES.get(name.split("_")[-1], nlane) if nlane == WARP else nlane


def fused_kernel(name: str, stages: tuple, nlane: int = 1, level: int = 2, masked: bool = False) -> FusedKernel:
    """The fused kernel of these stages for teams of ``nlane`` lanes, optimised to ``level`` (0: quick to compile); made
    once per process.
    """
    key = (name, tuple(stages), nlane, level, masked, block_lanes(nlane))
    if key not in _kernels:
        _kernels[key] = FusedKernel(name, tuple(stages), nlane, level, masked=masked)
    return _kernels[key]


@functools.cache
def native_code(function: Callable) -> int:
    """Address of a kernel of numbers, from the kernel cache or compiled."""
    key = kernel_cache.key(function.__name__, ())
    found = kernel_cache.find(key)
    return found["code"] if found else kernel_cache.keep(key, unique_kernel(function, 1, 2))
