"""One constraint row: impedance, reference acceleration and regularisation, in one place.

MuJoCo documentation, Computation: Constraint model.  ``r`` is the violation (pos - margin), ``d`` the impedance.
"""

from typing import Any

import warp as wp

from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.kernels.native import A2, native

EQUALITY = wp.constant(0)
FRICTION = wp.constant(1)
ONE_SIDED = wp.constant(2)
CONE = wp.constant(3)
CONE_REST = wp.constant(4)

MINVAL = wp.constant(1.0e-15)
STIFFEST = wp.constant(1.0e-9)
MINIMP = wp.constant(1.0e-4)
MAXIMP = wp.constant(0.9999)


@wp.func
def impedance(solimp: vec5, r: float) -> float:
    """``d(r)``: from dmin at r = 0 to dmax at |r| = width along two joined powers."""
    dmin = wp.clamp(solimp[0], MINIMP, MAXIMP)
    dmax = wp.clamp(solimp[1], MINIMP, MAXIMP)
    width = wp.max(solimp[2], 0.0)
    if dmin == dmax or width <= MINVAL:
        return 0.5 * (dmin + dmax)
    x = wp.abs(r) / width
    if x >= 1.0:
        return dmax
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
def stiffness_damping(solref: wp.vec2, dmax_raw: float, timestep: float, safe: bool) -> wp.vec2:
    """``(k, b)`` of ``aref = -b v - k d r``: from (time constant, damping ratio), or given directly when not positive."""
    dmax = wp.clamp(dmax_raw, MINIMP, MAXIMP)
    if solref[0] > 0.0:
        tc = solref[0]
        if safe:
            tc = wp.max(tc, 2.0 * timestep)
        return wp.vec2(1.0 / wp.max(MINVAL, dmax * dmax * tc * tc * solref[1] * solref[1]), 2.0 / wp.max(MINVAL, dmax * tc))
    return wp.vec2(-solref[0] / (dmax * dmax), -solref[1] / dmax)


@wp.func
def finish(m: Any, d: Any, world: int, row: int, kb: wp.vec2, imp: float, diag: float, r: float, vel: float):
    """Close a row: ``R = (1-d)/d diagA``, ``D = 1/R``, ``aref = -b v - k d r``; ``diag`` as ``weighed``.

    Where ``diag`` vanishes the row is as stiff as float32 bears: stiffer, and round-off in its Jacobian would act as a brake.
    """
    reg = wp.max(STIFFEST, diag * (1.0 - imp) / imp)
    d.efc_R[world, row] = reg
    d.efc_D[world, row] = 1.0 / reg
    d.efc_vel[world, row] = vel
    d.efc_aref[world, row] = -kb[1] * vel - kb[0] * imp * r


@wp.func
def weighed(m: Any, approximate: float) -> float:
    """Diagonal of ``J M^-1 J'`` from weights at qpos0; or 1, where the flag diagexact has it multiplied in later."""
    if m.ndiagexact > 0:
        return 1.0
    return approximate


@wp.func
def open_row(m: Any, d: Any, world: int, row: int, kind: int, id: int, pos: float, margin: float):
    """Write what a row is."""
    d.efc_type[world, row] = kind
    d.efc_id[world, row] = id
    d.efc_pos[world, row] = pos
    d.efc_margin[world, row] = margin
    d.efc_frictionloss[world, row] = 0.0


@wp.func
def one_stretch(block: wp.vec2i) -> wp.vec4i:
    """Column blocks from the first to the last."""
    return wp.vec4i(block[0], block[1], block[1], block[1])


@wp.func
def row_blocks(m: Any, b1: int, b2: int) -> wp.vec4i:
    """Column blocks of the trees of two bodies: two stretches where they are apart, else one."""
    one = wp.vec2i(0, 0)
    two = wp.vec2i(0, 0)
    if m.chain_adr[b1] < m.chain_adr[b1 + 1]:
        one = m.dof_block[m.chain_dof[m.chain_adr[b1]]]
    if m.chain_adr[b2] < m.chain_adr[b2 + 1]:
        two = m.dof_block[m.chain_dof[m.chain_adr[b2]]]
    if one[1] == 0 or two[1] == 0:
        return one_stretch(one + two)
    if one[1] < two[0]:
        return wp.vec4i(one[0], one[1], two[0], two[1])
    if two[1] < one[0]:
        return wp.vec4i(two[0], two[1], one[0], one[1])
    return one_stretch(wp.vec2i(wp.min(one[0], two[0]), wp.max(one[1], two[1])))


_ZERO = native("""
    const int ld = LD(J); float* A = ROW(J) + row * ld;
#if WP_TILE_BLOCK_DIM == 1
    for (int r = 0; r < nrow; r++) for (int b = 16 * lo; b < 16 * hi; b += 16) *(V*)(A + r * ld + b) = V{0};
#else
    for (int j = 16 * lo + lane; j < 16 * hi; j += nlane) for (int r = 0; r < nrow; r++) A[r * ld + j] = 0.0f;
#endif
""")


@wp.func_native(_ZERO)
def zero_rows(J: A2, world: int, row: int, nrow: int, lo: int, hi: int, lane: int, nlane: int):
    """Clear blocks ``lo`` to ``hi`` of ``nrow`` rows from ``row`` on."""
    ...
