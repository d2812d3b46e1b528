"""CPU backend: programs as chains of native kernels, run by threads that wait in native code.

Stages are compiled in parts, side by side; where the kernels of a model's features are not compiled yet, those of all
features run in their place until a process of its own has them (docs/decisions/0016, 0020).
"""

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.backend import Backend, Recipe
from newtonlite.solvers.mujoco.executor.cpu import background
from newtonlite.solvers.mujoco.executor.cpu.island_call import own_fields, solves_apart
from newtonlite.solvers.mujoco.executor.cpu.kernel_chain import WORLD_BLOCK, KernelChain, are_kept
from newtonlite.solvers.mujoco.executor.cpu.thread_pool import thread_pool
from newtonlite.solvers.mujoco.executor.partition import Partition
from newtonlite.solvers.mujoco.executor.python_pool import PythonPool
from newtonlite.solvers.mujoco.executor.specialize import constant_fold, features
from newtonlite.solvers.mujoco.executor.views import TABLES, fields_used
from newtonlite.solvers.mujoco.model import EngineModel


class CpuBackend(Backend):
    """As Backend, for one lane a world. The fused kernels of mode "gpu" are Backend's, entered by their addresses too."""

    def __init__(self, model: EngineModel, spread: Partition):
        super().__init__(model, spread)
        self.awaited: background.Compilation | None = None

    def program(self, name: str, recipe: Recipe, folded: tuple) -> tuple:
        """As in Backend: one chain."""
        groups = recipe.groups(self.model.opt_integrator)
        mode = self.mode_of(recipe, groups)
        if mode == "gpu":
            return super().program(name, recipe, folded)

        # the prologue and the epilogue read and write what is kept per world: they run for all worlds of a block
        rounds = [(recipe.prologue, True), *((g, mode == "staged") for g in groups), (recipe.epilogue, True)]
        block, policy = None if mode == "staged" else WORLD_BLOCK, background.policy()
        early = policy != "wait"

        # where kernels shall be compiled quickly: those of all features that are there already, such as a wheel's
        level = self.level or (2 if all(are_kept(stages) for stages, _ in rounds) else 0)
        chain = KernelChain(rounds, level, block, recipe.masked, folded, early, nv=self.model.nv)

        # kernels of all features stand in for those that another process compiles from now on
        if chain.awaited and policy == "background":
            self.awaited = background.Compilation(chain.awaited, self.awaited)
        return (chain,) if chain.rounds else ()

    def improved(self, programs: dict) -> dict | None:
        """As in Backend: chains of the kernels of the model's features, which give the same bits."""
        if not self.awaited or not self.awaited.is_done():
            return None
        done, self.awaited = self.awaited, None
        if done.failed:
            return None
        return {
            name: tuple(p.special() if isinstance(p, KernelChain) and p.awaited else p for p in program)
            for name, program in programs.items()
        }

    def pool(self, nthread: int) -> PythonPool:
        """As in Backend: native threads, where the machine has them."""
        return thread_pool(nthread)

    def fields_of_islands(self, stages: tuple, kept: set) -> list[str]:
        """As in Backend: fields of the solvers' own calls."""
        m = self.model
        if self.spread.mode == "gpu" or not solves_apart(lambda _, name: m.sizes[name]):
            return []

        # fields that solvers use, and those that others do
        solvers, others = (
            {
                name
                for s in constant_fold([s for s in stages if (s in pipeline.SOLVERS) == solves], features(m))
                for owner, name in fields_used(s)
                if owner == "d" and TABLES["d"][name].role != "size"
            }
            for solves in (True, False)
        )
        return own_fields(solvers, others, kept & solvers if self.spread.one_by_one else solvers) if solvers else []
