"""Rods: bending and twisting of one-dimensional flexes.

Bergou et al. 2008, Discrete elastic rods; frames of edges are carried through time, not along the rod (Bergou et al. 2010). A hinge
bends by the curvature binormal ``kb = 2 e0 x e1 / (|e0||e1| + e0.e1)``; in a chain each edge has a frame (tangent, normal) that
its twist joint turns, and the twist of a hinge is the angle between the frames of its edges.
"""

from typing import Any

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import vertex_velocity

SMOOTH = wp.constant(1.0e-8)
"""Square of the smoothing of curved references at no curvature, relative to the reference curvature."""
KNOWN = wp.constant(0.25)
"""Least squared length of a stored direction that is there."""


@wp.func
def transported(t0: wp.vec3, t1: wp.vec3, u: wp.vec3) -> wp.vec3:
    """Normal ``u`` of ``t0``, turned by the smallest rotation that takes ``t0`` to ``t1``; zero for opposite directions."""
    scale = 1.0 + wp.dot(t0, t1)
    if scale < MINVAL:
        return wp.vec3(0.0, 0.0, 0.0)
    turned = u - (wp.dot(t1, u) / scale) * (t0 + t1)
    size = wp.length(turned)
    return wp.where(size < MINVAL, wp.vec3(0.0, 0.0, 0.0), turned / wp.max(size, MINVAL))


@wp.func
def any_normal(t: wp.vec3) -> wp.vec3:
    """A direction across a unit vector: y, or z where the vector is near to that, made orthogonal."""
    start = wp.vec3(0.0, 1.0, 0.0)
    if wp.abs(t[1]) >= 0.5:
        start = wp.vec3(0.0, 0.0, 1.0)
    return wp.normalize(start - t * wp.dot(t, start))


@wp.func
def curvature(e0: wp.vec3, e1: wp.vec3) -> wp.vec3:
    """Curvature binormal of two edges in a row; zero where it is not defined."""
    scale = wp.length(e0) * wp.length(e1) + wp.dot(e0, e1)
    return wp.where(scale < MINVAL, wp.vec3(0.0, 0.0, 0.0), 2.0 / wp.max(scale, MINVAL) * wp.cross(e0, e1))


@wp.func
def curvature_by_first(e0: wp.vec3, e1: wp.vec3) -> wp.mat33:
    """Slope of the curvature binormal by the first edge."""
    l0 = wp.max(wp.length(e0), MINVAL)
    l1 = wp.length(e1)
    scale = wp.max(l0 * l1 + wp.dot(e0, e1), MINVAL)
    return (-2.0 * wp.skew(e1) - wp.outer(curvature(e0, e1), (l1 / l0) * e0 + e1)) / scale


@wp.func
def curvature_by_second(e0: wp.vec3, e1: wp.vec3) -> wp.mat33:
    """Slope of the curvature binormal by the second edge."""
    l0 = wp.length(e0)
    l1 = wp.max(wp.length(e1), MINVAL)
    scale = wp.max(l0 * l1 + wp.dot(e0, e1), MINVAL)
    return (2.0 * wp.skew(e0) - wp.outer(curvature(e0, e1), (l0 / l1) * e1 + e0)) / scale


