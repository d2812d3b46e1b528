"""The engine with MuJoCo's physics, and the solver that steps scenes with it."""

from newtonlite.solvers.mujoco.solver import SolverMuJoCo

__all__ = ["SolverMuJoCo"]
