"""Stiffness of rods in the effective inertia: bending hinges and pairs of them as blocks between their vertices, and twist joints.

The forces are ``-G' slope`` with the slopes ``G`` of the curvature binormal by the edges (``velocity/flex_rod``); the stiffness is
``G' W G``, without the slopes of ``G`` and with the positive part of the energy's Hessian ``W``.  Between places and twist joints
nothing is coupled, as in MuJoCo.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.integrate.add_inertia import add_inertia
from newtonlite.solvers.mujoco.kernels.integrate.flex_block import add_block_between, step_scale
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_chain import chain_weight, side_curvature, twist_angle
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_hinge import (
    any_normal,
    curvature,
    curvature_by_first,
    curvature_by_second,
    hinge_edge,
)
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_pair import SMOOTH, smoothed_slope, turning


@wp.func
def add_edges(m: ModelFields, d: DataFields, world: int, h: int, k: int, n: int, block: wp.mat33, scale: wp.vec2):
    """``block`` between edges ``k`` and ``n`` of a hinge."""
    # an edge is its second vertex minus its first
    v = m.flexrod_vert[h]
    add_block_between(m, d, world, wp.vec2i(v[k], v[k + 1]), wp.vec2i(v[n], v[n + 1]), block, scale)


@wp.func
def radial_weight(kb: wp.vec3, k: float, rest: float) -> wp.mat33:
    """Positive part of the Hessian of ``k (|kb| - rest)^2``, smoothed where there is no curvature."""
    if rest <= 0.0:
        return 2.0 * k * wp.identity(3, dtype=float)
    size = wp.length(kb)
    if size < MINVAL:
        return wp.mat33(0.0)
    # along the curvature and across it
    rho2 = size * size / (rest * rest) + SMOOTH
    rho = wp.sqrt(rho2)
    across = wp.max(0.0, 1.0 - wp.sqrt(1.0 + SMOOTH) / rho)
    along = wp.max(0.0, 1.0 - wp.sqrt(1.0 + SMOOTH) * SMOOTH / (rho * rho2))
    nn = wp.outer(kb, kb) / (size * size)
    return 2.0 * k * (across * (wp.identity(3, dtype=float) - nn) + along * nn)


@wp.func
def damper_weight(kb: wp.vec3, weight: wp.mat33) -> wp.mat33:
    """Damper over its coefficient: ``n n' weight n n'`` along the curvature; ``weight`` where there is none."""
    size = wp.length(kb)
    if size < MINVAL:
        return weight
    n = kb / size
    return wp.dot(n, weight * n) * wp.outer(n, n)


@wp.func
def single_stiffness(m: ModelFields, d: DataFields, world: int, h: int, spring: wp.vec2, damper: wp.vec2):
    """A hinge of two edges: ``A' W A``; in a chain also its twist by the turning of carried frames."""
    # weights of the curvature binormal
    e0 = hinge_edge(m, d, world, h, 0)
    e1 = hinge_edge(m, d, world, h, 1)
    kb = curvature(e0, e1)
    adr = m.flexrod_adr[h]
    k = m.flex_bending[world, adr + 4]
    stiff = radial_weight(kb, k, m.flex_bending[world, adr + 6])
    drag = damper_weight(kb, 2.0 * k * wp.identity(3, dtype=float))
    kt = float(0.0)

    # in a chain by the frames of its edges
    e = m.flexrod_edge[h]
    if m.nflexchain > 0 and e >= 0:
        if d.flexchain_ok[world, m.flexrodedge_chain[e]] != 0:
            k2 = k + m.flex_bending[world, adr + 5]
            stiff = chain_weight(m, d, world, h, k, k2)
            drag = damper_weight(kb, chain_weight(m, d, world, h, wp.sqrt(k * k2), k2))
            kt = 2.0 * m.flex_bending[world, adr + 8]

    # between both edges; twisting by carried frames is no part of what the right side goes ahead by, as in MuJoCo
    A0 = curvature_by_first(e0, e1)
    A1 = curvature_by_second(e0, e1)
    turn0 = kb / (2.0 * wp.length(e0))
    turn1 = kb / (2.0 * wp.length(e1))
    # both edges with both, counted at run time as well
    n = int(2)
    for i in range(n):
        for j in range(n):
            left = wp.where(i == 0, A0, A1)
            right = wp.where(j == 0, A0, A1)
            add_edges(m, d, world, h, i, j, wp.transpose(left) * stiff * right, spring)
            if damper[0] > 0.0:
                add_edges(m, d, world, h, i, j, wp.transpose(left) * drag * right, damper)
            if kt > 0.0:
                twist = kt * wp.outer(wp.where(i == 0, turn0, turn1), wp.where(j == 0, turn0, turn1))
                add_edges(m, d, world, h, i, j, twist, wp.vec2(spring[0] + damper[0], 0.0))


