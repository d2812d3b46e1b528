"""Products with the joint-space inertia, dense or sparse."""

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def multiply(
    M: wp.array3d[float],
    first: wp.array[int],
    last: wp.array[int],
    vec: wp.array2d[float],
    skip: wp.array[bool],
    res: wp.array2d[float],
):
    """``res = M vec`` over the columns from ``first`` to ``last`` of each row."""
    world, i = wp.tid()
    if skip.shape[0] > 0 and skip[world]:
        return
    total = float(0.0)
    for j in range(first[i], last[i]):
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


def columns(d, own: bool = True) -> list[wp.array]:
    """First and last column of each row of ``M``: those of the dof's tree where the data's ``own`` is stored sparse, and all
    others are of other rows; else all.
    """
    m = d.engine.model
    if not (own and m.nsparse):
        return [d.kept_index("M_first", np.zeros(m.nv, int)), d.kept_index("M_last", np.full(m.nv, m.nv))]
    tree, mj = np.asarray(m.source.dof_treeid, int), m.source
    first = np.asarray(mj.tree_dofadr, int)[tree]
    last = first + np.asarray(mj.tree_dofnum, int)[tree]
    return [d.kept_index("M_tree_first", first), d.kept_index("M_tree_last", last)]
