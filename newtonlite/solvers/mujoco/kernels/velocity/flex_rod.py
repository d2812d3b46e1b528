"""Rods: bending and twisting of one-dimensional flexes, hinge by hinge.

A hinge bends by the curvature binormal ``kb = 2 e0 x e1 / (|e0||e1| + e0.e1)`` of its two edges (Bergou et al. 2008); in a chain the
frames of its edges say what is up (``flex_rod_chain``), pairs of hinges are in ``flex_rod_pair``.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_chain import chain_damper, twist_drag
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_hinge import (
    curvature,
    curvature_by_first,
    curvature_by_second,
    hinge_edge,
)
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_pair import SMOOTH, pair_slot
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import vertex_velocity


@wp.func
def bending_slope(k: float, rest: float, kb: wp.vec3) -> wp.vec3:
    """Slope by the curvature binormal of ``k |kb|^2``, or of ``k (|kb| - rest)^2`` smoothed where there is no curvature."""
    if rest == 0.0:
        return 2.0 * k * kb
    rho = wp.sqrt(wp.length_sq(kb) / (rest * rest) + SMOOTH)
    return 2.0 * k * (1.0 - wp.sqrt(1.0 + SMOOTH) / rho) * kb


@wp.func
def along_curvature(kb: wp.vec3, k: float, rate: wp.vec3) -> wp.vec3:
    """Damper of a hinge over its coefficient: ``k n n' rate`` with the direction of the curvature, so that turning it costs
    nothing; in all directions where it is straight.
    """
    size = wp.length(kb)
    if size < MINVAL:
        return k * rate
    return k / (size * size) * wp.dot(kb, rate) * kb


@wp.func
def single_slot(m: ModelFields, d: DataFields, world: int, h: int, slot: int):
    """Slots of the three vertices of a hinge."""
    # slope of the energy and rate of the curvature binormal
    vert = m.flexrod_vert[h]
    e0 = hinge_edge(m, d, world, h, 0)
    e1 = hinge_edge(m, d, world, h, 1)
    v0 = vertex_velocity(m, d, world, vert[1]) - vertex_velocity(m, d, world, vert[0])
    v1 = vertex_velocity(m, d, world, vert[2]) - vertex_velocity(m, d, world, vert[1])
    A0 = curvature_by_first(e0, e1)
    A1 = curvature_by_second(e0, e1)
    kb = curvature(e0, e1)
    adr = m.flexrod_adr[h]
    k = m.flex_bending[world, adr + 4]
    slope = bending_slope(k, m.flex_bending[world, adr + 6], kb)
    rate = A0 * v0 + A1 * v1
    damper = along_curvature(kb, 2.0 * k, rate)
    twist = wp.vec3(0.0, 0.0, 0.0)
    spin0 = wp.vec3(0.0, 0.0, 0.0)
    spin1 = wp.vec3(0.0, 0.0, 0.0)

    # in a chain both depend on the frames of the edges, which add forces of their own at the edges' ends
    e = m.flexrod_edge[h]
    if m.nflexchain > 0 and e >= 0:
        c = m.flexrodedge_chain[e]
        d.flexrod_drag[world, h] = 0.0
        if d.flexchain_ok[world, c] != 0:
            slope = d.flexrod_slope[world, h]
            damper = chain_damper(m, d, world, h, kb, rate)
            drag = twist_drag(m, d, world, h, kb, v0, v1)
            d.flexrod_drag[world, h] = drag
            spin0 = drag / (2.0 * wp.length(e0)) * kb
            spin1 = drag / (2.0 * wp.length(e1)) * kb
            twist = d.flexrodedge_force[world, e]

    # forces are the negative slopes by the vertices
    d.flexslot_spring[world, slot] = wp.transpose(A0) * slope + twist
    d.flexslot_spring[world, slot + 1] = wp.transpose(A1 - A0) * slope - twist
    d.flexslot_spring[world, slot + 2] = -(wp.transpose(A1) * slope)
    if m.nflexchain > 0 and e >= 0:
        # the last hinge takes the last edge as well
        if e + 2 == m.flexchain_edgeadr[m.flexrodedge_chain[e] + 1]:
            end = d.flexrodedge_force[world, e + 1]
            d.flexslot_spring[world, slot + 1] = d.flexslot_spring[world, slot + 1] + end
            d.flexslot_spring[world, slot + 2] = d.flexslot_spring[world, slot + 2] - end
    damping = m.flex_damping[world, m.flexrod_flexid[h]]
    d.flexslot_damper[world, slot] = damping * (wp.transpose(A0) * damper + spin0)
    d.flexslot_damper[world, slot + 1] = damping * (wp.transpose(A1 - A0) * damper - spin0 + spin1)
    d.flexslot_damper[world, slot + 2] = -damping * (wp.transpose(A1) * damper + spin1)


@wp.func
def rod_slots(m: ModelFields, d: DataFields, world: int, h: int):
    """Slots of a hinge."""
    slot = m.flexrod_first[0] + m.flexrod_slot[h]
    if m.flexrod_vert[h][3] < 0:
        single_slot(m, d, world, h, slot)
    else:
        pair_slot(m, d, world, h, slot)
