"""Stretches of rows: the definitions that ``kernels.row`` is tested against."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, SPATIAL


@wp.func
def copy_row(source: A1, first: int, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    for k in range(lane, n, nlane):
        target[world, begin + k] = source[world, first + k]


@wp.func
def shift_row(
    source: A1,
    first: int,
    zero: A1,
    at: int,
    sign: float,
    target: A1,
    begin: int,
    world: int,
    n: int,
    lane: int,
    nlane: int,
):
    """``target[world, begin + k] = source[world, first + k] + sign zero[world, at + k]`` for k < n."""
    for k in range(lane, n, nlane):
        target[world, begin + k] = source[world, first + k] + sign * zero[world, at + k]


@wp.func
def copy_spatial(source: SPATIAL, first: int, target: SPATIAL, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    for k in range(lane, n, nlane):
        target[world, begin + k] = source[world, first + k]


@wp.func
def is_beyond(x: float, limit: float) -> bool:
    """A magnitude above ``limit``, or NaN."""
    return not (wp.abs(x) <= limit)


@wp.func
def any_beyond(values: A1, limit: float, first: int, world: int, n: int, lane: int, nlane: int) -> float:
    """Number by number."""
    found = float(0.0)
    for k in range(lane, n, nlane):
        if is_beyond(values[world, first + k], limit):
            found = 1.0
    return found


@wp.func
def any_beyond_spatial(values: SPATIAL, limit: float, first: int, world: int, n: int, lane: int, nlane: int) -> float:
    """Number by number."""
    found = float(0.0)
    for k in range(lane, 6 * n, nlane):
        vector = values[world, first + k / 6]
        if is_beyond(vector[k % 6], limit):
            found = 1.0
    return found
