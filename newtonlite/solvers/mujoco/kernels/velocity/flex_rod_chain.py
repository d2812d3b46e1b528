"""Chains of rods: edges with frames of their own, which bend in two directions and twist.

Discrete elastic rods (Bergou et al. 2008); frames are carried through time, not along the rod (Bergou et al. 2010). Each edge has a
frame (tangent, normal) that its twist joint turns; the twist of a hinge is the angle between the frames of its edges.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import KNOWN
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.flex_rod_hinge import any_normal, curvature, hinge_edge


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
def edge_frame(m: ModelFields, d: DataFields, world: int, c: int, e: int) -> bool:
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
def chain_frames(m: ModelFields, d: DataFields, world: int, c: int):
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
def twist_angle(m: ModelFields, d: DataFields, world: int, e: int) -> float:
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
def chain_hinge(m: ModelFields, d: DataFields, world: int, h: int):
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
def chain_edge(m: ModelFields, d: DataFields, world: int, e: int):
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
def rod_chains(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
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
def chain_weight(m: ModelFields, d: DataFields, world: int, h: int, k1: float, k2: float) -> wp.mat33:
    """Stiffness against the curvature binormal of a hinge: both numbers along the axes of the material frames of both edges."""
    e = m.flexrod_edge[h]
    total = wp.mat33(0.0)
    for side in range(2):
        t = d.flexrodedge_tangent[world, e + side]
        u = d.flexrodedge_normal[world, e + side]
        angle = twist_angle(m, d, world, e + side)
        one = side_direction(wp.vec2(1.0, 0.0), t, u, angle)
        two = side_direction(wp.vec2(0.0, 1.0), t, u, angle)
        total += k1 * wp.outer(one, one) + k2 * wp.outer(two, two)
    return total


@wp.func
def chain_damper(m: ModelFields, d: DataFields, world: int, h: int, kb: wp.vec3, rate: wp.vec3) -> wp.vec3:
    """Damper of a hinge between edges with frames, over its coefficient."""
    # stiffness in the frames of both edges, the weak axis damped as their geometric mean
    adr = m.flexrod_adr[h]
    k2 = m.flex_bending[world, adr + 4] + m.flex_bending[world, adr + 5]
    weight = chain_weight(m, d, world, h, wp.sqrt(m.flex_bending[world, adr + 4] * k2), k2)

    # along the direction of the curvature alone, where there is one
    size = wp.length(kb)
    if size < MINVAL:
        return weight * rate
    way = kb / size
    return wp.dot(way, weight * way) * wp.dot(way, rate) * way


@wp.func
def edge_spin(m: ModelFields, d: DataFields, world: int, c: int, e: int) -> float:
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
def twist_drag(m: ModelFields, d: DataFields, world: int, h: int, kb: wp.vec3, v0: wp.vec3, v1: wp.vec3) -> float:
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
def clamp_torque(m: ModelFields, d: DataFields, world: int, b: int, damper: bool) -> wp.vec3:
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
def twist_force(m: ModelFields, d: DataFields, world: int, e: int, damper: bool) -> float:
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
