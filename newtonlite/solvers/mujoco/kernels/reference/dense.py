"""Matrices over dofs: the definitions that ``primitives.dense`` is tested against.

Columns are counted in blocks of 16: row ``i`` of a triangle reaches from its first block to the end of its diagonal's
block, ``16 * (i / 16 + 1)``.
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, A2, B1, B2
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def mass_rows(
    cdof: wp.array2d[wp.spatial_vector],
    force: wp.array2d[wp.spatial_vector],
    ancestor: A1,
    armature: A1,
    dof_block: wp.array[wp.vec2i],
    M: A2,
    world: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``M[i, j] = cdof_j . force_i`` where ``j`` is an ancestor of ``i`` or ``i`` itself, mirrored, in the row's
    blocks; armature on the diagonal.
    """
    for i in range(n):
        for j in range(16 * dof_block[i][0] + lane, 16 * dof_block[i][1], nlane):
            value = float(0.0)
            if j <= i and ancestor[i, j] != 0.0:
                value = wp.dot(cdof[world, j], force[world, i])
            if i < j and j < n and ancestor[j, i] != 0.0:
                value = wp.dot(cdof[world, i], force[world, j])
            if i == j:
                value += armature[world, i]
            M[world, i, j] = value


@wp.func
def sym_mul(A: A2, dof_block: wp.array[wp.vec2i], x: A1, y: A1, world: int, n: int, lane: int, nlane: int):
    """``y = A x`` for a symmetric matrix with one block per tree; zero in the pad of ``y``."""
    for i in range(lane, y.shape[1], nlane):
        sum = float(0.0)
        if i < n:
            for j in range(16 * dof_block[i][0], wp.min(16 * dof_block[i][1], n)):
                sum += A[world, i, j] * x[world, j]
        y[world, i] = sum


@wp.func
def reaches(t: wp.vec4i, j: int) -> bool:
    """Whether column ``j`` lies in one of a row's stretches of blocks."""
    return (j >= 16 * t[0] and j < 16 * t[1]) or (j >= 16 * t[2] and j < 16 * t[3])


@wp.func
def rows_mul(J: A2, row_block: B2, x: A1, y: A1, world: int, nrow: int, lane: int, nlane: int):
    """``y = J x`` over ``nrow`` rows."""
    for r in range(lane, nrow, nlane):
        sum = float(0.0)
        for j in range(16 * row_block[world, r][0], 16 * row_block[world, r][3]):
            if reaches(row_block[world, r], j):
                sum += J[world, r, j] * x[world, j]
        y[world, r] = sum


@wp.func
def rows_mul_t(J: A2, row_block: B2, force: A1, y: A1, world: int, nrow: int, lane: int, nlane: int):
    """``y = J' force`` over ``nrow`` rows."""
    for j in range(lane, y.shape[1], nlane):
        sum = float(0.0)
        for r in range(nrow):
            if reaches(row_block[world, r], j):
                sum += J[world, r, j] * force[world, r]
        y[world, j] = sum


@wp.func
def copy_rows(A: A2, dof_block: wp.array[wp.vec2i], row_block: B1, H: A2, world: int, n: int, lane: int, nlane: int):
    """Lower blocks of ``A`` into ``H``, as far left as ``row_block`` says; zeros left of those that ``A`` has."""
    for i in range(n):
        for j in range(16 * row_block[world, i][0] + lane, 16 * (i / 16 + 1), nlane):
            H[world, i, j] = 0.0
            if j >= 16 * dof_block[i][0]:
                H[world, i, j] = A[world, i, j]


@wp.func
def add_rows(J: A2, row_block: B2, weight: A1, H: A2, world: int, nrow: int, n: int, lane: int, nlane: int):
    """``H += J' diag(weight) J`` on the lower triangle."""
    for j in range(lane, n, nlane):
        for r in range(nrow):
            if weight[world, r] != 0.0 and reaches(row_block[world, r], j):
                for i in range(j, wp.min(16 * row_block[world, r][3], n)):
                    if reaches(row_block[world, r], i):
                        H[world, i, j] = H[world, i, j] + weight[world, r] * J[world, r, i] * J[world, r, j]


@wp.func
def add_combined_row(
    J: A2,
    row_block: B2,
    coef: A2,
    coef0: int,
    row: int,
    dim: int,
    H: A2,
    work: A1,
    world: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``H += a a'`` on the lower triangle, ``a = sum_k c_k J[row + k]`` with ``c`` from place ``coef0`` of the world's
    ``coef`` on.
    """
    low = 16 * row_block[world, row][0]
    high = wp.min(16 * row_block[world, row][3], n)
    width = coef.shape[2]
    sync()
    for j in range(low + lane, high, nlane):
        if reaches(row_block[world, row], j):
            sum = float(0.0)
            for k in range(dim):
                sum += coef[world, (coef0 + k) / width, (coef0 + k) % width] * J[world, row + k, j]
            work[world, j] = sum
    sync()
    for j in range(low + lane, high, nlane):
        for i in range(j, high):
            if reaches(row_block[world, row], i) and reaches(row_block[world, row], j):
                H[world, i, j] = H[world, i, j] + work[world, i] * work[world, j]
    sync()


@wp.func
def zero_rows(J: A2, world: int, row: int, nrow: int, lo: int, hi: int, lane: int, nlane: int):
    """Clear blocks ``lo`` to ``hi`` of ``nrow`` rows from ``row`` on."""
    for j in range(16 * lo + lane, 16 * hi, nlane):
        for r in range(row, row + nrow):
            J[world, r, j] = 0.0
