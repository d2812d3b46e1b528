"""Exact line search: the root of the slope of a convex, piecewise smooth cost."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.solve.cost import slope_row
from newtonlite.solvers.mujoco.kernels.team import team_sum


@wp.func
def slope(m: Any, d: Any, world: int, nrow: int, alpha: float, p1: float, p2: float, lane: int, nlane: int) -> wp.vec2:
    """Slope and curvature of the whole cost at ``alpha``: the Gauss part is ``p1 + alpha p2``."""
    first = float(0.0)
    second = float(0.0)
    for r in range(lane, nrow, nlane):
        s = slope_row(m, d, world, r, alpha)
        first += s[0]
        second += s[1]
    first = team_sum(d.team_f, world, first)
    second = team_sum(d.team_f, world, second)
    return wp.vec2(first + p1 + alpha * p2, second + p2)


@wp.func
def line_search(m: Any, d: Any, world: int, nrow: int, p1: float, p2: float, lane: int, nlane: int) -> float:
    """Safeguarded Newton on the slope from ``alpha = 1``.

    Where the curvature repeats after a Newton step, both points lie on one quadratic piece and the root is exact.
    """
    alpha = float(1.0)
    low = float(0.0)
    high = float(-1.0)
    before = float(-1.0)
    done = bool(False)
    count = int(0)
    while count < m.opt_ls_iterations and not done:
        s = slope(m, d, world, nrow, alpha, p1, p2, lane, nlane)
        count += 1
        if s[0] > 0.0:
            high = alpha
        else:
            low = alpha
        step = alpha - s[0] / wp.max(s[1], 1.0e-30)
        if wp.abs(s[1] - before) <= 1.0e-6 * s[1] or wp.abs(step - alpha) <= 1.0e-6 * wp.abs(alpha):
            done = True
        before = s[1]
        if not done and high > 0.0 and (step <= low or step >= high):
            step = 0.5 * (low + high)
            before = -1.0
        if step <= 0.0:
            step = low
        alpha = step
    return alpha
