"""A quadratic over a disc, in up to five dimensions: friction under a given normal force."""

import warp as wp

from newtonlite.core.types import vec5

mat55 = wp.types.matrix((5, 5), wp.float32)
TINY = wp.constant(1.0e-15)


@wp.func
def shifted_solve(a: mat55, shift: float, b: vec5, n: int) -> vec5:
    """``(a + shift 1)^-1 b`` for a positive matrix, by Cholesky's factor; directions without stiffness get nothing."""
    f = mat55()
    x = vec5()
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= f[i, k] * f[j, k]
            if i == j:
                s += shift
                f[i, i] = wp.where(s > TINY, wp.sqrt(wp.max(s, TINY)), 1.0e15)
            else:
                f[i, j] = s / f[j, j]
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= f[i, k] * x[k]
        x[i] = s / f[i, i]
    for back in range(n):
        i = n - 1 - back
        s = x[i]
        for k in range(i + 1, n):
            s -= f[k, i] * x[k]
        x[i] = s / f[i, i]
    return x


@wp.func
def inner(x: vec5, y: vec5, n: int) -> float:
    """Inner product of the first ``n`` components."""
    s = float(0.0)
    for i in range(n):
        s += x[i] * y[i]
    return s


@wp.func
def least_on_disc(a: mat55, b: vec5, n: int, radius: float) -> vec5:
    """Minimum of ``x'a x / 2 + b'x`` over ``|x| <= radius``: ``(a + s 1) x = -b`` with ``s >= 0`` such that it just fits.

    Newton's method on ``1/|x| - 1/radius``. Conn, Gould, Toint, Trust-region methods, 7.3.
    """
    minus = -b
    shift = float(0.0)
    x = shifted_solve(a, shift, minus, n)
    size = wp.sqrt(inner(x, x, n))
    count = int(0)
    while size > radius * 1.000001 and count < 30:
        y = shifted_solve(a, shift, x, n)
        shift += size * size / wp.max(TINY, inner(x, y, n)) * (size - radius) / wp.max(TINY, radius)
        x = shifted_solve(a, shift, minus, n)
        size = wp.sqrt(inner(x, x, n))
        count += 1
    if size > radius:
        x = x * (radius / size)
    return x
