"""Exact line search: the root of the slope of a convex, piecewise smooth cost.

Newton's method on the slope, kept between ends where the slope is negative and positive (rtsafe of Press et al.,
Numerical Recipes, 9.4).  Taken along the directions of all Newton's methods and of conjugate gradients; full steps are
tried before (``newton.try_full_step``).  Files that allow few evaluations get ``bracket_search`` instead, which stops
where MuJoCo's search does; this one goes to its end.

On entry ``jv = J search`` (in constraint space, what ``jar`` changes by towards the target); nothing is moved here.
"""

import warp as wp

from newtonlite.core.mujoco import MjtSolver
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.iteration_limits import FEW_EVALUATIONS, FEW_ITERATIONS
from newtonlite.solvers.mujoco.kernels.solve.bracket_search import bracket_search
from newtonlite.solvers.mujoco.kernels.solve.cost_along import slope

ENOUGH = wp.constant(1.0e-3)


@wp.func
def is_cut_short(m: ModelFields) -> bool:
    """Whether the file cuts iterations or searches short (``iteration_limits.cuts_short``)."""
    return m.opt_iterations < FEW_ITERATIONS or m.opt_ls_iterations < FEW_EVALUATIONS


@wp.func
def line_search(
    m: ModelFields, d: DataFields, world: int, nrow: int, p: wp.vec2, dual: bool, island: int, lane: int, nlane: int
) -> wp.vec2:
    """``(alpha, gain)``: safeguarded Newton on the slope from ``alpha = 1`` (where a quadratic would end, if the
    direction is not Newton's) to a thousandth of the slope at 0, or to ``ls_tolerance`` of it where that is less.

    ``gain`` is the decrease of the cost if the slope falls evenly, free of the cancellation of a difference of costs.
    """
    if m.opt_ls_iterations < FEW_EVALUATIONS:
        return bracket_search(m, d, world, nrow, p, dual, island, lane, nlane)

    # slope and curvature at 0: the direction has to go down
    first = slope(m, d, world, nrow, 0.0, p, dual, island, lane, nlane)
    start = first[0]
    if not (start < 0.0):  # no descent left, or not a number
        return wp.vec2(0.0, 0.0)

    # a slope below this is none. A Newton direction is tried at its full length first, another one where the curvature
    # at 0 would end the slope
    enough = -wp.min(ENOUGH, m.opt_ls_tolerance[world]) * start
    alpha = float(1.0)
    if m.opt_solver == MjtSolver.CG:
        alpha = -start / wp.max(first[1], 1.0e-30)

    # Newton's iterations on the slope, inside the bracket (low, high) as soon as an end is known above the root
    low = float(0.0)
    high = float(-1.0)
    done = bool(False)
    count = int(0)
    while count < m.opt_ls_iterations and not done:
        s = slope(m, d, world, nrow, alpha, p, dual, island, lane, nlane)
        count += 1
        if wp.abs(s[0]) <= enough:
            done = True
        else:
            # the cost is convex: a positive slope is beyond the minimum, a negative one before it
            if s[0] > 0.0:
                high = alpha
            else:
                low = alpha
            # a step that leaves the bracket becomes its middle
            step = alpha - s[0] / wp.max(s[1], 1.0e-30)
            if high > 0.0 and (step <= low or step >= high):
                step = 0.5 * (low + high)
            # no digits left to move by, or an infinite step: the slope has no root
            if wp.abs(step - alpha) <= 1.0e-7 * wp.abs(alpha) or not (step < 1.0e10):
                done = True
            else:
                alpha = step
    return wp.vec2(alpha, -0.5 * alpha * start)
