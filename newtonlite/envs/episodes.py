"""Episodes: kernels that begin and count them, and masks of worlds."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel
def begin_episode(
    mask: wp.array[wp.bool],
    seeds: wp.array[wp.int64],
    seed: wp.array[wp.int64],
    episode: wp.array[int],
    step: wp.array[int],
):
    """Start an episode: the first one of a new seed, or the next one."""
    world = wp.tid()
    if mask[world]:
        step[world] = 0
        if seeds.shape[0] > 0 and seeds[world] >= wp.int64(0):
            seed[world] = seeds[world]
            episode[world] = 0
        else:
            episode[world] = episode[world] + 1


@wp.kernel
def count_step(mask: wp.array[wp.bool], step: wp.array[int]):
    """One more step of the episode."""
    world = wp.tid()
    if mask[world]:
        step[world] = step[world] + 1


@wp.kernel
def copy_words(source: wp.array2d[int], out: wp.array2d[int]):
    """Copy numbers, whatever they are."""
    world, i = wp.tid()
    out[world, i] = source[world, i]


@wp.kernel
def clear_rows(mask: wp.array[wp.bool], out: wp.array2d[float]):
    """Zero the rows of the worlds of the mask."""
    world, i = wp.tid()
    if mask[world]:
        out[world, i] = 0.0


@wp.kernel
def mask_or(mask: wp.array[wp.bool], out: wp.array[wp.bool]):
    """Add the worlds of the mask."""
    world = wp.tid()
    if mask[world]:
        out[world] = True


@wp.kernel
def mask_and_not(mask: wp.array[wp.bool], less: wp.array[wp.bool], out: wp.array[wp.bool]):
    """Worlds of the mask that are not in the other one."""
    world = wp.tid()
    out[world] = mask[world] and not less[world]


@wp.kernel
def with_seed(mask: wp.array[wp.bool], seeds: wp.array[wp.int64], out: wp.array[wp.bool]):
    """Worlds of the mask that get a seed."""
    world = wp.tid()
    out[world] = mask[world] and seeds[world] >= wp.int64(0)
