"""Constrained trees: kinematic trees that constraint rows act on, to whose dofs primal solvers keep on the CPU.

Of a hundred free bodies a few touch something. The acceleration of all others is the smooth one. Teams of many lanes go
over all dofs at once, and leave out none.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import DISABLE_ISLAND
from newtonlite.solvers.mujoco.kernels.primitives.team import one_lane


@wp.func
def leaves_out_trees(m: Any) -> bool:
    """Whether primal solvers leave out trees without constraints."""
    if one_lane():
        return m.ntree > 1 and (m.opt_disableflags & DISABLE_ISLAND) == 0
    return False


@wp.func
def list_constrained(m: Any, d: Any, world: int):
    """``island_tree``: trees without an island, and from ``island_treeadr[0]`` on all others. One lane."""
    free = int(0)
    for t in range(m.ntree):
        free += wp.where(d.tree_island[world, t] < 0, 1, 0)
    d.island_treeadr[world, 0] = free
    place = int(0)
    for t in range(m.ntree):
        if d.tree_island[world, t] < 0:
            d.island_tree[world, place] = t
            place += 1
        else:
            d.island_tree[world, free] = t
            free += 1


@wp.func
def tree_dofs(m: Any, d: Any, world: int, place: int) -> wp.vec2i:
    """Dofs of the tree at a place of ``island_tree``, first and last + 1."""
    t = d.island_tree[world, place]
    return wp.vec2i(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t])


@wp.func
def constrained_trees(m: Any, d: Any, world: int) -> wp.vec2i:
    """Places of the trees that are not left out, first and last + 1; one place for all dofs where none are."""
    if leaves_out_trees(m):
        return wp.vec2i(d.island_treeadr[world, 0], m.ntree)
    return wp.vec2i(0, 1)


@wp.func
def constrained_dofs(m: Any, d: Any, world: int, place: int) -> wp.vec2i:
    """Dofs at a place of ``constrained_trees``, first and last + 1."""
    if leaves_out_trees(m):
        return tree_dofs(m, d, world, place)
    return wp.vec2i(0, m.nv)
