"""Gather and scatter of rows of flat arrays, for worlds that are not evenly spaced in them."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def gather_words(index: wp.array[int], flat: wp.array2d[int], rows: wp.array2d[int]):
    """``rows[i] = flat[index[i]]``."""
    i, k = wp.tid()
    rows[i, k] = flat[index[i], k]


@wp.kernel(enable_backward=False)
def scatter_words(index: wp.array[int], flat: wp.array2d[int], rows: wp.array2d[int]):
    """``flat[index[i]] = rows[i]``."""
    i, k = wp.tid()
    flat[index[i], k] = rows[i, k]


@wp.kernel(enable_backward=False)
def gather_mask(index: wp.array[int], flat: wp.array[wp.bool], rows: wp.array[wp.bool]):
    """A mask of worlds for some of them."""
    i = wp.tid()
    rows[i] = flat[index[i]]


@wp.kernel(enable_backward=False)
def shift(base: wp.array[int], start: wp.array[int]):
    """Move all starts by as much as is in ``base[0]``."""
    start[wp.tid()] += base[0]
