"""Cholesky inverse of small symmetric positive definite matrices that lie in batches."""

import warp as wp

TINY = wp.constant(1.1920929e-07)
"""Pivots smaller than this share of their diagonal are rounding."""


@wp.func
def invert_block(
    matrix: wp.array3d[float], b: int, start: int, n: int, factor: wp.array3d[float], out: wp.array3d[float]
):
    """Inverse of rows and columns ``[start : start + n]`` of ``matrix[b]``: ``A = L L^T``, then ``L L^T x = e`` column
    by column.
    """
    for j in range(n):
        diagonal = matrix[b, start + j, start + j]
        pivot = diagonal
        for k in range(j):
            pivot -= factor[b, start + j, start + k] * factor[b, start + j, start + k]
        pivot = wp.sqrt(wp.max(pivot, TINY * wp.max(wp.abs(diagonal), 1.0)))
        factor[b, start + j, start + j] = pivot
        for i in range(j + 1, n):
            total = matrix[b, start + i, start + j]
            for k in range(j):
                total -= factor[b, start + i, start + k] * factor[b, start + j, start + k]
            factor[b, start + i, start + j] = total / pivot
    for column in range(n):
        for i in range(n):
            total = float(i == column)
            for k in range(i):
                total -= factor[b, start + i, start + k] * out[b, start + k, start + column]
            out[b, start + i, start + column] = total / factor[b, start + i, start + i]
        for back in range(n):
            i = n - 1 - back
            total = out[b, start + i, start + column]
            for k in range(i + 1, n):
                total -= factor[b, start + k, start + i] * out[b, start + k, start + column]
            out[b, start + i, start + column] = total / factor[b, start + i, start + i]