@wp.func
def in_plane(w: wp.vec4, u: wp.vec3, v: wp.vec3, side: int) -> wp.vec3:
    """Vector of the first or second two numbers, along two directions."""
    return w[2 * side] * u + w[2 * side + 1] * v


@wp.func
def direction_slope(w: wp.vec2, rest: float, u: wp.vec3, v: wp.vec3) -> wp.mat33:
    """Slope of the smoothed direction of a curvature by it, in a plane of two directions."""
    a = smoothed_slope(w, rest, wp.vec2(1.0, 0.0))
    b = smoothed_slope(w, rest, wp.vec2(0.0, 1.0))
    return wp.outer(a[0] * u + a[1] * v, u) + wp.outer(b[0] * u + b[1] * v, v)


@wp.func
def add_pair(
    m: ModelFields, d: DataFields, world: int, h: int, aa: wp.mat33, ab: wp.mat33, bb: wp.mat33, scale: wp.vec2
):
    """Blocks between the three edges of a pair of hinges, of weights of its two curvatures."""
    # slopes of both curvatures by the edges: the first is of the first two, the second of the last two
    e0 = hinge_edge(m, d, world, h, 0)
    e1 = hinge_edge(m, d, world, h, 1)
    e2 = hinge_edge(m, d, world, h, 2)
    A0 = curvature_by_first(e0, e1)
    A1 = curvature_by_second(e0, e1)
    B0 = curvature_by_first(e1, e2)
    B1 = curvature_by_second(e1, e2)
    none = wp.mat33(0.0)
    # all pairs of edges, counted at run time: written out, the block's code would be there 36 times
    n = int(3)
    for i in range(n):
        ai = wp.transpose(wp.where(i == 0, A0, wp.where(i == 1, A1, none)))
        bi = wp.transpose(wp.where(i == 0, none, wp.where(i == 1, B0, B1)))
        for j in range(n):
            aj = wp.where(j == 0, A0, wp.where(j == 1, A1, none))
            bj = wp.where(j == 0, none, wp.where(j == 1, B0, B1))
            block = ai * aa * aj + ai * ab * bj + bi * wp.transpose(ab) * aj + bi * bb * bj
            add_edges(m, d, world, h, i, j, block, scale)


@wp.func
def pair_stiffness(m: ModelFields, d: DataFields, world: int, h: int, spring: wp.vec2, damper: wp.vec2):
    """Two hinges that share an edge: of both curvatures, and of their planes turning against each other."""
    # curvatures across the shared edge, in its normal plane
    e0 = hinge_edge(m, d, world, h, 0)
    e1 = hinge_edge(m, d, world, h, 1)
    e2 = hinge_edge(m, d, world, h, 2)
    u = any_normal(wp.normalize(e1))
    v = wp.cross(wp.normalize(e1), u)
    plane = wp.outer(u, u) + wp.outer(v, v)
    kba = curvature(e0, e1)
    kbb = curvature(e1, e2)
    a = wp.vec2(wp.dot(kba, u), wp.dot(kba, v))
    b = wp.vec2(wp.dot(kbb, u), wp.dot(kbb, v))

    # Hessian: sizes of both, and Gauss-Newton of kt |R n_a - n_b|^2 with the slopes M of their directions
    adr = m.flexrod_adr[h]
    w0 = m.flex_bending[world, adr + 4]
    w1 = m.flex_bending[world, adr + 5]
    rest0 = m.flex_bending[world, adr + 6]
    rest1 = m.flex_bending[world, adr + 7]
    tc = m.flex_bending[world, adr + 8]
    ts = m.flex_bending[world, adr + 9]
    kt = wp.sqrt(tc * tc + ts * ts)
    Ma = direction_slope(a, rest0, u, v)
    Mb = direction_slope(b, rest1, u, v)
    turned = tc * plane + ts * (wp.outer(u, v) - wp.outer(v, u))
    saa = plane * radial_weight(kba, w0, rest0) * plane + 2.0 * kt * Ma * Ma
    sbb = plane * radial_weight(kbb, w1, rest1) * plane + 2.0 * kt * Mb * Mb
    add_pair(m, d, world, h, saa, -2.0 * Ma * turned * Mb, sbb, spring)

    # dampers: of both sizes, and of how fast the directions turn against each other
    if damper[0] > 0.0:
        rates = turning(m, world, adr, a, b)
        qa = in_plane(rates, u, v, 0)
        qb = in_plane(rates, u, v, 1)
        daa = plane * damper_weight(kba, 2.0 * w0 * wp.identity(3, dtype=float)) * plane + 2.0 * kt * wp.outer(qa, qa)
        dbb = plane * damper_weight(kbb, 2.0 * w1 * wp.identity(3, dtype=float)) * plane + 2.0 * kt * wp.outer(qb, qb)
        add_pair(m, d, world, h, daa, 2.0 * kt * wp.outer(qa, qb), dbb, damper)


