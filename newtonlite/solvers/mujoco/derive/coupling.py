"""Couplings of the effective inertia: dofs that stiffness and damping of the integrator discrete couple beyond the inertia
matrix, and the blocks of columns in which that has entries then.

A tendon couples all dofs that change its length, an actuator all that its output pushes. Gauss-Seidel leaves them out,
as in MuJoCo.
"""

import numpy as np

from newtonlite.core.mujoco import MjtIntegrator, MjtSolver
from newtonlite.solvers.mujoco.derive.actuator import pushed_dofs
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs


def couplings(mj) -> list:
    """Sets of dofs that are coupled, beyond one dof each."""
    if mj.opt.integrator != MjtIntegrator.DISCRETE or mj.opt.solver == MjtSolver.PGS:
        return []
    found = [set(tendon_dofs(mj, t)) for t in range(int(mj.ntendon))]
    found += [pushed_dofs(mj, u) for u in range(int(getattr(mj, "nactuator", 0)))]
    return [dofs for dofs in found if len(dofs) > 1]


def trees_together(mj) -> np.ndarray:
    """First and last + 1 dof of the stretch of trees that each dof shares an inertia matrix with: int [nv, 2]."""
    # stretches of coupled dofs, by whole trees, united where they meet
    span = np.array([[mj.tree_dofadr[t], mj.tree_dofadr[t] + mj.tree_dofnum[t]] for t in mj.dof_treeid], int)
    for dofs in couplings(mj):
        first, last = span[min(dofs)][0], span[max(dofs)][1]
        first, last = span[first:last, 0].min(), span[first:last, 1].max()
        span[first:last] = first, last
    return span.reshape(-1, 2)