@wp.func
def edge_frame(m: Any, d: Any, world: int, c: int, e: int) -> bool:
    """Frame of edge ``e`` of chain ``c`` now: carried from a clamp, from the last step, or from the edge before; whether there
    is one.
    """
    # the edge now
    first = m.flexchain_edgeadr[c]
    last = m.flexchain_edgeadr[c + 1] - 1
    along = d.flexvert_xpos[world, m.flexrodedge_vert[e][1]] - d.flexvert_xpos[world, m.flexrodedge_vert[e][0]]
    if wp.length(along) < MINVAL:
        return False
    t = wp.normalize(along)
    came = t
    u = wp.vec3(0.0, 0.0, 0.0)
    known = int(0)

    # a clamped end turns with the body that clamps it
    body = int(-1)
    if e == first:
        body = m.flexchain_root[c]
    elif e == last:
        body = m.flexchain_tail[c]
    at = m.flexchain_plastic[c]
    if body >= 0:
        known = 1
        frame = d.xmat[world, body]
        if e == first:
            came = frame * m.flexchain_root_local[c, 0]
            u = transported(came, t, frame * m.flexchain_root_local[c, 1])
        else:
            came = frame * m.flexchain_tail_local[c, 0]
            u = transported(came, t, frame * m.flexchain_tail_local[c, 1])
        if wp.length(u) == 0.0:
            return False
    elif at >= 0:
        # what the last step has left
        k = at + 6 * (e - first)
        before = wp.vec3(d.plastic[world, k], d.plastic[world, k + 1], d.plastic[world, k + 2])
        normal = wp.vec3(d.plastic[world, k + 3], d.plastic[world, k + 4], d.plastic[world, k + 5])
        if wp.length_sq(before) > KNOWN and wp.length_sq(normal) > KNOWN:
            u = transported(before, t, normal)
            if wp.length(u) > 0.0:
                came = before
                known = 1

    # else without twist from the edge before, or from the reference
    if known == 0:
        if e > first:
            u = transported(d.flexrodedge_tangent[world, e - 1], t, d.flexrodedge_normal[world, e - 1])
        else:
            u = transported(m.flexchain_root_world[c, 0], t, m.flexchain_root_world[c, 1])
        if wp.length(u) == 0.0:
            u = any_normal(t)
    d.flexrodedge_tangent[world, e] = t
    d.flexrodedge_normal[world, e] = u
    d.flexrodedge_from[world, e] = came
    d.flexrodedge_known[world, e] = known
    return True


@wp.func
def chain_frames(m: Any, d: Any, world: int, c: int):
    """Frames of the edges of a chain, and whether all have one, no two in a row being opposite. One lane."""
    first = m.flexchain_edgeadr[c]
    ok = bool(True)
    for e in range(first, m.flexchain_edgeadr[c + 1]):
        if ok:
            ok = edge_frame(m, d, world, c, e)
        if ok and e > first:
            t0 = d.flexrodedge_tangent[world, e - 1]
            ok = wp.length(transported(t0, d.flexrodedge_tangent[world, e], d.flexrodedge_normal[world, e - 1])) > 0.0
    d.flexchain_ok[world, c] = int(ok)


@wp.func
def twist_angle(m: Any, d: Any, world: int, e: int) -> float:
    """Angle of the material frame of an edge from its carried frame: its joint's, 0 where it is clamped."""
    at = m.flexrodedge_qposadr[e]
    if at < 0:
        return 0.0
    return d.qpos[world, at] - m.qpos0[world, at]


@wp.func
def side_curvature(kb: wp.vec3, t: wp.vec3, u: wp.vec3, angle: float) -> wp.vec2:
    """Curvature along both axes of an edge's material frame."""
    along = wp.vec2(wp.dot(kb, u), wp.dot(kb, wp.cross(t, u)))
    c = wp.cos(angle)
    s = wp.sin(angle)
    return wp.vec2(c * along[0] + s * along[1], c * along[1] - s * along[0])


@wp.func
def side_direction(w: wp.vec2, t: wp.vec3, u: wp.vec3, angle: float) -> wp.vec3:
    """Vector with these parts along both axes of an edge's material frame."""
    v = wp.cross(t, u)
    c = wp.cos(angle)
    s = wp.sin(angle)
    return w[0] * (c * u + s * v) + w[1] * (c * v - s * u)


@wp.func
def hinge_edge(m: Any, d: Any, world: int, h: int, side: int) -> wp.vec3:
    """First (``side`` 0), second or third edge of a hinge."""
    return d.flexvert_xpos[world, m.flexrod_vert[h][side + 1]] - d.flexvert_xpos[world, m.flexrod_vert[h][side]]


