"""Distance fields of primitives, negative inside, and their gradients; in the shape's frame, in double precision.

Not to be confused with ``geometry/signed_distance``, which has Newton's fields in single precision. These are MuJoCo's,
whose insides are not always distances: the search of ``descent`` depends on their slopes there.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import ONE, TINY, ZERO, real, vec


@wp.func
def sign_of(x: real) -> real:
    """1 or -1; 0 at 0."""
    return wp.where(x > ZERO, ONE, wp.where(x < ZERO, -ONE, ZERO))


@wp.func
def direction(v: vec) -> vec:
    """A vector of length 1; zero where it has none."""
    n = wp.length(v)
    return wp.where(n > TINY, v / wp.max(n, TINY), vec())


@wp.func
def radial_field(a: vec, x: vec, size: vec) -> vec:
    """Direction in which the inside of a box is left, by the distances ``a`` (negative) from its sides."""
    f = wp.normalize(-wp.cw_div(size, a))
    return vec(f[0] * sign_of(x[0]), f[1] * sign_of(x[1]), f[2] * sign_of(x[2]))


@wp.func
def box_field(x: vec, size: vec) -> real:
    """Box: the distance outside; inside, the way out along ``radial_field``."""
    a = wp.abs(x) - size
    if a[0] >= ZERO or a[1] >= ZERO or a[2] >= ZERO:
        return wp.length(wp.max(a, vec()))
    f = radial_field(a, x, size)
    t = -wp.cw_div(a, wp.abs(f))
    return -wp.min(t[0], wp.min(t[1], t[2])) * wp.length(f)


@wp.func
def box_gradient(x: vec, size: vec) -> vec:
    """Gradient of the field of a box."""
    a = wp.abs(x) - size
    if a[0] < ZERO and a[1] < ZERO and a[2] < ZERO:
        return radial_field(a, x, size)
    b = wp.max(a, vec())
    c = wp.max(wp.length(b), TINY)
    return vec(b[0] / c * sign_of(x[0]), b[1] / c * sign_of(x[1]), b[2] / c * sign_of(x[2]))


@wp.func
def ellipsoid_field(x: vec, size: vec) -> real:
    """Ellipsoid: ``k0 (k0 - 1) / k1`` with the lengths of ``x / size`` and ``x / size^2``."""
    a = wp.cw_div(x, size)
    k0 = wp.length(a)
    k1 = wp.length(wp.cw_div(a, size))
    if k1 < TINY:
        return -wp.min(size[0], wp.min(size[1], size[2]))
    return k0 * (k0 - ONE) / k1


@wp.func
def ellipsoid_gradient(x: vec, size: vec) -> vec:
    """Direction of the gradient of the field of an ellipsoid."""
    a = wp.cw_div(x, size)
    b = wp.cw_div(a, size)
    k0 = wp.length(a)
    k1 = wp.length(b)
    if k0 < TINY or k1 < TINY:
        return vec()
    along0 = b * ((real(2.0) * k0 - ONE) / (k0 * k1))
    along1 = wp.cw_div(wp.cw_div(b, size), size) * (k0 * (k0 - ONE) / (k1 * k1 * k1))
    return direction(along0 - along1)


@wp.func
def cylinder_field(x: vec, size: vec) -> real:
    """Cylinder: the distance outside; inside, that from the nearer of side and ends."""
    side = wp.sqrt(x[0] * x[0] + x[1] * x[1]) - size[0]
    end = wp.abs(x[2]) - size[1]
    out1 = wp.max(side, ZERO)
    out2 = wp.max(end, ZERO)
    return wp.min(wp.max(side, end), ZERO) + wp.sqrt(out1 * out1 + out2 * out2)


@wp.func
def cylinder_gradient(x: vec, size: vec) -> vec:
    """Gradient of the field of a cylinder."""
    radius = wp.sqrt(x[0] * x[0] + x[1] * x[1])
    outward = direction(vec(x[0], x[1], ZERO))
    upward = vec(ZERO, ZERO, sign_of(x[2]))
    side = radius - size[0]
    end = wp.abs(x[2]) - size[1]
    if side > ZERO and end > ZERO:
        n = wp.sqrt(side * side + end * end)
        return outward * (side / n) + upward * (end / n)
    return wp.where(side > end, outward, upward)


@wp.func
def primitive_field(kind: int, x: vec, size: vec) -> real:
    """Field of a primitive of a type at a point."""
    if kind == MjtGeom.PLANE:
        return x[2]
    if kind == MjtGeom.SPHERE:
        return wp.length(x) - size[0]
    if kind == MjtGeom.CAPSULE:
        return wp.length(vec(x[0], x[1], x[2] - wp.clamp(x[2], -size[1], size[1]))) - size[0]
    if kind == MjtGeom.ELLIPSOID:
        return ellipsoid_field(x, size)
    if kind == MjtGeom.CYLINDER:
        return cylinder_field(x, size)
    return box_field(x, size)


@wp.func
def primitive_gradient(kind: int, x: vec, size: vec) -> vec:
    """Gradient of the field of a primitive of a type at a point."""
    if kind == MjtGeom.PLANE:
        return vec(ZERO, ZERO, ONE)
    if kind == MjtGeom.SPHERE:
        return direction(x)
    if kind == MjtGeom.CAPSULE:
        return direction(vec(x[0], x[1], x[2] - wp.clamp(x[2], -size[1], size[1])))
    if kind == MjtGeom.ELLIPSOID:
        return ellipsoid_gradient(x, size)
    if kind == MjtGeom.CYLINDER:
        return cylinder_gradient(x, size)
    return box_gradient(x, size)
