"""Constraint row: impedance, reference acceleration and regularization, in one place.

MuJoCo documentation, Computation: Constraint model.  ``r`` is the violation (pos - margin), ``d`` the impedance.
"""

import warp as wp

from newtonlite.core.constants import MAXIMP, MINIMP, MINVAL
from newtonlite.core.mujoco import MjtDisableBit, MjtIntegrator
from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields

QUADRATIC = wp.constant(0)
HUBER = wp.constant(1)
HALF_QUADRATIC = wp.constant(2)
CONE_NORMAL = wp.constant(3)
CONE_TANGENT = wp.constant(4)

MIN_R = wp.constant(1.0e-9)


@wp.func
def impedance(solimp: vec5, r: float) -> float:
    """``d(r)``: from dmin at r = 0 to dmax at |r| = width along two joined powers."""
    # without a width there is no way from dmin to dmax: their mean
    dmin = wp.clamp(solimp[0], MINIMP, MAXIMP)
    dmax = wp.clamp(solimp[1], MINIMP, MAXIMP)
    width = wp.max(solimp[2], 0.0)
    if dmin == dmax or width <= MINVAL:
        return 0.5 * (dmin + dmax)
    x = wp.abs(r) / width
    if x >= 1.0:
        return dmax

    # y(x) from 0 to 1: a power up to the midpoint, its mirror image from there on
    mid = wp.clamp(solimp[3], MINIMP, MAXIMP)
    power = wp.max(solimp[4], 1.0)
    y = x
    if power == 2.0:
        if x <= mid:
            y = x * x / mid
        else:
            y = 1.0 - (1.0 - x) * (1.0 - x) / (1.0 - mid)
    elif power > 1.0:
        if x <= mid:
            y = wp.pow(x / mid, power) * mid
        else:
            y = 1.0 - wp.pow((1.0 - x) / (1.0 - mid), power) * (1.0 - mid)
    return dmin + y * (dmax - dmin)


@wp.func
def stiffness_damping(m: ModelFields, world: int, solref: wp.vec2, dmax_raw: float) -> wp.vec2:
    """``(k, b)`` of ``aref = -b v - k d r``: from (time constant, damping ratio), or given directly when not positive."""
    dmax = wp.clamp(dmax_raw, MINIMP, MAXIMP)

    # time constant and damping ratio, so that the impedance at dmax is allowed for: b = 2/(dmax tc), k = 1/(dmax tc
    # ratio)^2. No shorter than two steps, but where rows are taken implicitly
    if solref[0] > 0.0:
        tc = solref[0]
        if m.opt_integrator != MjtIntegrator.DISCRETE and (m.opt_disableflags & MjtDisableBit.REFSAFE) == 0:
            tc = wp.max(tc, 2.0 * m.opt_timestep[world])
        return wp.vec2(
            1.0 / wp.max(MINVAL, dmax * dmax * tc * tc * solref[1] * solref[1]), 2.0 / wp.max(MINVAL, dmax * tc)
        )

    # stiffness and damping themselves, with the opposite sign
    return wp.vec2(-solref[0] / (dmax * dmax), -solref[1] / dmax)


@wp.func
def resolved(m: ModelFields, world: int, kb: wp.vec2, imp: float, solref: wp.vec2) -> wp.vec2:
    """``(k, b)`` of a limit or contact; of one that an implicit step cannot resolve, the stiffest that does not rebound."""
    found = kb
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # h^2 k d > 1 would overshoot in one step: then it is 1, at the damping ratio that was asked for, and the step
        # factor stays where MAXIMP bounds R
        h = m.opt_timestep[world]
        excess = h * h * kb[0] * imp
        if solref[0] > 0.0 and excess > 1.0 and (m.opt_disableflags & MjtDisableBit.REFSAFE) == 0:
            most = MAXIMP * (1.0 - imp) / (imp * (1.0 - MAXIMP))
            found = wp.vec2(1.0 / (h * h * imp), wp.min(kb[1] / wp.sqrt(excess), wp.max(0.0, most - 2.0) / h))
    return found