@wp.func
def chain_hinge(m: Any, d: Any, world: int, h: int):
    """Twist of a hinge in a chain, and slopes of its energy: by the curvature binormal, and by the angles of its edges."""
    # angle between the frames of the two edges, without jumps by whole turns
    e = m.flexrod_edge[h]
    c = m.flexrodedge_chain[e]
    t0 = d.flexrodedge_tangent[world, e]
    u0 = d.flexrodedge_normal[world, e]
    t1 = d.flexrodedge_tangent[world, e + 1]
    u1 = d.flexrodedge_normal[world, e + 1]
    u = transported(t0, t1, u0)
    turn = wp.atan2(wp.dot(u1, wp.cross(t1, u)), wp.dot(u1, u))
    first = m.flexchain_edgeadr[c]
    count = m.flexchain_edgeadr[c + 1] - first
    at = m.flexchain_plastic[c]
    if at >= 0 and d.flexrodedge_known[world, e] != 0 and d.flexrodedge_known[world, e + 1] != 0:
        jump = turn - d.plastic[world, at + 6 * count + e - first]
        turn -= 2.0 * wp.PI * wp.round(jump / (2.0 * wp.PI))
    d.flexrod_turn[world, h] = turn

    # bending: half of both stiffnesses in the frame of each edge
    adr = m.flexrod_adr[h]
    k1 = m.flex_bending[world, adr + 4]
    k2 = k1 + m.flex_bending[world, adr + 5]
    rest = m.flexrod_curvature0[h]
    kb = curvature(hinge_edge(m, d, world, h, 0), hinge_edge(m, d, world, h, 1))
    a0 = twist_angle(m, d, world, e)
    a1 = twist_angle(m, d, world, e + 1)
    w0 = side_curvature(kb, t0, u0, a0)
    w1 = side_curvature(kb, t1, u1, a1)
    p0 = wp.vec2(k1 * (w0[0] - rest[0]), k2 * (w0[1] - rest[1]))
    p1 = wp.vec2(k1 * (w1[0] - rest[0]), k2 * (w1[1] - rest[1]))
    d.flexrod_slope[world, h] = side_direction(p0, t0, u0, a0) + side_direction(p1, t1, u1, a1)

    # twisting: 2 kt times the angle between the material frames
    twist = 2.0 * m.flex_bending[world, adr + 8] * (a1 - a0 + turn)
    d.flexrod_twist[world, h] = twist
    d.flexrod_torque[world, h] = wp.vec2(p0[0] * w0[1] - p0[1] * w0[0] - twist, p1[0] * w1[1] - p1[1] * w1[0] + twist)


@wp.func
def chain_edge(m: Any, d: Any, world: int, e: int):
    """Torque about an edge of a chain, and the force that it makes at the edge's ends; at a clamp the torque there."""
    c = m.flexrodedge_chain[e]
    first = m.flexchain_edgeadr[c]
    last = m.flexchain_edgeadr[c + 1] - 1
    h = m.flexrodedge_hinge[e]
    length = wp.length(
        d.flexvert_xpos[world, m.flexrodedge_vert[e][1]] - d.flexvert_xpos[world, m.flexrodedge_vert[e][0]]
    )

    # slopes by the hinges at both ends
    torque = float(0.0)
    force = wp.vec3(0.0, 0.0, 0.0)
    if e > first:
        torque += d.flexrod_torque[world, h - 1][1]
        kb = curvature(hinge_edge(m, d, world, h - 1, 0), hinge_edge(m, d, world, h - 1, 1))
        force += d.flexrod_twist[world, h - 1] / (2.0 * length) * kb
    if e < last:
        torque += d.flexrod_torque[world, h][0]
        kb = curvature(hinge_edge(m, d, world, h, 0), hinge_edge(m, d, world, h, 1))
        force += d.flexrod_twist[world, h] / (2.0 * length) * kb

    # the frame turns about the edge where it is carried to another direction
    came = d.flexrodedge_from[world, e]
    t = d.flexrodedge_tangent[world, e]
    scale = 1.0 + wp.dot(came, t)
    if length * scale >= MINVAL:
        force -= torque / (length * scale) * wp.cross(came, t)
    if d.flexchain_ok[world, c] == 0:
        torque = 0.0
        force = wp.vec3(0.0, 0.0, 0.0)
    d.flexrodedge_torque[world, e] = torque
    d.flexrodedge_force[world, e] = force
    reaction = wp.vec3(0.0, 0.0, 0.0)
    if scale >= MINVAL:
        reaction = -torque / scale * (came + t)
    if e == first:
        d.flexchain_clamp[world, c, 0] = wp.where(m.flexchain_root[c] >= 0, reaction, wp.vec3(0.0, 0.0, 0.0))
    if e == last:
        d.flexchain_clamp[world, c, 1] = wp.where(m.flexchain_tail[c] >= 0, reaction, wp.vec3(0.0, 0.0, 0.0))


