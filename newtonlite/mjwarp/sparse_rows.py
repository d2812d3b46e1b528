"""Constraint Jacobian of wide models, whose engine keeps the rows sparse, with all of its columns."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def spread_entries(
    nefc: wp.array[int],
    rownnz: wp.array2d[int],
    rowadr: wp.array2d[int],
    colind: wp.array2d[int],
    entries: wp.array3d[float],
    J: wp.array3d[float],
):
    """A row from its entries, of which several of one column are summed."""
    world, r = wp.tid()
    if r < nefc[world]:
        first = rowadr[world, r]
        for k in range(first, first + rownnz[world, r]):
            i = colind[world, k]
            J[world, r, i] = J[world, r, i] + entries[world, 0, k]


def dense_rows(e) -> wp.array:
    """``efc_J [nworld, njmax, nv]`` of an engine's data with sparse rows: a copy, zero beyond the last row."""
    J = wp.zeros((e.nworld, e.njmax, e.model.nv), dtype=float, device=e.device)
    inputs = [e.nefc, e.efc_J_rownnz, e.efc_J_rowadr, e.efc_J_colind, e.efc_J]
    wp.launch(spread_entries, (e.nworld, e.njmax), inputs, [J], device=e.device)
    return J
