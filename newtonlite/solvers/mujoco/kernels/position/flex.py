"""Flex kinematics: nodes, vertices, edges with their Jacobian, and boxes about elements."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.flex_cell import cell_rotation
from newtonlite.solvers.mujoco.kernels.primitives.corners import higher, lower
from newtonlite.solvers.mujoco.kernels.primitives.point import lever
from newtonlite.solvers.mujoco.kernels.primitives.rod_section import flex_reach
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def flex_vertex(m: ModelFields, d: DataFields, world: int, v: int) -> wp.vec3:
    """Place of a vertex: on its body, or the weighted sum of the nodes that it is interpolated from."""
    b = m.flex_vertbodyid[v]
    if b >= 0:
        return d.xpos[world, b] + d.xmat[world, b] * m.flex_vert[world, v]
    place = wp.vec3(0.0, 0.0, 0.0)
    if m.nflexinterp > 0:
        for k in range(m.flexvert_nodeadr[v], m.flexvert_nodeadr[v + 1]):
            place += m.flexvert_weight[k] * d.flexnode_xpos[world, m.flexvert_node[k]]
    return place


@wp.func
def edge_jacobian(m: ModelFields, d: DataFields, world: int, e: int):
    """``flexedge_length`` and the row ``u (J_2 - J_1)`` of ``flexedge_J``; flexes that are interpolated or rigid have
    neither.
    """
    v1 = m.flexedge_vert[e][0]
    v2 = m.flexedge_vert[e][1]
    b1 = m.flex_vertbodyid[v1]
    b2 = m.flex_vertbodyid[v2]
    if b1 < 0 or b2 < 0 or m.flex_rigid[m.flex_edgeflexid[e]] != 0:
        d.flexedge_length[world, e] = 0.0
        return

    # length and direction; an edge without length points along x, as MuJoCo's does
    p1 = d.flexvert_xpos[world, v1]
    p2 = d.flexvert_xpos[world, v2]
    length = wp.length(p2 - p1)
    u = wp.vec3(1.0, 0.0, 0.0)
    if length > MINVAL:
        u = (p2 - p1) / length
    d.flexedge_length[world, e] = length

    # u . (v2 - v1) by each dof that moves one of the vertices: of a motion (w, v) the point at arm r has u . v + w . (r x u)
    turn1 = wp.cross(lever(m, d, world, b1, p1), u)
    turn2 = wp.cross(lever(m, d, world, b2, p2), u)
    first = m.flexedge_J_rowadr[e]
    begin = first + m.flexedge_shared[e]
    for k in range(first, begin):
        d.flexedge_J[world, k] = 0.0
    for k in range(begin, first + m.flexedge_J_rownnz[e]):
        axis = d.cdof[world, m.flexedge_J_colind[k]]
        side = m.flexedge_J_side[k]
        along = wp.dot(u, wp.spatial_bottom(axis))
        about = wp.spatial_top(axis)
        speed = float(0.0)
        if (side & 2) != 0:
            speed += along + wp.dot(about, turn2)
        if (side & 1) != 0:
            speed -= along + wp.dot(about, turn1)
        d.flexedge_J[world, k] = speed


@wp.func
def element_box(m: ModelFields, d: DataFields, world: int, e: int):
    """``flexelem_aabb``: centre and half sizes of the box about the vertices of an element, with its reach."""
    v = m.flexelem_vert[e]
    a = d.flexvert_xpos[world, v[0]]
    b = d.flexvert_xpos[world, v[1]]
    c = d.flexvert_xpos[world, v[2]]
    last = d.flexvert_xpos[world, v[3]]
    low = lower(lower(a, b), lower(c, last))
    high = higher(higher(a, b), higher(c, last))
    r = flex_reach(m, world, m.flex_elemflexid[e])
    d.flexelem_aabb[world, e, 0] = 0.5 * (low + high)
    d.flexelem_aabb[world, e, 1] = 0.5 * (high - low) + wp.vec3(r, r, r)


@wp.func
def element_boxes(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``flexelem_aabb`` of the vertices as they are."""
    for e in range(lane, m.nflexelem, nlane):
        element_box(m, d, world, e)
    sync()


@wp.func
def flex_position(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``flexnode_xpos``, ``flexvert_xpos``, ``flexedge_length``, ``flexedge_J``, ``flexelem_aabb`` and ``flexcell_quat``."""
    if m.nflexinterp > 0:
        for n in range(lane, m.nflexnode, nlane):
            b = m.flex_nodebodyid[n]
            d.flexnode_xpos[world, n] = d.xpos[world, b] + d.xmat[world, b] * m.flex_node[world, n]
        sync()
        for c in range(lane, m.nflexcell, nlane):
            cell_rotation(m, d, world, c)
    if m.nflex > 0:
        for v in range(lane, m.nflexvert, nlane):
            d.flexvert_xpos[world, v] = flex_vertex(m, d, world, v)
        sync()
        if m.nJfe > 0:  # no dof changes the length of an edge of flexes that are interpolated or rigid
            for e in range(lane, m.nflexedge, nlane):
                edge_jacobian(m, d, world, e)
        element_boxes(m, d, world, lane, nlane)
