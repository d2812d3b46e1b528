"""Solvers: what moves a scene forward in time. Loaded on first use, so that the engine alone imports nothing more."""

from newtonlite.core.lazy_import import import_module

_HOME = {"SolverBase": "newtonlite.solvers.solver", "SolverMuJoCo": "newtonlite.solvers.mujoco.solver"}
__all__ = list(_HOME)


def __getattr__(name: str):
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
