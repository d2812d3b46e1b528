"""Ahead-of-time compilation: the CUDA kernels of a model's step, compiled on any machine into Warp's kernel cache."""

from collections.abc import Iterator
from pathlib import Path

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.derive import geom, sleep
from newtonlite.solvers.mujoco.executor.fused_kernel import GPU_LEVEL, FusedKernel, fused_kernel
from newtonlite.solvers.mujoco.executor.partition import gpu_team_size
from newtonlite.solvers.mujoco.executor.plan import gpu_kernels, kernel_lanes
from newtonlite.solvers.mujoco.executor.specialize import constant_fold, features
from newtonlite.solvers.mujoco.model import put_model

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
"""Compute capabilities that are met in practice, as numbers: 90 is an H100's."""


def step_kernels(mj, prologue: tuple = (), epilogue: tuple = (), nlane: int | None = None) -> list[FusedKernel]:
    """The kernels that a step of a compiled model (or a ``mujoco.MjModel``) has on a GPU, in running order.

    ``prologue`` and ``epilogue`` are joined to them as a Schedule does; ``nlane`` is the size of a team, that of the
    model when None. No GPU is needed.
    """
    # sizes that depend on the kind of device are those of a GPU, whatever there is here
    m = put_model(mj, device="cpu")
    found = {**geom.derive(mj, "auto", "gpu"), **sleep.island_sizes(mj, "gpu")}
    m.sizes.update({k: int(v) for k, v in found.items() if k not in m.arrays})

    # the kernels that a Schedule would make of it
    named = gpu_kernels(pipeline.step_groups(m.opt_integrator), prologue, epilogue, m.nsleep > 0, m.nflex > 0)
    folded = [(k, constant_fold(stages, features(m))) for k, stages in named]
    lanes, soft = nlane or gpu_team_size(m.nv), m.nflex > 0
    return [fused_kernel(k, g, kernel_lanes(k, lanes), GPU_LEVEL, soft=soft) for k, g in folded if g]


def compile_ahead(
    kernels: list[FusedKernel], archs: tuple[int, ...], use_ptx: bool = False
) -> Iterator[tuple[str, list[Path]]]:
    """Compile kernels for GPU architectures into Warp's kernel cache; yields a kernel's name when it is done, and the files
    that it was compiled to.

    Raises ModelError for an architecture that Warp's compiler does not know.
    """
    for kernel in dict.fromkeys(kernels):
        try:
            made = wp.compile_aot_module(kernel.kernel.module, arch=archs, use_ptx=use_ptx)
        except RuntimeError as problem:
            raise ModelError(
                f"arch {', '.join(map(str, archs))}: Warp's compiler did not make {kernel.name} ({problem}); known are about {', '.join(map(str, ARCHITECTURES))}"
            ) from problem
        yield kernel.name, [Path(file) for file in made]
