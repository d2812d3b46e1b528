"""Exact line search: the root of the slope of a convex, piecewise smooth cost."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.enums import CG, ELLIPTIC
from newtonlite.solvers.mujoco.kernels.primitives.team import team_sum
from newtonlite.solvers.mujoco.kernels.solve.cost import is_cone, slope_cone, slope_row
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import dual_slope, scalar_slope

ENOUGH = wp.constant(1.0e-3)
LEAST_LIMIT = wp.constant(20)
"""Fewer evaluations than these never end a search: after one that is cut short the cost may be higher than after MuJoCo's,
whose evaluations are others.
"""


@wp.func
def slope(
    m: Any, d: Any, world: int, nrow: int, alpha: float, p: wp.vec2, dual: bool, island: int, lane: int, nlane: int
) -> wp.vec2:
    """Slope and curvature of the cost at ``alpha``.

    Primal: rows at ``jar + alpha jv`` plus the Gauss part ``p[0] + alpha p[1]``.  Dual: both row by row.
    Of the rows of one ``island`` alone, or of all (-1).
    """
    first = float(0.0)
    second = float(0.0)
    gauss = p[0] + alpha * p[1]
    if m.nislandtree > 0 and island >= 0:
        for i in range(d.island_adr[world, island] + lane, d.island_adr[world, island + 1], nlane):
            s = slope_row(m, d, world, d.island_row[world, i], alpha)
            first += s[0]
            second += s[1]
    elif dual:
        gauss = float(0.0)  # already in every row
        both = dual_slope(
            d.efc_cost,
            d.efc_D,
            d.efc_R,
            d.efc_frictionloss,
            d.jar,
            d.jv,
            d.dual,
            d.target,
            alpha,
            world,
            nrow,
            lane,
            nlane,
        )
        first = both[0]
        second = both[1]
    else:
        flat = scalar_slope(
            d.efc_cost, d.efc_D, d.efc_R, d.efc_frictionloss, d.jar, d.jv, alpha, world, nrow, lane, nlane
        )
        first = flat[0]
        second = flat[1]
        if m.opt_cone == ELLIPTIC:
            for c in range(lane, d.ncon[world], nlane):
                if is_cone(d, world, c):
                    s = slope_cone(m, d, world, d.contact_efc_address[world, c], alpha)
                    first += s[0]
                    second += s[1]
    first = team_sum(d.team_f, world, first)
    second = team_sum(d.team_f, world, second)
    return wp.vec2(first + gauss, second + p[1])


@wp.func
def line_search(
    m: Any, d: Any, world: int, nrow: int, p: wp.vec2, dual: bool, island: int, lane: int, nlane: int
) -> wp.vec2:
    """``(alpha, gain)``: safeguarded Newton on the slope from ``alpha = 1`` (where a quadratic would end, if the
    direction is not Newton's) to a thousandth of the slope at 0, or to ``ls_tolerance`` of it where that is less.

    ``gain`` is the decrease of the cost if the slope falls evenly, free of the cancellation of a difference of costs.
    """
    first = slope(m, d, world, nrow, 0.0, p, dual, island, lane, nlane)
    start = first[0]
    if not (start < 0.0):  # no descent left, or not a number
        return wp.vec2(0.0, 0.0)
    enough = -wp.min(ENOUGH, m.opt_ls_tolerance[world]) * start
    alpha = float(1.0)
    if m.opt_solver == CG:
        alpha = -start / wp.max(first[1], 1.0e-30)
    low = float(0.0)
    high = float(-1.0)
    done = bool(False)
    count = int(0)
    most = wp.max(m.opt_ls_iterations, LEAST_LIMIT)
    while count < most and not done:
        s = slope(m, d, world, nrow, alpha, p, dual, island, lane, nlane)
        count += 1
        if wp.abs(s[0]) <= enough:
            done = True
        else:
            if s[0] > 0.0:
                high = alpha
            else:
                low = alpha
            step = alpha - s[0] / wp.max(s[1], 1.0e-30)
            if high > 0.0 and (step <= low or step >= high):
                step = 0.5 * (low + high)
            if wp.abs(step - alpha) <= 1.0e-7 * wp.abs(alpha) or not (step < 1.0e10):
                done = True
            else:
                alpha = step
    return wp.vec2(alpha, -0.5 * alpha * start)
