"""Reset kernels: chosen worlds go back to the model's initial state."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def reset_rows(mask: wp.array(dtype=wp.bool), source: wp.array2d(dtype=float), target: wp.array2d(dtype=float)):
    """Copy the rows of the worlds in ``mask``."""
    world, i = wp.tid()
    if mask[world]:
        target[world, i] = source[world % source.shape[0], i]


@wp.kernel(enable_backward=False)
def zero_rows(mask: wp.array(dtype=wp.bool), target: wp.array2d(dtype=float)):
    """Clear the rows of the worlds in ``mask``."""
    world, i = wp.tid()
    if mask[world]:
        target[world, i] = 0.0


@wp.kernel(enable_backward=False)
def set_words(mask: wp.array(dtype=wp.bool), value: int, target: wp.array(dtype=int)):
    """Set one integer of each of the worlds in ``mask``."""
    world = wp.tid()
    if mask[world]:
        target[world] = value