@wp.func
def rod_stiffness(m: ModelFields, d: DataFields, world: int, h: int):
    """``M += h^2 K + h beta D`` and ``efm_c -= h K qvel`` of a hinge. One lane: hinges share vertices."""
    # springs and dampers apart: they do not act in the same directions
    both = step_scale(m, world, m.flexrod_flexid[h])
    spring = wp.vec2(both[1] * both[1], both[1])
    damper = wp.vec2(both[0] - both[1] * both[1], 0.0)
    if m.flexrod_vert[h][3] >= 0:
        pair_stiffness(m, d, world, h, spring, damper)
    else:
        single_stiffness(m, d, world, h, spring, damper)


@wp.func
def couple_twist(m: ModelFields, d: DataFields, world: int, h: int):
    """``M += (h^2 + h beta) 2 kt t't`` of a hinge in a chain, and ``efm_c -= h 2 kt t' t qvel``, with t the difference of its
    edges' twist joints. One lane: hinges share edges.
    """
    e = m.flexrod_edge[h]
    kt = 2.0 * m.flex_bending[world, m.flexrod_adr[h] + 8]
    if e >= 0 and kt > 0.0:
        scale = step_scale(m, world, m.flexrod_flexid[h])
        # of the joints of both edges, as far as there are any
        n = int(2)
        for r in range(n):
            i = m.flexrodedge_dofadr[e + r]
            if i >= 0:
                for c in range(n):
                    j = m.flexrodedge_dofadr[e + c]
                    if j >= 0:
                        k = wp.where(r == c, kt, -kt)
                        add_inertia(m, d, world, i, j, scale[0] * k, -1)
                        d.efm_c[world, i] = d.efm_c[world, i] - scale[1] * k * d.qvel[world, j]


@wp.func
def side_slope(m: ModelFields, d: DataFields, world: int, h: int, e: int) -> float:
    """Stiffness of the angle of edge ``e`` by the bending of hinge ``h``, not negative."""
    # second derivative of half k1 (w1 - rest1)^2 + k2 (w2 - rest2)^2 by the angle that turns (w1, w2)
    adr = m.flexrod_adr[h]
    k1 = m.flex_bending[world, adr + 4]
    k2 = k1 + m.flex_bending[world, adr + 5]
    kb = curvature(hinge_edge(m, d, world, h, 0), hinge_edge(m, d, world, h, 1))
    angle = twist_angle(m, d, world, e)
    w = side_curvature(kb, d.flexrodedge_tangent[world, e], d.flexrodedge_normal[world, e], angle)
    one = w[0] - m.flexrod_curvature0[h][0]
    two = w[1] - m.flexrod_curvature0[h][1]
    return wp.max(0.0, k1 * (w[1] * w[1] - one * w[0]) + k2 * (w[0] * w[0] - two * w[1]))


@wp.func
def add_twist_backbone(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M += h^2 K`` and ``efm_c -= h K qvel`` of twist joints, K of bending that is not alike about the edge."""
    h = m.opt_timestep[world]
    for e in range(lane, m.nflexrodedge, nlane):
        i = m.flexrodedge_dofadr[e]
        c = m.flexrodedge_chain[e]
        if i >= 0 and d.flexchain_ok[world, c] != 0 and (m.opt_disableflags & MjtDisableBit.SPRING) == 0:
            # of the hinges at both ends
            k = float(0.0)
            if e > m.flexchain_edgeadr[c]:
                k += side_slope(m, d, world, m.flexrodedge_hinge[e] - 1, e)
            if e + 1 < m.flexchain_edgeadr[c + 1]:
                k += side_slope(m, d, world, m.flexrodedge_hinge[e], e)
            d.M[world, i, i] = d.M[world, i, i] + h * h * k
            d.efm_diag[world, i] = d.efm_diag[world, i] + h * h * k
            d.efm_c[world, i] = d.efm_c[world, i] - h * k * d.qvel[world, i]
    sync()
