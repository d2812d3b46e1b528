"""Kernels of a model's features that are compiled soon: unoptimised. For tests of what kernels are made of, and by whom."""

from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.backend import Backend


def fold_quickly(patch) -> None:
    """Have fused kernels folded for the features of their model, and not optimised, as long as `patch` (pytest's
    monkeypatch) lasts. A chain of the CPU has the kernels of everything then.
    """
    patch.setattr(specialize, "enabled", True)
    patch.setattr(Backend, "level", 0)
