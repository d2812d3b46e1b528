"""Native team primitives and their reference forms, side by side.

`python -m tests.harness.reference_runs OUTPUT.json` compares them in real teams of 32 lanes on the CPU; test_reference runs
it in a process of its own, since Warp decides at start-up whether CPU kernels run in blocks.
"""

import importlib
import inspect
import json
import linecache
import pkgutil
import sys
from functools import cache

import numpy as np
import warp as wp

import tests.conftest  # noqa: F401  the same kernel cache
from newtonlite.solvers.mujoco import kernels
from newtonlite.solvers.mujoco.executor.fused_kernel import CPU_FLAGS
from newtonlite.solvers.mujoco.kernels import reference
from newtonlite.solvers.mujoco.kernels.primitives.team import lane_id
from tests.harness.reference_problem import ROWS, TREES, WORLDS, TeamProblem, arguments
from tests.tolerance import assert_close

CALLER = ("world", "lane", "nlane")
SCRATCH = "work"


def functions(package) -> dict[str, list[wp.Function]]:
    """The Warp functions that the modules of a package define, by name."""
    found = {}
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for name, value in vars(importlib.import_module(info.name)).items():
            if isinstance(value, wp.Function) and value.func.__module__ == info.name:
                found.setdefault(name, []).append(value)
    return found


@cache
def natives() -> dict[str, wp.Function]:
    """The native functions among the engine's kernels."""
    found = {name: [f for f in same if f.native_snippet] for name, same in functions(kernels).items()}
    assert all(len(same) < 2 for same in found.values()), "two natives of one name"
    return {name: same[0] for name, same in found.items() if same}


@cache
def in_plain_warp() -> dict[str, wp.Function]:
    """The reference forms, and what they are made of."""
    return {name: same[0] for name, same in functions(reference).items()}


class Primitive:
    """A kernel that calls one function. Numbers come from arrays ``[world, lane]``; what it returns goes into
    ``result``.
    """

    def __init__(self, name: str, function: wp.Function):
        signature = inspect.signature(function.func)
        self.types, passed = {}, []
        self.numbers = {
            p.name for p in signature.parameters.values() if p.annotation in (int, float, wp.float64)
        } - set(CALLER)
        for p in signature.parameters.values():
            passed.append(f"{p.name}[world, lane]" if p.name in self.numbers else p.name)
            if p.name not in CALLER:
                self.types[p.name] = wp.array2d(dtype=p.annotation) if p.name in self.numbers else p.annotation
        if signature.return_annotation is not inspect.Signature.empty:
            self.types["result"] = wp.array2d(dtype=signature.return_annotation)
        call = f"function({', '.join(passed)})"
        self.kernel = self._kernel(name, function, f"result[world, lane] = {call}" if "result" in self.types else call)

    def _kernel(self, name: str, function: wp.Function, statement: str) -> wp.Kernel:
        given = ", ".join(f"{argument}: T_{argument}" for argument in self.types)
        source = (
            f"def {name}({given}):\n    nlane = wp.block_dim()\n    world = wp.tid() / nlane\n    lane = lane_id()\n"
            f"    {statement}\n"
        )
        file = f"<{name}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        scope = {"wp": wp, "lane_id": lane_id, "function": function, "__name__": __name__}
        scope.update({f"T_{argument}": kind for argument, kind in self.types.items()})
        exec(compile(source, file, "exec"), scope)
        return wp.kernel(scope[name], grid_stride=False)

    def __call__(self, values: dict, nlane: int, device: str) -> dict[str, np.ndarray]:
        """Run in all worlds; returns every array as it is afterwards."""
        arrays = {}
        for name, kind in self.types.items():
            if name == "result":
                arrays[name] = wp.zeros((WORLDS, nlane), dtype=kind.dtype, device=device)
                continue
            value = np.broadcast_to(values[name], (WORLDS, nlane)) if name in self.numbers else values[name]
            whole = "int" in wp.types.type_repr(kind.dtype) or kind.dtype is wp.vec2i
            scalar = np.int32 if whole else np.float64 if kind.dtype is wp.float64 else np.float32
            arrays[name] = wp.array(np.ascontiguousarray(value, scalar), dtype=kind.dtype, device=device)
        wp.launch(self.kernel, dim=WORLDS * nlane, inputs=list(arrays.values()), block_dim=nlane, device=device)
        return {name: array.numpy() for name, array in arrays.items()}


@cache
def pairs() -> dict[str, tuple[Primitive, Primitive]]:
    """Each native function and its reference form, by name; all their kernels belong to the Warp module of this file and compile together."""
    wp.set_module_options({"enable_backward": False, "cpu_compiler_flags": CPU_FLAGS[2]})
    both = sorted(natives().keys() & in_plain_warp().keys())
    return {
        name: (Primitive(f"native_{name}", natives()[name]), Primitive(f"twin_{name}", in_plain_warp()[name]))
        for name in both
    }


def assert_alike(name: str, p: TeamProblem, nlane: int, device: str):
    """Assert that a native leaves in its arrays what its reference form does, wherever that one wrote or left a number."""
    given = {"n": p.n, "nrow": p.rows[:, None], **arguments(p, nlane)[name]}
    got, want = (side(given, nlane, device) for side in pairs()[name])
    assert "result" in want or any(changed(want[key], given[key]) for key in want), (
        f"{name}: the reference form does nothing"
    )
    for key in want.keys() - {SCRATCH}:
        if want[key].dtype.kind == "i":
            written = want[key] != -1
            np.testing.assert_array_equal(got[key][written], want[key][written], err_msg=f"{name}, {key}")
        else:
            written = np.isfinite(want[key])
            assert_close(
                np.where(written, got[key], 0.0), np.where(written, want[key], 0.0), "native", what=f"{name}, {key}"
            )


def changed(after, before) -> bool:
    return not np.array_equal(
        after, np.broadcast_to(np.asarray(before).astype(after.dtype), after.shape), equal_nan=after.dtype.kind == "f"
    )


def disagreements(nlane: int, device: str) -> dict[str, list[str]]:
    """What each pair disagrees about in a team of `nlane` lanes, on all problems."""
    found = {name: [] for name in pairs()}
    for trees, nrow in zip(TREES, ROWS, strict=True):
        problem = TeamProblem(trees, nrow)
        for name in found:
            try:
                assert_alike(name, problem, nlane, device)
            except AssertionError as error:
                found[name].append(f"trees {trees}, {nrow} rows: {error}")
    return found


if __name__ == "__main__":
    wp.config.enable_cpu_blocks = True
    with open(sys.argv[1], "w") as file:
        json.dump(disagreements(32, "cpu"), file)
