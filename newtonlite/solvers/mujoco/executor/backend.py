"""Backend: what makes kernels of the stages of a program, and runs them over shards of worlds.

``Backend`` stands on Warp's public interface alone, on any device: fused kernels, launched by threads of Python.
``cpu/backend.py`` has the same interface for the CPU, several times faster, and knows more of Warp
(docs/reference/warp_contract.md). ``fence`` chooses.
"""

from collections.abc import Callable
from typing import NamedTuple

from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.fused_kernel import GPU_LEVEL, StageKernel, fused_kernel
from newtonlite.solvers.mujoco.executor.partition import Partition
from newtonlite.solvers.mujoco.executor.plan import FUSED, gpu_kernels, group_kernels, kernel_lanes
from newtonlite.solvers.mujoco.executor.python_pool import PythonPool
from newtonlite.solvers.mujoco.model import EngineModel


class Recipe(NamedTuple):
    """Stages of a program, which is made of them anew whenever the features of its model have changed. ``groups`` gives
    them by the model's integrator; with ``apart`` every stage runs for all worlds before the next one.
    """

    groups: Callable
    prologue: tuple = ()
    epilogue: tuple = ()
    apart: bool = False
    masked: bool = False


class Backend:
    """A program is a tuple of ``StageKernel``, in running order: each records a launch of itself for some worlds.
    ``pool(nthread).run(jobs, count)`` runs such launches; ``jobs`` is what its ``prepare`` made of them.
    """

    awaited = False
    """Whether kernels are being compiled that are to take the place of those that run."""

    def __init__(self, model: EngineModel, spread: Partition):
        self.model, self.spread = model, spread

    def program(self, name: str, recipe: Recipe, folded: tuple) -> tuple[StageKernel, ...]:
        """Kernels that run the prologue, the groups of stages and the epilogue of a recipe, with features folded out."""
        # mode "gpu" is a table of fused kernels; a stage that is in none of them has one of its own
        groups, cpu = recipe.groups(self.model.opt_integrator), self.model.device.is_cpu
        mode = self.mode_of(recipe, groups)
        if mode == "gpu":
            named = gpu_kernels(groups, recipe.prologue, recipe.epilogue, self.model.nsleep > 0, self.model.nflex > 0)
        else:
            named = group_kernels(name, groups, recipe.prologue, recipe.epilogue)
        named = [(k, specialize.constant_fold(g, folded)) for k, g in named]
        if mode == "staged":
            named = [(s.key.split(".")[-1], (s,)) for _, g in named for s in g]

        # kernels without stages are left out; on a GPU some teams share a warp
        nlane, shared, soft = self.spread.nlane, mode == "gpu" and not cpu, not cpu and self.model.nflex > 0
        lanes = {k: kernel_lanes(k, nlane) if shared else nlane for k, _ in named}
        return tuple(fused_kernel(k, g, lanes[k], self.level, recipe.masked, soft) for k, g in named if g)

    def mode_of(self, recipe: Recipe, groups: tuple) -> str:
        """Mode in which a recipe runs."""
        mode = "staged" if recipe.apart else self.spread.mode
        return "staged" if mode == "gpu" and not all(s in FUSED for group in groups for s in group) else mode

    @property
    def level(self) -> int:
        """Optimisation of kernels: little where they shall be compiled quickly."""
        # a GPU has no quick way that is worth it: NVRTC leaves loop-invariant code in loops
        if not self.model.device.is_cpu:
            return GPU_LEVEL
        return 2 if specialize.enabled else 0

    def pool(self, nthread: int) -> PythonPool:
        """A pool of so many threads."""
        return PythonPool(nthread)

    def improved(self, programs: dict) -> dict | None:
        """Programs of the kernels that were awaited; None as long as they are not there."""
        return None

    def fields_of_islands(self, stages: tuple, kept: set) -> list[str]:
        """Fields that a thread has for one island at a time, of those that these stages use; ``kept`` are per world."""
        return []
