"""Stretches of rows: the definitions that ``kernels.row`` is tested against."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.native import A1
from newtonlite.solvers.mujoco.kernels.row import SPATIAL


@wp.func
def copy_row(source: A1, first: int, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    for k in range(lane, n, nlane):
        target[world, begin + k] = source[world, first + k]


@wp.func
def shift_row(source: A1, first: int, zero: A1, at: int, sign: float, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k] + sign zero[world, at + k]`` for k < n."""
    for k in range(lane, n, nlane):
        target[world, begin + k] = source[world, first + k] + sign * zero[world, at + k]


@wp.func
def copy_spatial(source: SPATIAL, first: int, target: SPATIAL, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    for k in range(lane, n, nlane):
        target[world, begin + k] = source[world, first + k]
