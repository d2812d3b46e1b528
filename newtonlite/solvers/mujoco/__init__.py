"""The engine with MuJoCo's physics, the solver that steps scenes with it, and what to add to a builder for it."""

from newtonlite.solvers.mujoco.authoring import *  # noqa: F403
from newtonlite.solvers.mujoco.authoring import __all__ as _authoring
from newtonlite.solvers.mujoco.solver import SolverMuJoCo

__all__ = ["SolverMuJoCo", *_authoring]
