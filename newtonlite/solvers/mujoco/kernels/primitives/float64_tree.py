"""Factor of the mass matrix in double, ``M = L'L`` leaf first, and products and solutions with it, tree by tree.

For the few models that need it: plain Warp, with a lane for a tree, a row or a vector.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

LEAST_PIVOT = wp.constant(wp.float64(1.0e-15))
"""Least pivot, relative to the dof's inertia with all others held: below, double has no digits either."""


@wp.func
def factor_row_float64(m: ModelFields, d: DataFields, world: int, j: int, first: int):
    """Row ``j`` of L from those of the dofs below it."""
    for i in range(first, j + 1):
        s = d.M64[world, j, i]
        if m.dof_ancestor[j, i] != 0.0:
            for k in range(j + 1, m.dof_end[j]):
                s -= d.L64[world, k, j] * d.L64[world, k, i]
        d.L64[world, j, i] = s
    least = LEAST_PIVOT * d.M64[world, j, j]
    root = wp.sqrt(wp.max(wp.max(d.L64[world, j, j], least), wp.float64(1.0e-30)))
    for i in range(first, j):
        d.L64[world, j, i] = d.L64[world, j, i] / root
    d.L64[world, j, j] = root


@wp.func
def factor_float64(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``L64``, of ``M64``."""
    for t in range(lane, m.ntree, nlane):
        first = m.tree_dofadr[t]
        last = first + m.tree_dofnum[t]
        for back in range(last - first):
            factor_row_float64(m, d, world, last - 1 - back, first)
    sync()


@wp.func
def half_solve_float64(m: ModelFields, d: DataFields, world: int, row: int):
    """In place ``x := L^-T x``, for a row of ``rows64``. One lane."""
    for back in range(m.nv):
        k = m.nv - 1 - back
        x = d.rows64[world, row, k]
        if x != wp.float64(0.0):
            x = x / d.L64[world, k, k]
            d.rows64[world, row, k] = x
            j = m.dof_parentid[k]
            while j >= 0:
                d.rows64[world, row, j] = d.rows64[world, row, j] - d.L64[world, k, j] * x
                j = m.dof_parentid[j]


@wp.func
def solved_float64(m: ModelFields, d: DataFields, world: int, row: int, k: int) -> wp.float64:
    """Element ``k`` of ``L^-1 x`` for a row of ``rows64`` of which those before are solved."""
    x = d.rows64[world, row, k]
    j = m.dof_parentid[k]
    while j >= 0:
        x -= d.L64[world, k, j] * d.rows64[world, row, j]
        j = m.dof_parentid[j]
    return x / d.L64[world, k, k]


@wp.func
def times_factor_float64(m: ModelFields, d: DataFields, world: int, row: int, k: int) -> wp.float64:
    """Element ``k`` of ``L' x`` for a row of ``rows64``."""
    x = wp.float64(0.0)
    for i in range(k, m.dof_end[k]):
        x += d.L64[world, i, k] * d.rows64[world, row, i]
    return x


@wp.func
def solve_float64(m: ModelFields, d: DataFields, world: int, b: wp.array2d[float], x: wp.array2d[float]):
    """``x = M^-1 b`` by way of the last row of ``rows64``. One lane."""
    row = d.njmax
    for i in range(m.nv):
        d.rows64[world, row, i] = wp.float64(b[world, i])
    half_solve_float64(m, d, world, row)
    for k in range(m.nv):
        found = solved_float64(m, d, world, row, k)
        d.rows64[world, row, k] = found
        x[world, k] = float(found)
