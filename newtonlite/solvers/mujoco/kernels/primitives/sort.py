"""Sorting by a team, and a heap that keeps the smallest of many."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def sort_keys(keys: wp.array2d[wp.int64], world: int, n: int, lane: int, nlane: int):
    """Sort the first ``n`` keys of a world in ascending order. All lanes call it together.

    Batcher's bitonic network in the form in which every comparison puts the smaller key first, so that what would be
    beyond the end of a power of two is not needed. (Batcher, Sorting networks and their applications, 1968.)
    """
    run = int(0)  # runs of 2^run keys are sorted
    while (1 << run) < n:
        blocks = (n + (2 << run) - 1) >> (run + 1)
        for step in range(run, -1, -1):
            for k in range(lane, blocks << run, nlane):
                i = ((k >> step) << (step + 1)) + (k & ((1 << step) - 1))
                j = i + (1 << step)
                if step == run:
                    j = i + (2 << run) - 1 - 2 * (k & ((1 << step) - 1))
                if j < n:
                    a = keys[world, i]
                    b = keys[world, j]
                    if a > b:
                        keys[world, i] = b
                        keys[world, j] = a
            sync()
        run += 1


@wp.func
def exceeds(value1: float, key1: Any, value2: float, key2: Any) -> bool:
    """Whether the first comes after the second, by value and then by key."""
    return value1 > value2 or (value1 == value2 and key1 > key2)


@wp.func
def keep_least(
    values: wp.array2d[float], keys: wp.array2d[Any], world: int, most: int, number: int, value: float, key: Any
):
    """Offer entry ``number`` (0, 1, ... in turn): the ``most`` least stay, the greatest of them in front. By one lane
    alone.
    """
    if most <= 0:
        return
    at = number
    if number < most:
        while at > 0 and exceeds(value, key, values[world, (at - 1) >> 1], keys[world, (at - 1) >> 1]):
            above = (at - 1) >> 1
            values[world, at] = values[world, above]
            keys[world, at] = keys[world, above]
            at = above
    elif exceeds(values[world, 0], keys[world, 0], value, key):
        at = int(0)
        below = int(1)
        while below < most:
            if below + 1 < most and exceeds(
                values[world, below + 1], keys[world, below + 1], values[world, below], keys[world, below]
            ):
                below += 1
            if not exceeds(values[world, below], keys[world, below], value, key):
                break
            values[world, at] = values[world, below]
            keys[world, at] = keys[world, below]
            at = below
            below = 2 * at + 1
    else:
        return
    values[world, at] = value
    keys[world, at] = key