@wp.func
def rod_chains(m: Any, d: Any, world: int, lane: int, nlane: int):
    """Frames of all chains, then their hinges, then their edges."""
    for c in range(lane, m.nflexchain, nlane):
        chain_frames(m, d, world, c)
    sync()
    for h in range(lane, m.nflexrod, nlane):
        if m.flexrod_edge[h] >= 0:
            if d.flexchain_ok[world, m.flexrodedge_chain[m.flexrod_edge[h]]] != 0:
                chain_hinge(m, d, world, h)
    sync()
    for e in range(lane, m.nflexrodedge, nlane):
        chain_edge(m, d, world, e)
    sync()


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
def single_slot(m: Any, d: Any, world: int, h: int, slot: int):
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
def chain_damper(m: Any, d: Any, world: int, h: int, kb: wp.vec3, rate: wp.vec3) -> wp.vec3:
    """Damper of a hinge between edges with frames, over its coefficient."""
    # stiffness in the frames of both edges, the weak axis damped as their geometric mean
    e = m.flexrod_edge[h]
    adr = m.flexrod_adr[h]
    k2 = m.flex_bending[world, adr + 4] + m.flex_bending[world, adr + 5]
    k1 = wp.sqrt(m.flex_bending[world, adr + 4] * k2)
    size = wp.length(kb)
    way = rate
    if size >= MINVAL:
        way = kb / size
    weighed = wp.vec3(0.0, 0.0, 0.0)
    for side in range(2):
        t = d.flexrodedge_tangent[world, e + side]
        u = d.flexrodedge_normal[world, e + side]
        angle = twist_angle(m, d, world, e + side)
        w = side_curvature(way, t, u, angle)
        weighed += side_direction(wp.vec2(k1 * w[0], k2 * w[1]), t, u, angle)

    # along the direction of the curvature alone, where there is one
    if size < MINVAL:
        return weighed
    return wp.dot(way, weighed) * wp.dot(way, rate) * way


@wp.func
def twist_drag(m: Any, d: Any, world: int, h: int, kb: wp.vec3, v0: wp.vec3, v1: wp.vec3) -> float:
    """Torque of the damper against twisting of a hinge over its coefficient, which no common rotation brings about."""
    e = m.flexrod_edge[h]
    c = m.flexrodedge_chain[e]
    kt = m.flex_bending[world, m.flexrod_adr[h] + 8]
    if kt <= 0.0 or m.flexrodedge_dofadr[e] < 0 and m.flexrodedge_dofadr[e + 1] < 0:
        return 0.0
    e0 = hinge_edge(m, d, world, h, 0)
    e1 = hinge_edge(m, d, world, h, 1)
    spin = edge_spin(m, d, world, c, e + 1) - edge_spin(m, d, world, c, e)
    spin += wp.dot(kb, v0) / (2.0 * wp.length(e0)) + wp.dot(kb, v1) / (2.0 * wp.length(e1))
    return 2.0 * kt * spin


