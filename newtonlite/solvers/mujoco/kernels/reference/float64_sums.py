"""Sums in double: the definitions that ``kernels.solve.float64_sums`` is tested against."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B2, D1, I1
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.reference.dense import reaches


@wp.func
def row_residuals(
    J: A2, row_block: B2, x: A1, aref: A1, jar: A1, low: A1, world: int, nrow: int, lane: int, nlane: int
):
    """``jar + low = J x - aref``: the rounded difference, and what rounding took off."""
    for r in range(lane, nrow, nlane):
        sum = -wp.float64(aref[world, r])
        for j in range(16 * row_block[world, r][0], 16 * row_block[world, r][3]):
            if reaches(row_block[world, r], j):
                sum += wp.float64(J[world, r, j]) * wp.float64(x[world, j])
        jar[world, r] = float(sum)
        low[world, r] = float(sum - wp.float64(jar[world, r]))


@wp.func
def gradient_sums_float64(
    M: A2,
    dof_block: wp.array[wp.vec2i],
    x: A1,
    smooth: A1,
    J: A2,
    row_block: B2,
    type: I1,
    force: A1,
    active: A1,
    jar: A1,
    low: A1,
    constraint: A1,
    grad: A1,
    world: int,
    n: int,
    nrow: int,
    lane: int,
    nlane: int,
):
    """``constraint = M x - smooth`` and ``grad = constraint - J' f``, each rounded once; ``f`` is ``-active (jar +
    low)``, or ``force`` of other rows, with ``low`` added in cones (types 3 and 4).
    """
    for i in range(lane, n, nlane):
        sum = -wp.float64(smooth[world, i])
        for j in range(16 * dof_block[i][0], wp.min(16 * dof_block[i][1], n)):
            sum += wp.float64(M[world, i, j]) * wp.float64(x[world, j])
        constraint[world, i] = float(sum)
        for r in range(nrow):
            if reaches(row_block[world, r], i):
                f = wp.float64(force[world, r])
                if active[world, r] != 0.0:
                    f = -wp.float64(active[world, r]) * (wp.float64(jar[world, r]) + wp.float64(low[world, r]))
                elif type[world, r] > 2:
                    f += wp.float64(low[world, r])
                sum -= wp.float64(J[world, r, i]) * f
        grad[world, i] = float(sum)


@wp.func
def half_solve_gradient(
    L: A2,
    dof_end: wp.array[int],
    dof_parentid: wp.array[int],
    grad: A1,
    B: A2,
    y: A1,
    world: int,
    n: int,
    nrow: int,
    lane: int,
    nlane: int,
):
    """In place ``grad := L^-T grad``, from the leaves up; its negative is column ``nrow`` of ``B``, and ``y = B'
    grad``.
    """
    for k in range(n - 1, -1, -1):
        up = grad[world, k] * L[world, k, k]
        sync()
        for j in range(lane, k + 1, nlane):
            if j == k:
                grad[world, k] = up
            elif k < dof_end[j]:
                grad[world, j] = grad[world, j] - up * L[world, k, j]
        sync()
    for r in range(lane, nrow, nlane):
        sum = float(0.0)
        for k in range(n):
            sum += B[world, k, r] * grad[world, k]
        y[world, r] = sum
    for k in range(lane, n, nlane):
        B[world, k, nrow] = -grad[world, k]


@wp.func
def add_row_float64(A: A2, row: int, scale: wp.float64, y: D1, world: int, nrow: int, lane: int, nlane: int):
    """``y += scale A[row]``."""
    for c in range(lane, nrow, nlane):
        y[world, c] = y[world, c] + scale * wp.float64(A[world, row, c])
