"""Boxes of a sweep that overlap another, sixteen at a time, by one CPU lane."""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A2

native = header(__file__)


@wp.func_native(native("next_overlap"))
def next_overlap(boxes: A2, world: int, first: int, last: int, axis: int, slack: float) -> int:
    """The first of places ``first`` to ``last - 1`` whose box has not ended along ``axis`` where that of place ``last``
    begins, and is not apart from it by more than rounding; ``last`` where there is none, and in a team. ``boxes`` has
    centres and half sizes along x, y and z in six rows, and sixteen numbers of room behind the last place.
    """
    ...
