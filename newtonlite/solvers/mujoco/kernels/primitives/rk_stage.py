"""Runge-Kutta stage: which of the four passes of RK4 the stages are in."""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def is_first(m: ModelFields, d: DataFields, world: int) -> bool:
    """Whether the forward stages are at the state the step starts from: for stages before ``runge_kutta``."""
    if m.opt_integrator == MjtIntegrator.RK4:
        return d.rk_pass[world] == 0
    return True


@wp.func
def is_last(m: ModelFields, d: DataFields, world: int) -> bool:
    """Whether this is the last pass of the step: for stages before ``runge_kutta``."""
    if m.opt_integrator == MjtIntegrator.RK4:
        return d.rk_pass[world] == 3
    return True


@wp.func
def is_complete(m: ModelFields, d: DataFields, world: int) -> bool:
    """Whether the step ends with this pass: for stages after ``runge_kutta``, which counts round to 0."""
    return is_first(m, d, world)