@wp.func
def edge_spin(m: Any, d: Any, world: int, c: int, e: int) -> float:
    """Speed of an edge about itself: its joint's, or that of what clamps it."""
    dof = m.flexrodedge_dofadr[e]
    if dof >= 0:
        return d.qvel[world, dof]
    body = int(-1)
    if e == m.flexchain_edgeadr[c]:
        body = m.flexchain_root[c]
    elif e + 1 == m.flexchain_edgeadr[c + 1]:
        body = m.flexchain_tail[c]
    if body <= 0:
        return 0.0
    return wp.dot(wp.spatial_top(d.cvel[world, body]), d.flexrodedge_tangent[world, e])


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
def pair_slot(m: Any, d: Any, world: int, h: int, slot: int):
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

    # slopes: of each curvature by its size, of their directions kt |R n_a - n_b|^2
    adr = m.flexrod_adr[h]
    k0 = m.flex_bending[world, adr + 4]
    k1 = m.flex_bending[world, adr + 5]
    rest0 = m.flex_bending[world, adr + 6]
    rest1 = m.flex_bending[world, adr + 7]
    tc = m.flex_bending[world, adr + 8]
    ts = m.flex_bending[world, adr + 9]
    kt = wp.sqrt(tc * tc + ts * ts)
    na = smoothed(a, rest0)
    nb = smoothed(b, rest1)
    da = kt * na - wp.vec2(tc * nb[0] + ts * nb[1], tc * nb[1] - ts * nb[0])
    db = kt * nb - wp.vec2(tc * na[0] - ts * na[1], ts * na[0] + tc * na[1])
    ga = radial_slope(a, k0, rest0) + 2.0 * smoothed_slope(a, rest0, da)
    gb = radial_slope(b, k1, rest1) + 2.0 * smoothed_slope(b, rest1, db)

    # dampers: the same by the rates, that of the directions by how fast they turn against each other
    w0 = vertex_velocity(m, d, world, vert[1]) - vertex_velocity(m, d, world, vert[0])
    w1 = vertex_velocity(m, d, world, vert[2]) - vertex_velocity(m, d, world, vert[1])
    w2 = vertex_velocity(m, d, world, vert[3]) - vertex_velocity(m, d, world, vert[2])
    rate_a = A0 * w0 + A1 * w1
    rate_b = B0 * w1 + B1 * w2
    ra = wp.vec2(wp.dot(rate_a, u), wp.dot(rate_a, v))
    rb = wp.vec2(wp.dot(rate_b, u), wp.dot(rate_b, v))
    fa = radial_damper(a, k0, ra)
    fb = radial_damper(b, k1, rb)
    size0 = wp.length(a)
    size1 = wp.length(b)
    if size0 >= MINVAL and size1 >= MINVAL and rest0 > 0.0 and rest1 > 0.0:
        c0 = size0 / rest0
        c1 = size1 / rest1
        rho0 = wp.sqrt(c0 * c0 + SMOOTH)
        rho1 = wp.sqrt(c1 * c1 + SMOOTH)
        q0 = wp.sqrt(1.0 + SMOOTH) / (rho0 * rest0) * c1 / rho1 * wp.vec2(a[1], -a[0]) / size0
        q1 = wp.sqrt(1.0 + SMOOTH) / (rho1 * rest1) * c0 / rho0 * wp.vec2(-b[1], b[0]) / size1
        speed = 2.0 * kt * (wp.dot(q0, ra) + wp.dot(q1, rb))
        fa += speed * q0
        fb += speed * q1

    # forces are the negative slopes by the vertices
    damping = m.flex_damping[world, m.flexrod_flexid[h]]
    for damper in range(2):
        sa = ga[0] * u + ga[1] * v
        sb = gb[0] * u + gb[1] * v
        if damper == 1:
            sa = damping * (fa[0] * u + fa[1] * v)
            sb = damping * (fb[0] * u + fb[1] * v)
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


@wp.func
def rod_slots(m: Any, d: Any, world: int, h: int):
    """Slots of a hinge."""
    slot = m.flexrod_first[0] + m.flexrod_slot[h]
    if m.flexrod_vert[h][3] < 0:
        single_slot(m, d, world, h, slot)
    else:
        pair_slot(m, d, world, h, slot)


@wp.func
def clamp_torque(m: Any, d: Any, world: int, b: int, damper: bool) -> wp.vec3:
    """Torque [N m] on body ``b`` of the rods whose ends it clamps."""
    torque = wp.vec3(0.0, 0.0, 0.0)
    for c in range(m.nflexchain):
        first = m.flexchain_edgeadr[c]
        last = m.flexchain_edgeadr[c + 1] - 1
        h = m.flexrodedge_hinge[first]
        damping = m.flex_damping[world, m.flexrod_flexid[h]]
        if m.flexchain_root[c] == b:
            drag = damping * d.flexrod_drag[world, h] * d.flexrodedge_tangent[world, first]
            torque += wp.where(damper, drag, d.flexchain_clamp[world, c, 0])
        if m.flexchain_tail[c] == b:
            drag = damping * d.flexrod_drag[world, h + last - first - 1] * d.flexrodedge_tangent[world, last]
            torque += wp.where(damper, -drag, d.flexchain_clamp[world, c, 1])
    return torque


@wp.func
def twist_force(m: Any, d: Any, world: int, e: int, damper: bool) -> float:
    """Force on the twist joint of an edge: against the slope of the energy, or the drags of the hinges at its ends."""
    if not damper:
        return -d.flexrodedge_torque[world, e]
    c = m.flexrodedge_chain[e]
    h = m.flexrodedge_hinge[e]
    drag = float(0.0)
    if e + 1 < m.flexchain_edgeadr[c + 1]:
        drag += d.flexrod_drag[world, h]
    if e > m.flexchain_edgeadr[c]:
        drag -= d.flexrod_drag[world, h - 1]
    return drag * m.flex_damping[world, m.flexrod_flexid[h - wp.where(e + 1 < m.flexchain_edgeadr[c + 1], 0, 1)]]
