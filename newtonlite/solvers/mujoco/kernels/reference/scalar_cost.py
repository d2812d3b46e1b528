"""Rows whose cost is a function of one number: the definitions that ``kernels.solve.scalar_cost`` is tested against."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC, HUBER, QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, I1


@wp.func
def quadratic(kind: int, reach: float, x: float) -> bool:
    """Whether the cost is ``D/2 x^2`` at ``x``: equality everywhere, friction within its reach, one-sided rows
    where violated; nowhere for rows of elliptic cones.
    """
    if kind == HUBER:
        return wp.abs(x) < reach
    return kind == QUADRATIC or (kind == HALF_QUADRATIC and x < 0.0)


@wp.func
def saturated(kind: int, bound: float, x: float) -> float:
    """Slope of the cost where it is not quadratic: friction at its bound, the others free."""
    if kind == HUBER:
        return wp.where(x > 0.0, bound, -bound)
    return 0.0


@wp.func
def clear_pad(type: I1, D: A1, R: A1, frictionloss: A1, jar: A1, jv: A1, world: int, nrow: int, lane: int, nlane: int):
    """Make the rows between ``nrow`` and the next multiple of 16 neutral."""
    for r in range(nrow + lane, 16 * ((nrow + 15) / 16), nlane):
        type[world, r] = HALF_QUADRATIC
        D[world, r] = 0.0
        R[world, r] = 0.0
        frictionloss[world, r] = 0.0
        jar[world, r] = 0.0
        jv[world, r] = 0.0


@wp.func
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
    cost = float(0.0)
    for r in range(lane, nrow, nlane):
        x = jar[world, r]
        if quadratic(type[world, r], R[world, r] * frictionloss[world, r], x):
            force[world, r] = -D[world, r] * x
            active[world, r] = D[world, r]
            cost += 0.5 * D[world, r] * x * x
        else:
            slope = saturated(type[world, r], frictionloss[world, r], x)
            force[world, r] = -slope
            active[world, r] = 0.0
            cost += slope * x - 0.5 * R[world, r] * slope * slope
    return cost


@wp.func
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
    first = float(0.0)
    second = float(0.0)
    for r in range(lane, nrow, nlane):
        v = jv[world, r]
        x = jar[world, r] + alpha * v
        if quadratic(type[world, r], R[world, r] * frictionloss[world, r], x):
            first += v * D[world, r] * x
            second += v * D[world, r] * v
        else:
            first += v * saturated(type[world, r], frictionloss[world, r], x)
    return wp.vec2(first, second)


@wp.func
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
    """The same and ``jv . f``, the slope of ``1/2 f'A f``, at ``f = dual + alpha (target - dual)``."""
    share = scalar_slope(type, D, R, frictionloss, jar, jv, alpha, world, nrow, lane, nlane)
    first = share[0]
    for r in range(lane, nrow, nlane):
        first += jv[world, r] * (dual[world, r] + alpha * (target[world, r] - dual[world, r]))
    return wp.vec2(first, share[1])


@wp.func
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
    count = float(0.0)
    for r in range(lane, nrow, nlane):
        kind = type[world, r]
        was = active[world, r] != 0.0
        if quadratic(kind, R[world, r] * frictionloss[world, r], jar[world, r]):
            if not was:
                count += 1.0
        elif kind <= HALF_QUADRATIC and (
            was or saturated(kind, frictionloss[world, r], jar[world, r]) != -force[world, r]
        ):
            count += 1.0
    return count
