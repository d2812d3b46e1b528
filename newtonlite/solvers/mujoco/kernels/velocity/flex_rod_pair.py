"""Pairs of hinges that share an edge, of rods without frames: closed loops, and chains without twist joints."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_hinge import (
    any_normal,
    curvature,
    curvature_by_first,
    curvature_by_second,
    hinge_edge,
)
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import vertex_velocity

SMOOTH = wp.constant(1.0e-8)
"""Square of the smoothing of curved references at no curvature, relative to the reference curvature."""


@wp.func
def smoothed(w: wp.vec2, rest: float) -> wp.vec2:
    """Unit vector along a curvature, smoothed where there is none; zero without a reference."""
    if rest <= 0.0:
        return wp.vec2(0.0, 0.0)
    return w * (wp.sqrt(1.0 + SMOOTH) / (rest * wp.sqrt(wp.length_sq(w) / (rest * rest) + SMOOTH)))


@wp.func
def smoothed_slope(w: wp.vec2, rest: float, g: wp.vec2) -> wp.vec2:
    """Slope by the curvature of what has slope ``g`` by its smoothed unit vector."""
    if rest <= 0.0:
        return wp.vec2(0.0, 0.0)
    rho2 = wp.length_sq(w) / (rest * rest) + SMOOTH
    return (g - w * (wp.dot(w, g) / (rest * rest * rho2))) * (wp.sqrt(1.0 + SMOOTH) / (rest * wp.sqrt(rho2)))


@wp.func
def radial_slope(w: wp.vec2, k: float, rest: float) -> wp.vec2:
    """Slope of ``k (|w| - rest)^2``, smoothed where there is no curvature."""
    if rest <= 0.0:
        return 2.0 * k * w
    rho = wp.sqrt(wp.length_sq(w) / (rest * rest) + SMOOTH)
    return 2.0 * k * (1.0 - wp.sqrt(1.0 + SMOOTH) / rho) * w


@wp.func
def radial_damper(w: wp.vec2, k: float, rate: wp.vec2) -> wp.vec2:
    """Damper against changes of the size of a curvature, over its coefficient."""
    size = wp.length(w)
    if size < MINVAL:
        return 2.0 * k * rate
    return 2.0 * k / (size * size) * wp.dot(w, rate) * w


@wp.func
def pair_slope(m: ModelFields, world: int, adr: int, a: wp.vec2, b: wp.vec2) -> wp.vec4:
    """Slopes by both curvatures: of each by its size, of their directions ``kt |R n_a - n_b|^2``."""
    rest0 = m.flex_bending[world, adr + 6]
    rest1 = m.flex_bending[world, adr + 7]
    tc = m.flex_bending[world, adr + 8]
    ts = m.flex_bending[world, adr + 9]
    kt = wp.sqrt(tc * tc + ts * ts)
    na = smoothed(a, rest0)
    nb = smoothed(b, rest1)
    da = kt * na - wp.vec2(tc * nb[0] + ts * nb[1], tc * nb[1] - ts * nb[0])
    db = kt * nb - wp.vec2(tc * na[0] - ts * na[1], ts * na[0] + tc * na[1])
    ga = radial_slope(a, m.flex_bending[world, adr + 4], rest0) + 2.0 * smoothed_slope(a, rest0, da)
    gb = radial_slope(b, m.flex_bending[world, adr + 5], rest1) + 2.0 * smoothed_slope(b, rest1, db)
    return wp.vec4(ga[0], ga[1], gb[0], gb[1])


@wp.func
def turning(m: ModelFields, world: int, adr: int, a: wp.vec2, b: wp.vec2) -> wp.vec4:
    """Rate at which the directions of both curvatures turn against each other, by the rates of both."""
    rest0 = m.flex_bending[world, adr + 6]
    rest1 = m.flex_bending[world, adr + 7]
    size0 = wp.length(a)
    size1 = wp.length(b)
    if size0 < MINVAL or size1 < MINVAL or rest0 <= 0.0 or rest1 <= 0.0:
        return wp.vec4(0.0, 0.0, 0.0, 0.0)
    c0 = size0 / rest0
    c1 = size1 / rest1
    rho0 = wp.sqrt(c0 * c0 + SMOOTH)
    rho1 = wp.sqrt(c1 * c1 + SMOOTH)
    q0 = wp.sqrt(1.0 + SMOOTH) / (rho0 * rest0) * c1 / rho1 / size0
    q1 = wp.sqrt(1.0 + SMOOTH) / (rho1 * rest1) * c0 / rho0 / size1
    return wp.vec4(q0 * a[1], -q0 * a[0], -q1 * b[1], q1 * b[0])


@wp.func
def pair_damper(m: ModelFields, world: int, adr: int, a: wp.vec2, b: wp.vec2, ra: wp.vec2, rb: wp.vec2) -> wp.vec4:
    """Dampers over their coefficient, by the rates of both curvatures: of their sizes, and of how fast their directions turn
    against each other.
    """
    fa = radial_damper(a, m.flex_bending[world, adr + 4], ra)
    fb = radial_damper(b, m.flex_bending[world, adr + 5], rb)
    kt = wp.length(wp.vec2(m.flex_bending[world, adr + 8], m.flex_bending[world, adr + 9]))
    q = turning(m, world, adr, a, b)
    speed = 2.0 * kt * wp.dot(q, wp.vec4(ra[0], ra[1], rb[0], rb[1]))
    return wp.vec4(fa[0], fa[1], fb[0], fb[1]) + speed * q


@wp.func
def pair_slot(m: ModelFields, d: DataFields, world: int, h: int, slot: int):
    """Slots of the four vertices of two hinges that share an edge: both resist bending, and their planes turning against each
    other about the shared edge.
    """
    # curvatures across the shared edge, in two directions that are held
    vert = m.flexrod_vert[h]
    e0 = hinge_edge(m, d, world, h, 0)
    e1 = hinge_edge(m, d, world, h, 1)
    e2 = hinge_edge(m, d, world, h, 2)
    u = any_normal(wp.normalize(e1))
    v = wp.cross(wp.normalize(e1), u)
    kba = curvature(e0, e1)
    kbb = curvature(e1, e2)
    a = wp.vec2(wp.dot(kba, u), wp.dot(kba, v))
    b = wp.vec2(wp.dot(kbb, u), wp.dot(kbb, v))
    A0 = curvature_by_first(e0, e1)
    A1 = curvature_by_second(e0, e1)
    B0 = curvature_by_first(e1, e2)
    B1 = curvature_by_second(e1, e2)

    # rates of both
    w0 = vertex_velocity(m, d, world, vert[1]) - vertex_velocity(m, d, world, vert[0])
    w1 = vertex_velocity(m, d, world, vert[2]) - vertex_velocity(m, d, world, vert[1])
    w2 = vertex_velocity(m, d, world, vert[3]) - vertex_velocity(m, d, world, vert[2])
    rate_a = A0 * w0 + A1 * w1
    rate_b = B0 * w1 + B1 * w2
    ra = wp.vec2(wp.dot(rate_a, u), wp.dot(rate_a, v))
    rb = wp.vec2(wp.dot(rate_b, u), wp.dot(rate_b, v))

    # slopes of the energy, and dampers
    adr = m.flexrod_adr[h]
    spring = pair_slope(m, world, adr, a, b)
    drag = m.flex_damping[world, m.flexrod_flexid[h]] * pair_damper(m, world, adr, a, b, ra, rb)

    # forces are the negative slopes by the vertices
    for damper in range(2):
        g = wp.where(damper == 1, drag, spring)
        sa = g[0] * u + g[1] * v
        sb = g[2] * u + g[3] * v
        f0 = wp.transpose(A0) * sa
        f1 = wp.transpose(A1) * sa + wp.transpose(B0) * sb
        f2 = wp.transpose(B1) * sb
        if damper == 0:
            d.flexslot_spring[world, slot] = f0
            d.flexslot_spring[world, slot + 1] = f1 - f0
            d.flexslot_spring[world, slot + 2] = f2 - f1
            d.flexslot_spring[world, slot + 3] = -f2
        else:
            d.flexslot_damper[world, slot] = f0
            d.flexslot_damper[world, slot + 1] = f1 - f0
            d.flexslot_damper[world, slot + 2] = f2 - f1
            d.flexslot_damper[world, slot + 3] = -f2
