"""Reset kernels: chosen worlds go back to where they start."""

from typing import Any

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def put_rows(choice: wp.array[int], most: int, keyed: bool, rows: wp.array2d[int], out: wp.array2d[int]):
    """Words into the worlds whose ``choice`` is from 0 to ``most - 1``: of the row that it names (``keyed``), else of the
    row of all worlds or of their own; 0 where the row has ended.
    """
    world, i = wp.tid()
    k = choice[world]
    if k < 0 or k >= most:
        return
    word = int(0)
    if i < rows.shape[1]:
        row = int(0)
        if keyed:
            row = k
        elif rows.shape[0] > 1:
            row = world
        word = rows[row, i]
    out[world, i] = word


@wp.kernel(enable_backward=False)
def choose_rows(mask: wp.array[bool], out: wp.array[int]):
    """Row 0 for worlds of the mask, -1 for the others."""
    world = wp.tid()
    out[world] = wp.where(mask[world], 0, -1)


@wp.kernel(enable_backward=False)
def choose_rows_by_number(mask: wp.array[Any], out: wp.array[int]):
    """Row 0 for worlds with a number in the mask, -1 for the others."""
    world = wp.tid()
    out[world] = wp.where(mask[world] != mask.dtype(0), 0, -1)


@wp.kernel(enable_backward=False)
def choose_worlds(mask: wp.array[bool], out: wp.array[int]):
    """1 for worlds of the mask, 0 for the others: ``world_mask``."""
    world = wp.tid()
    out[world] = wp.where(mask[world], 1, 0)
