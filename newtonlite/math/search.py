"""Search in sorted arrays."""

from typing import Any

import warp as wp


@wp.func
def first_of(keys: wp.array[Any], count: int, key: Any) -> int:
    """The first of ``count`` sorted numbers that is no less than ``key``; ``count`` if there is none."""
    low = int(0)
    high = int(count)
    while low < high:
        middle = (low + high) / 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low
