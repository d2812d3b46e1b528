"""Flex bending: of the edge between two triangles, and of the edge between two faces of a shell.

Bergou et al. 2006: the energy of an edge is quadratic in the places of the four vertices, ``p' B p / 2``; where it is bent at
rest a multiple of the volume that they span is added, which turns the rest angle.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.math.quaternion import quat_normalize, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.velocity.flex_stretch import vertex_velocity


@wp.func
def bend_edge(m: ModelFields, d: DataFields, world: int, k: int):
    """Slots of the four vertices of a bending edge."""
    # places and velocities from the first vertex, as the rows of B add up to 0
    adr = m.flexbend_adr[k]
    vert = m.flexbend_vert[k]
    x0 = d.flexvert_xpos[world, vert[0]]
    e0 = d.flexvert_xpos[world, vert[1]] - x0
    e1 = d.flexvert_xpos[world, vert[2]] - x0
    e2 = d.flexvert_xpos[world, vert[3]] - x0
    u0 = vertex_velocity(m, d, world, vert[0])
    u1 = vertex_velocity(m, d, world, vert[1]) - u0
    u2 = vertex_velocity(m, d, world, vert[2]) - u0
    u3 = vertex_velocity(m, d, world, vert[3]) - u0

    # slopes of the volume e0 . (e1 x e2) by the vertices
    turn = m.flex_bending[world, adr + 16]
    if m.nflexplastic > 0:
        if m.flexbend_plastic[k] >= 0:
            turn += d.plastic[world, m.flexbend_plastic[k]]
    g1 = wp.cross(e1, e2)
    g2 = wp.cross(e2, e0)
    g3 = wp.cross(e0, e1)
    damping = wp.max(m.flex_damping[world, m.flexbend_flexid[k]], 0.0)
    for i in range(4):
        b1 = m.flex_bending[world, adr + 4 * i + 1]
        b2 = m.flex_bending[world, adr + 4 * i + 2]
        b3 = m.flex_bending[world, adr + 4 * i + 3]
        g = -(g1 + g2 + g3)
        if i == 1:
            g = g1
        elif i == 2:
            g = g2
        elif i == 3:
            g = g3
        d.flexslot_spring[world, 4 * k + i] = -(b1 * e0 + b2 * e1 + b3 * e2 + turn * g)
        d.flexslot_damper[world, 4 * k + i] = -damping * (b1 * u1 + b2 * u2 + b3 * u3)


@wp.func
def face_slope(m: ModelFields, d: DataFields, world: int, c: int, gradient: int, axis: int) -> wp.vec3:
    """Tangent of a shell's face: how its place changes along one of its axes."""
    first = m.flexcell_nodeadr[c]
    origin = d.flexnode_xpos[world, m.flexcellnode_point[first] - m.nflexvert]
    slope = wp.vec3(0.0, 0.0, 0.0)
    for i in range(m.flexcell_nodeadr[c + 1] - first):
        place = d.flexnode_xpos[world, m.flexcellnode_point[first + i] - m.nflexvert]
        slope += m.flexshellbend_gradient[gradient + i][axis] * (place - origin)
    return slope


@wp.func
def bend_shell(m: ModelFields, d: DataFields, world: int, k: int):
    """Slots of the nodes of two faces that meet in an edge: energy ``k |n_A - n_B - R dn0|^2 / 2`` of their normals."""
    # tangents and normals in the middle of the edge; both faces have as many nodes
    c1 = m.flexshellbend_cell[k][0]
    c2 = m.flexshellbend_cell[k][1]
    count = m.flexcell_nodeadr[c1 + 1] - m.flexcell_nodeadr[c1]
    first = m.flexshellbend_nodeadr[k]
    t1 = face_slope(m, d, world, c1, first, 0)
    t2 = face_slope(m, d, world, c1, first, 1)
    s1 = face_slope(m, d, world, c2, first + count, 0)
    s2 = face_slope(m, d, world, c2, first + count, 1)
    n1 = wp.cross(t1, t2)
    n2 = wp.cross(s1, s2)
    size1 = wp.length(n1)
    size2 = wp.length(n2)
    slot = m.flexshellbend_first[0] + first
    stiff = m.flex_bending[world, m.flexshellbend_adr[k] + 6]
    if size1 < MINVAL or size2 < MINVAL:
        stiff = 0.0

    # difference of the unit normals from that at rest, which turns with the faces
    n1 = n1 / wp.max(size1, MINVAL)
    n2 = n2 / wp.max(size2, MINVAL)
    q1 = d.flexcell_quat[world, c1]
    q2 = d.flexcell_quat[world, c2]
    if wp.dot(q1, q2) < 0.0:
        q2 = -q2
    adr = m.flexshellbend_adr[k] + 7
    rest = wp.vec3(m.flex_bending[world, adr], m.flex_bending[world, adr + 1], m.flex_bending[world, adr + 2])
    r = n1 - n2 - quat_rotate(quat_normalize(q1 + q2), rest)

    # -k r dn/dx: a unit normal turns by the part across it, over its length
    w1 = stiff * (r - n1 * wp.dot(n1, r)) / wp.max(size1, MINVAL)
    w2 = -stiff * (r - n2 * wp.dot(n2, r)) / wp.max(size2, MINVAL)
    for i in range(count):
        g = m.flexshellbend_gradient[first + i]
        d.flexslot_spring[world, slot + i] = wp.cross(w1, t2) * g[0] - wp.cross(w1, t1) * g[1]
        g = m.flexshellbend_gradient[first + count + i]
        d.flexslot_spring[world, slot + count + i] = wp.cross(w2, s2) * g[0] - wp.cross(w2, s1) * g[1]
        d.flexslot_damper[world, slot + i] = wp.vec3(0.0, 0.0, 0.0)
        d.flexslot_damper[world, slot + count + i] = wp.vec3(0.0, 0.0, 0.0)
