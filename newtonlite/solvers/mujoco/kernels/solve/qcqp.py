"""QCQP: a quadratic over a disc in up to five dimensions, in float64: friction under a given normal force
(``mju_QCQP``).
"""

from typing import Any

import warp as wp

from newtonlite.core.constants import MINVAL

vec5 = wp.types.vector(5, wp.float64)
mat55 = wp.types.matrix((5, 5), wp.float64)
TINY = wp.constant(wp.float64(MINVAL))
FAR = wp.constant(wp.float64(1.0e15))
FLAT = wp.constant(wp.float64(1.0e-10))
"""Determinant, of five directions a pivot, below which MuJoCo finds no friction at all; excess of ``x'x``, and step of the
multiplier, below which it is content.
"""
ROUNDED = wp.constant(wp.float64(2.0e-6))
"""Pivot, relative to its entry on the diagonal, that rounding leaves of a singular matrix whose entries are float32."""
HALF = wp.constant(wp.float64(0.5))
MOST_STEPS = wp.constant(20)
"""Solutions of the iteration."""


@wp.func
def shifted_solve(a: mat55, shift: wp.float64, b: vec5, n: int) -> vec5:
    """``(a + shift 1)^-1 b`` for a positive matrix, by Cholesky's factor; directions without stiffness get nothing."""
    # Cholesky: f f' = a + shift 1; a direction without stiffness gets a pivot so large that nothing moves along it
    f = mat55()
    x = vec5()

    # f y = b
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= f[i, k] * f[j, k]
            if i == j:
                s += shift
                f[i, i] = wp.where(s > TINY, wp.sqrt(wp.max(s, TINY)), FAR)
            else:
                f[i, j] = s / f[j, j]
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= f[i, k] * x[k]
        x[i] = s / f[i, i]

    # f' x = y
    for back in range(n):
        i = n - 1 - back
        s = x[i]
        for k in range(i + 1, n):
            s -= f[k, i] * x[k]
        x[i] = s / f[i, i]
    return x


@wp.func
def dot_qcqp(x: vec5, y: vec5, n: int) -> wp.float64:
    """Inner product of the first ``n`` components."""
    s = wp.float64(0.0)
    for i in range(n):
        s += x[i] * y[i]
    return s


@wp.func
def is_flat(a: Any, n: int) -> bool:
    """Whether a matrix is so nearly singular that MuJoCo gives up (``mju_QCQP3``, ``mju_QCQP``), or singular but for rounding."""
    # pivots of L D L', whose product is the determinant
    low = mat55()
    pivot = vec5()
    det = wp.float64(1.0)
    least = FAR
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k] * pivot[k]
            if i == j:
                pivot[i] = wp.where(s > ROUNDED * a[i, i], s, wp.float64(0.0))
            else:
                low[i, j] = s / wp.where(wp.abs(pivot[j]) > TINY, pivot[j], FAR)
        det *= pivot[i]
        least = wp.min(least, pivot[i])
    return least < FLAT if n > 3 else det < FLAT


@wp.func
def solve_qcqp(a: mat55, b: vec5, n: int, radius: wp.float64) -> vec5:
    """Minimum of ``x'a x / 2 + b'x`` over ``|x| <= radius``: ``(a + s 1) x = -b`` with ``s >= 0`` such that it just
    fits.

    Newton's method on ``x'x - radius^2``, which has not ended after MuJoCo's twenty solutions where directions differ much in
    stiffness, as sliding and rolling do without regularization: its result is that of these (``mju_QCQP``).
    """
    # no normal force, no friction; nor without stiffness
    if radius <= wp.float64(0.0) or is_flat(a, n):
        return vec5()

    # Newton's method from the minimum without a bound, as far as MuJoCo goes
    minus = -b
    shift = wp.float64(0.0)
    x = vec5()
    size = wp.float64(0.0)
    count = int(0)
    while count < MOST_STEPS:
        x = shifted_solve(a, shift, minus, n)
        size = dot_qcqp(x, x, n)
        count += 1
        if size - radius * radius < FLAT:
            count = MOST_STEPS
        else:
            slope = dot_qcqp(x, shifted_solve(a, shift, x, n), n)
            more = HALF * (size - radius * radius) / wp.max(TINY, slope)
            count = wp.where(more < FLAT, MOST_STEPS, count)
            shift += more

    # what iterations leave is brought onto the sphere
    if size > radius * radius:
        x = x * (radius / wp.sqrt(size))
    return x


@wp.func
def solve_qcqp_2d(
    a00: wp.float64, a01: wp.float64, a11: wp.float64, b0: wp.float64, b1: wp.float64, radius: wp.float64
) -> wp.vec2d:
    """``solve_qcqp`` in two dimensions (``mju_QCQP2``), where the inverse is written out."""
    if radius <= wp.float64(0.0) or a00 * a11 - a01 * a01 < wp.max(FLAT, ROUNDED * a00 * a11):
        return wp.vec2d()

    # as in more dimensions; L D L' of the 2 x 2 matrix is p, q and low = a01 / p
    shift = wp.float64(0.0)
    x0 = wp.float64(0.0)
    x1 = wp.float64(0.0)
    size = wp.float64(0.0)
    count = int(0)
    while count < MOST_STEPS:
        # solve for x at this multiplier
        p = wp.where(a00 + shift > TINY, a00 + shift, FAR)
        low = a01 / p
        rest = a11 + shift - low * a01
        q = wp.where(rest > TINY, rest, FAR)
        x1 = (low * b0 - b1) / q
        x0 = -(b0 + a01 * x1) / p
        size = x0 * x0 + x1 * x1
        count += 1
        # x' (a + s 1)^-1 x is a sum of squares over the pivots
        if size - radius * radius < FLAT:
            count = MOST_STEPS
        else:
            across = x1 - low * x0
            slope = x0 * x0 / p + across * across / q
            more = HALF * (size - radius * radius) / wp.max(TINY, slope)
            count = wp.where(more < FLAT, MOST_STEPS, count)
            shift += more
    if size > radius * radius:
        scale = radius / wp.sqrt(size)
        x0 *= scale
        x1 *= scale
    return wp.vec2d(x0, x1)
