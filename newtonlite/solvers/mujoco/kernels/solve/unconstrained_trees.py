"""Unconstrained trees: kinematic trees that no constraint row acts on, which primal solvers leave out on the CPU: their
acceleration is the smooth one, and factors have no rows for them.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.dense import copy_rows
from newtonlite.solvers.mujoco.kernels.primitives.factor import factor, solve
from newtonlite.solvers.mujoco.kernels.sleep.island import root_of
from newtonlite.solvers.mujoco.kernels.sleep.island_ids import number_islands
from newtonlite.solvers.mujoco.kernels.solve.constrained_trees import list_constrained, tree_dofs
from newtonlite.solvers.mujoco.kernels.solve.primal import LED, OPEN
from newtonlite.solvers.mujoco.kernels.solve.warmstart import choose_warmstart

LEFT_OUT = wp.constant(1 << 20)
"""In place of the first block of a row that factors and solutions leave out: beyond all others."""
UNCONSTRAINED = wp.constant(0)
CONSTRAINED = wp.constant(1)
SOLVED = wp.constant(2)
"""Trees to leave out: see ``is_left_out``."""


@wp.func
def is_unconstrained(m: Any, d: Any, world: int, dof: int) -> bool:
    """Whether no constraint row acts on a dof's tree."""
    return d.tree_island[world, m.dof_treeid[dof]] < 0


@wp.func
def is_left_out(m: Any, d: Any, world: int, dof: int, which: int) -> bool:
    """Whether a dof is one of an unconstrained tree (UNCONSTRAINED), of any other (CONSTRAINED), or of an unconstrained tree or
    an island that is done (SOLVED).
    """
    island = d.tree_island[world, m.dof_treeid[dof]]
    if which == CONSTRAINED:
        return island >= 0
    if which == SOLVED and m.nislandtree > 0 and island >= 0:
        return d.island_done[world, island] != OPEN
    return island < 0


@wp.func
def leave_out(m: Any, d: Any, world: int, which: int):
    """``H_block`` without the rows of dofs that ``is_left_out`` names.

    Of rows left out that follow each other the first one has the end in place of its last block, and the last one the
    first: loops go from one to the other.
    """
    start = int(-1)
    for i in range(m.nv + 1):
        out = bool(False)
        if i < m.nv:
            out = is_left_out(m, d, world, i, which)
        if out:
            if start < 0:
                start = i
            d.H_block[world, i] = wp.vec2i(LEFT_OUT, start)
        elif start >= 0:
            d.H_block[world, start] = wp.vec2i(LEFT_OUT, i)
            start = int(-1)


@wp.func
def leave_out_solved(m: Any, d: Any, world: int):
    """Leave out islands that are done as well: their factors stay in ``H``, and they have no direction."""
    leave_out(m, d, world, SOLVED)
    for k in range(d.nisland[world]):
        if d.island_done[world, k] != OPEN:
            for place in range(d.island_treeadr[world, k], d.island_treeadr[world, k + 1]):
                dofs = tree_dofs(m, d, world, place)
                for i in range(dofs[0], dofs[1]):
                    d.search[world, i] = 0.0


@wp.func
def island_blocks(m: Any, d: Any, world: int):
    """``H_block`` of constrained trees, after ``hessian_blocks``: a row reaches no further left than the first tree of its
    island. Those of unconstrained trees are left out.
    """
    for t in range(m.ntree):
        if d.tree_island[world, t] >= 0:
            low = m.dof_block[m.tree_dofadr[root_of(d, world, t)]][0]
            for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
                block = d.H_block[world, i]
                d.H_block[world, i] = wp.vec2i(wp.max(block[0], low), block[1])
    leave_out(m, d, world, UNCONSTRAINED)


@wp.func
def unconstrained_acceleration(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``search = M^-1 qfrc_smooth`` of unconstrained trees."""
    for i in range(m.nv):
        d.H_block[world, i] = m.dof_block[i]
        d.search[world, i] = d.qfrc_smooth[world, i]
    leave_out(m, d, world, CONSTRAINED)
    copy_rows(d.M, m.dof_block, d.H_block, d.H, world, m.nv, lane, nlane)
    factor(d.H, d.H_block, world, m.nv, lane, nlane)
    solve(d.H, d.H_block, d.search, d.work, world, m.nv, lane, nlane)


@wp.func
def settle_unconstrained(m: Any, d: Any, world: int, lane: int, nlane: int):
    """``qacc`` and ``Ma`` of unconstrained trees, of which the gradient is then exactly 0, and no rows of theirs in the
    factor that is in ``H``; ``qacc`` stays where a stage before has found it.
    """
    number_islands(m, d, world)
    list_constrained(m, d, world)
    if d.solver_niter[world] <= LED:
        for i in range(m.nv):
            d.search[world, i] = d.qacc[world, i]
    elif choose_warmstart(m):
        for i in range(m.nv):
            d.search[world, i] = d.qacc_smooth[world, i]
    else:
        unconstrained_acceleration(m, d, world, lane, nlane)
    for i in range(m.nv):
        if is_unconstrained(m, d, world, i):
            d.qacc[world, i] = d.search[world, i]
            d.Ma[world, i] = d.qfrc_smooth[world, i]
            d.grad[world, i] = 0.0
            d.search[world, i] = 0.0
    leave_out(m, d, world, UNCONSTRAINED)
