"""Muscles: activation, and force over length and velocity.  Millard et al. 2013; MuJoCo documentation, Modeling:
Muscles.

Parameters: operating range (2), peak force (negative: scale over acc0), scale, lmin, lmax, vmax, fpmax, fvmax.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.types import vec10


@wp.func
def smooth_step(x: float) -> float:
    """Rises from 0 at 0 to 1 at 1 with two smooth derivatives: ``6 x^5 - 15 x^4 + 10 x^3``."""
    y = wp.clamp(x, 0.0, 1.0)
    return y * y * y * (10.0 + y * (6.0 * y - 15.0))


@wp.func
def muscle_rate(ctrl: float, act: float, prm: vec10) -> float:
    """``d act / dt``: towards the excitation, with time constants that depend on the activation; ``prm``: rise, fall,
    smooth width.
    """
    pull = wp.clamp(ctrl, 0.0, 1.0) - act
    bend = 0.5 + 1.5 * wp.clamp(act, 0.0, 1.0)
    rise = prm[0] * bend
    fall = prm[1] / bend
    share = float(0.0)
    if prm[2] < MINVAL:
        if pull > 0.0:
            share = 1.0
    else:
        share = smooth_step(pull / prm[2] + 0.5)
    return pull / wp.max(MINVAL, fall + (rise - fall) * share)


@wp.func
def peak_force(prm: vec10, acc0: float) -> float:
    """Force at the optimal length, held still."""
    if prm[2] < 0.0:
        return prm[3] / wp.max(MINVAL, acc0)
    return prm[2]


@wp.func
def optimal_length(prm: vec10, span: wp.vec2) -> float:
    """Length in which the operating range covers the transmission's length range ``span``."""
    return (span[1] - span[0]) / wp.max(MINVAL, prm[1] - prm[0])


@wp.func
def scaled_length(prm: vec10, span: wp.vec2, length: float) -> float:
    """Length in units of the optimal one."""
    return prm[0] + (length - span[0]) / wp.max(MINVAL, optimal_length(prm, span))


@wp.func
def force_at_length(prm: vec10, x: float) -> float:
    """Active force over length: four parabolas from 0 at lmin to 1 at 1 to 0 at lmax."""
    low = prm[4]
    high = prm[5]
    if x < low or x > high:
        return 0.0
    edge = low
    if x > 1.0:
        edge = high
    middle = 0.5 * (edge + 1.0)
    half = wp.max(MINVAL, wp.abs(1.0 - middle))
    from_edge = wp.abs(x - edge) / half
    from_top = wp.abs(x - 1.0) / half
    if from_edge <= from_top:
        return 0.5 * from_edge * from_edge
    return 1.0 - 0.5 * from_top * from_top


@wp.func
def force_at_speed(prm: vec10, v: float) -> wp.vec2:
    """Active force over velocity (1 at rest, 0 at v = -1, fvmax when it lengthens fast), and its slope."""
    top = prm[8]
    y = top - 1.0
    if v <= -1.0:
        return wp.vec2(0.0, 0.0)
    if v <= 0.0:
        return wp.vec2((v + 1.0) * (v + 1.0), 2.0 * v + 2.0)
    if v <= y:
        denominator = wp.max(MINVAL, y)
        return wp.vec2(top - (y - v) * (y - v) / denominator, 2.0 * (y - v) / denominator)
    return wp.vec2(top, 0.0)


@wp.func
def muscle_gain(prm: vec10, span: wp.vec2, acc0: float, length: float, speed: float) -> wp.vec2:
    """Active force per activation (negative: it pulls), and its derivative with the speed."""
    fast = wp.max(MINVAL, optimal_length(prm, span) * prm[6])
    active = -peak_force(prm, acc0) * force_at_length(prm, scaled_length(prm, span, length))
    curve = force_at_speed(prm, speed / fast)
    return wp.vec2(active * curve[0], active * curve[1] / fast)


@wp.func
def muscle_bias(prm: vec10, span: wp.vec2, acc0: float, length: float) -> float:
    """Passive force: a parabola beyond the optimal length, a line from the middle between it and lmax."""
    half = wp.max(MINVAL, 0.5 * (prm[5] - 1.0))
    x = (scaled_length(prm, span, length) - 1.0) / half
    share = float(0.0)
    if x > 1.0:
        share = x - 0.5
    elif x > 0.0:
        share = 0.5 * x * x
    return -peak_force(prm, acc0) * prm[7] * share
