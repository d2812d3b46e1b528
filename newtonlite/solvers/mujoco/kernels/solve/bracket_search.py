"""Bracketed line search: MuJoCo's evaluations in MuJoCo's order, for searches that the file cuts short."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.solve.cost_along import rise_at, slope

ROUNDING = wp.constant(1.0e-6)
"""Part of the slope at the start that counts as none."""
UNENDED = wp.constant(1.0e30)


@wp.struct
class Point:
    """A step length, slope and curvature there, and what the cost has risen by since the start."""

    alpha: float
    slope: float
    curvature: float
    rise: float


@wp.func
def point_at(
    m: Any, d: Any, world: int, nrow: int, alpha: float, p: wp.vec2, dual: bool, island: int, lane: int, nlane: int
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
def bracket_search(
    m: Any, d: Any, world: int, nrow: int, p: wp.vec2, dual: bool, island: int, lane: int, nlane: int
) -> wp.vec2:
    """``(alpha, gain)`` as ``line_search`` gives them, where MuJoCo's search would stop.

    From a Newton step go on by Newton steps to the other side of the minimum; then try the Newton steps from both ends
    and their middle, and draw the ends in, until the evaluations that the file allows are spent.
    """
    zero = point_at(m, d, world, nrow, 0.0, p, dual, island, lane, nlane)
    if not (zero.slope < 0.0):
        return wp.vec2(0.0, 0.0)
    enough = -ROUNDING * zero.slope
    one = point_at(m, d, world, nrow, newton_step(zero), p, dual, island, lane, nlane)
    count = int(2)
    alpha = one.alpha
    done = wp.abs(one.slope) <= enough
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
        step_two = one
        step_one = point_at(m, d, world, nrow, newton_step(one), p, dual, island, lane, nlane)
        count += 1
        while not done and count < m.opt_ls_iterations:
            middle = point_at(m, d, world, nrow, 0.5 * (one.alpha + two.alpha), p, dual, island, lane, nlane)
            count += 1
            best = float(0.0)
            for k in range(3):
                x = middle
                if k == 0:
                    x = step_one
                elif k == 1:
                    x = step_two
                if wp.abs(x.slope) <= enough and (not done or x.rise < best):
                    best = x.rise
                    alpha = x.alpha
                    done = True
            if not done:
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
                if drawn == 0:
                    alpha = middle.alpha
                    done = True
        if not done:
            alpha = float(0.0)
            if one.rise <= two.rise and one.rise < 0.0:
                alpha = one.alpha
            elif two.rise <= one.rise and two.rise < 0.0:
                alpha = two.alpha
    return wp.vec2(alpha, wp.where(alpha == 0.0, UNENDED, -0.5 * alpha * zero.slope))
