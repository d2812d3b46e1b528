"""Contact sides that are flexes: the bodies that carry a contact's vertices, with their weights.

A flex moves at a contact as the weighted mean of the bodies of its element's vertices, each as if it were there, or of the
nodes that a vertex is interpolated from. A point is a vertex with a body, or a node.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def is_flex_side(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> bool:
    """Whether a side of a contact is a flex."""
    if m.nflexgroup > 0:
        return d.contact_geom[world, c][side] < 0
    return False


@wp.func
def side_vertices(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> wp.vec4i:
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
def points_of(m: ModelFields, v: int) -> wp.vec2i:
    """Numbers, first and last + 1, of the points of a vertex: itself, or its nodes; none of no vertex."""
    if v < 0:
        return wp.vec2i(0, 0)
    if m.flex_vertbodyid[v] >= 0:
        return wp.vec2i(0, 1)
    return wp.vec2i(m.flexvert_nodeadr[v], m.flexvert_nodeadr[v + 1])


@wp.func
def point_body(m: ModelFields, v: int, k: int) -> int:
    """Body of point ``k`` of a vertex."""
    b = m.flex_vertbodyid[v]
    if b < 0:
        b = m.flex_nodebodyid[m.flexvert_node[k]]
    return b


@wp.func
def point_weight(m: ModelFields, v: int, k: int) -> float:
    """Weight of point ``k`` of a vertex."""
    if m.flex_vertbodyid[v] >= 0:
        return 1.0
    return m.flexvert_weight[k]
