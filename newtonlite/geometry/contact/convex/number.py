"""Float64 numbers of the convex colliders, and constants that Warp does not convert by itself."""

import warp as wp

from newtonlite.core.constants import MINVAL

real = wp.float64
vec = wp.vec3d
mat = wp.mat33d

ZERO = wp.constant(real(0.0))
HALF = wp.constant(real(0.5))
ONE = wp.constant(real(1.0))
HUGE = wp.constant(real(1.0e30))
TINY = wp.constant(real(MINVAL))


@wp.func
def component(v: vec, i: int) -> real:
    """Component ``i`` of a vector, by selects, so that the vector can stay in registers."""
    return wp.where(i == 0, v[0], wp.where(i == 1, v[1], v[2]))


@wp.func
def unit_axis_double(i: int) -> vec:
    """Unit vector along coordinate ``i``."""
    return vec(wp.where(i == 0, ONE, ZERO), wp.where(i == 1, ONE, ZERO), wp.where(i == 2, ONE, ZERO))
