"""Products with the joint-space inertia, dense or sparse."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def multiply(M: wp.array3d[float], vec: wp.array2d[float], skip: wp.array[bool], nv: int, res: wp.array2d[float]):
    """``res = M vec``."""
    world, i = wp.tid()
    if skip.shape[0] > 0 and skip[world]:
        return
    total = float(0.0)
    for j in range(nv):
        total += M[world, i, j] * vec[world, j]
    res[world, i] = total


@wp.kernel(enable_backward=False)
def multiply_sparse(
    M: wp.array2d[float],
    rownnz: wp.array[int],
    rowadr: wp.array[int],
    colind: wp.array[int],
    vec: wp.array2d[float],
    skip: wp.array[bool],
    nv: int,
    res: wp.array2d[float],
):
    """``res = M vec`` with the lower triangle of ``M``."""
    world = wp.tid()
    if skip.shape[0] > 0 and skip[world]:
        return
    for i in range(nv):
        last = rowadr[i] + rownnz[i] - 1
        res[world, i] = M[world, last] * vec[world, i]
        for a in range(rowadr[i], last):
            j = colind[a]
            res[world, i] = res[world, i] + M[world, a] * vec[world, j]
            res[world, j] = res[world, j] + M[world, a] * vec[world, i]