@wp.func
def step_factor(m: ModelFields, world: int, kb: wp.vec2, imp: float) -> float:
    """``1 + h b + h^2 k d``: how much a row's spring and damper at the end of the step weaken it; 1 where they are taken at
    its start.
    """
    factor = float(1.0)
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        h = m.opt_timestep[world]
        factor = 1.0 + h * (kb[1] + h * kb[0] * imp)
    return factor


@wp.func
def finish_row(
    m: ModelFields, d: DataFields, world: int, row: int, kb: wp.vec2, imp: float, diag: float, r: float, vel: float
):
    """Close a row: ``R = (1-d)/d diagA``, ``D = 1/R``, ``aref = -b v - k d r``; ``diag`` as from ``diag_approx``. The
    integrator discrete takes both at the end of the step, ``r + h v`` and ``v + h a``.

    Where ``diag`` vanishes the row is as stiff as float32 bears: stiffer, and round-off in its Jacobian would act as a
    brake.
    """
    reg = diag * (1.0 - imp) / imp
    aref = -kb[1] * vel - kb[0] * imp * r
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        # a = -b (v + h a) - k d (r + h v + h^2 a) - R f, divided by the factor of a; no stiffer than MAXIMP
        factor = step_factor(m, world, kb, imp)
        reg = wp.max(reg / factor, diag * (1.0 - MAXIMP) / MAXIMP)
        aref = (aref - m.opt_timestep[world] * kb[0] * imp * vel) / factor
    reg = wp.max(MIN_R, reg)
    d.efc_R[world, row] = reg
    d.efc_D[world, row] = 1.0 / reg
    d.efc_vel[world, row] = vel
    d.efc_aref[world, row] = aref


@wp.func
def diag_approx(m: ModelFields, approximate: float) -> float:
    """Diagonal of ``J M^-1 J'`` from weights at qpos0; or 1, where the flag diagexact has it multiplied in later."""
    if m.ndiagexact > 0:
        return 1.0
    return approximate


@wp.func
def init_row(m: ModelFields, d: DataFields, world: int, row: int, kind: int, id: int, pos: float, margin: float):
    """Write what a row is."""
    d.efc_cost[world, row] = kind
    d.efc_id[world, row] = id
    d.efc_pos[world, row] = pos
    d.efc_margin[world, row] = margin
    d.efc_frictionloss[world, row] = 0.0


@wp.func
def one_block_range(block: wp.vec2i) -> wp.vec4i:
    """Column blocks from the first to the last."""
    return wp.vec4i(block[0], block[1], block[1], block[1])


@wp.func
def row_blocks(m: ModelFields, b1: int, b2: int) -> wp.vec4i:
    """Column blocks of the trees of two bodies: two stretches where they are apart, else one."""
    return two_stretches(body_blocks(m, b1), body_blocks(m, b2))


@wp.func
def body_blocks(m: ModelFields, b: int) -> wp.vec2i:
    """Column blocks of the tree of a body, first and last + 1; a static one has none: 0, 0."""
    if m.chain_adr[b] < m.chain_adr[b + 1]:
        return m.dof_block[m.chain_dof[m.chain_adr[b]]]
    return wp.vec2i(0, 0)


@wp.func
def two_stretches(one: wp.vec2i, two: wp.vec2i) -> wp.vec4i:
    """Two stretches of column blocks, in order; as one where one is empty or they touch."""
    if one[1] == 0 or two[1] == 0:
        return one_block_range(one + two)
    if one[1] < two[0]:
        return wp.vec4i(one[0], one[1], two[0], two[1])
    if two[1] < one[0]:
        return wp.vec4i(two[0], two[1], one[0], one[1])
    return one_block_range(wp.vec2i(wp.min(one[0], two[0]), wp.max(one[1], two[1])))
