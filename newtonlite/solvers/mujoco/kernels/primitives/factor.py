"""Factors of dense matrices, ``A = L'L``, and solving with them: see ``dense`` for how rows lie.

Factors are taken leaf first, which fills in nothing on a kinematic tree; the factor's diagonal holds reciprocals.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B1

native = header(__file__)


@wp.func_native(native("factor"))
def factor(A: A2, row_block: B1, world: int, n: int, lane: int, nlane: int):
    """In place ``A = L'L``, leaf first, from the lower triangle; the diagonal of L is stored as its reciprocal."""
    ...


@wp.func_native(native("factor_tree"))
def factor_tree(
    A: A2, dof_block: wp.array[wp.vec2i], dof_end: wp.array[int], L: A2, world: int, n: int, lane: int, nlane: int
):
    """``A = L'L`` for a matrix with the pattern of M: row ``j`` meets only the dofs of its subtree, ``j + 1`` to
    ``dof_end``.
    """
    ...


@wp.func_native(native("solve_damped_tree"))
def solve_damped_tree(
    A: A2, dof_block: wp.array[wp.vec2i], damping: A1, H: A2, x: A1, work: A1, world: int, first: int, last: int
):
    """In place ``x := (A + diag(damping))^-1 x`` for dofs ``first`` to ``last - 1``, those of a tree; the factor is in
    ``H``. For one lane.
    """
    ...


@wp.func_native(native("solve"))
def solve(L: A2, row_block: B1, x: A1, work: A1, world: int, n: int, lane: int, nlane: int):
    """In place ``x := (L'L)^-1 x`` with a factor from ``factor``; ``work`` is a row of scratch."""
    ...
