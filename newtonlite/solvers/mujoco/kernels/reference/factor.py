"""Factors ``A = L'L`` of dense matrices and solving with them: what ``primitives.factor`` is tested against."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B1
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

SMALLEST_PIVOT = wp.constant(1.0e-12)


@wp.func
def factor(A: A2, row_block: B1, world: int, n: int, lane: int, nlane: int):
    """In place ``A = L'L``, leaf first, from the lower triangle; the diagonal of L is stored as its reciprocal."""
    for i in range(n - 1, -1, -1):
        low = 16 * row_block[world, i][0]
        inv = 1.0 / wp.sqrt(wp.max(A[world, i, i], SMALLEST_PIVOT))
        sync()
        for j in range(low + lane, 16 * (i / 16 + 1), nlane):
            if j < i:
                A[world, i, j] = A[world, i, j] * inv
            elif j == i:
                A[world, i, j] = inv
            else:
                A[world, i, j] = 0.0
        sync()
        for j in range(low + lane, i, nlane):
            for k in range(j, i):
                A[world, k, j] = A[world, k, j] - A[world, i, k] * A[world, i, j]
        sync()


@wp.func
def factor_tree(
    A: A2, dof_block: wp.array[wp.vec2i], dof_end: wp.array[int], L: A2, world: int, n: int, lane: int, nlane: int
):
    """``A = L'L`` row by row: ``L[j, i] L[j, j] = A[j, i] - sum_k L[k, j] L[k, i]`` over ``k`` of the subtree below
    ``j``.
    """
    for j in range(n - 1, -1, -1):
        pivot = A[world, j, j]
        for k in range(j + 1, dof_end[j]):
            pivot -= L[world, k, j] * L[world, k, j]
        inv = 1.0 / wp.sqrt(wp.max(pivot, SMALLEST_PIVOT))
        for i in range(16 * dof_block[j][0] + lane, 16 * (j / 16 + 1), nlane):
            value = float(0.0)
            if i < j:
                value = A[world, j, i]
                for k in range(j + 1, dof_end[j]):
                    value -= L[world, k, j] * L[world, k, i]
                value *= inv
            elif i == j:
                value = inv
            L[world, j, i] = value
        sync()


@wp.func
def solve(L: A2, row_block: B1, x: A1, work: A1, world: int, n: int, lane: int, nlane: int):
    """In place ``x := L^-1 L'^-1 x``: from the leaves up, then from the roots down."""
    for k in range(n - 1, -1, -1):
        up = x[world, k] * L[world, k, k]
        sync()
        for j in range(16 * row_block[world, k][0] + lane, k + 1, nlane):
            if j < k:
                x[world, j] = x[world, j] - up * L[world, k, j]
            else:
                x[world, k] = up
        sync()
    for k in range(n):
        down = x[world, k] * L[world, k, k]
        sync()
        for i in range(k + lane, n, nlane):
            if i == k:
                x[world, k] = down
            elif k >= 16 * row_block[world, i][0]:
                x[world, i] = x[world, i] - down * L[world, i, k]
        sync()
