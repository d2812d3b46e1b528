"""Scalar cost rows over whole vectors: equality, dry friction, one-sided.

Rows of elliptic cones have neither cost nor force here: ``cost.update_cone`` gives them theirs.  The formulas are those
of ``cost.slope_row``; rows between ``nrow`` and the next multiple of 16 must be neutral (``clear_pad``).
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC, HUBER, QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, I1

native = header(__file__, QUADRATIC=QUADRATIC, HUBER=HUBER, HALF_QUADRATIC=HALF_QUADRATIC)


@wp.func_native(native("clear_pad"))
def clear_pad(type: I1, D: A1, R: A1, frictionloss: A1, jar: A1, jv: A1, world: int, nrow: int, lane: int, nlane: int):
    """Make the rows between ``nrow`` and the next multiple of 16 neutral."""
    ...


@wp.func_native(native("scalar_update"))
def scalar_update(
    type: I1,
    D: A1,
    R: A1,
    frictionloss: A1,
    jar: A1,
    force: A1,
    active: A1,
    world: int,
    nrow: int,
    lane: int,
    nlane: int,
) -> float:
    """Force and curvature of every row; returns this lane's share of the cost."""
    ...


@wp.func_native(native("scalar_slope"))
def scalar_slope(
    type: I1,
    D: A1,
    R: A1,
    frictionloss: A1,
    jar: A1,
    jv: A1,
    alpha: float,
    world: int,
    nrow: int,
    lane: int,
    nlane: int,
) -> wp.vec2:
    """This lane's share of slope and curvature of the cost at ``jar + alpha jv``."""
    ...


@wp.func_native(native("dual_slope"))
def dual_slope(
    type: I1,
    D: A1,
    R: A1,
    frictionloss: A1,
    jar: A1,
    jv: A1,
    dual: A1,
    target: A1,
    alpha: float,
    world: int,
    nrow: int,
    lane: int,
    nlane: int,
) -> wp.vec2:
    """The same with the slope of ``1/2 f'A f`` in it, from ``dual`` to ``target``.

    Row by row it is ``jv (f + s'(jar))``, which vanishes at the solution without a difference of large sums.
    """
    ...


@wp.func_native(native("scalar_boundaries"))
def scalar_boundaries(
    type: I1,
    D: A1,
    R: A1,
    frictionloss: A1,
    jar: A1,
    force: A1,
    active: A1,
    world: int,
    nrow: int,
    lane: int,
    nlane: int,
) -> float:
    """This lane's count of rows that lie on another piece of their cost than ``active`` and ``force`` say."""
    ...
