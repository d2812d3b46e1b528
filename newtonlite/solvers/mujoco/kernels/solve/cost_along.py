"""Cost along a direction of search: slope, curvature, and what it rises by."""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import team_sum
from newtonlite.solvers.mujoco.kernels.solve.cost import is_cone, row_rise, slope_cone, slope_row
from newtonlite.solvers.mujoco.kernels.solve.scalar_cost import dual_slope, scalar_slope


@wp.func
def slope(
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
) -> wp.vec2:
    """Slope and curvature of the cost at ``alpha``.

    Primal: rows at ``jar + alpha jv`` plus the Gauss part ``p[0] + alpha p[1]``.  Dual: both row by row.
    Of the rows of one ``island`` alone, or of all (-1).
    """
    # rows: of an island one by one, for a dual search with the Gauss part of each row, else over whole vectors
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
        if m.opt_cone == MjtCone.ELLIPTIC:
            # elliptic contacts are not among the rows that vectors handle
            for c in range(lane, d.ncon[world], nlane):
                if is_cone(d, world, c):
                    s = slope_cone(m, d, world, d.contact_efc_address[world, c], alpha)
                    first += s[0]
                    second += s[1]

    # the Gauss cost is a parabola: p[0] + alpha p[1] is its slope, p[1] its curvature
    first = team_sum(d.team_f, world, first)
    second = team_sum(d.team_f, world, second)
    return wp.vec2(first + gauss, second + p[1])


@wp.func
def rise_at(
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
) -> float:
    """Rise of the cost from 0 to ``alpha``, row by row, so that large costs do not cancel."""
    # alpha p[0] + alpha^2 p[1] / 2 for the Gauss cost, and each row's own difference
    share = float(0.0)
    gauss = alpha * (p[0] + 0.5 * alpha * p[1])
    if m.nislandtree > 0 and island >= 0:
        for i in range(d.island_adr[world, island] + lane, d.island_adr[world, island + 1], nlane):
            share += row_rise(m, d, world, d.island_row[world, i], alpha)
    else:
        for r in range(lane, nrow, nlane):
            share += row_rise(m, d, world, r, alpha)
            # in constraint space the Gauss slope at 0 is f'jv, row by row
            if dual:
                share += alpha * d.jv[world, r] * d.dual[world, r]
    return team_sum(d.team_f, world, share) + gauss
