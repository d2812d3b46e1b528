"""Vector copies and checks of stretches of a world's rows, where a team is one lane.

One lane goes from world to world: rows of the next are on their way to the cache while it is busy with this one.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, SPATIAL

native = header(__file__)


@wp.func_native(native("copy_row"))
def copy_row(source: A1, first: int, target: A1, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    ...


@wp.func_native(native("shift_row"))
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
    ...


@wp.func_native(native("copy_spatial"))
def copy_spatial(source: SPATIAL, first: int, target: SPATIAL, begin: int, world: int, n: int, lane: int, nlane: int):
    """``target[world, begin + k] = source[world, first + k]`` for k < n."""
    ...


@wp.func_native(native("any_beyond"))
def any_beyond(values: A1, limit: float, first: int, world: int, n: int, lane: int, nlane: int) -> float:
    """1 where this lane's share of ``values[world, first:first + n]`` has a magnitude above ``limit``, or NaN, else 0."""
    ...


@wp.func_native(native("any_beyond_spatial"))
def any_beyond_spatial(values: SPATIAL, limit: float, first: int, world: int, n: int, lane: int, nlane: int) -> float:
    """The same of n spatial vectors."""
    ...
