"""Copies of rows of a flat array, wherever they lie, with derivatives."""

from typing import Any

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, enable_backward=True)


@wp.kernel
def gather_rows(values: wp.array[Any], rows: wp.array3d[int], out: wp.array3d[Any]):
    """Rows of an array, wherever they lie."""
    world, k, i = wp.tid()
    out[world, k, i] = values[rows[world, k, i]]


def gathered(array: wp.array, rows: wp.array, kept: wp.array) -> wp.array:
    """Rows of an array in ``kept``; where it has derivatives in a new array, since each reading has its own."""
    if array.grad is not None:
        kept = wp.empty(rows.shape, dtype=array.dtype, device=array.device, requires_grad=True)
    wp.launch(gather_rows, rows.shape, [array, rows], [kept], device=array.device)
    return kept
