"""Bracketed line search: MuJoCo's evaluations in MuJoCo's order, for searches that the file cuts short.

Taken by ``line_search`` where ``ls_iterations`` is small: where such a search stops decides the step, so its points
have to be MuJoCo's one by one (docs/decisions/0015).  It decides by costs as well as slopes, unlike ``line_search``,
which may go on to the root of the slope.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.solve.cost_along import rise_at, slope

ROUNDING = wp.constant(1.0e-6)
"""Part of the slope at the start that counts as none."""
UNENDED = wp.constant(1.0e30)
"""Gain of a search that was cut short: however short its step, no solution is known to be near."""


@wp.struct
class Point:
    """A step length, slope and curvature there, and what the cost has risen by since the start."""

    alpha: float
    slope: float
    curvature: float
    rise: float


@wp.func
def point_at(
    m: ModelFields,
    d: DataFields,
    world: int,
    nrow: int,
    alpha: float,
    p: wp.vec2,
    dual: bool,
    island: int,
    lane: int,
    nlane: int,
) -> Point:
    """Evaluate the cost at ``alpha``."""
    s = slope(m, d, world, nrow, alpha, p, dual, island, lane, nlane)
    found = Point()
    found.alpha = alpha
    found.slope = s[0]
    found.curvature = wp.max(s[1], 1.0e-30)
    if alpha != 0.0:
        found.rise = rise_at(m, d, world, nrow, alpha, p, dual, island, lane, nlane)
    return found


@wp.func
def newton_step(x: Point) -> float:
    """Step length at which the slope would vanish if the curvature stayed."""
    return x.alpha - x.slope / x.curvature


@wp.func
def nearer(x: Point, y: Point) -> bool:
    """Whether ``y`` is on the same side of the minimum as ``x`` and has the smaller slope."""
    return (x.slope < 0.0 and y.slope < 0.0 and x.slope < y.slope) or (
        x.slope > 0.0 and y.slope > 0.0 and x.slope > y.slope
    )


@wp.func
def is_lower(x: Point, y: Point, noise: float) -> bool:
    """Whether the cost at ``x`` is lower than at ``y``. Where rounding, a slope of ``noise``, could make the
    difference, that is whether ``x`` is less high above where its slope would vanish.
    """
    if wp.abs(x.rise - y.rise) > noise * (wp.abs(x.alpha) + wp.abs(y.alpha)):
        return x.rise < y.rise
    return x.slope * x.slope * y.curvature < y.slope * y.slope * x.curvature


@wp.func
def bracket_search(
    m: ModelFields, d: DataFields, world: int, nrow: int, p: wp.vec2, dual: bool, island: int, lane: int, nlane: int
) -> wp.vec2:
    """``(alpha, gain)`` as ``line_search`` gives them, where MuJoCo's search would stop.

    From a Newton step go on by Newton steps to the other side of the minimum; then try the Newton steps from both ends
    and their middle, and draw the ends in, until the evaluations that the file allows are spent.
    """
    # evaluation 1 at 0, evaluation 2 at the Newton step from there
    zero = point_at(m, d, world, nrow, 0.0, p, dual, island, lane, nlane)
    if not (zero.slope < 0.0):
        return wp.vec2(0.0, 0.0)
    enough = -ROUNDING * zero.slope
    noise = ROUNDING * wp.max(-zero.slope, wp.abs(p[0]))
    one = point_at(m, d, world, nrow, newton_step(zero), p, dual, island, lane, nlane)
    count = int(2)
    alpha = one.alpha
    done = wp.abs(one.slope) <= enough

    # phase 1: Newton steps until the slope changes its sign; the last two points are then the bracket
    side = wp.where(one.slope < 0.0, 1.0, -1.0)
    two = one
    moved = bool(False)
    while not done and one.slope * side <= 0.0 and count < m.opt_ls_iterations:
        two = one
        moved = True
        one = point_at(m, d, world, nrow, newton_step(one), p, dual, island, lane, nlane)
        count += 1
        alpha = one.alpha
        done = wp.abs(one.slope) <= enough
    if not done and moved and count < m.opt_ls_iterations:
        # phase 2: candidates are the Newton steps from both ends of the bracket, and its middle
        step_two = one
        step_one = point_at(m, d, world, nrow, newton_step(one), p, dual, island, lane, nlane)
        count += 1
        while not done and count < m.opt_ls_iterations:
            middle = point_at(m, d, world, nrow, 0.5 * (one.alpha + two.alpha), p, dual, island, lane, nlane)
            count += 1
            # the best candidate whose slope is 0 to rounding ends the search
            best = middle
            for k in range(3):
                x = middle
                if k == 0:
                    x = step_one
                elif k == 1:
                    x = step_two
                if wp.abs(x.slope) <= enough and (not done or is_lower(x, best, noise)):
                    best = x
                    alpha = x.alpha
                    done = True
            if not done:
                # otherwise each end moves to the candidate on its side that is nearest to the root, with a new Newton
                # step
                drawn = int(0)
                for end in range(2):
                    x = one
                    if end == 1:
                        x = two
                    closer = bool(False)
                    if nearer(x, step_one):
                        x = step_one
                        closer = True
                    if nearer(x, step_two):
                        x = step_two
                        closer = True
                    if nearer(x, middle):
                        x = middle
                        closer = True
                    if closer:
                        drawn += 1
                        step = point_at(m, d, world, nrow, newton_step(x), p, dual, island, lane, nlane)
                        count += 1
                        if end == 0:
                            one = x
                            step_one = step
                        else:
                            two = x
                            step_two = step
                # no candidate draws an end in: the lowest of the points known is the answer
                if drawn == 0:
                    low = middle
                    if is_lower(one, low, noise):
                        low = one
                    if is_lower(two, low, noise):
                        low = two
                    alpha = low.alpha
                    done = True
        # evaluations are spent: the lower end if it is below the start, else the end before the minimum
        if not done:
            low = one
            near = two
            if is_lower(two, one, noise):
                low = two
            if one.slope < 0.0:
                near = one
            alpha = float(0.0)
            if low.rise < 0.0:
                alpha = low.alpha
            elif near.alpha > 0.0 and near.slope < 0.0:
                alpha = near.alpha  # lower than 0, whatever sums of costs round to: the cost is convex
    return wp.vec2(alpha, wp.where(done, -0.5 * alpha * zero.slope, UNENDED))
