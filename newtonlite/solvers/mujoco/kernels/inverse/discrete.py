"""Discrete inverse: accelerations in continuous time from those of a time step (``mj_discreteAcc``)."""

import warp as wp

from newtonlite.core.mujoco import MjtEnableBit, MjtIntegrator
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.effective_inertia import begin_inverse, restore_inertia
from newtonlite.solvers.mujoco.kernels.integrate.implicit import implicit_system, is_implicit
from newtonlite.solvers.mujoco.kernels.integrate.unsymmetric import is_unsymmetric
from newtonlite.solvers.mujoco.kernels.primitives.dense import copy_rows
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, solve
from newtonlite.solvers.mujoco.kernels.primitives.float64_tree import solve_float64
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.hessian_sparsity import own_blocks
from newtonlite.solvers.mujoco.kernels.velocity.inertia_float64 import factor_inertia_float64


@wp.func
def system_times_qacc(m: ModelFields, d: DataFields, world: int, i: int) -> float:
    """Row ``i`` of ``(M - dt df/dv) qacc``, without M where that is in double; within a tree."""
    tree = m.dof_treeid[i]
    total = float(0.0)
    for k in range(m.tree_dofadr[tree], m.tree_dofadr[tree] + m.tree_dofnum[tree]):
        h = d.H[world, i, k]
        if k > i:
            h = d.H[world, k, i]
            if is_unsymmetric(m, i):
                h = 0.0
                if m.dof_ancestor[k, i] != 0.0:
                    h = d.H[world, i, k]
        total += h * d.qacc[world, k]
    return total


@wp.func
def discrete_acc(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``search``: ``qacc``, or ``M^-1 (M - dt df/dv) qacc`` where the flag invdiscrete says that qacc is of a time
    step. That of the integrator discrete always is, and stays: the inertia is then the effective one until
    ``end_inverse``.
    """
    discrete = bool(False)
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        begin_inverse(m, d, world, lane, nlane)
    if (m.opt_enableflags & MjtEnableBit.INVDISCRETE) != 0:
        discrete = is_implicit(m, d, world, lane, nlane)
    if discrete:
        implicit_system(m, d, world, lane, nlane)
        sync()
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = system_times_qacc(m, d, world, i)
        sync()
        if m.nfloat64 > 0:
            factor_inertia_float64(m, d, world, lane, nlane)
            if lane == 0:
                solve_float64(m, d, world, d.search, d.search)
            sync()
            for i in range(lane, m.nv, nlane):
                d.search[world, i] = d.qacc[world, i] + d.search[world, i]
        else:
            own_blocks(m, d, world, lane, nlane)
            copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
            sync()
            factor(d.H, d.H_block, world, m.nv, lane, nlane)
            sync()
            solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)
    else:
        for i in range(lane, m.nv, nlane):
            d.search[world, i] = d.qacc[world, i]
    sync()


@wp.func
def end_inverse(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M`` and ``qfrc_smooth`` as they were before ``discrete_acc``."""
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        restore_inertia(m, d, world, True, lane, nlane)
