"""Contact sides that are flexes: the bodies that carry a contact's vertices, with their weights.

A flex moves at a contact as the weighted mean of the vertices of its element there, each of which moves with its body, or
as the weighted mean of the nodes that it is interpolated from. A point is a vertex with a body, or a node.
"""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.kernels.constraint.row import body_blocks
from newtonlite.solvers.mujoco.kernels.primitives.point import point_velocity


@wp.func
def is_flex_side(m: Any, d: Any, world: int, c: int, side: int) -> bool:
    """Whether a side of a contact is a flex."""
    if m.nflexgroup > 0:
        return d.contact_geom[world, c][side] < 0
    return False


@wp.func
def side_vertices(m: Any, d: Any, world: int, c: int, side: int) -> wp.vec4i:
    """Vertices, of all flexes, of a flex at a contact; -1 beyond the last."""
    f = d.contact_flex[world, c][side]
    v = d.contact_vert[world, c][side]
    if v >= 0:
        return wp.vec4i(m.flex_vertadr[f] + v, -1, -1, -1)
    found = m.flexelem_vert[m.flex_elemadr[f] + d.contact_elem[world, c][side]]
    for k in range(4):
        if k > m.flex_dim[f]:
            found[k] = -1
    return found


@wp.func
def points_of(m: Any, v: int) -> wp.vec2i:
    """Numbers, first and last + 1, of the points of a vertex: itself, or its nodes; none of no vertex."""
    if v < 0:
        return wp.vec2i(0, 0)
    if m.flex_vertbodyid[v] >= 0:
        return wp.vec2i(0, 1)
    return wp.vec2i(m.flexvert_nodeadr[v], m.flexvert_nodeadr[v + 1])


@wp.func
def point_body(m: Any, v: int, k: int) -> int:
    """Body of point ``k`` of a vertex."""
    b = m.flex_vertbodyid[v]
    if b < 0:
        b = m.flex_nodebodyid[m.flexvert_node[k]]
    return b


@wp.func
def point_weight(m: Any, v: int, k: int) -> float:
    """Weight of point ``k`` of a vertex."""
    if m.flex_vertbodyid[v] >= 0:
        return 1.0
    return m.flexvert_weight[k]


@wp.func
def point_place(m: Any, d: Any, world: int, v: int, k: int) -> wp.vec3:
    """Place of point ``k`` of a vertex [m]."""
    if m.flex_vertbodyid[v] >= 0:
        return d.flexvert_xpos[world, v]
    return d.flexnode_xpos[world, m.flexvert_node[k]]


@wp.func
def side_blocks(m: Any, d: Any, world: int, c: int, side: int) -> wp.vec2i:
    """Column blocks, first and last + 1, of the trees that a side of a contact moves with; none: 0, 0."""
    g = d.contact_geom[world, c][side]
    if g >= 0:
        return body_blocks(m, m.geom_bodyid[g])
    span = wp.vec2i(0, 0)
    vertices = side_vertices(m, d, world, c, side)
    for i in range(4):
        points = points_of(m, vertices[i])
        for k in range(points[0], points[1]):
            own = body_blocks(m, point_body(m, vertices[i], k))
            if own[1] > 0:
                span = wp.where(span[1] == 0, own, wp.vec2i(wp.min(span[0], own[0]), wp.max(span[1], own[1])))
    return span


@wp.func
def side_weight(m: Any, d: Any, world: int, c: int, side: int) -> float:
    """Inverse inertia at qpos0 that a side of a contact adds to a row: the weighted mean over its points [1/kg]."""
    g = d.contact_geom[world, c][side]
    if g >= 0:
        return m.body_invweight0[world, m.geom_bodyid[g]][0]
    total = float(0.0)
    vertices = side_vertices(m, d, world, c, side)
    share = d.contact_share[world, c, side]
    for i in range(4):
        points = points_of(m, vertices[i])
        for k in range(points[0], points[1]):
            b = point_body(m, vertices[i], k)
            total += share[i] * point_weight(m, vertices[i], k) * m.body_invweight0[world, b][0]
    return total


@wp.func
def sides_move(m: Any, d: Any, world: int, c: int) -> bool:
    """Whether a dof moves a side of a contact against the other: not where neither has any, nor where all is welded
    together.
    """
    weld = int(-1)
    apart = bool(False)
    moves = bool(False)
    for side in range(2):
        g = d.contact_geom[world, c][side]
        if g >= 0:
            b = m.geom_bodyid[g]
            apart = apart or (weld >= 0 and m.body_weldid[b] != weld)
            weld = m.body_weldid[b]
            moves = moves or body_blocks(m, b)[1] > 0
        else:
            vertices = side_vertices(m, d, world, c, side)
            for i in range(4):
                points = points_of(m, vertices[i])
                for k in range(points[0], points[1]):
                    b = point_body(m, vertices[i], k)
                    apart = apart or (weld >= 0 and m.body_weldid[b] != weld)
                    weld = m.body_weldid[b]
                    moves = moves or body_blocks(m, b)[1] > 0
    return moves and apart


@wp.func
def side_body(m: Any, d: Any, world: int, c: int, side: int) -> int:
    """Body of a side of a contact: the geom's; of a flex that of the first vertex of its element."""
    g = d.contact_geom[world, c][side]
    if m.nflexgroup > 0:
        if g < 0:
            v = side_vertices(m, d, world, c, side)[0]
            return point_body(m, v, points_of(m, v)[0])
    return m.geom_bodyid[g]


@wp.func
def side_velocity(m: Any, d: Any, world: int, c: int, side: int) -> wp.spatial_vector:
    """Angular [rad/s] and linear velocity [m/s] of a side at a contact; of a flex the weighted means over its points."""
    g = d.contact_geom[world, c][side]
    if m.nflexgroup > 0:
        if g < 0:
            total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            vertices = side_vertices(m, d, world, c, side)
            share = d.contact_share[world, c, side]
            for i in range(4):
                points = points_of(m, vertices[i])
                for k in range(points[0], points[1]):
                    b = point_body(m, vertices[i], k)
                    slide = point_velocity(m, d, world, b, point_place(m, d, world, vertices[i], k))
                    turn = wp.spatial_top(d.cvel[world, b])
                    total += (share[i] * point_weight(m, vertices[i], k)) * wp.spatial_vector(turn, slide)
            return total
    b = m.geom_bodyid[g]
    slide = point_velocity(m, d, world, b, d.contact_pos[world, c])
    return wp.spatial_vector(wp.spatial_top(d.cvel[world, b]), slide)
