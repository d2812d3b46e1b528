"""Elementwise vector functions, smooth minima and maxima, and tangents, for use in kernels."""

from typing import Any

import warp as wp

from newtonlite.core.constants import MINVAL

SOFT = 1.0e-5


@wp.func
def boltzmann(a: float, b: float, alpha: float) -> float:
    """Mean of two numbers with weights ``exp(alpha x)``: the arithmetic mean at 0, the maximum for large ``alpha``."""
    top = wp.max(alpha * a, alpha * b)  # largest exponent 0: nothing overflows
    wa, wb = wp.exp(alpha * a - top), wp.exp(alpha * b - top)
    return (wa * a + wb * b) / (wa + wb)


@wp.func
def smooth_max(a: float, b: float, eps: float) -> float:
    """Differentiable maximum, ``sqrt(eps) / 2`` above the true one where both are equal, less elsewhere."""
    return (a + b + wp.sqrt((a - b) * (a - b) + eps)) / 2.0


@wp.func
def smooth_min(a: float, b: float, eps: float) -> float:
    """Differentiable minimum, ``sqrt(eps) / 2`` below the true one where both are equal, less elsewhere."""
    return (a + b - wp.sqrt((a - b) * (a - b) + eps)) / 2.0


@wp.func
def leaky_max(a: float, b: float) -> float:
    """``smooth_max`` with ``eps`` 1e-5."""
    return smooth_max(a, b, SOFT)


@wp.func
def leaky_min(a: float, b: float) -> float:
    """``smooth_min`` with ``eps`` 1e-5."""
    return smooth_min(a, b, SOFT)


@wp.func
def vec_min(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Elementwise minimum."""
    return wp.min(a, b)


@wp.func
def vec_max(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Elementwise maximum."""
    return wp.max(a, b)


@wp.func
def vec_leaky_min(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Elementwise ``leaky_min``."""
    return wp.vec3(leaky_min(a[0], b[0]), leaky_min(a[1], b[1]), leaky_min(a[2], b[2]))


@wp.func
def vec_leaky_max(a: wp.vec3, b: wp.vec3) -> wp.vec3:
    """Elementwise ``leaky_max``."""
    return wp.vec3(leaky_max(a[0], b[0]), leaky_max(a[1], b[1]), leaky_max(a[2], b[2]))


@wp.func
def vec_abs(a: wp.vec3) -> wp.vec3:
    """Elementwise absolute value."""
    return wp.abs(a)


@wp.func
def vec_allclose(a: Any, b: Any, rtol: float = 1.0e-5, atol: float = 1.0e-8) -> bool:
    """Whether ``|a - b| <= atol + rtol |b|`` in all elements; equal infinities are close, NaN is close to nothing."""
    close = bool(True)
    for i in range(wp.static(len(a))):
        if wp.isinf(a[i]) or wp.isinf(b[i]):
            close = close and a[i] == b[i]
        else:
            close = close and wp.abs(a[i] - b[i]) <= atol + rtol * wp.abs(b[i])
    return close


@wp.func
def vec_inside_limits(a: Any, lower: Any, upper: Any) -> bool:
    """Whether ``lower <= a <= upper`` in all elements; never with NaN."""
    inside = bool(True)
    for i in range(wp.static(len(a))):
        inside = inside and lower[i] <= a[i] and a[i] <= upper[i]
    return inside


@wp.func
def orthonormal_basis(n: wp.vec3):
    """Two unit tangents (b1, b2) of the unit normal ``n``, without a branch at any normal but a sign.

    Duff et al., Building an Orthonormal Basis, Revisited (2017).
    """
    sign = -1.0 if n[2] < 0.0 else 1.0
    scale = -1.0 / (sign + n[2])
    skew = n[0] * n[1] * scale
    b1 = wp.vec3(1.0 + sign * n[0] * n[0] * scale, sign * skew, -sign * n[0])
    b2 = wp.vec3(skew, sign + n[1] * n[1] * scale, -n[1])
    return b1, b2


@wp.func
def safe_div(x: Any, y: Any, eps: float = MINVAL) -> Any:
    """``x / y``, and ``x / eps`` where ``y`` is 0."""
    return x / (eps if y == 0.0 else y)


@wp.func
def normalize_with_norm(x: Any):
    """Direction of a vector and its length; the zero vector as it is, with length 0."""
    length = wp.length(x)
    return x / (1.0 if length == 0.0 else length), length
