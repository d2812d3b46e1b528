"""CUDA graph capture, emulated: the first step, reset and notification of a solver recorded in a graph, which must neither
allocate, nor copy from the host, nor wait while it is recorded, and replay what they do outside of one.

    python -m conformance emulate_capture

Graphs are this file's part: the emulator runs kernels, and what the driver would record is kept as a list of calls.
"""

import ctypes
import sys

import numpy as np
import warp as wp

from conformance.emulate import available, emulator, prepare
from conformance.emulate_programs import balls
from newtonlite.core.enums import ModelFlags
from newtonlite.solvers import SolverMuJoCo

FORBIDDEN = (
    "alloc_device",
    "alloc_device_default",
    "alloc_device_async",
    "memcpy_h2d",
    "memcpy_d2h",
    "cuda_context_synchronize",
    "cuda_stream_synchronize",
)


class Graphs:
    """Answers the calls of Warp's library that concern graphs."""

    def __init__(self, e):
        self.e, self.capturing, self.calls, self.problems = e, False, [], []
        self.core = wp._src.context.runtime.core
        for name in (
            "begin_capture",
            "end_capture",
            "pause_capture",
            "resume_capture",
            "create_exec",
            "launch",
            "destroy",
            "exec_destroy",
        ):
            self.core.__dict__[f"wp_cuda_graph_{name}"] = getattr(self, name)
        self.core.__dict__["wp_cuda_stream_is_capturing"] = lambda *a: int(self.capturing)
        self.core.__dict__["wp_cuda_stream_get_capture_id"] = lambda *a: 7
        for name in FORBIDDEN:
            self._watch(f"wp_{name}")
        for name in ("wp_memset_device", "wp_memcpy_d2d", "wp_array_copy_device", "wp_array_fill_device"):
            self._record(name)
        self.core.__dict__["wp_cuda_launch_kernel"] = self.launch_kernel

    def begin_capture(self, *a):
        self.capturing, self.calls = True, []
        return 1

    def end_capture(self, ctx, stream, graph):
        self.capturing = False
        graph._obj.value = 1
        return 1

    def pause_capture(self, *a):
        self.capturing = False
        return 1

    def resume_capture(self, *a):
        self.capturing = True
        return 1

    def create_exec(self, ctx, stream, graph, out, *a):
        out._obj.value = 1
        return 1

    def destroy(self, *a):
        return 1

    exec_destroy = destroy

    def launch(self, *a):
        for call in self.calls:
            call()
        return 1

    def launch_kernel(self, ctx, kernel, size, max_blocks, block, stride, cluster, shared, params, stream, apic=None):
        if not self.capturing:
            return self.e.launch(kernel, size, max_blocks, block, stride, shared, params)
        program, name = self.e.kernels[kernel]
        sizes = [p[2] for p in program.function(name).f.params]
        kept = [
            ctypes.create_string_buffer(ctypes.string_at(params[i], n), n) for i, n in enumerate(sizes)
        ]  # as a graph node does
        copied = (ctypes.c_void_p * len(kept))(*(ctypes.addressof(k) for k in kept))
        self.calls.append(lambda: (self.e.launch(kernel, size, max_blocks, block, stride, shared, copied), kept))
        return 0

    def _watch(self, name: str) -> None:
        real = getattr(self.core, name, None)

        def call(*a):
            if self.capturing:
                self.problems.append(name)
            return real(*a)

        if real is not None:
            self.core.__dict__[name] = call

    def _record(self, name: str) -> None:
        real = getattr(self.core, name)

        def call(*a):
            if not self.capturing:
                return real(*a)
            kept = [
                ctypes.string_at(x, 64) if isinstance(x, ctypes.c_void_p) and name.endswith("fill_device") else x
                for x in a
            ]
            self.calls.append(lambda: real(*a) and kept)
            return 1

        self.core.__dict__[name] = call


def check() -> list[str]:
    """What went wrong, as lines."""
    from tests.tolerance import relative_error, tolerance

    found, own = [], {name: ended("cpu", work) for name, work in WORKS.items()}
    with emulator().emulated(count=False, on_fault="raise") as e:
        graphs = Graphs(e)
        for name, work in WORKS.items():
            replayed, called = ended("cuda:0", work, record=True), ended("cuda:0", work)
            if not np.array_equal(replayed, called):
                found.append(f"{name}: a replay differs from the call")
            off = float(relative_error(called[None], own[name][None], 1.0)[0])
            if off > tolerance("next"):
                found.append(f"{name}: off by {off:.1e} from the CPU")
            found += [f"{name}: {p} while recording" for p in sorted(set(graphs.problems))]
            graphs.problems.clear()
            print(f"{name}: {len(graphs.calls)} calls in its graph, {off:.0e} from the CPU", flush=True)
    return found


WORKS = {
    "step": lambda s, state, control: s.step(state, state, control, None, 0.002),
    "reset": lambda s, state, control: s.reset(state),
    "notify": lambda s, state, control: s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES),
}
"""What a graph is recorded of, the first time it is done."""


def ended(device: str, work, record: bool = False) -> np.ndarray:
    """Positions after ``work(solver, state, control)``, by a graph of it if asked, and one more step."""
    model = balls(device)
    solver, state, control = SolverMuJoCo(model), model.state(), model.control()
    state.joint_qd.assign(np.linspace(-1, 1, model.joint_dof_count, dtype=np.float32))
    if record:
        with wp.ScopedCapture(device) as capture:
            work(solver, state, control)
        wp.capture_launch(capture.graph)
    else:
        work(solver, state, control)
    solver.step(state, state, control, None, 0.002)
    return state.joint_q.numpy().copy()


def main() -> int:
    if not available():
        print("emulate_capture: needs a C++ compiler", file=sys.stderr)
        return 2
    prepare()
    from newtonlite.solvers.mujoco.executor import specialize

    specialize.enabled = True
    found = check()
    print(
        "\n".join(found)
        or "nothing is allocated, copied from the host or waited for while recording; replays equal calls"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
