"""Implicit step in double, of models whose inertia needs more digits than float32 has: ``(M + H) x = f`` with
``H = - dt df/dv`` in float32, which is small.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.unsymmetric import is_unsymmetric
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def clear_system(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``H = 0`` where M has entries."""
    for i in range(lane, m.nv, nlane):
        for j in range(16 * m.dof_block[i][0], wp.min(16 * m.dof_block[i][1], m.nv)):
            d.H[world, i, j] = 0.0


@wp.func
def add_inertia(m: ModelFields, d: DataFields, world: int, i: int):
    """Row ``i`` and column ``i`` of ``L64 = M64 + H``, as far as the ancestors of the dof."""
    # up the branch of the dof; H has derivatives of forces, which may be unsymmetric
    j = int(i)
    while j >= 0:
        below = wp.float64(d.H[world, i, j])
        above = below
        if is_unsymmetric(m, i):
            above = wp.float64(d.H[world, j, i])
        d.L64[world, i, j] = d.M64[world, i, j] + below
        d.L64[world, j, i] = d.M64[world, j, i] + above
        j = m.dof_parentid[j]


@wp.func
def eliminate_float64(m: ModelFields, d: DataFields, world: int, i: int):
    """Free the ancestors of dof ``i`` from it, and their forces."""
    # Gauss elimination from the leaves: only ancestors have entries with a dof, so none are filled in
    j = m.dof_parentid[i]
    while j >= 0:
        ratio = d.L64[world, j, i] / d.L64[world, i, i]
        d.force64[world, j] = d.force64[world, j] - ratio * d.force64[world, i]
        k = m.dof_parentid[i]
        while k >= 0:
            d.L64[world, j, k] = d.L64[world, j, k] - ratio * d.L64[world, i, k]
            k = m.dof_parentid[k]
        j = m.dof_parentid[j]


@wp.func
def substitute_float64(m: ModelFields, d: DataFields, world: int, i: int):
    """Solve the row of dof ``i``, of which only the ancestors and itself are left."""
    x = d.force64[world, i]
    k = m.dof_parentid[i]
    while k >= 0:
        x -= d.L64[world, i, k] * d.force64[world, k]
        k = m.dof_parentid[k]
    x = x / d.L64[world, i, i]
    d.force64[world, i] = x
    d.search[world, i] = float(x)


@wp.func
def solve_system_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``search = (M64 + H)^-1 force64``; a lane for a tree."""
    for i in range(lane, m.nv, nlane):
        add_inertia(m, d, world, i)
    sync()
    for t in range(lane, m.ntree, nlane):
        first = m.tree_dofadr[t]
        last = first + m.tree_dofnum[t]
        for back in range(last - first):
            eliminate_float64(m, d, world, last - 1 - back)
        for i in range(first, last):
            substitute_float64(m, d, world, i)
    sync()
